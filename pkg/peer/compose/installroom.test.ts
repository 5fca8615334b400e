import { cpSync, existsSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Entry,
  initialConfiguration,
  type Message,
  NO_PEER,
  type SnapshotMeta,
  toLogIndex,
  toPeerId,
  toTerm,
} from '../../../raft/index.js';
import { encodeEntry, memoryHome, openStateMachine } from '../../storage/index.js';
import { type TestWorld, testWorld } from '../../storage/testworld.js';
import { foundingClusterId, foundingId, type PeerConfig } from '../common/config.js';
import { SPACE_LIMITS } from '../common/limits.js';
import { writeMarker } from '../durability/installmarker.js';
import { nodeSmallFiles } from '../durability/smallfile.js';
import { NO_TRANSPORT, type TransportPorts, type TransportProvider } from '../network/network.js';
import { seal } from '../requests/envelope.js';
import { snapshotParts } from '../testing/snapshot.js';
import { soloConfig, temporaryFolder } from '../testing/solo.js';
import { openPeer, type Peer } from './peer.js';

// One real peer on a real disk. The test acts as the two others and advances time.

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const STEP_MS = 5;
const PATIENCE_MS = 20_000;

const NAMES = ['a', 'b', 'c'] as const;
const founders = NAMES.map((name) => ({ name, peerUrls: [`https://${name}:1`] }));
const token = soloConfig().initialClusterToken;
const idOf = (name: (typeof NAMES)[number]) => toPeerId(foundingId({ name, peerUrls: [`https://${name}:1`] }, token));
const clusterId = foundingClusterId(NAMES.map(idOf), token);
const term = toTerm(1);
const config = initialConfiguration(NAMES.map(idOf));

const command = (index: number): Buffer => {
  const op = { kind: 'put', key: `/${index}`, value: Buffer.from(`${index}`) } as const;
  return Buffer.from(encodeEntry({ kind: 'txn', txn: { compares: [], ops: [op] } }));
};

/** An entry of the leader's log: it puts a key named after its index. */
const entry = (index: number): Entry => ({
  index: toLogIndex(index),
  term,
  kind: 'normal',
  data: seal({ origin: 1, id: index, command: command(index), form: 1 }),
});

interface Running {
  readonly peer: Peer;
  readonly world: TestWorld;
  /** Its messages to the others. */
  readonly sent: Message[];
  readonly notes: string[];
  readonly fatal: string[];
  /** The leader appends entries after `after` up to `last`, all committed. */
  appends(after: number, last: number): void;
  /** The leader sends a snapshot of everything up to `index`; returns the peer's answer. */
  snapshot(index: number, cancelled?: AbortSignal): Promise<string>;
  /** Advances time until the condition holds. */
  until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void>;
  close(): Promise<void>;
}

