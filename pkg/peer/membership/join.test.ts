import { expect, it } from 'vitest';
import type { World } from '../../base/index.js';
import { PEER_DEFAULTS, type PeerConfig } from '../common/index.js';
import type { TransportProvider } from '../network/index.js';
import { findIdentity } from './join.js';

const URL = 'https://b:2380';
const config = {
  ...PEER_DEFAULTS,
  name: 'b',
  initialClusterState: 'existing',
  initialCluster: [
    { name: 'a', peerUrls: ['https://a:2380'] },
    { name: 'b', peerUrls: [URL] },
  ],
  network: { listenUrls: [URL], advertiseUrls: [URL], tls: { ca: '', cert: '', key: '' } },
} as PeerConfig;

const world = {
  clock: { now: () => 0, monotonic: () => 0 },
  timers: { after: (_milliseconds: number, f: () => void) => queueMicrotask(f) },
} as unknown as World;

/** A peer whose member lists have these ids for `URL`, one after the other; the ids in `started` have taken part. */
function answering(lists: readonly number[], started: readonly number[]): TransportProvider {
  let asked = 0;
  return {
    fetchMembers: async () => {
      const id = lists[Math.min(asked++, lists.length - 1)]!;
      return { clusterId: 'c', members: [{ id, name: 'b', peerUrls: [URL], learner: true }] };
    },
    callControl: async (_url: string, _deadline: number, _name: string, id: unknown) => ({
      clusterId: 'c',
      started: started.includes(id as number),
    }),
  } as unknown as TransportProvider;
}

const join = (provider: TransportProvider) =>
  findIdentity({ config, world, loadTransport: async () => provider, note: () => {} });

// Simulation, seed 3087: the list of a peer that lags had the id of the removed member.
it('joins as the member that replaced one with the same URL, although a lagging peer still lists the old one', async () => {
  const founding = await join(answering([7, 8, 8], [7]));
  expect(founding.identity.peerId).toBe(8);
});

it('refuses to join as a member that has taken part', async () => {
  await expect(join(answering([7], [7]))).rejects.toThrow('has been part of the cluster before');
});
