import { cloneJson, type JsonObject, type JsonValue } from '../../api/index.js';
import {
  type Field,
  kindSchema,
  type ListSchema,
  type MapSchema,
  type ScalarSchema,
  type Schema,
  type StructSchema,
} from '../../schema/index.js';
import { managedFieldsOf } from './managed.js';
import { applyObject, type TrackedResource, updateManagedFields } from './manager.js';

/** Helpers for the tests of pkg/patch/apply: small schemas, and an object that several managers write to. */

export const text: ScalarSchema = { kind: 'scalar', type: 'string' };
export const int: ScalarSchema = { kind: 'scalar', type: 'int64' };

/** As in a custom resource: no field is always written. */
export function field(name: string, schema: Schema, more: Partial<Field> = {}): Field {
  return {
    name,
    schema,
    proto: 0,
    required: false,
    omitEmpty: true,
    pointer: true,
    patchStrategy: [],
    deprecated: false,
    ...more,
  };
}

export function struct(
  name: string,
  fields: Readonly<Record<string, Schema | Field>>,
  more: Partial<StructSchema> = {},
): StructSchema {
  const list = Object.entries(fields).map(([k, v]) => ('schema' in v ? { ...v, name: k } : field(k, v)));
  return {
    kind: 'struct',
    name,
    fields: list,
    byName: new Map(list.map((f) => [f.name, f])),
    atomic: false,
    preserveUnknown: false,
    embeddedResource: false,
    unions: [],
    ...more,
  };
}

export function map(values: Schema, atomic = false): MapSchema {
  return { kind: 'map', values, atomic };
}

export function list(items: Schema, listType: ListSchema['listType'], ...keys: string[]): ListSchema {
  return { kind: 'list', items, listType, keys };
}

const metadata = struct('Meta', {
  name: text,
  uid: text,
  labels: map(text),
  annotations: map(text),
  finalizers: list(text, 'set'),
});

/** A kind `t.io/v1 Thing` with one field of each type. */
export const thing = struct('t.io/v1.Thing', {
  apiVersion: text,
  kind: text,
  metadata,
  number: int,
  inner: struct('Inner', { a: text, b: text, deep: struct('Deep', { x: text }) }),
  whole: struct('Whole', { a: text, b: text }, { atomic: true }),
  map: map(text),
  wholeMap: map(text, true),
  set: list(text, 'set'),
  numbers: list(int, 'set'),
  whole_list: list(text, 'atomic'),
  items: list(
    struct('Item', {
      name: text,
      protocol: field('protocol', text, { default: 'TCP' }),
      value: text,
      list: list(text, 'set'),
      inner: struct('ItemInner', { a: text, b: text }),
    }),
    'map',
    'name',
    'protocol',
  ),
  any: { kind: 'any', form: 'json' },
  raw: { kind: 'any', form: 'rawExtension' },
  open: struct('Open', { known: text }, { preserveUnknown: true }),
  maps: map(map(text)),
});

export const things: TrackedResource & { readonly schema: StructSchema } = {
  schema: thing,
  apiVersion: 't.io/v1',
  kind: 'Thing',
  subresource: '',
};

export function builtIn(
  group: string,
  version: string,
  kind: string,
): TrackedResource & { readonly schema: StructSchema } {
  const found = kindSchema({ group, version, kind });
  if (found === undefined) throw new Error(`no kind ${kind}`);
  return { schema: found.schema, apiVersion: group === '' ? version : `${group}/${version}`, kind, subresource: '' };
}

export type Outcome = 'ok' | readonly string[];

/** One stored object. The clock advances at each write. */
export class Written {
  readonly #keepsEmpty: boolean;
  readonly resource: TrackedResource;
  object: JsonObject | undefined;
  now = Date.UTC(2024, 0, 1);

  /** `keepsEmpty`: stored with empty lists and maps, like a custom resource; most built-in kinds drop them. */
  constructor(resource: TrackedResource = things, { keepsEmpty = false } = {}) {
    this.resource = resource;
    this.#keepsEmpty = keepsEmpty;
  }

  #typed(o: JsonObject): JsonObject {
    const { apiVersion, kind } = this.resource;
    const { metadata: m, ...rest } = o;
    return { apiVersion, kind, metadata: { name: 'x', ...(m as JsonObject | undefined) }, ...rest };
  }

  #store(o: JsonObject): void {
    const kept = withoutNulls(cloneJson(o), this.#keepsEmpty) as JsonObject;
    (kept['metadata'] as JsonObject)['uid'] = 'u';
    this.object = kept;
  }

  /** Returns the conflicts as `manager: path`, sorted; `ok` if the apply succeeded. */
  apply(
    manager: string,
    config: JsonObject,
    options: { force?: boolean; on?: Partial<TrackedResource> } = {},
  ): Outcome {
    this.now += 1000;
    const resource = { ...this.resource, ...options.on };
    const applied = { ...this.#typed(config), apiVersion: resource.apiVersion };
    const result = applyObject({
      resource,
      live: this.object,
      applied,
      manager,
      force: options.force === true,
      now: this.now,
    });
    if (result.kind === 'conflict') {
      return result.conflict.causes.map((c) => `${c.message.slice('conflict with '.length)}: ${c.field}`);
    }
    this.#store(result.object);
    return 'ok';
  }

  /** Replaces the object like a PUT; the entries stay unchanged unless the request has entries. */
  update(manager: string, next: JsonObject, on: Partial<TrackedResource> = {}): void {
    this.now += 1000;
    const object = cloneJson(this.#typed(next));
    const resource = { ...this.resource, ...on };
    updateManagedFields({ resource, live: this.object, object, manager, now: this.now });
    this.#store(object);
  }

  /** The object without type and metadata, except labels, annotations and finalizers. */
  get value(): JsonObject {
    const { apiVersion: _a, kind: _k, metadata: m, ...rest } = this.object ?? {};
    const { name: _n, uid: _u, managedFields: _f, ...meta } = m as JsonObject;
    return Object.keys(meta).length > 0 ? { metadata: meta, ...rest } : rest;
  }

  get entries(): JsonObject[] {
    return ((this.object && managedFieldsOf(this.object)) ?? []) as JsonObject[];
  }

  /** `manager`, or `manager*` for an updater -> its fields in the form of managedFields. */
  get owners(): Record<string, JsonValue> {
    const out: Record<string, JsonValue> = {};
    for (const e of this.entries) {
      const sub = e['subresource'] === undefined ? '' : `/${String(e['subresource'])}`;
      out[`${String(e['manager'])}${e['operation'] === 'Update' ? '*' : ''}${sub}`] = e['fieldsV1']!;
    }
    return out;
  }
}

/** Removes nulls, and for most kinds empty containers, as the decoder does. */
function withoutNulls(v: JsonValue, keepsEmpty: boolean): JsonValue {
  if (Array.isArray(v)) return v.map((item) => withoutNulls(item, keepsEmpty));
  if (typeof v !== 'object' || v === null) return v;
  const out: JsonObject = {};
  for (const k of Object.keys(v)) {
    const kept = k === 'managedFields' ? v[k]! : withoutNulls(v[k]!, keepsEmpty);
    const empty = !keepsEmpty && typeof kept === 'object' && kept !== null && Object.keys(kept).length === 0;
    if (kept !== null && !empty) out[k] = kept;
  }
  return out;
}
