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
const NUMBERS = [-1, 0, 1, 2, 80, 600, 3600, 65535, 65536, 2147483647];
const QUANTITIES = ['0', '1', '-1', '0.5', '500m', '1Gi', '3Ti', '1.5', '1e3', '1500m', '0.0001', '1Ki', '9223372036854775807', 'x'];
/** Fields that identify an object: `drawChange` leaves them alone, `drawIdentity` changes them. */
const IDENTITY = ['name', 'namespace', 'uid', 'resourceVersion', 'generateName', 'managedFields', 'creationTimestamp'];

const escaped = (name) => name.replace(/~/g, '~0').replace(/\//g, '~1');

/** A value of a schema. `depth` limits how deeply structs are filled in; `fill` is the share of optional fields that are. */
export function draw(schema, random, depth, fill = 0.1) {
  switch (schema.kind) {
    case 'struct': {
      const out = {};
      if (depth <= 0) return out;
      for (const f of schema.fields) if (f.required ? random.chance(0.85) : random.chance(fill)) out[f.name] = draw(f.schema, random, depth - 1, fill);
      return out;
    }
    case 'list': {
      const items = Array.from({ length: random.pick([0, 1, 1, 2]) }, () => draw(schema.items, random, depth - 1, fill));
      return items.length > 0 && random.chance(0.15) ? [...items, items[0]] : items;
    }
    case 'map': {
      const value = () => draw(schema.values, random, depth - 1, fill);
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
      if (depth === 1 && path[0] === 'metadata' && IDENTITY.includes(field.name)) return undefined;
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

/** Several members of one struct at once: unions, and rules between fields. */
export function drawMembers(object, schema, random, within) {
  const structs = [];
  collect(object, schema, [], within, structs);
  const open = structs.filter(({ type }) => type.fields.some((f) => !f.required));
  if (open.length === 0) return [];
  const { path, at, type } = random.pick(open);
  const members = type.fields.filter((f) => at[f.name] === undefined && !(path[0] === 'metadata' && IDENTITY.includes(f.name)));
  const chosen = members.filter(() => random.chance(Math.min(1, 2.5 / members.length)));
  return chosen.map((f) => ({ op: 'add', path: pointer([...path, f.name]), value: draw(f.schema, random, 3, 0.3) }));
}

/** A value of the object at another place of the same type: names that repeat, references to something else. */
export function drawCopy(object, schema, random, within) {
  const leaves = [];
  collect(object, schema, [], within, [], leaves);
  const to = leaves.length > 1 ? random.pick(leaves) : undefined;
  if (to === undefined) return undefined;
  const from = leaves.filter((l) => typeof l.at === typeof to.at && l.at !== to.at);
  if (from.length > 0 && random.chance(0.6)) return { op: 'replace', path: pointer(to.path), value: random.pick(from).at };
  if (typeof to.at === 'number') return { op: 'replace', path: pointer(to.path), value: to.at + random.pick([-1, 1, 1000]) };
  if (typeof to.at === 'string') return { op: 'replace', path: pointer(to.path), value: random.pick([`${to.at}x`, `x-${to.at}`, to.at.toUpperCase(), ` ${to.at}`, `${to.at}.`, to.at.slice(1)]) };
  return undefined;
}

/** Repeats an item of a list with one field changed, or moves it. */
export function drawRepeat(object, schema, random, within) {
  const lists = [];
  collect(object, schema, [], within, [], [], lists);
  const given = lists.filter(({ at }) => at.length > 0);
  if (given.length === 0) return undefined;
  const { path, at, type } = random.pick(given);
  const item = random.pick(at);
  const change = type.items.kind === 'struct' && random.chance(0.7) ? random.pick(type.items.fields) : undefined;
  const value = change === undefined ? item : { ...item, [change.name]: draw(change.schema, random, 2, 0.2) };
  return { op: 'add', path: pointer([...path, random.pick(['-', '0'])]), value };
}

/** A change of the fields that identify the object, or of those that the server owns. */
export function drawIdentity(random) {
  const [field, value] = random.pick([
    ['name', 'Not Valid!'], ['name', ''], ['name', 'x'.repeat(254)], ['name', 'a.b'], ['name', 'other'],
    ['generateName', 'made-'], ['generateName', 'Not Valid'], ['generateName', 'x'.repeat(260)],
    ['namespace', 'other'], ['namespace', ''], ['uid', 'x'], ['uid', ''],
    ['resourceVersion', '1'], ['resourceVersion', ''], ['resourceVersion', 'x'],
    ['generation', 5], ['generation', -1], ['selfLink', '/x'],
    ['creationTimestamp', '2020-01-01T00:00:00Z'], ['deletionTimestamp', '2020-01-01T00:00:00Z'], ['deletionGracePeriodSeconds', 5], ['deletionGracePeriodSeconds', -1],
    ['finalizers', ['example.com/f']], ['finalizers', ['plain']], ['finalizers', ['orphan', 'foregroundDeletion']], ['finalizers', ['example.com/f', 'example.com/f']],
    ['ownerReferences', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u', controller: true }, { apiVersion: 'v1', kind: 'ConfigMap', name: 'y', uid: 'v', controller: true }]],
    ['ownerReferences', [{ apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'u' }]], ['ownerReferences', [{ apiVersion: 'a/b/c', kind: '', name: '', uid: '' }]],
    ['managedFields', [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:metadata': {} } }]],
    ['managedFields', [{ manager: 'm', operation: 'Odd', apiVersion: 'v1', fieldsType: 'FieldsV2' }]],
    ['labels', { 'a/b/c': 'x' }], ['labels', { ok: 'not valid!' }], ['annotations', { 'Not Valid!': '' }], ['annotations', { big: 'x'.repeat(262145) }],
  ]);
  return { op: 'add', path: `/metadata/${field}`, value };
}

/** Collects the structs, scalars and lists of an object with their paths and types. */
function collect(at, type, path, within, structs, leaves = [], lists = []) {
  if (at === undefined || at === null || path.length > 12) return;
  switch (type.kind) {
    case 'struct':
      if (typeof at !== 'object' || Array.isArray(at)) return;
      if (path.length > 0) structs.push({ path, at, type });
      for (const f of type.fields) {
        if (path.length === 0 && !within.includes(f.name)) continue;
        if (path.length === 1 && path[0] === 'metadata' && IDENTITY.includes(f.name)) continue;
        collect(at[f.name], f.schema, [...path, f.name], within, structs, leaves, lists);
      }
      return;
    case 'list':
      if (!Array.isArray(at)) return;
      lists.push({ path, at, type });
      at.forEach((item, i) => collect(item, type.items, [...path, String(i)], within, structs, leaves, lists));
      return;
    case 'map':
      for (const [k, v] of Object.entries(at)) collect(v, type.values, [...path, k], within, structs, leaves, lists);
      return;
    case 'scalar':
      leaves.push({ path, at, type });
  }
}

const pointer = (path) => path.map((p) => `/${escaped(p)}`).join('');

const replaced = (path, schema, random) => (random.chance(0.25) ? { op: 'remove', path: pointer(path) } : { op: 'replace', path: pointer(path), value: draw(schema, random, 2) });
