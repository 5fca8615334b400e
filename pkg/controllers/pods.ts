import { boolAt, getOwn, isObject, type JsonObject, numberAt, objectAt, objectsAt, textAt } from '../api/index.js';

/** Properties of pods that controllers need. */

export interface ControllerReference {
  readonly kind: string;
  readonly apiVersion: string;
  readonly name: string;
  readonly uid: string;
}

/** The owner reference of the controller of an object. */
export function controllerReferenceOf(o: JsonObject): ControllerReference | undefined {
  const found = objectsAt(o, 'metadata', 'ownerReferences').find((r) => boolAt(r, 'controller'));
  if (found === undefined) return undefined;
  return {
    kind: textAt(found, 'kind'),
    apiVersion: textAt(found, 'apiVersion'),
    name: textAt(found, 'name'),
    uid: textAt(found, 'uid'),
  };
}

/** The controller's entry in the ownerReferences of what it creates. */
export function controllerReference(owner: JsonObject): JsonObject {
  return {
    apiVersion: textAt(owner, 'apiVersion'),
    kind: textAt(owner, 'kind'),
    name: textAt(owner, 'metadata', 'name'),
    uid: textAt(owner, 'metadata', 'uid'),
    controller: true,
    blockOwnerDeletion: true,
  };
}

export const isDeleting = (o: JsonObject): boolean => textAt(o, 'metadata', 'deletionTimestamp') !== '';

/** Reports whether the containers of a pod have terminated permanently. */
export function hasEnded(pod: JsonObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return phase === 'Succeeded' || phase === 'Failed';
}

export const isActive = (pod: JsonObject): boolean => !hasEnded(pod) && !isDeleting(pod);

const readyCondition = (pod: JsonObject): JsonObject | undefined =>
  objectsAt(pod, 'status', 'conditions').find((c) => textAt(c, 'type') === 'Ready');

export const isReady = (pod: JsonObject): boolean => textAt(readyCondition(pod), 'status') === 'True';

/** When the Ready condition changed, in milliseconds; undefined if it is unknown. */
export function readyChangedAt(pod: JsonObject): number | undefined {
  return timeOf(textAt(readyCondition(pod), 'lastTransitionTime'));
}

/** Milliseconds until a ready pod is available; 0 if it is, undefined if it is not ready. */
export function untilAvailable(pod: JsonObject, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = readyChangedAt(pod);
  return since === undefined ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}

/** Reports whether labels have every label of a selector map. An empty selector matches nothing. */
export function hasLabels(
  labels: Readonly<Record<string, unknown>>,
  selector: Readonly<Record<string, unknown>>,
): boolean {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

export const labelsOf = (o: JsonObject): JsonObject => objectAt(o, 'metadata', 'labels');

/** Milliseconds; undefined if the text is not a time. */
export function timeOf(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** The greatest number of restarts of one container, of sidecars and of other containers. */
export function restartsOf(pod: JsonObject): { readonly regular: number; readonly sidecar: number } {
  const most = (statuses: readonly JsonObject[]): number =>
    Math.max(0, ...statuses.map((s) => numberAt(s, 'restartCount')));
  const sidecars = new Set(
    objectsAt(pod, 'spec', 'initContainers')
      .filter((c) => textAt(c, 'restartPolicy') === 'Always')
      .map((c) => textAt(c, 'name')),
  );
  return {
    regular: most(objectsAt(pod, 'status', 'containerStatuses')),
    sidecar: most(objectsAt(pod, 'status', 'initContainerStatuses').filter((s) => sidecars.has(textAt(s, 'name')))),
  };
}

/** A field that is an object, or undefined, for nested objects. */
export function optionalObject(o: JsonObject, key: string): JsonObject {
  const value = getOwn(o, key);
  return isObject(value) ? { [key]: value } : {};
}
