import { ApiError, type JsonObject, nameOf, objectIn, textAt } from '../api/index.js';
import { MASTERS } from '../auth/index.js';
import type { World } from '../base/index.js';
import { jsonText } from '../codec/index.js';
import type { Registry, RequestContext, ServedResource, Target } from '../registry/index.js';

/** Milliseconds. */
const PATIENCE = 30_000;
const PAUSE = 250;
/** Attempts: an election may be in progress, and other peers write the same objects. */
const ATTEMPTS = 20;
/** Number of objects written concurrently. */
const PARALLEL = 32;

/** The action for an existing object. `recreate` is for immutable fields. */
export type Reconciliation =
  | { readonly kind: 'none' }
  | { readonly kind: 'update' | 'recreate'; readonly object: JsonObject };

export type Compare = (there: JsonObject, expected: JsonObject) => Reconciliation;

export interface EnsurePlace {
  readonly registry: Registry;
  readonly world: World;
  readonly served: ServedResource;
  /** The field manager of the writes. */
  readonly manager: string;
}

/** Creates objects of every cluster, and reconciles existing ones. Tolerates that another peer does the same. */
export async function ensureObjects(
  place: EnsurePlace,
  expected: readonly JsonObject[],
  compare: Compare,
): Promise<void> {
  const todo = [...expected];
  const worker = async (): Promise<void> => {
    for (let next = todo.shift(); next !== undefined; next = todo.shift()) await ensure(place, next, compare);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

async function ensure(place: EnsurePlace, expected: JsonObject, compare: Compare): Promise<void> {
  const { registry, world, served } = place;
  for (let attempt = 1; ; attempt++) {
    try {
      return await reconcile(place, expected, compare);
    } catch (error) {
      if (!(error instanceof ApiError) || !passes(error.status.code) || attempt === ATTEMPTS) throw error;
      if (error.status.code === 409) await registry.cache.fresh(world.clock.monotonic() + PATIENCE).catch(() => {});
      else await new Promise<void>((resolve) => void world.timers.after(PAUSE, resolve));
      if (existing(registry, served, expected) === undefined && error.status.code === 404) throw error;
    }
  }
}

/** Conflicts with another peer, and temporary failures. */
const passes = (code: number): boolean => code === 404 || code === 409 || code === 429 || code >= 500;

async function reconcile(place: EnsurePlace, expected: JsonObject, compare: Compare): Promise<void> {
  const { registry, world, served, manager } = place;
  const context: RequestContext = {
    user: { name: 'system:apiserver', groups: [MASTERS] },
    userAgent: '',
    deadline: world.clock.monotonic() + PATIENCE,
    warn: () => {},
    annotate: () => {},
  };
  const namespace = textAt(expected, 'metadata', 'namespace');
  const options = { dryRun: false, fieldManager: manager, fieldValidation: 'Ignore' } as const;
  const target: Target = {
    kind: 'object',
    resource: served,
    namespace,
    name: nameOf(expected),
    subresource: '',
    rules: served.strategy,
  };
  const collection: Target = { ...target, kind: 'collection', name: '' };
  const create = (object: JsonObject): Promise<unknown> =>
    registry.create({ target: collection, body: bodyOf(object), options }, context);
  const there = existing(registry, served, expected);
  if (there === undefined) {
    await create(expected);
    return;
  }
  const change = compare(there, expected);
  if (change.kind === 'none') return;
  if (change.kind === 'update') {
    await registry.update({ target, body: bodyOf(change.object), options }, context);
    return;
  }
  const uid = textAt(there, 'metadata', 'uid');
  await registry.delete(
    { target, options: { dryRun: false, preconditions: { uid }, ignoreStoreReadError: false } },
    context,
  );
  const metadata = objectIn(change.object, 'metadata');
  for (const field of ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields']) delete metadata[field];
  await create(change.object);
}

function existing(registry: Registry, served: ServedResource, expected: JsonObject): JsonObject | undefined {
  const namespace = textAt(expected, 'metadata', 'namespace');
  const { prefix } = served.storage;
  const key = namespace === '' ? nameOf(expected) : `${namespace}/${nameOf(expected)}`;
  return registry.cache
    .collection(prefix)
    ?.get(prefix + key)
    ?.parse();
}

const bodyOf = (value: JsonObject) => ({ bytes: Buffer.from(jsonText(value)), encoding: 'json' as const });