async function start(dataDir: string): Promise<Running> {
  const world = testWorld(0);
  const [sent, notes, fatal]: [Message[], string[], string[]] = [[], [], []];
  let transport!: TransportPorts;
  const provider: Partial<TransportProvider> = {
    open: async (ports) => {
      transport = ports;
      return { ...NO_TRANSPORT, send: (messages) => void sent.push(...messages) };
    },
    // The other founders begin as well.
    callControl: async () => ({ clusterId, started: false, blank: true }),
  };
  const about: PeerConfig = soloConfig({
    dataDir,
    name: 'a',
    initialCluster: founders,
    network: { listenUrls: [], advertiseUrls: [], tls: { ca: '', cert: '', key: '' } },
    // No peer campaigns here.
    electionMs: 600_000,
    heartbeatMs: 1000,
    hashCheckMs: 0,
    compactionRetentionMs: 0,
  });
  const peer = await openPeer(
    about,
    world,
    { note: (_, message) => notes.push(message), fatal: (error) => fatal.push(error.message) },
    { loadTransport: async () => provider as TransportProvider },
  );
  const until = async (isSo: () => boolean | Promise<boolean>, what: string): Promise<void> => {
    for (let waited = 0; !(await isSo()); waited += STEP_MS) {
      if (waited > PATIENCE_MS) throw new Error(`waited in vain: ${what}; ${[...notes, ...fatal].join('; ')}`);
      // Not faster than real time, because the disk operations are real.
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
      await world.advance(STEP_MS);
    }
  };
  const leader = { from: idOf('b'), to: idOf('a'), term };
  return {
    peer,
    world,
    sent,
    notes,
    fatal,
    until,
    appends: (after, last) => {
      const entries = Array.from({ length: last - after }, (_, i) => entry(after + 1 + i));
      const commit = toLogIndex(last);
      const prev = { prevIndex: toLogIndex(after), prevTerm: after === 0 ? toTerm(0) : term };
      transport.sink.raft({ ...leader, kind: 'append', ...prev, entries, commit, quiet: false });
    },
    snapshot: async (index, cancelled = new AbortController().signal) => {
      const machine = await openStateMachine({ engine: await memoryHome().open(), name: 'leader' });
      await machine.apply(Array.from({ length: index }, (_, i) => ({ index: i + 1, data: command(i + 1) })));
      const meta: SnapshotMeta = { index: toLogIndex(index), term, config };
      const begin = { clusterId: transport.clusterId, ...leader };
      const answer = transport.receiveSnapshot(snapshotParts(begin, machine, meta), cancelled);
      return answer.then(
        ({ installed }) => (installed ? 'installed' : 'not needed'),
        (error: Error) => error.message,
      );
    },
    close: async () => {
      let closed = false;
      const closing = peer.close().then(() => {
        closed = true;
      });
      await until(() => closed, 'the end');
      await closing;
    },
  };
}

/** Makes writes to this file fail as on a full disk. The error is real and affects this file only. */
function fill(file: string): () => void {
  symlinkSync('/dev/full', file);
  return () => rmSync(file);
}

async function keys({ peer }: Running): Promise<number> {
  const result = await peer.keyspace.range({ start: '/', end: '0' });
  return result.kind === 'ok' ? result.items.length : -1;
}

const acknowledged = ({ sent }: Running): number =>
  sent.reduce((most, message) => (message.kind === 'appendAccepted' ? Math.max(most, message.index) : most), 0);

const WAITS = 'no space left to put a snapshot in place: it waits until there is room';
const GOES_ON = 'there is room for the snapshot again';

/** The files that install a snapshot, in the order in which they are written. */
const STEPS = [
  { name: 'the note of it', file: 'install.json.new' },
  { name: 'the name of the new state', file: join('db', 'CURRENT.new') },
] as const;

function folder(): string {
  const made = temporaryFolder();
  cleanups.push(() => made.remove());
  return made.path;
}

/** A peer with three entries whose accepted snapshot of 50 has no space for `file`. */
async function waiting(dataDir: string, file: string) {
  const running = await start(dataDir);
  running.appends(0, 3);
  await running.until(
    () => acknowledged(running) === 3 && running.peer.keyspace.status().applied === 3,
    'three entries',
  );
  const empty = fill(join(dataDir, file));
  const cancelled = new AbortController();
  const answer = running.snapshot(50, cancelled.signal);
  await running.until(() => running.notes.includes(WAITS), 'the wait');
  const { firstIndex, commit } = await running.peer.control.report();
  expect([firstIndex, commit, running.peer.keyspace.status().applied]).toEqual([51, 50, 3]);
  return { running, empty, answer, cancelled };
}

