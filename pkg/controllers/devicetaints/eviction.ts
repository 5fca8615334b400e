import { ApiError, formatTime, type JsonObject, objectAt, objectsAt, textAt } from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import { conditionOf } from '../conditions.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { keyOf, observing, placeOf, servedResource } from '../observe.js';
import { hasEnded, isDeleting } from '../pods.js';
import { WorkQueue } from '../queue.js';
import { eventRecorder } from '../recorder.js';
import { ruleStatus } from './rulestatus.js';
import { devicesOf, evictionOf, type TaintSources } from './taints.js';

const NAME = 'device-taint-eviction-controller';
const CLAIMS = 'resourceclaims.resource.k8s.io';
const SLICES = 'resourceslices.resource.k8s.io';
const RULES = 'devicetaintrules.resource.k8s.io';
/** Claims without this text in their bytes are not allocated. */
const ALLOCATED = Buffer.from('"allocation":');
const RULE = 'rule ';
/** Minimum time between two writes of a rule's status. */
const STATUS_MILLISECONDS = 1_000;

/**
 * Deletes the pods of claims whose devices have an untolerated NoExecute taint, from a ResourceSlice or a
 * DeviceTaintRule, and releases the device when they are deleted. The status of a rule shows the progress.
 */
export function deviceTaintEviction(context: ControllerContext): Controller {
  const { cluster, world, log } = context;
  const record = eventRecorder(context, NAME);
  /** The keys of allocated claims. */
  const allocated = new Set<string>();
  /** The uid of a rule -> pods that were evicted because of it in this term of leadership. */
  const evicted = new Map<string, number>();
  const queue = new WorkQueue({
    world,
    workers: 4,
    sync: (key) => (key.startsWith(RULE) ? syncRule(key.slice(RULE.length)) : syncClaim(key)),
    failed: (key, error) => log(`${NAME}: will retry`, { key, error: String(error) }),
  });
  const known = (resource: string, namespace = ''): Iterable<StoredObject> => {
    const served = servedResource(cluster.servedResources(), resource);
    return served === undefined ? [] : cluster.known(served, namespace);
  };
  const all = (): void => {
    for (const key of allocated) queue.add(key);
  };
  const observer = observing({
    [CLAIMS]: (before, after) => {
      const key = keyOf((after ?? before)!);
      if (after?.json.includes(ALLOCATED) === true) allocated.add(key);
      else allocated.delete(key);
      queue.add(key);
    },
    [SLICES]: all,
    [RULES]: (before, after) => {
      const rule = (after ?? before)!;
      queue.add(`${RULE}${rule.name}`);
      // The status of a rule has no effect on what it evicts.
      if (before === undefined || after === undefined || specOf(before) !== specOf(after)) all();
    },
    pods: (before, after) => {
      const pod = (after ?? before)!;
      if (!pod.json.includes(USES_CLAIMS)) return;
      for (const claim of claimsOf(pod.value())) queue.add(`${pod.namespace}/${claim}`);
    },
  });

  function sources(): TaintSources {
    return {
      slices: Array.from(known(SLICES), (stored) => stored.parse()),
      rules: Array.from(known(RULES), (stored) => stored.parse()),
    };
  }

  async function syncClaim(key: string): Promise<void> {
    const place = placeOf(cluster, CLAIMS, key);
    const claim = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || claim === undefined || devicesOf(claim).length === 0) return;
    const eviction = evictionOf(claim, sources());
    if (eviction === undefined) return;
    const left = eviction.when - world.clock.now();
    if (left > 0) {
      queue.addAfter(key, left);
      return;
    }
    const users = objectsAt(claim, 'status', 'reservedFor').filter(
      (user) => textAt(user, 'apiGroup') === '' && textAt(user, 'resource') === 'pods',
    );
    let remaining = objectsAt(claim, 'status', 'reservedFor').length - users.length;
    for (const user of users) {
      const pod = await podOf(place.namespace, user);
      if (pod === undefined) continue;
      remaining++;
      if (textAt(pod, 'spec', 'nodeName') === '' || !(await evict(pod))) continue;
      for (const rule of eviction.rules) evicted.set(rule, (evicted.get(rule) ?? 0) + 1);
    }
    // Their deletion causes the next round.
    if (remaining === 0) await deallocate(claim);
    for (const rule of known(RULES))
      if (eviction.rules.has(rule.uid())) queue.addAfter(`${RULE}${rule.name}`, STATUS_MILLISECONDS);
  }

  /** The pod for which a claim is reserved, unless it has terminated or has another uid. */
  async function podOf(namespace: string, user: JsonObject): Promise<JsonObject | undefined> {
    const pod = await cluster.get(placeOf(cluster, 'pods', `${namespace}/${textAt(user, 'name')}`)!);
    return pod === undefined || metaOf(pod).uid !== textAt(user, 'uid') || hasEnded(pod) ? undefined : pod;
  }

  /** Returns false if the pod is already being deleted. */
  async function evict(pod: JsonObject): Promise<boolean> {
    if (isDeleting(pod)) return false;
    const { namespace, name, uid } = metaOf(pod);
    const place = placeOf(cluster, 'pods', keyOf({ namespace, name }))!;
    if (textAt(conditionOf(pod, 'DisruptionTarget'), 'status') !== 'True') {
      const disrupted: JsonObject = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByDeviceTaintManager',
        message: 'Device Taint manager: deleting due to NoExecute taint',
        lastTransitionTime: formatTime(world.clock.now()),
      };
      const others = objectsAt(pod, 'status', 'conditions').filter((c) => textAt(c, 'type') !== 'DisruptionTarget');
      const status = { ...objectAt(pod, 'status'), conditions: [...others, disrupted] };
      await cluster.replace(place, 'status', { ...pod, status });
    }
    const now = await cluster.get(place);
    if (now === undefined || metaOf(now).uid !== uid || isDeleting(now)) return false;
    record(pod, { type: 'Normal', reason: 'DeviceTaintManagerEviction', message: 'Marking for deletion' });
    try {
      await cluster.delete(place, { uid, resourceVersion: metaOf(now).resourceVersion });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
    }
    return true;
  }

  async function deallocate(claim: JsonObject): Promise<void> {
    const { namespace, name } = metaOf(claim);
    const { allocation: _, reservedFor: __, devices: ___, ...status } = objectAt(claim, 'status');
    const place = placeOf(cluster, CLAIMS, keyOf({ namespace, name }))!;
    await cluster.replace(place, 'status', { ...claim, status });
  }

  async function syncRule(name: string): Promise<void> {
    const place = placeOf(cluster, RULES, name);
    const rule = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || rule === undefined) return;
    const claims = [...allocated].flatMap((key) => {
      const at = placeOf(cluster, CLAIMS, key);
      const stored = at === undefined ? undefined : cluster.knownOne(at);
      return stored === undefined ? [] : [stored.parse()];
    });
    const pod = (namespace: string, podName: string): JsonObject | undefined =>
      cluster.knownOne(placeOf(cluster, 'pods', `${namespace}/${podName}`)!)?.parse();
    const status = ruleStatus(
      rule,
      { claims, sources: sources(), pod },
      evicted.get(metaOf(rule).uid) ?? 0,
      world.clock.now(),
    );
    if (status !== undefined) await cluster.replace(place, 'status', { ...rule, status });
  }

  return controllerOf(NAME, cluster, queue, observer);
}

const USES_CLAIMS = Buffer.from('"resourceClaims":');

/** The names of the claims that a pod refers to, including those created for it. */
function claimsOf(pod: JsonObject): readonly string[] {
  const named = objectsAt(pod, 'spec', 'resourceClaims').map((c) => textAt(c, 'resourceClaimName'));
  const made = objectsAt(pod, 'status', 'resourceClaimStatuses').map((c) => textAt(c, 'resourceClaimName'));
  return [...named, ...made].filter((name) => name !== '');
}

const specOf = (stored: StoredObject): string => JSON.stringify(objectAt(stored.value(), 'spec'));
