import {
  durationProblem,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  parseDuration,
  setOwn,
} from '../../api/index.js';
import { finish, type Steps } from '../../base/index.js';
import type {
  AnySchema,
  Field,
  ListSchema,
  MapSchema,
  ScalarSchema,
  Schema,
  StructSchema,
} from '../../schema/index.js';
import { codecLimits } from '../limits.js';
import { canonicalBase64 } from '../scalar/bytes.js';
import { canonicalQuantityText } from '../scalar/quantity.js';
import { type Canonical, canonicalMicroTime, canonicalTime } from '../scalar/time.js';
import { Findings, repeats } from './findings.js';
import { depthOf, jsonOf, type ListNode, type MapNode, type Node, nodeName, numberOf } from './node.js';

/**
 * The exact path of decoding: it decodes a lossless tree with the same errors as kube-apiserver. The result is not yet in normal form.
 *
 * As in kube-apiserver, the first wrong type is remembered, its value is skipped, and decoding continues. A malformed scalar (a quantity, a
 * time) ends decoding and takes precedence over the remembered error. A duplicate key decodes into the value of the first one: maps and
 * structs merge, lists merge item by item. Unknown fields are skipped.
 */
export type Exact =
  | { readonly ok: true; readonly value: JsonValue; readonly findings: readonly string[] }
  | { readonly ok: false; readonly message: string };

export function decodeExact(schema: StructSchema, node: Node): Exact {
  return finish(exactSteps(schema, node));
}

/** Values that are decoded in one piece. */
const AT_ONCE = 250;

/** `decodeExact` in steps. */
export function* exactSteps(schema: StructSchema, node: Node): Steps<Exact> {
  const decoder = new Decoder();
  try {
    const value = yield* decoder.decode(schema, node);
    if (decoder.failure !== undefined) return { ok: false, message: decoder.failure };
    return { ok: true, value, findings: decoder.findings.texts };
  } catch (stop) {
    if (stop instanceof Stop) return { ok: false, message: stop.message };
    throw stop;
  }
}

/** Ends decoding; thrown and caught inside this file only. */
class Stop {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** The state of one decoding: its position and its findings. */
class Decoder {
  readonly findings = new Findings();
  failure: string | undefined;
  /** The field names of the path, without indexes and map keys, as in type errors. */
  readonly #fields: Field[] = [];
  #struct = '';
  #depth = 0;
  #visited = 0;