describe('a follower whose accepted snapshot waits for space', () => {
  for (const { name, file } of STEPS) {
    it(`serves its old state, accepts no second one, acknowledges nothing, and continues without help (${name})`, async () => {
      const dataDir = folder();
      const { running, empty, answer, cancelled } = await waiting(dataDir, file);
      // Entries after the snapshot need it. The leader gets no answer and sends another snapshot.
      running.appends(50, 52);
      expect(await running.snapshot(60)).toBe('another snapshot is being received');
      // The leader cancels the first one as well, but the core has accepted it.
      cancelled.abort(new Error('the sender gave up'));
      await running.world.advance(2 * SPACE_LIMITS.blockedMs);
      expect(acknowledged(running)).toBe(3);
      expect(await keys(running)).toBe(3);
      expect(await running.peer.keyspace.readIndex()).toMatchObject({ kind: 'refused', reason: 'noSpace' });
      expect(running.notes.filter((note) => note === WAITS).length).toBe(1);

      empty();
      expect(await waitFor(running, answer)).toBe('installed');
      await running.until(() => acknowledged(running) === 52, 'what follows the snapshot');
      await running.until(() => running.peer.keyspace.status().applied === 52, 'its effects');
      expect(await keys(running)).toBe(52);
      expect(running.notes.filter((note) => note === GOES_ON).length).toBe(1);
      await running.close();

      const again = await start(dataDir);
      cleanups.push(() => again.close());
      expect([again.peer.keyspace.status().applied, await keys(again)]).toEqual([52, 52]);
      expect([...running.fatal, ...again.fatal]).toEqual([]);
    });

    it(`has its old state after a restart, with and without space, and accepts the next one (${name})`, async () => {
      const dataDir = folder();
      const { running, empty, answer } = await waiting(dataDir, file);
      running.appends(50, 52);
      await running.close();
      expect(await answer).not.toBe('installed');

      const full = await start(dataDir);
      expect([full.peer.keyspace.status().applied, await keys(full)]).toEqual([3, 3]);
      expect((await full.peer.control.report()).firstIndex).toBe(1);
      const second = full.snapshot(60);
      await full.until(() => full.notes.includes(WAITS), 'the wait for the second');
      await full.close();
      expect(await second).not.toBe('installed');
      empty();

      const again = await start(dataDir);
      cleanups.push(() => again.close());
      expect([again.peer.keyspace.status().applied, await keys(again)]).toEqual([3, 3]);
      expect(await waitFor(again, again.snapshot(60))).toBe('installed');
      again.appends(60, 61);
      await again.until(() => acknowledged(again) === 61, 'what follows the snapshot');
      await again.until(() => again.peer.keyspace.status().applied === 61, 'its effects');
      expect(await keys(again)).toBe(61);
      expect(existsSync(join(dataDir, 'install.json'))).toBe(false);
      expect([...running.fatal, ...full.fatal, ...again.fatal]).toEqual([]);
    });
  }
});

describe('a follower that ended between the two steps of an installation', () => {
  it('replaces the log to match the state', async () => {
    const dataDir = folder();
    const [wal, before] = [join(dataDir, 'wal'), join(dataDir, 'before')];
    const running = await start(dataDir);
    running.appends(0, 3);
    await running.until(() => acknowledged(running) === 3, 'three entries');
    await running.close();
    cpSync(wal, before, { recursive: true });
    const installing = await start(dataDir);
    expect(await waitFor(installing, installing.snapshot(50))).toBe('installed');
    await installing.close();
    rmSync(wal, { recursive: true });
    renameSync(before, wal);
    const snapshot = { index: toLogIndex(50), term, config };
    writeMarker(nodeSmallFiles(dataDir), { snapshot, hardState: { term, vote: NO_PEER, commit: snapshot.index } });

    for (const [first, last] of [
      [50, 52],
      [52, 54],
    ] as const) {
      const again = await start(dataDir);
      expect([again.peer.keyspace.status().applied, await keys(again)]).toEqual([first, first]);
      const { firstIndex } = await again.peer.control.report();
      expect([firstIndex, existsSync(join(dataDir, 'install.json'))]).toEqual([51, false]);
      again.appends(first, last);
      await again.until(() => again.peer.keyspace.status().applied === last, 'what follows the snapshot');
      await again.close();
      expect(again.fatal).toEqual([]);
    }
  });
});

/** Awaits the promise while time advances. */
async function waitFor<T>(running: Running, promise: Promise<T>): Promise<T> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  promise.then(mark, mark);
  await running.until(() => settled, 'an answer');
  return promise;
}
