import { ApiError, apiVersionOf, isObject, type JsonObject, type JsonValue } from '../../pkg/api/index.js';
import { Slice } from '../../pkg/base/index.js';
import { httpLimits } from '../../pkg/http/index.js';
import { resolveTarget, type ServedResource } from '../../pkg/registry/index.js';
import { Bench } from '../../pkg/registry/testing.js';
import type { Schema } from '../../pkg/schema/index.js';
import { recordedText } from '../golden/recordings.mjs';
import { cpuMilliseconds } from './cputime.js';

/** Long variants of every list of every kind, as a client can send them in a body of three megabytes. */

export interface LongList {
  /** `v1 Pod spec.containers, distinct`. */
  readonly name: string;
  /**
   * Makes the body of an object with this many items in the list, and returns a function that creates the object, as a dry run. It
   * resolves whether the object was rejected or not.
   */
  body(items: number): () => Promise<void>;
}

/** Milliseconds of one request in a turn, as in the server. */
const SLICE_TIME = httpLimits.sliceTime;

type Variant = 'equal' | 'distinct';

interface Place {
  readonly path: readonly (string | number)[];
  readonly item: JsonValue;
}

/** The lists in `value`, and those that its schema allows in it. */
function* lists(value: JsonValue | undefined, schema: Schema, path: readonly (string | number)[]): Generator<Place> {
  if (path.length > 12) return;
  if (schema.kind === 'list') {
    const list = Array.isArray(value) ? value : [];
    yield { path, item: list[0] ?? sample(schema.items, 0) };
    if (list.length > 0) yield* lists(list[0], schema.items, [...path, 0]);
  } else if (schema.kind === 'struct' && isObject(value)) {
    for (const field of schema.fields) {
      const own = value[field.name];
      if (own !== undefined || field.schema.kind === 'list') yield* lists(own, field.schema, [...path, field.name]);
    }
  } else if (schema.kind === 'map' && isObject(value)) {
    const key = Object.keys(value)[0];
    if (key !== undefined) yield* lists(value[key], schema.values, [...path, key]);
  }
}

/** The smallest value of a schema. */
function sample(schema: Schema, depth: number): JsonValue {
  switch (schema.kind) {
    case 'struct': {
      const o: JsonObject = {};
      if (depth < 4)
        for (const f of schema.fields) if (f.required || f.name === 'name') o[f.name] = sample(f.schema, depth + 1);
      return o;
    }
    case 'list':
      return [];
    case 'map':
    case 'any':
      return {};
    case 'scalar':
      return SCALARS[schema.type] ?? 'a';
  }
}

const SCALARS: Readonly<Record<string, JsonValue>> = {
  bool: true,
  int32: 1,
  int64: 1,
  float64: 1,
  time: '2024-01-01T00:00:00Z',
  microTime: '2024-01-01T00:00:00.000000Z',
  duration: '1s',
  quantity: '1',
  intOrString: 1,
  bytes: 'MQ==',
};

/** Item `i`: its strings and numbers are unique. Strings of enumerated fields become invalid, which is fine. */
function varied(value: JsonValue, i: number): JsonValue {
  if (typeof value === 'string') return /^[a-z0-9.-]*$/.test(value) ? `${value}-${i}` : value;
  if (typeof value === 'number') return value + i;
  if (Array.isArray(value)) return value.map((v) => varied(v, i));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, varied(v as JsonValue, i)]));
  return value;
}

function withList(object: JsonValue, path: readonly (string | number)[], list: JsonValue[]): JsonValue {
  const [head, ...rest] = path;
  if (head === undefined) return list;
  if (Array.isArray(object)) return object.map((v, i) => (i === head ? withList(v, rest, list) : v));
  const o = object as JsonObject;
  return { ...o, [head]: withList(o[head] ?? {}, rest, list) };
}

export async function longLists(): Promise<readonly LongList[]> {
  const bench = await Bench.open([['api/all', true]]);
  // Work yields by the time that the processor spent on it, whatever else the machine does.
  bench.world.clock.monotonic = cpuMilliseconds;
  const served = new Map<string, ServedResource>();
  for (const group of bench.registry.servedResources.groups)
    for (const version of group.versions)
      for (const resource of version.resources)
        if (resource.verbs.includes('create')) served.set(`${apiVersionOf(resource)} ${resource.kind}`, resource);
  const bases = JSON.parse(recordedText('validation/bases.json')) as Record<string, { readonly object: JsonObject }>;
  const found: LongList[] = [];
  const seen = new Set<string>();
  const options = { dryRun: true, fieldManager: 'fuzz', fieldValidation: 'Ignore' } as const;
  for (const { object } of Object.values(bases)) {
    const id = `${object['apiVersion']} ${object['kind']}`;
    const resource = served.get(id);
    if (resource === undefined) continue;
    const target = resolveTarget(resource, { namespace: resource.namespaced ? 'default' : '' });
    if (target === undefined) continue;
    for (const { path, item } of lists(object, resource.type.schema, [])) {
      for (const variant of ['equal', 'distinct'] satisfies Variant[]) {
        const name = `${id} ${path.join('.')}, ${variant}`;
        if (seen.has(name)) continue;
        seen.add(name);
        found.push({
          name,
          body: (items) => {
            const list = Array.from({ length: items }, (_, i) => (variant === 'equal' ? item : varied(item, i)));
            const bytes = Buffer.from(JSON.stringify(withList(object, path, list)));
            return async () => {
              bench.warnings.length = 0;
              const { world, registry } = bench;
              const context = { ...bench.context, slice: new Slice(world, registry.scheduler, SLICE_TIME) };
              try {
                await registry.create({ target, body: { bytes, encoding: 'json' }, options }, context);
              } catch (error) {
                if (!(error instanceof ApiError)) throw error;
              }
            };
          },
        });
      }
    }
  }
  return found;
}
