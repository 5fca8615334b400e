import {
  formatDuration,
  GoValue,
  goFormat,
  goQuote,
  goQuoteRune,
  goSyntax,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '../../api/index.js';
import {
  ArrayList,
  Bytes,
  type CelError,
  CelMap,
  Duration,
  EntryMap,
  isError,
  List,
  Opaque,
  Optional,
  StructValue,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
  valueText,
} from '../../cel/index.js';

/**
 * The apply configurations that expressions of mutating policies compute. As in kube-apiserver, only objects, lists and maps that are the
 * value of a field are converted to JSON. What has no form in JSON there (times, null, maps in lists) is a `GoValue`, which no type accepts.
 */

const ROOT = 'Object';

/** Thrown for an invalid result of a mutation. */
export class MutationError extends Error {}

/** Returns the apply configuration that an expression computed. */
export function configurationOf(value: Value): JsonObject {
  checkNames(value, ROOT);
  const configuration = value instanceof StructValue ? objectOf(value) : undefined;
  if (configuration === undefined || configuration instanceof GoValue)
    throw new MutationError('invalid return type: *dynamic.ObjectVal');
  return configuration;
}

/** A value of type `Object.spec` is valid only in the field `spec` of an `Object`. Lists and maps between them have no name. */
function checkNames(value: Value, expected: string): void {
  if (value instanceof StructValue) {
    if (value.typeName !== expected)
      throw new MutationError(
        `type mismatch: unexpected type name "${value.typeName}", expected "${expected}", which matches field name path from root Object type`,
      );
    for (const key of value.keys()) checkNames(value.find(key)!, `${expected}.${String(key)}`);
  } else if (value instanceof List) for (let i = 0; i < value.size; i++) checkNames(value.at(i), expected);
  else if (value instanceof CelMap) for (const key of value.keys()) checkNames(value.find(key)!, expected);
}

/** The object, or the error of a field in place of it. */
function objectOf(value: StructValue): JsonObject {
  const out: JsonObject = {};
  for (const name of value.keys() as readonly string[]) {
    const field = value.find(name)!;
    const key = field instanceof EntryMap ? field.keys().find((k) => typeof k !== 'string') : undefined;
    if (key !== undefined) return failure(`fail to convert field ${goQuote(name)}: ${wrongKey(key)}`);
    setOwn(out, name, fieldOf(field));
  }
  return out;
}

const KEY_TYPES: Readonly<Record<string, string>> = { int: 'Int', uint: 'Uint', bool: 'Bool' };

function wrongKey(key: Value): string {
  const type = `types.${KEY_TYPES[typeName(key)] ?? typeName(key)}`;
  const code = key instanceof Uint ? key.value : key;
  const shown = typeof code === 'bigint' ? goQuoteRune(code) : `%!q(${type}=${valueText(key)})`;
  return `map key ${shown} is of type ${type}, not string`;
}

/** The value of a field of an object. */
function fieldOf(value: Value): JsonValue {
  if (value instanceof Optional) return value.value === undefined ? null : fieldOf(value.value);
  if (value instanceof List) return itemsOf(value);
  return value instanceof EntryMap ? entriesOf(value) : elementOf(value);
}

function itemsOf(list: List): JsonValue[] {
  return Array.from({ length: list.size }, (_, i) => elementOf(list.at(i)));
}

function entriesOf(map: CelMap): JsonObject {
  const out: JsonObject = {};
  for (const key of map.keys()) setOwn(out, typeof key === 'string' ? key : valueText(key), elementOf(map.find(key)!));
  return out;
}

/** A value in a list or map, or a scalar. */
function elementOf(value: Value): JsonValue {
  if (typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === null) return new GoValue({ type: 'structpb.NullValue', plain: 'NULL_VALUE', syntax: '0' });
  if (value instanceof StructValue) return objectOf(value);
  if (value instanceof ArrayList) {
    const items = itemsOf(value);
    const syntax = `[]ref.Val{${items.map(goSyntax).join(', ')}}`;
    return new GoValue({ type: '[]ref.Val', plain: goFormat(items), syntax });
  }
  if (value instanceof List) return itemsOf(value);
  if (value instanceof EntryMap) {
    const entries = entriesOf(value);
    const syntax = goSyntax(entries).replace('map[string]interface {}', 'map[ref.Val]ref.Val');
    return new GoValue({ type: 'map[ref.Val]ref.Val', plain: goFormat(entries), syntax });
  }
  if (value instanceof CelMap) return entriesOf(value);
  if (value instanceof Optional) return value.value === undefined ? null : elementOf(value.value);
  if (value instanceof TypeValue) return value.name;
  if (isError(value)) throw new MutationError(value.message);
  return scalarOf(value);
}

/** A scalar that has no form in JSON. */
function scalarOf(value: Exclude<Value, null | boolean | string | number | bigint | CelError>): GoValue {
  if (value instanceof Uint)
    return new GoValue({ type: 'uint64', plain: String(value.value), syntax: `0x${value.value.toString(16)}` });
  if (value instanceof Bytes) {
    const hex = Array.from(value.value, (b) => `0x${b.toString(16)}`).join(', ');
    return new GoValue({ type: '[]uint8', plain: `[${value.value.join(' ')}]`, syntax: `[]uint8{${hex}}` });
  }
  if (value instanceof Timestamp) return timeOf(value);
  if (value instanceof Duration)
    return new GoValue({ type: 'time.Duration', plain: formatDuration(value.nanos), syntax: String(value.nanos) });
  const name = typeName(value);
  if (name.startsWith('kubernetes.authorization.')) return failure('no such overload');
  const plain = value instanceof Opaque ? valueText(value) : '';
  return new GoValue({ type: name, plain, syntax: `${name}{}` });
}

function failure(message: string): GoValue {
  return new GoValue({ type: '*types.Err', plain: message, syntax: '(*types.Err)' });
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

function timeOf(time: Timestamp): GoValue {
  const [day, rest] = valueText(time).split('T') as [string, string];
  const isUtc = rest.endsWith('Z');
  const clock = rest.slice(0, isUtc ? -'Z'.length : -'+hh:mm'.length);
  const zone = isUtc ? '+0000 UTC' : `${zoneOf(rest)} ${zoneOf(rest)}`;
  const date = new Date((time.seconds + time.offset) * 1000);
  const parts = [date.getUTCFullYear(), `time.${MONTHS[date.getUTCMonth()]}`, date.getUTCDate()];
  parts.push(date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), time.nanos);
  const location = isUtc ? 'time.UTC' : 'time.Location("")';
  return new GoValue({
    type: 'time.Time',
    plain: `${day} ${clock} ${zone}`,
    syntax: `time.Date(${[...parts, location].join(', ')})`,
  });
}

const zoneOf = (text: string): string => text.slice(-'+hh:mm'.length).replace(':', '');
