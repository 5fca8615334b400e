import { type FieldErrors, FieldPath, type JsonObject } from '../../../api/index.js';
import { at, numberAt } from '../access.js';
import { nonNegative } from '../rules.js';

const STATUS = FieldPath.of('status');

/** What a controller reports, in numbers, of what it keeps. */
export interface StatusCounts {
  /** None of these is below zero. */
  readonly counts: readonly string[];
  /** A number, the one that it is part of, and what is said when it is greater. */
  readonly parts?: readonly (readonly [string, string, string])[];
  /** These never go back once they are there. */
  readonly rising?: readonly string[];
}

/** The rule of a status subresource that is nothing but numbers. */
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
