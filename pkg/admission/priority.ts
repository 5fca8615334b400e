import {
  type AdmissionRequest,
  type AdmissionStep,
  at,
  errors,
  type JsonObject,
  numberAt,
  objectIn,
  type StoredObjects,
  textAt,
} from '../api/index.js';
import { isAbout, newPod } from './step.js';

const CLASSES = { group: 'scheduling.k8s.io', resource: 'priorityclasses' } as const;
const DEFAULT_PREEMPTION = 'PreemptLowerPriority';

/** Sets the priority of a pod from its class, and allows at most one default class. */
export function priorityStep(objects: StoredObjects): AdmissionStep {
  return {
    name: 'Priority',
    mutate: async (request) => {
      const pod = newPod(request);
      if (pod !== undefined) await setPriority(pod, request, objects);
      else if (request.operation === 'update' && isAbout(request, '', 'pods')) keepPriority(request);
    },
    validate: (request) => {
      if (request.operation === 'delete' || !isAbout(request, CLASSES.group, CLASSES.resource)) return;
      if (at(request.object, 'globalDefault') !== true) return;
      const other = defaultClass(objects);
      if (other === undefined || textAt(other, 'metadata', 'name') === textAt(request.object, 'metadata', 'name'))
        return;
      throw errors.forbidden(
        request.groupResource,
        textAt(request.object, 'metadata', 'name'),
        `PriorityClass ${textAt(other, 'metadata', 'name')} is already marked as default. Only one default can exist`,
      );
    },
  };
}

/** An update may omit what this step set on create. */
function keepPriority({ object, old }: AdmissionRequest): void {
  if (object === undefined) return;
  const spec = objectIn(object, 'spec');
  for (const field of ['priority', 'preemptionPolicy']) {
    const before = at(old, 'spec', field);
    if (before !== undefined && spec[field] === undefined) spec[field] = before;
  }
}

async function setPriority(pod: JsonObject, request: AdmissionRequest, objects: StoredObjects): Promise<void> {
  const spec = objectIn(pod, 'spec');
  const refuse = (why: string): Error => errors.forbidden(request.groupResource, request.name, why);
  let name = textAt(spec, 'priorityClassName');
  let found: JsonObject | undefined;
  if (name === '') {
    found = defaultClass(objects);
    name = textAt(found, 'metadata', 'name');
    if (name !== '') spec['priorityClassName'] = name;
  } else {
    found = await objects.get(CLASSES, '', name);
    if (found === undefined) throw refuse(`no PriorityClass with name ${name} was found`);
  }
  const priority = numberAt(found, 'value');
  const given = at(spec, 'priority');
  if (given !== undefined && given !== priority)
    throw refuse(
      `the integer value of priority (${String(given)}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  spec['priority'] = priority;
  const preemption = textAt(found, 'preemptionPolicy') || DEFAULT_PREEMPTION;
  const wanted = at(spec, 'preemptionPolicy');
  if (wanted !== undefined && wanted !== preemption)
    throw refuse(
      `the string value of PreemptionPolicy (${String(wanted)}) must not be provided in pod spec; priority admission controller computed ${preemption} from the given PriorityClass name`,
    );
  spec['preemptionPolicy'] = preemption;
}

/** Returns the default class. Concurrent writes may create several; the one with the lowest value wins. */
function defaultClass(objects: StoredObjects): JsonObject | undefined {
  let lowest: JsonObject | undefined;
  for (const c of objects.list(CLASSES, ''))
    if (at(c, 'globalDefault') === true && (lowest === undefined || numberAt(c, 'value') < numberAt(lowest, 'value')))
      lowest = c;
  return lowest;
}
