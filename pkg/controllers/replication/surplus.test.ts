import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { surplusOf } from './surplus.js';

const NOW = Date.UTC(2030, 0, 2);
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

interface Given {
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly age?: number;
}

function pod(
  name: string,
  { node = 'n', phase = 'Running', ready = 3600, cost, restarts = 0, age = 7200 }: Given,
): JsonObject {
  return {
    metadata: {
      name,
      uid: name,
      creationTimestamp: ago(age),
      ...(cost === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    },
    spec: { nodeName: node },
    status: {
      phase,
      containerStatuses: [{ name: 'c', restartCount: restarts }],
      conditions:
        ready < 0
          ? [{ type: 'Ready', status: 'False', lastTransitionTime: ago(-ready) }]
          : [{ type: 'Ready', status: 'True', lastTransitionTime: ago(ready) }],
    },
  };
}

it.each<[string, Given, Given]>([
  ['one that is not assigned', { node: '' }, { phase: 'Pending', ready: -1 }],
  ['one that is pending', { phase: 'Pending' }, { phase: 'Unknown', ready: -1 }],
  ['one that is not ready', { ready: -1 }, { cost: '-5' }],
  ['one that costs less', { cost: '-2' }, { cost: '-1', ready: 1 }],
  ['one whose cost is not a number as one without', { cost: '01', ready: 1 }, { ready: 3600 }],
  ['one that is ready for less time', { ready: 60 }, { ready: 3600, restarts: 5 }],
  ['one that restarted more often', { restarts: 3 }, { age: 60 }],
  ['one that is younger', { age: 60 }, { age: 7200 }],
])('deletes %s first', (_, first, other) => {
  const pods = [pod('b', other), pod('a', first)];
  expect(surplusOf(pods, [], 1, NOW)).toEqual([pods[1]]);
  expect(surplusOf([...pods].reverse(), [], 1, NOW)).toEqual([pods[1]]);
});

it('treats ages with the same power of two as equal, and then compares uids', () => {
  const pods = [pod('b', { ready: 3600 }), pod('a', { ready: 4000 })];
  expect(surplusOf(pods, [], 1, NOW)).toEqual([pods[1]]);
});

it('deletes pods on a crowded node first', () => {
  const pods = [pod('a', { node: 'x' }), pod('b', { node: 'y' }), pod('c', { node: 'y', ready: 7000 })];
  expect(surplusOf(pods, pods, 2, NOW).map((p) => (p['metadata'] as JsonObject)['name'])).toEqual(['b', 'c']);
});
