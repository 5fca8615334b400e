// Draws changes to an object from the schema of its kind: fields added, replaced or removed, with values that validation often
// checks.

/** A generator of pseudo-random numbers (mulberry32): the same seed draws the same changes. */
export function randomFrom(seed) {
  let a = seed >>> 0;
  const next = () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  return { below, pick: (list) => list[below(list.length)], chance: (p) => next() < p };
}

const TEXTS = ['', 'a', 'added', 'Not Valid!', 'Upper', 'a.b', 'a_b', '-a', 'example.com/x', 'Example.com/x', '/x', 'a/b/c', '..', '*', '10', '50%', '150%', '10.0.0.1', '10.0.0.300', '::1', '10.0.0.0/8', 'x'.repeat(64), 'x'.repeat(254)];
const NUMBERS = [-1, 0, 1, 2, 80, 600, 65536, 2147483647];
const QUANTITIES = ['0', '1', '-1', '0.5', '500m', '1Gi', '3Ti'];

const escaped = (name) => name.replace(/~/g, '~0').replace(/\//g, '~1');

/** A value of a schema. `depth` limits how deeply structs are filled in. */
function draw(schema, random, depth) {
  switch (schema.kind) {
    case 'struct': {
      const out = {};
      if (depth <= 0) return out;
      for (const f of schema.fields) if (f.required ? random.chance(0.8) : random.chance(0.1)) out[f.name] = draw(f.schema, random, depth - 1);
      return out;
    }
    case 'list':
      return Array.from({ length: random.pick([0, 1, 1, 2]) }, () => draw(schema.items, random, depth - 1));
    case 'map': {
      const value = () => draw(schema.values, random, depth - 1);
      return random.pick([() => ({}), () => ({ added: value() }), () => ({ 'bad key!': value() }), () => ({ 'example.com/x': value() })])();
    }
    case 'scalar':
      return scalar(schema, random);
    default:
      return { apiVersion: 'example.com/v1', kind: 'Config' };
  }
}

function scalar(schema, random) {
  switch (schema.type) {
    case 'string': {
      const known = schema.enum ?? schema.values ?? [];
      return known.length > 0 && random.chance(0.7) ? random.pick([...known]) : random.pick(TEXTS);
    }
    case 'bool':
      return random.chance(0.5);
    case 'int32':
    case 'int64':
      return random.pick(NUMBERS);
    case 'float64':
      return random.pick([0, 0.5, -1]);
    case 'bytes':
      return random.pick(['', 'YQ==', 'LS0t']);
    case 'time':
      return '2026-01-01T00:00:00Z';
    case 'microTime':
      return '2026-01-01T00:00:00.000000Z';
    case 'duration':
      return random.pick(['0s', '1m0s']);
    case 'quantity':
      return random.pick(QUANTITIES);
    default:
      return random.pick([0, 1, -1, 80, 'http', '50%', 'Not Valid!']);
  }
}

/** One change to `object` as a JSON patch operation, restricted to the fields in `within`. */
export function drawChange(object, schema, random, within) {
  let at = object;
  let type = schema;
  const path = [];
  for (let depth = 0; depth < 12; depth++) {
    if (type.kind === 'struct') {
      const open = type.fields.filter((f) => depth > 0 || within.includes(f.name));
      const given = open.filter((f) => at?.[f.name] !== undefined);
      const field = given.length > 0 && random.chance(0.7) ? random.pick(given) : random.pick(open);
      if (field === undefined) return undefined;
      // Fields that identify the object are not changed.
      if (depth === 1 && path[0] === 'metadata' && ['name', 'namespace', 'uid', 'resourceVersion', 'generateName', 'managedFields'].includes(field.name)) return undefined;
      path.push(field.name);
      const inner = at?.[field.name];
      if (inner === undefined) return { op: 'add', path: pointer(path), value: draw(field.schema, random, 2) };
      if (field.schema.kind === 'scalar' || field.schema.kind === 'any' || random.chance(0.15)) return replaced(path, field.schema, random);
      at = inner;
      type = field.schema;
    } else if (type.kind === 'list') {
      if (!Array.isArray(at)) return undefined;
      if (at.length === 0 || random.chance(0.2)) return { op: 'add', path: pointer([...path, '-']), value: at.length > 0 && random.chance(0.5) ? at[0] : draw(type.items, random, 2) };
      const i = random.below(at.length);
      path.push(String(i));
      if (type.items.kind === 'scalar' || random.chance(0.15)) return replaced(path, type.items, random);
      at = at[i];
      type = type.items;
    } else if (type.kind === 'map') {
      const keys = Object.keys(at ?? {});
      const key = keys.length > 0 && random.chance(0.6) ? random.pick(keys) : random.pick(['added', 'bad key!', 'example.com/x']);
      path.push(key);
      if (at?.[key] === undefined) return { op: 'add', path: pointer(path), value: draw(type.values, random, 2) };
      if (type.values.kind === 'scalar' || random.chance(0.3)) return replaced(path, type.values, random);
      at = at[key];
      type = type.values;
    } else return undefined;
  }
  return undefined;
}

const pointer = (path) => path.map((p) => `/${escaped(p)}`).join('');

const replaced = (path, schema, random) => (random.chance(0.25) ? { op: 'remove', path: pointer(path) } : { op: 'replace', path: pointer(path), value: draw(schema, random, 2) });
