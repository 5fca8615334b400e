import { type FieldErrors, FieldPath, type JsonObject } from '../../../api/index.js';
import { at, numberAt } from '../access.js';
import { nonNegative } from '../rules.js';

const STATUS = FieldPath.of('status');

/** The counters of a status that a controller reports. */
export interface StatusCounts {
  /** Fields that must not be negative. */
  readonly counts: readonly string[];
  /** A field, the field that limits it, and the error when it is greater. */
  readonly parts?: readonly (readonly [string, string, string])[];
  /** Fields that must not decrease. */
  readonly rising?: readonly string[];
}

/** The validation of a status subresource that holds only counters. */
export function countsInStatus(rules: StatusCounts) {
  return (o: JsonObject, old: JsonObject, errors: FieldErrors): void => {
    for (const field of rules.counts) nonNegative(at(o, 'status', field), STATUS.child(field), errors);
    for (const [part, whole, sentence] of rules.parts ?? []) {
      const value = numberAt(o, 'status', part);
      if (value > numberAt(o, 'status', whole)) errors.invalid(STATUS.child(part), value, sentence);
    }
    for (const field of rules.rising ?? []) {
      const before = at(old, 'status', field);
      const now = at(o, 'status', field);
      if (before !== undefined && (now === undefined || numberAt(o, 'status', field) < numberAt(old, 'status', field)))
        errors.invalid(STATUS.child(field), numberAt(o, 'status', field), 'cannot be decremented');
    }
  };
}

const OF_REPLICAS = 'cannot be greater than status.replicas';
const part = (name: string) => [name, 'replicas', OF_REPLICAS] as const;

export const deploymentStatus = countsInStatus({
  counts: [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
    'collisionCount',
  ],
  parts: [
    part('updatedReplicas'),
    part('readyReplicas'),
    part('availableReplicas'),
    ['availableReplicas', 'readyReplicas', 'cannot be greater than readyReplicas'],
  ],
  rising: ['collisionCount'],
});

const REPLICA_PARTS = [
  part('fullyLabeledReplicas'),
  part('readyReplicas'),
  part('availableReplicas'),
  ['availableReplicas', 'readyReplicas', 'cannot be greater than readyReplicas'],
] as const;

export const replicaSetStatus = countsInStatus({
  counts: [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'terminatingReplicas',
    'observedGeneration',
  ],
  parts: REPLICA_PARTS,
});

export const replicationControllerStatus = countsInStatus({
  counts: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
  parts: REPLICA_PARTS,
});

export const statefulSetStatus = countsInStatus({
  counts: [
    'replicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
    'observedGeneration',
    'collisionCount',
  ],
  parts: [
    part('readyReplicas'),
    part('currentReplicas'),
    part('updatedReplicas'),
    part('availableReplicas'),
    ['availableReplicas', 'readyReplicas', 'cannot be greater than status.readyReplicas'],
  ],
  rising: ['collisionCount'],
});

export const daemonSetStatus = countsInStatus({
  counts: [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ],
  rising: ['collisionCount'],
});

export const autoscalerStatus = countsInStatus({ counts: ['currentReplicas', 'desiredReplicas'] });
