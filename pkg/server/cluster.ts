import { ApiError, isObject, type JsonObject } from '../api/index.js';
import type { World } from '../base/index.js';
import type { ObservedChange } from '../cache/index.js';
import { jsonText } from '../codec/index.js';
import type { Cluster, Following, Observer, Place } from '../controllers/index.js';
import {
  type Answer,
  EVERYTHING,
  firstServed,
  type PatchRequest,
  type Registry,
  type RequestContext,
  resolveTarget,
  type ServedResource,
  type ServedResources,
  type Target,
} from '../registry/index.js';
import { prefixEnd } from '../storage/index.js';

/** The name under which controllers write. */
export interface ControllerIdentity {
  readonly user: string;
  /** The field manager of the writes. */
  readonly manager: string;
}

export const CONTROLLER_MANAGER: ControllerIdentity = {
  user: 'system:kube-controller-manager',
  manager: 'kube-controller-manager',
};
const GROUPS = ['system:masters', 'system:authenticated'] as const;
const PATIENCE = 30_000;
/** Number of objects delivered between two yields. */
const FOLLOW_SLICE = 500;
/** Objects that are parsed and visited between two yields. */
const VISIT_SLICE = 50;

/** The registry as controllers see it. */
export function clusterOf(registry: Registry, world: World, identity = CONTROLLER_MANAGER): Cluster {
  const context = (): RequestContext => ({
    user: { name: identity.user, groups: GROUPS },
    userAgent: `${identity.manager}/trireme`,
    deadline: world.clock.monotonic() + PATIENCE,
    warn: () => {},
    annotate: () => {},
  });
  const target = (resource: ServedResource, namespace: string, name = '', subresource = ''): Target => {
    const found = resolveTarget(resource, { namespace, name, subresource });
    if (found === undefined) throw new Error(`${resource.resource} has no subresource ${subresource}`);
    return found;
  };
  const options = { dryRun: false, fieldManager: identity.manager, fieldValidation: 'Ignore' } as const;
  const body = (value: JsonObject) => ({ bytes: Buffer.from(jsonText(value)), encoding: 'json' as const });
  type Sent = Pick<PatchRequest, 'type' | 'body' | 'force'>;
  const send = async ({ resource, namespace, name }: Place, subresource: string, patch: Sent): Promise<void> => {
    await registry.patch({ target: target(resource, namespace, name, subresource), ...patch, options }, context());
  };

  return {
    servedResources: () => registry.servedResources,
    async get(at) {
      try {
        const answer = await registry.get(
          { target: target(at.resource, at.namespace, at.name), resourceVersion: '' },
          context(),
        );
        return objectOf(answer);
      } catch (error) {
        if (error instanceof ApiError && error.status.code === 404) return undefined;
        throw error;
      }
    },
    async list(resource, namespace) {
      const result = await registry.list({ target: target(resource, namespace), options: EVERYTHING }, context());
      return Array.from(result.items, (item) => item.parse());
    },
    known({ storage: { prefix } }, namespace) {
      const from = namespace === '' ? prefix : `${prefix}${namespace}/`;
      return registry.cache.collection(prefix)?.snapshot().objects.range(from, prefixEnd(from)) ?? [];
    },
    caughtUp: () => registry.cache.fresh(world.clock.monotonic() + PATIENCE),
    knownOne: ({ resource: { storage }, namespace, name }) =>
      registry.cache
        .collection(storage.prefix)
        ?.get(storage.prefix + (namespace === '' ? name : `${namespace}/${name}`)),
    async visit(resource, namespace, f) {
      const result = await registry.list({ target: target(resource, namespace), options: EVERYTHING }, context());
      for (const [i, item] of result.items.entries()) {
        if (i % VISIT_SLICE === VISIT_SLICE - 1)
          await new Promise<void>((resolve) => void world.timers.after(0, resolve));
        f(item.parse());
      }
    },
    async create(resource, namespace, object) {
      const request = { target: target(resource, namespace), body: body(object), options };
      return objectOf((await registry.create(request, context())).object);
    },
    async patch(at, subresource, patch) {
      await send(at, subresource, { type: 'merge', body: body(conditional(patch)), force: false });
    },
    async apply(at, subresource, configuration) {
      const { apiVersion, kind } = at.resource;
      const metadata = { ...configuration.metadata, name: at.name };
      const object = { ...conditional(configuration), apiVersion, kind, metadata };
      await send(at, subresource, { type: 'apply', body: body(object), force: true });
    },
    async replace(at, subresource, object) {
      await registry.update(
        { target: target(at.resource, at.namespace, at.name, subresource), body: body(conditional(object)), options },
        context(),
      );
    },
    async delete(at, { uid, resourceVersion, policy }) {
      await registry.delete(
        {
          target: target(at.resource, at.namespace, at.name),
          options: {
            dryRun: false,
            preconditions: { uid, resourceVersion },
            ignoreStoreReadError: false,
            ...(policy === undefined ? {} : { propagationPolicy: policy }),
          },
        },
        context(),
      );
    },
    async deleteCollection(resource, namespace, isDue) {
      await registry.deleteCollection(
        {
          target: target(resource, namespace),
          list: EVERYTHING,
          options: { dryRun: false, propagationPolicy: 'Background', ignoreStoreReadError: false },
          confirm: async () => {
            if (await isDue()) return;
            throw new ApiError(409, 'Conflict', `the deletion of ${resource.resource} in '${namespace}' is over`);
          },
        },
        context(),
      );
    },
    follow: (observer) => follow(registry, observer),
  };
}

