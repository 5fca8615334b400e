import { expect, it } from 'vitest';
import type { World } from '../../base/index.js';
import { PEER_DEFAULTS, type PeerConfig } from '../common/index.js';
import type { HasStarted } from './types.js';
import { wasRemovedUnreached } from './unreached.js';

const ports = {
  config: {
    ...PEER_DEFAULTS,
    name: 'c',
    initialCluster: ['a', 'b', 'c'].map((name) => ({ name, peerUrls: [`https://${name}:2380`] })),
  } as PeerConfig,
  world: { clock: { now: () => 0 } } as unknown as World,
};

const wasRemoved = (answers: Readonly<Record<string, HasStarted>>): Promise<boolean> =>
  wasRemovedUnreached(
    ports,
    { clusterId: 'c1', peerId: 7, name: 'c' },
    {
      callControl: async (url, _deadline, _name, id) => {
        const answer = answers[new URL(url).hostname];
        if (answer === undefined || id !== 7) throw new Error('connection refused');
        return answer;
      },
    },
  );

it('learns from any member of its cluster that it was removed before one reached it', async () => {
  const removed = { clusterId: 'c1', started: true, removed: true };
  expect(await wasRemoved({ b: removed })).toBe(true);
  expect(await wasRemoved({ a: { clusterId: 'c1', started: false, removed: false }, b: removed })).toBe(true);
  expect(await wasRemoved({})).toBe(false);
  expect(await wasRemoved({ a: { ...removed, clusterId: 'c2' } })).toBe(false);
  // A leader has heard of it: it is being reached.
  expect(await wasRemoved({ a: { clusterId: 'c1', started: true, removed: false } })).toBe(false);
});
