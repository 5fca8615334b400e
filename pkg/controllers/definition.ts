import { formatTime, isObject, type JsonObject, listAt, objectsAt, textAt } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource } from '../registry/index.js';
import type { Place } from './cluster.js';
import type { ControllerContext } from './controller.js';

/** Helpers shared by the controllers of CustomResourceDefinitions. */

export const DEFINITIONS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' } as const;
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export const isDefinition = ({ group, resource }: ServedResource): boolean =>
  group === DEFINITIONS.group && resource === DEFINITIONS.resource;

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export function conditionOf(definition: JsonObject, type: string): JsonObject | undefined {
  return objectsAt(definition, 'status', 'conditions').find((c) => c['type'] === type);
}

export const isTrue = (definition: JsonObject, type: string): boolean =>
  conditionOf(definition, type)?.['status'] === 'True';

/** Sets a condition in place; returns true if it changed. The transition time changes only with the status. */
export function setCondition(definition: JsonObject, condition: Condition, now: number): boolean {
  const status: JsonObject = isObject(definition['status']) ? definition['status'] : {};
  definition['status'] = status;
  const old = conditionOf(definition, condition.type);
  if (
    old !== undefined &&
    old['status'] === condition.status &&
    old['reason'] === condition.reason &&
    old['message'] === condition.message
  )
    return false;
  const kept = old !== undefined && old['status'] === condition.status ? textAt(old, 'lastTransitionTime') : '';
  const next: JsonObject = { ...condition, lastTransitionTime: kept === '' ? formatTime(now) : kept };
  const all = listAt(status, 'conditions').filter(isObject);
  status['conditions'] = old === undefined ? [...all, next] : all.map((c) => (c === old ? next : c));
  return true;
}

export function placeOf(context: ControllerContext, name: string): Place | undefined {
  const resource = context.cluster.servedResources().kind(DEFINITIONS.group, DEFINITIONS.resource)?.served[0];
  return resource === undefined ? undefined : { resource, namespace: '', name };
}

/** The group and names of a definition by its object name: changes of one name affect the whole group. */
export const groupOf = (stored: StoredObject): string => stored.name.slice(stored.name.indexOf('.') + 1);
