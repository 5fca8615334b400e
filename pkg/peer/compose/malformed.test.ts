import { describe, expect, it } from 'vitest';
import { type Entry, type EntryKind, toLogIndex, toPeerId, toTerm } from '../../../raft/index.js';
import { encodeEntry } from '../../storage/index.js';
import { foundingClusterId, foundingId, PEER_DEFAULTS } from '../common/config.js';
import { NO_TRANSPORT, type TransportPorts, type TransportProvider } from '../network/network.js';
import { seal } from '../requests/envelope.js';
import { soloConfig } from '../testing/solo.js';
import { threadWorld } from '../thread/world.js';
import { openPeer } from './peer.js';

const NETWORK = { listenUrls: [], advertiseUrls: [], tls: { ca: '', cert: '', key: '' } };

/** An in-memory peer; the test acts as its transport. */
async function peerOf(names: readonly string[], electionMs: number) {
  let transport!: TransportPorts;
  const provider: Partial<TransportProvider> = {
    open: async (ports) => {
      transport = ports;
      return NO_TRANSPORT;
    },
    // The other founders begin as well.
    callControl: async () => ({ clusterId, started: false, blank: true }),
  };
  const fatal: string[] = [];
  const initialCluster = names.map((name) => ({ name, peerUrls: [`https://${name}:1`] }));
  const token = PEER_DEFAULTS.initialClusterToken;
  const clusterId = foundingClusterId(
    initialCluster.map((member) => foundingId(member, token)),
    token,
  );
  const config = soloConfig({ name: 'a', initialCluster, network: NETWORK, electionMs, hashCheckMs: 0 });
  const peer = await openPeer(
    config,
    threadWorld(),
    { fatal: (error) => fatal.push(error.message) },
    { loadTransport: async () => provider as TransportProvider },
  );
  // The other founders have answered then.
  await new Promise((resolve) => setImmediate(resolve));
  const idOf = (name: string) =>
    toPeerId(foundingId(initialCluster.find((member) => member.name === name)!, config.initialClusterToken));
  const counted = async () =>
    (await peer.control.metrics()).find(({ name }) => name === 'trireme_peer_malformed_entries_total')?.values[0]
      ?.value;
  return { peer, transport: () => transport, fatal, idOf, counted };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries++) {
    if (tries > 12_000) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a malformed entry of the log', () => {
  it('changes nothing and is counted', async () => {
    const { peer, transport, fatal, idOf, counted } = await peerOf(['a', 'b', 'c'], 600_000);
    const record = encodeEntry({
      kind: 'txn',
      txn: { compares: [], ops: [{ kind: 'put', key: '!members/2', value: Buffer.from('{') }] },
    });
    const sealed = (command: Uint8Array): Buffer => seal({ origin: 1, id: 1, command, form: 1 });
    const datas = [
      Buffer.alloc(3),
      sealed(Buffer.from('unknown')),
      sealed(record),
      sealed(encodeEntry({ kind: 'check' })),
    ];
    const entries = datas.map(
      (data, i): Entry => ({ index: toLogIndex(i + 1), term: toTerm(1), kind: 'normal' as EntryKind, data }),
    );
    transport().sink.raft({
      kind: 'append',
      from: idOf('b'),
      to: idOf('a'),
      term: toTerm(1),
      prevIndex: toLogIndex(0),
      prevTerm: toTerm(0),
      entries,
      commit: toLogIndex(entries.length),
      quiet: false,
    });
    await until(() => peer.keyspace.status().applied === entries.length || fatal.length > 0);
    expect(fatal).toEqual([]);
    expect(await counted()).toBe(3);
    await peer.close();
  });

  it('is refused as a proposal, and ends its connection', async () => {
    const { peer, transport, fatal, counted } = await peerOf(['a'], 200);
    await until(() => peer.keyspace.status().isLeader && transport() !== undefined);
    const { term, lastIndex } = await peer.control.report();
    for (const data of [
      Buffer.alloc(3),
      Buffer.alloc(40),
      seal({ origin: 1, id: 1, command: Buffer.from('x'), form: 2 }),
    ]) {
      expect(() => transport().sink.proposal(toPeerId(2), { id: 1, data, term })).toThrow(RangeError);
    }
    expect((await peer.control.report()).lastIndex).toBe(lastIndex);
    expect([fatal, await counted()]).toEqual([[], 0]);
    await peer.close();
  });
});
