import { ApiError, type JsonObject, nameOf, objectIn, textAt } from '../api/index.js';
import { bootstrapPolicy, MASTERS, reconcileBinding, reconcileRole } from '../auth/index.js';
import type { World } from '../base/index.js';
import type { Registry, RequestContext, ServedResource, Target } from '../registry/index.js';

const GROUP = 'rbac.authorization.k8s.io';
const MANAGER = 'kube-apiserver';
/** Milliseconds. */
const PATIENCE = 30_000;
const PAUSE = 250;
/** Attempts: an election may be in progress, and other peers write the same objects. */
const ATTEMPTS = 20;
/** Number of objects written concurrently. */
const PARALLEL = 32;

/**
 * Creates the bootstrap roles and bindings, and reconciles existing ones. Every peer does so at its start, and
 * tolerates that another one is faster.
 */
export async function bootstrapRbac(registry: Registry, world: World): Promise<void> {
  const policy = bootstrapPolicy();
  for (const resource of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'] as const) {
    const served = registry.catalogue.find(GROUP, 'v1', resource);
    if (served === undefined) continue;
    const todo = [...policy[resource]];
    const worker = async (): Promise<void> => {
      for (let expected = todo.shift(); expected !== undefined; expected = todo.shift())
        await ensure({ registry, world, served }, expected);
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
  }
}

interface Place {
  readonly registry: Registry;
  readonly world: World;
  readonly served: ServedResource;
}

async function ensure(place: Place, expected: JsonObject): Promise<void> {
  const { registry, world, served } = place;
  for (let attempt = 1; ; attempt++) {
    try {
      return await reconcile(place, expected);
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

async function reconcile({ registry, world, served }: Place, expected: JsonObject): Promise<void> {
  const context: RequestContext = {
    user: { name: 'system:apiserver', groups: [MASTERS] },
    userAgent: '',
    deadline: world.clock.monotonic() + PATIENCE,
    warn: () => {},
    annotate: () => {},
  };
  const namespace = textAt(expected, 'metadata', 'namespace');
  const options = { dryRun: false, fieldManager: MANAGER, fieldValidation: 'Ignore' } as const;
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
  const isRole = served.resource.endsWith('roles');
  const change = isRole ? reconcileRole(there, expected) : reconcileBinding(there, expected);
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

const bodyOf = (value: JsonObject) => ({ bytes: Buffer.from(JSON.stringify(value)), encoding: 'json' as const });
