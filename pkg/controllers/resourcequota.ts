import { evaluatorOf, isInScope, type QuotaEvaluator, sumUsage, usageObject } from '../admission/index.js';
import { equalJson, type JsonObject, objectAt, type Quantity, zeroQuantity } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource } from '../registry/index.js';
import type { Place } from './cluster.js';
import { type Controller, type ControllerContext, controllerOf } from './controller.js';
import { metaOf } from './meta.js';
import { WorkQueue } from './queue.js';

const WORKERS = 2;
/** Changes of a namespace within this time are processed in one calculation. */
const GATHER_MILLISECONDS = 100;
/** A new quota does not see creates that were admitted before its status: it is calculated again after this time. */
const SETTLE_MILLISECONDS = 2_000;
/** A full calculation corrects missed changes. */
const RESYNC_MILLISECONDS = 5 * 60_000;

/** Resources whose objects count differently after an update. */
const UPDATES_COUNT: ReadonlySet<string> = new Set(['services', 'persistentvolumeclaims', 'resourceclaims']);
const DEADLINE = Buffer.from('"activeDeadlineSeconds":');
const ENDED = [Buffer.from('"phase":"Succeeded"'), Buffer.from('"phase":"Failed"')];

/**
 * Keeps the status of resource quotas up to date. Admission adds to the usage when objects are created; this controller
 * calculates it anew when a quota changes, when objects are deleted or their usage decreases, and every few minutes.
 * Its write has the version of the quota that it read before it listed the objects, so the write fails and is repeated
 * if admission has changed the usage meanwhile.
 */
export function resourceQuotaController(context: ControllerContext): Controller {
  const { cluster, world } = context;
  /** The names of the quotas of each namespace. */
  const quotas = new Map<string, Set<string>>();
  const queue = new WorkQueue({
    world,
    workers: WORKERS,
    sync,
    failed: (key, error) => context.log('resource quota controller: will retry', { quota: key, error: String(error) }),
  });

  function changed(resource: ServedResource, before: StoredObject | undefined, after: StoredObject | undefined): void {
    const object = after ?? before;
    if (object === undefined || object.namespace === '') return;
    if (resource.group === '' && resource.resource === 'resourcequotas') quotaChanged(before, after);
    const names = quotas.get(object.namespace);
    if (names === undefined || !mayCountLess(resource, before, after)) return;
    for (const name of names) queue.addAfter(`${object.namespace}/${name}`, GATHER_MILLISECONDS);
  }

  function quotaChanged(before: StoredObject | undefined, after: StoredObject | undefined): void {
    const { namespace, name } = (after ?? before)!;
    const exists = after !== undefined;
    const specChanged = hardOf(before) !== hardOf(after);
    const names = quotas.get(namespace) ?? new Set<string>();
    if (exists) {
      const known = names.has(name);
      names.add(name);
      quotas.set(namespace, names);
      // Admission changes the status with every create: that needs no calculation.
      if (!known || specChanged) queue.add(`${namespace}/${name}`);
    } else {
      names.delete(name);
      if (names.size === 0) quotas.delete(namespace);
    }
  }

  async function sync(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const resource = cluster.servedResources().find('', 'v1', 'resourcequotas');
    if (resource === undefined) return;
    const place: Place = { resource, namespace, name };
    const quota = await cluster.get(place);
    if (quota === undefined || metaOf(quota).deleting) return;
    const hard = objectAt(quota, 'spec', 'hard');
    const before = objectAt(quota, 'status');
    const used = await usageOf(quota, namespace, Object.keys(hard));
    const isNew = !equalJson(objectAt(before, 'hard'), hard);
    if (isNew || !equalJson(objectAt(before, 'used'), used))
      await cluster.replace(place, 'status', { ...quota, status: { hard, used } });
    queue.addAfter(key, isNew ? SETTLE_MILLISECONDS : RESYNC_MILLISECONDS);
  }

  /** The usage of the limited names; names that cannot be counted keep the value in the status. */
  async function usageOf(quota: JsonObject, namespace: string, names: readonly string[]): Promise<JsonObject> {
    const used = new Map<string, Quantity>();
    for (const resource of countedResources(names)) {
      const evaluator = evaluatorOf(resource.groupResource)!;
      const counted = names.filter((name) => evaluator.counts(name));
      for (const name of counted) if (!used.has(name)) used.set(name, zeroQuantity);
      await cluster.visit(resource, namespace, (object) => add(used, quota, counted, { evaluator, object }));
    }
    const kept = objectAt(quota, 'status', 'used');
    const rest = names.filter((name) => !used.has(name) && Object.hasOwn(kept, name));
    return { ...Object.fromEntries(rest.map((name) => [name, kept[name]!])), ...usageObject(used) };
  }

  function add(
    used: Map<string, Quantity>,
    quota: JsonObject,
    counted: readonly string[],
    { evaluator, object }: { readonly evaluator: QuotaEvaluator; readonly object: JsonObject },
  ): void {
    if (!isInScope(quota, object, evaluator)) return;
    const usage = evaluator.usage(object, world.clock.now());
    sumUsage(used, new Map([...usage].filter(([name]) => counted.includes(name))));
  }

  /** The stored resources that count for one of the names, without duplicates. */
  function countedResources(names: readonly string[]): readonly ServedResource[] {
    const found = new Map<string, ServedResource>();
    for (const { versions } of cluster.servedResources().groups)
      for (const { resources } of versions)
        for (const r of resources) {
          if (!r.namespaced || r.storage.prefix === '' || r.conversion !== undefined) continue;
          const evaluator = evaluatorOf(r.groupResource);
          if (evaluator !== undefined && names.some((name) => evaluator.counts(name))) found.set(r.storage.prefix, r);
        }
    return [...found.values()];
  }

  return controllerOf('resourcequota-controller', cluster, queue, { changed });
}

/** The spec of a stored quota as text, and the limits that its status repeats. */
function hardOf(quota: StoredObject | undefined): string {
  const o = quota?.value();
  return o === undefined ? '' : JSON.stringify([o['spec'] ?? null, objectAt(o, 'status')['hard'] ?? null]);
}

/** Reports whether a change can lower the usage of a namespace. */
function mayCountLess(
  { resource }: ServedResource,
  before: StoredObject | undefined,
  after: StoredObject | undefined,
): boolean {
  if (before === undefined) return false;
  if (after === undefined) return true;
  if (resource !== 'pods') return UPDATES_COUNT.has(resource);
  // The pod moves between the scopes Terminating and NotTerminating.
  if (after.json.includes(DEADLINE) !== before.json.includes(DEADLINE)) return true;
  return ENDED.some((phase) => after.json.includes(phase) && !before.json.includes(phase));
}
