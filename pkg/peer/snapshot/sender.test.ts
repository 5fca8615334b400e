import { describe, expect, it } from 'vitest';
import { type SnapshotRequest, toPeerId } from '../../../raft/index.js';
import { testWorld } from '../../storage/testworld.js';
import type { ReplicatedState } from '../apply/state.js';
import { PeerMetrics } from '../common/metrics.js';
import type { DrivenRaft } from '../consensus/driven.js';
import type { SnapshotStream } from '../network/network.js';
import { SnapshotSender } from './sender.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const orderTo = (to: number) => ({ kind: 'snapshot', to: toPeerId(to) }) as SnapshotRequest;

/** Sends nothing. The test ends each stream. */
function sender() {
  const world = testWorld(0);
  const reports: string[] = [];
  const notes: string[] = [];
  const streams: { readonly signal: AbortSignal; end(error?: string): void }[] = [];
  let open = 0;
  const raft = {
    reportSnapshot: (to: number, ok: boolean) => reports.push(`${to} ${ok}`),
  } as Partial<DrivenRaft> as DrivenRaft;
  const openSnapshot = async () => {
    open++;
    return { close: async () => void open-- };
  };
  const one = new SnapshotSender({
    world,
    raft,
    state: { machine: { openSnapshot } } as unknown as ReplicatedState,
    metrics: new PeerMetrics(),
    clusterId: 'c',
    openStream: () => ({}) as SnapshotStream,
    describe: (peer) => `${peer} (b)`,
    electionMs: 1000,
    send: ({ signal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        streams.push({ signal, end: (error) => (error === undefined ? resolve(true) : reject(new Error(error))) });
      }),
    stopped: () => undefined,
    note: (_, message) => notes.push(message),
  });
  return { one, world, reports, notes, streams, opened: () => open };
}

describe('snapshots that the core requests', () => {
  it('are reported when they have arrived, and failures when it is time to retry', async () => {
    const { one, world, reports, notes, streams, opened } = sender();
    for (const wait of [1000, 2000]) {
      one.order(orderTo(2), 'https://two');
      await turn();
      streams.pop()!.end('no room: 17 bytes');
      await turn();
      await world.advance(wait - 1);
      expect(reports).toEqual([]);
      await world.advance(1);
      expect(reports.splice(0)).toEqual(['2 false']);
    }
    one.order(orderTo(2), 'https://two');
    await turn();
    streams.pop()!.end();
    await turn();
    expect([reports, opened()]).toEqual([['2 true'], 0]);
    expect(notes).toEqual([
      'sending a snapshot to peer 2 (b)',
      'the snapshot for peer 2 (b) failed: no room: 17 bytes; it will be retried',
      'peer 2 (b) has the snapshot',
    ]);
  });

  it('are cancelled when the peer is closed, waiting ones too, and nothing is logged', async () => {
    const { one, world, reports, notes, streams, opened } = sender();
    one.order(orderTo(2), 'https://two');
    one.order(orderTo(3), undefined);
    one.order(orderTo(4), 'https://four');
    await turn();
    streams.pop()!.end('no room');
    await turn();
    one.close();
    await turn();
    await world.advance(60_000);
    expect([reports, opened(), streams[0]!.signal.aborted]).toEqual([[], 0, true]);
    expect(notes.filter((note) => note.includes('peer 2'))).toEqual(['sending a snapshot to peer 2 (b)']);
  });
});
