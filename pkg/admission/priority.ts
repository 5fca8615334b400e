import {
  type AdmissionRequest,
  type AdmissionStep,
  at,
  type JsonObject,
  numberAt,
  objectIn,
  type StoredObjects,
  textAt,
} from '../api/index.js';
import { forbidden, isAbout } from './step.js';

const CLASSES = { group: 'scheduling.k8s.io', resource: 'priorityclasses' } as const;
const DEFAULT_PREEMPTION = 'PreemptLowerPriority';

type Enabled = (gate: string) => boolean;

/** A kind whose new objects get the priority of their class. */
interface Target {
  readonly group: string;
  readonly resource: string;
  /** Without this gate the plug-in leaves the objects alone. */
  readonly gate?: string;
  /** Without this gate the objects get no preemption policy. */
  readonly preemptionGate?: string;
  /** What messages call the place of a preemption policy. */
  readonly spec: string;
  /** The message about a priority that is not the one of the class. */
  readonly otherPriority: (given: string, computed: number) => string;
}

const groupTarget = (resource: string, gate: string, noun: string): Target => ({
  group: CLASSES.group,
  resource,
  gate,
  preemptionGate: 'PodGroupPreemptionPolicy',
  spec: `${noun} spec`,
  otherPriority: (given, computed) =>
    `priority set in the ${noun} (${given}) must match the priority computed (${computed}) based on the priority class set in the spec`,
});

const TARGETS: readonly Target[] = [
  {
    group: '',
    resource: 'pods',
    spec: 'pod spec',
    otherPriority: (given, computed) =>
      `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`,
  },
  groupTarget('podgroups', 'GenericWorkload', 'pod group'),
  groupTarget('compositepodgroups', 'CompositePodGroup', 'composite pod group'),
];

/** Sets the priority of pods and their groups from their class, and allows at most one default class. */
export function priorityStep(objects: StoredObjects, enabled: Enabled): AdmissionStep {
  const served = TARGETS.filter(({ gate }) => gate === undefined || enabled(gate));
  return {
    name: 'Priority',
    mutate: (request) => {
      if (request.operation === 'update' && isAbout(request, '', 'pods')) keepPriority(request);
      if (request.operation !== 'create' || request.object === undefined) return undefined;
      const target = served.find(({ group, resource }) => isAbout(request, group, resource));
      return target === undefined ? undefined : setPriority(request.object, request, objects, target, enabled);
    },
    validate: (request) => {
      if (request.operation === 'delete' || !isAbout(request, CLASSES.group, CLASSES.resource)) return;
      if (at(request.object, 'globalDefault') !== true) return;
      const other = defaultClass(objects);
      if (other === undefined || textAt(other, 'metadata', 'name') === textAt(request.object, 'metadata', 'name'))
        return;
      throw forbidden(
        request,
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

function setPriority(
  object: JsonObject,
  request: AdmissionRequest,
  objects: StoredObjects,
  target: Target,
  enabled: Enabled,
): void | Promise<void> {
  const spec = objectIn(object, 'spec');
  const refuse = (why: string): Error => forbidden(request, why);
  const name = textAt(spec, 'priorityClassName');
  if (name === '') {
    const found = defaultClass(objects);
    const own = textAt(found, 'metadata', 'name');
    if (own !== '') spec['priorityClassName'] = own;
    return takePriority(spec, found, target, enabled, refuse);
  }
  return objects.get(CLASSES, '', name).then((found) => {
    if (found === undefined) throw refuse(`no PriorityClass with name ${name} was found`);
    takePriority(spec, found, target, enabled, refuse);
  });
}

function takePriority(
  spec: JsonObject,
  found: JsonObject | undefined,
  target: Target,
  enabled: Enabled,
  refuse: (why: string) => Error,
): void {
  const priority = numberAt(found, 'value');
  const given = at(spec, 'priority');
  if (given !== undefined && given !== priority) throw refuse(target.otherPriority(String(given), priority));
  spec['priority'] = priority;
  if (target.preemptionGate !== undefined && !enabled(target.preemptionGate)) return;
  const preemption = textAt(found, 'preemptionPolicy') || DEFAULT_PREEMPTION;
  const wanted = at(spec, 'preemptionPolicy');
  if (wanted !== undefined && wanted !== preemption)
    throw refuse(
      `the string value of PreemptionPolicy (${String(wanted)}) must not be provided in ${target.spec}; priority admission controller computed ${preemption} from the given PriorityClass name`,
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