  *decode(schema: StructSchema, root: Node): Steps<JsonValue> {
    return (yield* this.#value(schema, root, undefined)) ?? null;
  }

  /** Decodes a node; returns undefined if there is no value. `held` is the value of an earlier duplicate key. */
  *#value(schema: Schema, node: Node, held: JsonValue | undefined): Steps<JsonValue | undefined> {
    if (node === null) return this.#null(schema, held);
    if (++this.#visited % AT_ONCE === 0) yield;
    if (++this.#depth > codecLimits.valueDepthMax) throw new Stop('exceeded max depth');
    let value: JsonValue | undefined;
    if (schema.kind !== 'scalar') value = yield* this.#typed(schema, node, held);
    else if (schema.type === 'bytes' && isList(node)) value = (yield* this.#byteList(node)) ?? held;
    else value = this.#scalar(schema, node) ?? held;
    this.#depth--;
    return value;
  }

  *#typed(
    schema: Exclude<Schema, ScalarSchema>,
    node: Exclude<Node, null>,
    held: JsonValue | undefined,
  ): Steps<JsonValue | undefined> {
    switch (schema.kind) {
      case 'struct':
        return yield* this.#fieldsOf(schema, node, held);
      case 'map':
        return yield* this.#map(schema, node, held);
      case 'list':
        return yield* this.#list(schema, node, held);
      case 'any':
        return yield* this.#any(schema, node);
    }
  }

  /** Null: pointers, lists and maps become nil, other values keep their value. Normal form decides how nil is represented. */
  #null(schema: Schema, held: JsonValue | undefined): JsonValue | undefined {
    return schema.kind === 'struct' || (schema.kind === 'scalar' && typeof scalarKept(schema) === 'string')
      ? held
      : null;
  }

  *#fieldsOf(schema: StructSchema, node: Node, held: JsonValue | undefined): Steps<JsonValue | undefined> {
    if (!isMap(node)) return this.#wrongType(nodeName(node), schema, held);
    const object: JsonObject = isObject(held) ? held : {};
    const outer = this.#struct;
    const repeated = repeats(node.keys);
    for (let i = 0; i < node.keys.length; i++) {
      const key = node.keys[i]!;
      const again = repeated(i);
      const field = schema.byName.get(key);
      if (field === undefined) {
        if (schema.preserveUnknown) setOwn(object, key, this.#raw(node.values[i]!));
        else this.findings.unknown(key);
        continue;
      }
      if (again) this.findings.duplicate(key);
      this.#struct = schema.name;
      this.#fields.push(field);
      this.findings.enter(key);
      const before = again || object === held ? object[key] : undefined;
      const value = yield* this.#value(field.schema, node.values[i]!, before);
      this.findings.leave();
      this.#fields.pop();
      if (value !== undefined) object[key] = value;
    }
    this.#struct = outer;
    return object;
  }

  *#map(schema: MapSchema, node: Node, held: JsonValue | undefined): Steps<JsonValue | undefined> {
    if (!isMap(node)) return this.#wrongType(nodeName(node), schema, held);
    const object: JsonObject = isObject(held) ? held : {};
    const repeated = repeats(node.keys);
    for (let i = 0; i < node.keys.length; i++) {
      const key = node.keys[i]!;
      if (repeated(i)) this.findings.duplicate(key);
      this.findings.enter(key);
      setOwn(object, key, (yield* this.#value(schema.values, node.values[i]!, undefined)) ?? null);
      this.findings.leave();
    }
    return object;
  }

  *#list(schema: ListSchema, node: Node, held: JsonValue | undefined): Steps<JsonValue | undefined> {
    if (!isList(node)) return this.#wrongType(nodeName(node), schema, held);
    const before = Array.isArray(held) ? held : [];
    const list: JsonArray = [];
    for (let i = 0; i < node.items.length; i++) {
      this.findings.enter(i);
      list.push((yield* this.#value(schema.items, node.items[i]!, before[i])) ?? null);
      this.findings.leave();
    }
    return list;
  }

  /** Returns undefined for a wrong type, which is remembered. */
  #scalar(schema: ScalarSchema, node: Exclude<Node, null>): JsonValue | undefined {
    switch (schema.type) {
      case 'string':
        return typeof node === 'string' ? node : this.#wrongType(nodeName(node), schema);
      case 'bool':
        return typeof node === 'boolean' ? node : this.#wrongType(nodeName(node), schema);
      case 'int32':
      case 'int64':
      case 'float64':
        return this.#number(schema, schema.type, node);
      case 'bytes': {
        if (typeof node !== 'string') return this.#wrongType(nodeName(node), schema);
        const read = canonicalBase64(node);
        if (read.ok) return read.text;
        this.failure ??= read.message;
        return undefined;
      }
      case 'time':
        return this.#text(node, canonicalTime);
      case 'microTime':
        return this.#text(node, canonicalMicroTime);
      case 'duration':
        return this.#text(node, readDuration);
      case 'quantity':
        return this.#quantity(node);
      case 'intOrString':
        return typeof node === 'string' ? node : (this.#intOrString(node) as JsonValue);
    }
  }

  /** Go accepts bytes as a list of numbers, too; null is 0. */
  *#byteList({ items }: ListNode): Steps<JsonValue | undefined> {
    const bytes = Buffer.alloc(items.length);
    for (const [i, item] of items.entries()) {
      if (++this.#visited % AT_ONCE === 0) yield;
      const isNumber = typeof item === 'object' && item !== null && item.kind === 'number';
      const value = item === null ? 0 : isNumber ? readNumber('int32', item.text) : undefined;
      if (typeof value !== 'number' || value < 0 || value > 0xff) {
        this.failure ??= this.#mismatch(isNumber ? `number ${item.text}` : nodeName(item), 'uint8');
        return undefined;
      }
      bytes[i] = value;
    }
    return bytes.toString('base64');
  }

  #number(schema: ScalarSchema, type: 'int32' | 'int64' | 'float64', node: Exclude<Node, null>): JsonValue | undefined {
    if (typeof node !== 'object' || node.kind !== 'number') return this.#wrongType(nodeName(node), schema);
    const value = readNumber(type, node.text);
    return value ?? this.#wrongType(`number ${node.text}`, schema);
  }

  #text(node: Exclude<Node, null>, read: (text: string) => Canonical): JsonValue {
    if (typeof node !== 'string') throw new Stop(this.#mismatch(nodeName(node), 'string'));
    const result = read(node);
    if (!result.ok) throw new Stop(result.message);
    return result.text;
  }

  #quantity(node: Exclude<Node, null>): JsonValue {
    const number = typeof node === 'object' && node.kind === 'number';
    const read = canonicalQuantityText(typeof node === 'string' ? node : number ? node.text : nodeName(node));
    if (!read.ok) throw new Stop(read.message);
    return read.text;
  }

  #intOrString(node: Exclude<Node, null | string>): JsonValue {
    if (typeof node !== 'object' || node.kind !== 'number') throw new Stop(this.#mismatch(nodeName(node), 'int32'));
    const value = readNumber('int32', node.text);
    if (value === undefined) throw new Stop(this.#mismatch(`number ${node.text}`, 'int32'));
    return value;
  }

  *#any(schema: AnySchema, node: Exclude<Node, null>): Steps<JsonValue> {
    const { either } = schema;
    if (either === undefined) return this.#raw(node);
    // These types have custom decoders, which drop unknown fields silently.
    const inner = new Decoder();
    inner.#depth = this.#depth;
    const read = function* (item: Node): Steps<JsonValue> {
      const value = yield* inner.decode(either.object, item);
      if (inner.failure !== undefined) throw new Stop(inner.failure);
      return value;
    };
    if (isMap(node)) return yield* read(node);
    if (either.or === 'bool') {
      if (typeof node === 'boolean') return node;
      throw new Stop('boolean or JSON schema expected');
    }
    if (!isList(node)) throw new Stop(this.#mismatch(nodeName(node), goType(either.object)));
    if (either.or === 'list') {
      const list: JsonArray = [];
      for (const item of node.items) list.push(yield* read(item));
      return list;
    }
    return node.items.map((item) => {
      if (typeof item !== 'string') throw new Stop(this.#mismatch(nodeName(item), 'string'));
      return item;
    });
  }

  #raw(node: Node): JsonValue {
    if (this.#depth + depthOf(node) > codecLimits.valueDepthMax) throw new Stop('exceeded max depth');
    return jsonOf(node);
  }

  /** Remembers the first wrong type; the value does not change. */
  #wrongType(found: string, schema: Schema, held?: JsonValue): JsonValue | undefined {
    this.failure ??= this.#mismatch(found, goType(schema));
    return held;
  }

  #mismatch(found: string, type: string): string {
    const place =
      this.#fields.length === 0
        ? 'value'
        : `struct field ${afterDot(this.#struct)}.${this.#fields.flatMap(goPath).join('.')}`;
    return `json: cannot unmarshal ${found} into Go ${place} of type ${type}`;
  }
}

/** A field of an inlined type has the name of the type in its path. */
function goPath(field: Field): readonly string[] {
  const inlined = field.inlineIn?.schema ?? field.typeMeta;
  const inner = inlined?.byName.get(field.name);
  return inlined === undefined || inner === undefined ? [field.name] : [afterDot(inlined.name), ...goPath(inner)];
}

const afterDot = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

const isMap = (node: Node): node is MapNode => typeof node === 'object' && node !== null && node.kind === 'map';
const isList = (node: Node): node is ListNode => typeof node === 'object' && node !== null && node.kind === 'list';

/** Scalars that null does not change; the others decode null as their zero value. */
function scalarKept(schema: ScalarSchema): string | undefined {
  return schema.type === 'bytes' || schema.type.endsWith('ime') || schema.type === 'quantity' ? undefined : schema.type;
}

/** Integers must be written as integers: `1.0` and `1e3` are not an int32. */
function readNumber(type: 'int32' | 'int64' | 'float64', text: string): number | bigint | undefined {
  if (type === 'float64') {
    const n = Number(text);
    return Number.isFinite(n) ? n : undefined;
  }
  if (!/^-?\d+$/.test(text)) return undefined;
  const n = numberOf(text);
  if (typeof n === 'bigint') return type === 'int64' ? n : undefined;
  if (n === undefined || !Number.isSafeInteger(n)) return undefined;
  return type === 'int64' || (n | 0) === n ? n : undefined;
}

function readDuration(text: string): Canonical {
  const nanos = parseDuration(text);
  return nanos === undefined ? { ok: false, message: durationProblem(text) } : { ok: true, text };
}

/** Returns the Go name of a type in errors: `int32`, `map[string]string`, `v1.PodSpec`. */
function goType(schema: Schema): string {
  if ('alias' in schema && schema.alias !== undefined) return short(schema.alias);
  switch (schema.kind) {
    case 'struct':
      return short(schema.name);
    case 'map':
      return `map[${schema.keys === undefined ? 'string' : short(schema.keys)}]${goType(schema.values)}`;
    case 'list':
      return `[]${goType(schema.items)}`;
    case 'scalar':
      return GO_TYPES[schema.type] ?? schema.type;
    case 'any':
      return ANY_TYPES[schema.form];
  }
}

const short = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

const GO_TYPES: Readonly<Record<string, string>> = {
  bytes: '[]uint8',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  duration: 'v1.Duration',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
};

const ANY_TYPES = { rawExtension: 'runtime.RawExtension', fieldsV1: 'v1.FieldsV1', json: 'v1.JSON' } as const;
