import { isObject, type JsonObject } from '../../api/index.js';
import { at, objectIn } from './access.js';
import { defaultPodSpec, fill } from './core/pod/defaults.js';

/** What the kinds share that make pods from a template. */

export function defaultTemplate(owner: JsonObject): void {
  const template = objectIn(owner, 'template');
  objectIn(template, 'metadata');
  defaultPodSpec(objectIn(template, 'spec'));
}

/** Replicas, history: a number that may be 0 is only filled in when it is absent. */
export function fillAbsent(o: JsonObject, field: string, value: number | string | boolean): void {
  if (o[field] === undefined || o[field] === null) o[field] = value;
}

/** `maxUnavailable` and `maxSurge` of a rolling update, and the parent object that holds them. */
export function defaultRollingUpdate(
  strategy: JsonObject,
  values: {
    readonly maxUnavailable?: number | string;
    readonly maxSurge?: number | string;
    readonly partition?: number;
  },
): void {
  fill(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] !== 'RollingUpdate') return;
  const rolling = objectIn(strategy, 'rollingUpdate');
  for (const [field, value] of Object.entries(values)) fillAbsent(rolling, field, value);
}

/** The oldest workloads take their labels and selector from the template when they have none. */
export function labelsFromTemplate(o: JsonObject, selectorToo: boolean): void {
  const labels = at(o, 'spec', 'template', 'metadata', 'labels');
  if (!isObject(labels) || Object.keys(labels).length === 0) return;
  const meta = objectIn(o, 'metadata');
  if (!isObject(meta['labels']) || Object.keys(meta['labels']).length === 0) meta['labels'] = { ...labels };
  const spec = objectIn(o, 'spec');
  if (selectorToo && (!isObject(spec['selector']) || Object.keys(spec['selector']).length === 0))
    spec['selector'] = { ...labels };
}
