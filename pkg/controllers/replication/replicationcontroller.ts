import {
  ApiError,
  equalJson,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import type { Place } from '../cluster.js';
import { conditionOf, withCondition } from '../conditions.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { keyOf, observing, placeOf, servedResource } from '../observe.js';
import {
  controllerReference,
  controllerReferenceOf,
  hasLabels,
  isActive,
  isDeleting,
  isReady,
  labelsOf,
  untilAvailable,
} from '../pods.js';
import { WorkQueue } from '../queue.js';
import { eventRecorder } from '../recorder.js';
import { surplusOf } from './surplus.js';

const NAME = 'replicationcontroller-controller';
const COMPONENT = 'replication-controller';
const CONTROLLERS = 'replicationcontrollers';
const WORKERS = 5;
/** The maximum number of pods that one round creates or deletes. */
const BURST = 500;
/** Deletions that run concurrently. */
const DELETIONS = 20;
/** A pod without this text in its bytes has no ReplicationController. */
const OWNED = Buffer.from('"kind":"ReplicationController"');
/** Objects that are examined between two yields. */
const SLICE = 500;

/**
 * Keeps the desired number of pods of each ReplicationController, and its status.
 *
 * Invariants
 * 1. A round begins with a consistent read of the ReplicationController. The cache then has every write that was committed before, and
 *    each write of this controller is in the cache when it completes, so a round never counts too few pods, and a new leader
 *    continues where the last one stopped.
 * 2. Pods are adopted and released with their uid as precondition, and deleted with uid and resourceVersion.
 */
export function replicationController(context: ControllerContext): Controller {
  const { cluster, world, log } = context;
  const record = eventRecorder(context, COMPONENT);
  /** Namespace -> name -> selector. */
  const selectors = new Map<string, Map<string, JsonObject>>();
  const queue = new WorkQueue({
    world,
    workers: WORKERS,
    sync,
    failed: (key, error) => log(`${NAME}: will retry`, { key, error: String(error) }),
  });

  const observer = observing({
    [CONTROLLERS]: (before, after) => {
      const { namespace, name } = (after ?? before)!;
      const here = selectors.get(namespace) ?? new Map<string, JsonObject>();
      if (after === undefined) here.delete(name);
      else here.set(name, objectAt(after.value(), 'spec', 'selector'));
      if (here.size === 0) selectors.delete(namespace);
      else selectors.set(namespace, here);
      queue.add(keyOf({ namespace, name }));
    },
    pods: podChanged,
  });

  function podChanged(before: StoredObject | undefined, after: StoredObject | undefined): void {
    const { namespace } = (after ?? before)!;
    const here = selectors.get(namespace);
    if (here === undefined) return;
    const owners = [ownerOf(before), ownerOf(after)].filter((name) => name !== undefined);
    for (const name of new Set(owners)) if (here.has(name)) queue.add(keyOf({ namespace, name }));
    if (after === undefined || owners.length > 0) return;
    const labels = after.labels();
    for (const [name, selector] of here) if (hasLabels(labels, selector)) queue.add(keyOf({ namespace, name }));
  }

  async function sync(key: string): Promise<void> {
    const place = placeOf(cluster, CONTROLLERS, key);
    const controller = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || controller === undefined) return;
    const pods = await claim(place, controller, await podsOf(controller));
    let failure: unknown;
    if (!isDeleting(controller)) {
      try {
        await manage(controller, pods);
      } catch (error) {
        failure = error;
      }
    }
    // The status counts the pods that existed before the changes of this round; their events cause the next round.
    await keepStatus(place, controller, pods, failure);
    if (failure !== undefined) throw failure;
    const waiting = pods
      .map((pod) => untilAvailable(pod, numberAt(controller, 'spec', 'minReadySeconds'), world.clock.now()) ?? 0)
      .filter((time) => time > 0);
    if (waiting.length > 0) queue.addAfter(key, Math.min(...waiting));
  }

  /** The active pods of a namespace that a controller owns or selects. */
  async function podsOf(controller: JsonObject): Promise<readonly JsonObject[]> {
    const { namespace, uid } = metaOf(controller);
    const selector = objectAt(controller, 'spec', 'selector');
    const found: JsonObject[] = [];
    let n = 0;
    for (const stored of cluster.known(servedResource(cluster.servedResources(), 'pods')!, namespace)) {
      if (++n % SLICE === 0) await new Promise<void>((resolve) => void world.timers.after(0, resolve));
      if (!hasLabels(stored.labels(), selector) && !stored.json.includes(uid)) continue;
      const pod = stored.parse();
      const owner = controllerReferenceOf(pod);
      if (isActive(pod) && (owner === undefined || owner.uid === uid)) found.push(pod);
    }
    return found;
  }

  /** Adopts pods without a controller that the selector matches, and releases those it no longer matches. */
  async function claim(
    place: Place,
    controller: JsonObject,
    pods: readonly JsonObject[],
  ): Promise<readonly JsonObject[]> {
    const selector = objectAt(controller, 'spec', 'selector');
    const deleting = isDeleting(controller);
    const mine: JsonObject[] = [];
    let mayAdopt: boolean | undefined;
    for (const pod of pods) {
      const owner = controllerReferenceOf(pod);
      const matches = hasLabels(labelsOf(pod), selector);
      if (owner !== undefined) {
        if (matches) mine.push(pod);
        else if (!deleting) await release(controller, pod);
        continue;
      }
      if (!matches || deleting) continue;
      mayAdopt ??= await isStill(place, controller);
      if (mayAdopt && (await adopt(controller, pod))) mine.push(pod);
    }
    return mine;
  }

  async function isStill(place: Place, controller: JsonObject): Promise<boolean> {
    const now = await cluster.get(place);
    return now !== undefined && metaOf(now).uid === metaOf(controller).uid && !isDeleting(now);
  }

  async function adopt(controller: JsonObject, pod: JsonObject): Promise<boolean> {
    const references = [...objectsAt(pod, 'metadata', 'ownerReferences'), controllerReference(controller)];
    return changeOwners(pod, references);
  }

  async function release(controller: JsonObject, pod: JsonObject): Promise<void> {
    const { uid } = metaOf(controller);
    await changeOwners(
      pod,
      objectsAt(pod, 'metadata', 'ownerReferences').filter((r) => textAt(r, 'uid') !== uid),
    );
  }

  /** Returns false if the pod is gone. */
  async function changeOwners(pod: JsonObject, references: readonly JsonObject[]): Promise<boolean> {
    const { namespace, name, uid, resourceVersion } = metaOf(pod);
    const ownerReferences = references.length === 0 ? null : [...references];
    try {
      const resource = servedResource(cluster.servedResources(), 'pods')!;
      await cluster.patch({ resource, namespace, name }, '', { metadata: { uid, resourceVersion, ownerReferences } });
      return true;
    } catch (error) {
      if (error instanceof ApiError && (error.status.code === 404 || error.status.code === 422)) return false;
      throw error;
    }
  }

  async function manage(controller: JsonObject, pods: readonly JsonObject[]): Promise<void> {
    const missing = numberAt(controller, 'spec', 'replicas') - pods.length;
    if (missing > 0) await createPods(controller, Math.min(missing, BURST));
    else if (missing < 0) {
      const count = Math.min(-missing, BURST);
      await deletePods(controller, surplusOf(pods, pods, count, world.clock.now()));
    }
  }

  /** Creates pods in batches that double in size, so that a general refusal costs only one request. */
  async function createPods(controller: JsonObject, count: number): Promise<void> {
    for (let left = count, batch = 1; left > 0; left -= batch, batch = Math.min(batch * 2, left)) {
      batch = Math.min(batch, left);
      const results = await Promise.allSettled(Array.from({ length: batch }, () => createPod(controller)));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    }
  }

  async function createPod(controller: JsonObject): Promise<void> {
    const { namespace } = metaOf(controller);
    try {
      const pod = await cluster.create(
        servedResource(cluster.servedResources(), 'pods')!,
        namespace,
        podFor(controller),
      );
      const message = `Created pod: ${metaOf(pod).name}`;
      record(controller, { type: 'Normal', reason: 'SuccessfulCreate', message });
    } catch (error) {
      if (isNamespaceEnding(error)) return;
      record(controller, { type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${messageOf(error)}` });
      throw error;
    }
  }

  async function deletePods(controller: JsonObject, pods: readonly JsonObject[]): Promise<void> {
    for (let from = 0; from < pods.length; from += DELETIONS) {
      const batch = pods.slice(from, from + DELETIONS);
      const results = await Promise.allSettled(batch.map((pod) => deletePod(controller, pod)));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    }
  }

  async function deletePod(controller: JsonObject, pod: JsonObject): Promise<void> {
    const { namespace, name, uid, resourceVersion } = metaOf(pod);
    const resource = servedResource(cluster.servedResources(), 'pods')!;
    try {
      await cluster.delete({ resource, namespace, name }, { uid, resourceVersion });
      record(controller, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
    } catch (error) {
      if (error instanceof ApiError && error.status.code === 404) return;
      record(controller, { type: 'Warning', reason: 'FailedDelete', message: `Error deleting: ${messageOf(error)}` });
      throw error;
    }
  }

  async function keepStatus(
    place: Place,
    controller: JsonObject,
    pods: readonly JsonObject[],
    failure: unknown,
  ): Promise<void> {
    const wanted = statusOf(controller, pods, failure, world.clock.now());
    const present = objectAt(controller, 'status');
    const same = STATUS_COUNTS.every((field) => numberAt(present, field) === numberAt(wanted, field));
    if (same && equalJson([...listAt(present, 'conditions')], [...listAt(wanted, 'conditions')])) return;
    await cluster.replace(place, 'status', { ...controller, status: wanted });
  }

  return controllerOf(NAME, cluster, queue, observer);
}

const STATUS_COUNTS = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
] as const;

function statusOf(controller: JsonObject, pods: readonly JsonObject[], failure: unknown, now: number): JsonObject {
  const labels = objectAt(controller, 'spec', 'template', 'metadata', 'labels');
  const fully = pods.filter((pod) => Object.keys(labels).length === 0 || hasLabels(labelsOf(pod), labels));
  const minReady = numberAt(controller, 'spec', 'minReadySeconds');
  const counts: readonly (readonly [string, number])[] = [
    ['fullyLabeledReplicas', fully.length],
    ['readyReplicas', pods.filter(isReady).length],
    ['availableReplicas', pods.filter((pod) => untilAvailable(pod, minReady, now) === 0).length],
    ['observedGeneration', numberAt(controller, 'metadata', 'generation')],
  ];
  const conditions = conditionsOf(controller, pods.length, failure, now);
  return {
    replicas: pods.length,
    ...Object.fromEntries(counts.filter(([, count]) => count !== 0)),
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
  };
}

/** ReplicaFailure is set while pods cannot be created or deleted. */
function conditionsOf(controller: JsonObject, pods: number, failure: unknown, now: number): readonly JsonObject[] {
  const present = objectsAt(controller, 'status', 'conditions');
  const failed = conditionOf(controller, 'ReplicaFailure');
  if (failure === undefined) return present.filter((c) => c !== failed);
  if (failed !== undefined) return present;
  const reason = pods < numberAt(controller, 'spec', 'replicas') ? 'FailedCreate' : 'FailedDelete';
  return withCondition(
    controller,
    { type: 'ReplicaFailure', status: 'True', reason, message: messageOf(failure) },
    now,
  );
}

function podFor(controller: JsonObject): JsonObject {
  const template = objectAt(controller, 'spec', 'template');
  const { name } = metaOf(controller);
  const metadata: JsonObject = { generateName: `${name}-`, ownerReferences: [controllerReference(controller)] };
  for (const field of ['labels', 'annotations', 'finalizers']) {
    const value = objectAt(template, 'metadata')[field];
    if (value !== undefined) metadata[field] = value;
  }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: objectAt(template, 'spec') };
}

function ownerOf(pod: StoredObject | undefined): string | undefined {
  if (pod === undefined || !pod.json.includes(OWNED)) return undefined;
  const owner = controllerReferenceOf(pod.value());
  return owner?.kind === 'ReplicationController' ? owner.name : undefined;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reports whether a create was refused because its namespace is being deleted: it is then not needed. */
const isNamespaceEnding = (error: unknown): boolean =>
  error instanceof ApiError && (error.status.details?.causes ?? []).some((c) => c.reason === 'NamespaceTerminating');
