import { type JsonObject, type JsonValue, setOwn } from '../../api/index.js';
import {
  Bytes,
  CelMap,
  Duration,
  DYN,
  isError,
  jsonPatchLibrary,
  List,
  listOf,
  Optional,
  STRING,
  type StructType,
  StructValue,
  struct,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
  valueText,
} from '../../cel/index.js';
import type { MutationRules } from './compile.js';
import { MutationError } from './configuration.js';

const OBJECT = 'Object';
const PATCH = 'JSONPatch';
const PATCH_FIELDS = { op: STRING, path: STRING, from: STRING, value: DYN };

/** `Object`, `Object.spec`, `Object.spec.template`, ...: each accepts any field. */
const resolveStruct = (name: string): StructType | undefined => {
  if (name === PATCH)
    return {
      name,
      field: (f) => (Object.hasOwn(PATCH_FIELDS, f) ? PATCH_FIELDS[f as keyof typeof PATCH_FIELDS] : undefined),
    };
  return name === OBJECT || name.startsWith(`${OBJECT}.`) ? { name, field: () => DYN } : undefined;
};

/** An apply configuration is an `Object`, a JSON patch a list of `JSONPatch`. */
export const mutationRules: MutationRules = {
  environment: (of) => of.withLibraries([jsonPatchLibrary]).withStructs(resolveStruct),
  result: (patchType) => (patchType === PATCH ? listOf(struct(PATCH)) : struct(OBJECT)),
};

/** Returns the operations of the JSON patch that an expression computed. */
export function operationsOf(value: Value): JsonValue[] {
  if (!(value instanceof List))
    throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array');
  const operations: JsonValue[] = [];
  for (let i = 0; i < value.size; i++) {
    const item = value.at(i);
    if (!(item instanceof StructValue) || item.typeName !== PATCH)
      throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
    const operation: JsonObject = {};
    for (const field of ['op', 'path', 'from'] as const) {
      const found = item.find(field);
      if (found !== undefined && (field !== 'from' || found !== '')) operation[field] = patchValue(found);
    }
    operation['op'] ??= '';
    operation['path'] ??= '';
    const of = item.find('value');
    if (of !== undefined) operation['value'] = patchValue(of);
    operations.push(operation);
  }
  return operations;
}

/** The value of an operation. Each kind of value that has no form in JSON has kube-apiserver's own text. */
function patchValue(value: Value): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : unmarshalable(notFinite(value));
  if (typeof value === 'bigint' || value instanceof Uint) {
    const n = typeof value === 'bigint' ? value : value.value;
    return Number.isSafeInteger(Number(n)) ? Number(n) : String(n);
  }
  if (value instanceof List) return Array.from({ length: value.size }, (_, i) => patchValue(value.at(i)));
  if (value instanceof CelMap) {
    const out: JsonObject = {};
    for (const key of value.keys()) {
      if (typeof key !== 'string') unmarshalable(KEY_PROBLEMS[typeName(key)] ?? KEY_PROBLEMS['int']!);
      setOwn(out, key as string, patchValue(value.find(key)!));
    }
    return out;
  }
  if (value instanceof Bytes) return Buffer.from(value.value).toString('base64');
  if (value instanceof Timestamp || value instanceof Duration) return valueText(value);
  if (value instanceof Optional)
    return value.value === undefined ? unmarshalable('optional.none() dereference') : patchValue(value.value);
  if (value instanceof TypeValue) return unmarshalable("type conversion not supported for 'type'");
  if (isError(value)) throw new MutationError(value.message);
  const name = typeName(value);
  const shown = name.startsWith('kubernetes.authorization.') ? name : name.slice(name.lastIndexOf('.') + 1);
  return unmarshalable(`type conversion error from '${shown}' to '*structpb.Value'`);
}

const KEY_PROBLEMS: Readonly<Record<string, string>> = {
  int: "unsupported type conversion from 'int' to string",
  uint: "unsupported type conversion from 'uint' to string",
  bool: "type conversion error from bool to 'string'",
};

function notFinite(value: number): string {
  const shown = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  return `json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value: invalid ${shown} value`;
}

function unmarshalable(why: string): never {
  throw new MutationError(`JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${why}`);
}
