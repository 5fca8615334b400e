// Lists single changes to an object by the schema of its kind: for each field, the wrong values that validation often meets.

const TEXTS = ['', 'a', 'odd', 'Not Valid!', 'Upper', 'a.b', 'a_b', '-a', ' ', 'é', 'example.com/x', '/x', '../x', 'a/b/c', '10', '50%', '10.0.0.1', '10.0.0.300', '010.0.0.1', '::1', '10.0.0.0/8', 'x'.repeat(64), 'x'.repeat(254), 5];
const NUMBERS = [-1, 0, 1, 2, 101, 65536, 2147483647, 2147483648, 1.5, '1'];
const QUANTITIES = ['', '0', '-1', '0.5', '0.0001', '1Ki', '9223372036854775808', 'x', 1, true];
const TIMES = ['', 'x', '2020-01-01T00:00:00Z', '2040-01-01T00:00:00.5Z', 5];
/** Names of maps: labels, annotations, resources, selectors. */
const NAMES = ['', 'added', 'Not Valid!', 'example.com/x', 'Example.com/x', 'a/b/c', 'kubernetes.io/x', 'requests.x', 'x'.repeat(64)];
/** Fields that identify the object or that the server owns. */
const IDENTITY = ['name', 'namespace', 'uid', 'resourceVersion', 'generateName', 'managedFields', 'creationTimestamp', 'selfLink', 'generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'];
/** How deep structs that the object does not have are entered. */
const DEPTH_ABSENT = 3;

/** All single changes below the fields `within` of the object: lists of JSON patch operations. */
export function* singleChanges(object, schema, within) {
  for (const field of schema.fields) if (within.includes(field.name)) yield* ofField(object, field, [], 0);
}

function* ofField(parent, field, path, absent) {
  const here = [...path, field.name];
  if (path.length === 1 && path[0] === 'metadata' && IDENTITY.includes(field.name)) return;
  const at = parent?.[field.name];
  if (at !== undefined) yield [{ op: 'remove', path: pointer(here) }];
  yield set(here, null);
  yield* ofValue(at, field.schema, here, at === undefined ? absent + 1 : absent);
}

function* ofValue(at, type, path, absent) {
  if (absent > DEPTH_ABSENT || path.length > 14) return;
  switch (type.kind) {
    case 'scalar':
      for (const value of valuesOf(type, at)) if (value !== at) yield set(path, value);
      return;
    case 'struct':
      if (!(path.length === 1)) yield set(path, {});
      yield set(path, 'x');
      if (at === undefined && absent >= DEPTH_ABSENT) return;
      for (const field of type.fields) yield* ofField(at, field, path, absent);
      return;
    case 'list':
      yield* ofList(at, type, path, absent);
      return;
    case 'map':
      yield* ofMap(at, type, path, absent);
      return;
    default:
      for (const value of [null, 'x', 5, [], {}, { kind: 'X' }, { apiVersion: 'v1', kind: 'X', a: 1 }]) yield set(path, value);
  }
}

function* ofList(at, type, path, absent) {
  for (const value of [[], 'x', [null], [[]]]) yield set(path, value);
  if (!Array.isArray(at) || at.length === 0) {
    yield* inside(type.items, path, absent, (value) => [value]);
    if (type.items.kind === 'scalar') yield set(path, ['a', 'a']);
    return;
  }
  for (const [i, item] of at.slice(0, 3).entries()) {
    const here = [...path, String(i)];
    yield [{ op: 'remove', path: pointer(here) }];
    yield [{ op: 'add', path: pointer([...path, '-']), value: item }];
    yield set(here, null);
    yield* ofValue(item, type.items, here, absent);
    if (type.items.kind === 'struct')
      for (const f of type.items.fields.filter((f) => item?.[f.name] !== undefined)) {
        // The same item twice but for one field.
        const { [f.name]: old, ...rest } = item;
        yield [{ op: 'add', path: pointer([...path, '-']), value: rest }];
        if (typeof old === 'string') yield [{ op: 'add', path: pointer([...path, '-']), value: { ...item, [f.name]: `${old}2` } }];
        if (typeof old === 'number') yield [{ op: 'add', path: pointer([...path, '-']), value: { ...item, [f.name]: old + 1 } }];
      }
  }
  if (at.length > 1) yield set(path, at.toReversed());
  if (at.length < 200) yield set(path, Array.from({ length: 130 }, () => at[0]));
}

/** Changes of the one item of a list or map that the object does not have. */
function* inside(type, path, absent, wrapped) {
  for (const [op] of ofValue(undefined, type, ['x'], absent + (type.kind === 'scalar' ? 0 : 1))) {
    const below = op.path.split('/').slice(2).map((k) => k.replace(/~1/g, '/').replace(/~0/g, '~'));
    let value = op.value;
    for (const key of below.toReversed()) value = { [key]: value };
    yield set(path, wrapped(value));
  }
}

function* ofMap(at, type, path, absent) {
  for (const value of [{}, 'x', [], { a: null }]) yield set(path, value);
  const sample = Object.values(at ?? {})[0] ?? (type.values.kind === 'scalar' ? (type.values.type === 'quantity' ? '1' : type.values.type === 'bytes' ? 'YQ==' : 'a') : {});
  for (const name of NAMES) yield set([...path, name], sample);
  for (const [key, value] of Object.entries(at ?? {}).slice(0, 3)) {
    yield [{ op: 'remove', path: pointer([...path, key]) }];
    yield* ofValue(value, type.values, [...path, key], absent);
  }
  if (Object.keys(at ?? {}).length === 0) yield* inside(type.values, path, absent, (value) => ({ added: value }));
}

function valuesOf(type, at) {
  switch (type.type) {
    case 'string': {
      const known = [...(type.enum ?? []), ...(type.values ?? [])];
      return [...known, ...TEXTS, ...(typeof at === 'string' && at !== '' ? [`${at}x`, `${at}.`, at.toUpperCase(), ` ${at}`] : [])];
    }
    case 'bool':
      return [true, false, 'true'];
    case 'int32':
    case 'int64':
      return [...NUMBERS, ...(typeof at === 'number' ? [at + 1, at - 1] : [])];
    case 'float64':
      return [0, 0.5, -1, 'x'];
    case 'bytes':
      return ['', 'YQ==', 'LS0t', '!', 5];
    case 'time':
    case 'microTime':
      return TIMES;
    case 'duration':
      return ['', '0s', '-1s', '1m0s', 'x', 5];
    case 'quantity':
      return QUANTITIES;
    default:
      return [-1, 0, 1, 70000, 2147483648, '', '50%', '150%', '-5%', '5.5%', 'x', 'Not Valid!', 'x'.repeat(64), true];
  }
}

/** Sets a value, and the structs above it that are absent (see `applyOps`). */
const set = (path, value) => [{ op: 'replace', path: pointer(path), value }];
const pointer = (path) => path.map((p) => `/${p.replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
