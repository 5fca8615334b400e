import { type FieldErrors, type FieldName, FieldPath, type JsonObject, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, numberAt, objectAt } from '../access.js';
import { nonNegative } from '../rules.js';

const STATUS = FieldPath.of('status');

/** The counters of a status that a controller reports. */
export interface StatusCounts<S> {
  /** Fields that must not be negative. */
  readonly counts: readonly FieldName<S>[];
  /** A field, the field that limits it, and the error when it is greater. */
  readonly parts?: readonly (readonly [FieldName<S>, FieldName<S>, string])[];
  /** Fields that must not decrease. */
  readonly rising?: readonly FieldName<S>[];
}

type WithStatus<S> = Shaped<{ readonly status?: S }>;

/** The validation of a status subresource that holds only counters. */
export function countsInStatus<S>(rules: StatusCounts<S>) {
  return (o: WithStatus<S>, old: WithStatus<S>, errors: FieldErrors): void => {
    const status = objectAt(o as JsonObject, 'status');
    const before = objectAt(old as JsonObject, 'status');
    for (const field of rules.counts) nonNegative(at(status, field), STATUS.child(field), errors);
    for (const [part, whole, sentence] of rules.parts ?? []) {
      const value = numberAt(status, part);
      if (value > numberAt(status, whole)) errors.invalid(STATUS.child(part), value, sentence);
    }
    for (const field of rules.rising ?? []) {
      if (at(before, field) === undefined) continue;
      if (at(status, field) === undefined || numberAt(status, field) < numberAt(before, field))
        errors.invalid(STATUS.child(field), numberAt(status, field), 'cannot be decremented');
    }
  };
}

const OF_REPLICAS = 'cannot be greater than status.replicas';
const part = <N extends string>(name: N) => [name, 'replicas', OF_REPLICAS] as const;

export const deploymentStatus = countsInStatus<shapes.AppsV1DeploymentStatus>({
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

export const replicaSetStatus = countsInStatus<shapes.AppsV1ReplicaSetStatus>({
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

export const replicationControllerStatus = countsInStatus<shapes.CoreV1ReplicationControllerStatus>({
  counts: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
  parts: REPLICA_PARTS,
});

export const statefulSetStatus = countsInStatus<shapes.AppsV1StatefulSetStatus>({
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

export const daemonSetStatus = countsInStatus<shapes.AppsV1DaemonSetStatus>({
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

export const autoscalerStatus = countsInStatus<shapes.AutoscalingV2HorizontalPodAutoscalerStatus>({
  counts: ['currentReplicas', 'desiredReplicas'],
});