/**
 * A write of a controller has the version that its decision is based on. The peer may have lost its leadership since, and the next leader, or a
 * user, may have written.
 */
function conditional(object: JsonObject): JsonObject {
  const { metadata } = object;
  const version = isObject(metadata) ? metadata['resourceVersion'] : undefined;
  if (typeof version !== 'string' || version === '') throw new Error('a write of a controller has no resourceVersion');
  return object;
}

function objectOf(answer: Answer): JsonObject {
  return answer.kind === 'stored' ? answer.stored.value() : answer.value;
}

function report(observer: Observer, resource: ServedResource, { before, after, revision }: ObservedChange): void {
  observer.changed(resource, before, after, revision);
}

const reportLater =
  (observer: Observer, resource: ServedResource, change: ObservedChange): (() => void) =>
  () =>
    report(observer, resource, change);

/**
 * Delivers the current state first, one collection after the other, and then every change. A change that arrives
 * meanwhile is delivered after the state. Objects of a kind that is added or replaced later are delivered in the same
 * way.
 */
function follow(registry: Registry, observer: Observer): Following {
  const wanted = (resource: ServedResource): boolean => observer.of?.(resource) !== false;
  const resources = new Map([...byPrefix(registry.servedResources)].filter(([, resource]) => wanted(resource)));
  let waiting: (() => void)[] | undefined;
  let handovers = 0;
  let stopped = false;
  // Each write calls this for every controller, and most have no interest in the kind: nothing is allocated for these.
  const stopObserving = registry.cache.observe((change) => {
    const resource = resources.get(change.prefix);
    if (resource === undefined) return;
    if (waiting === undefined) report(observer, resource, change);
    else waiting.push(reportLater(observer, resource, change));
  });
  const stopKinds = registry.observeKinds((_next, { set, gone }) => {
    const changed: (readonly [string, ServedResource])[] = [];
    const left = new Set<string>();
    for (const kind of set) {
      const { prefix } = kind.storage;
      const resource = prefix === '' ? undefined : firstServed(kind);
      if (resource === undefined || !wanted(resource)) continue;
      left.add(prefix);
      if (resources.get(prefix) !== resource) changed.push([prefix, resource]);
    }
    for (const { storage } of gone) {
      const resource = resources.get(storage.prefix);
      if (resource === undefined || left.has(storage.prefix)) continue;
      resources.delete(storage.prefix);
      observer.removed?.(resource);
    }
    for (const [prefix, resource] of changed) resources.set(prefix, resource);
    for (const [, resource] of changed) observer.added?.(resource);
    if (changed.length > 0) void handOver(changed);
  });
  const handOver = async (collections: readonly (readonly [string, ServedResource])[]): Promise<void> => {
    waiting ??= [];
    handovers++;
    let n = 0;
    for (const [prefix, resource] of collections) {
      const collection = registry.cache.collection(prefix);
      if (collection === undefined) continue;
      const { objects, revision } = collection.snapshot();
      for (const object of objects.range(prefix, prefixEnd(prefix))) {
        if (++n % FOLLOW_SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
        if (stopped) return;
        observer.changed(resource, undefined, object, revision);
      }
    }
    if (--handovers > 0 || stopped) return;
    const late = waiting;
    waiting = undefined;
    for (const report of late ?? []) report();
  };
  return {
    caughtUp: handOver([...resources]),
    stop: () => {
      stopped = true;
      waiting = undefined;
      stopObserving();
      stopKinds();
    },
  };
}

/** One map for all followers of a snapshot. */
const prefixes = new WeakMap<ServedResources, ReadonlyMap<string, ServedResource>>();

/** Each collection in its first version in discovery. */
function byPrefix(servedResources: ServedResources): ReadonlyMap<string, ServedResource> {
  const known = prefixes.get(servedResources);
  if (known !== undefined) return known;
  const found = new Map<string, ServedResource>();
  for (const { versions } of servedResources.groups)
    for (const { resources } of versions)
      for (const resource of resources)
        if (resource.storage.prefix !== '' && !found.has(resource.storage.prefix))
          found.set(resource.storage.prefix, resource);
  prefixes.set(servedResources, found);
  return found;
}
