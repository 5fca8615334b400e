import type { Revision } from '../../pkg/base/index.js';
import { decodePreamble, SECTOR } from '../../pkg/peer/durability/wal/frame.js';
import { type LogWorld, WriteAheadLog } from '../../pkg/peer/durability/wal/log.js';
import { LogCorruptError, recover } from '../../pkg/peer/durability/wal/recover.js';
import { SimulatedDisk } from '../../pkg/peer/durability/wal/simdisk.js';
import { fromWire, toWire } from '../../pkg/peer/network/codec.js';
import {
  decodeEntry,
  encodeEntry,
  inspectSnapshot,
  memoryHome,
  openStateMachine,
  StoreError,
} from '../../pkg/storage/index.js';
import { bundleCodec, controlCallCodec, membersReplyCodec, snapshotPartCodec } from '../../proto/index.js';
import { type Entry, type HardState, initialConfiguration, type SnapshotMeta, toPeerId } from '../../raft/index.js';
import type { Target } from './target.js';

/** Decoders of messages between peers and of data on disk. */

const WORDS = [
  '\0\0\0\0',
  '\xff\xff\xff\xff',
  '\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01',
  '\x08',
  '\x12',
  '\x7f\xff\xff\xff',
  'H',
  'R',
  'E',
  '{"voters":[1]}',
];

const meta = { index: 0, term: 0, config: initialConfiguration([toPeerId(1)]) } as SnapshotMeta;
const entry = (index: number, bytes = 40): Entry =>
  ({ index, term: 1, kind: 'normal', data: Buffer.alloc(bytes, index) }) as unknown as Entry;

const puts: readonly Buffer[] = Array.from({ length: 6 }, (_, i) =>
  encodeEntry({
    kind: 'txn',
    txn: {
      compares: [{ key: `/k/${i}`, modRevision: 0 as Revision }],
      ops: [{ kind: 'put', key: `/k/${i}`, value: Buffer.from(`value ${i}`) }],
    },
  }),
);

const wireSeeds: readonly Buffer[] = [
  bundleCodec.encode({
    raft: [
      toWire({
        kind: 'append',
        from: 1,
        to: 2,
        term: 3,
        prevIndex: 4,
        prevTerm: 2,
        commit: 4,
        entries: [entry(5), entry(6)],
        quiet: false,
      } as never),
      toWire({ kind: 'snapshot', from: 1, to: 2, term: 3, snapshot: meta } as never),
      toWire({
        kind: 'readReply',
        from: 1,
        to: 2,
        term: 3,
        incarnation: 1,
        sequence: 2,
        index: 7,
        refused: undefined,
      } as never),
    ] as never,
  }),
  controlCallCodec.encode({ name: 'addMember', argument: '{"x":1}' }),
];

/** An invalid message ends its connection. */
function onTheWire(name: string, run: (input: Buffer) => void): Target {
  return { name, seeds: wireSeeds, words: WORDS, refusals: [Error], run };
}

const wire: readonly Target[] = [
  onTheWire('messages between peers', (input) => {
    for (const message of bundleCodec.decode(input).raft) fromWire(message);
  }),
  onTheWire('parts of snapshots between peers', (input) => void snapshotPartCodec.decode(input)),
  onTheWire('calls between peers', (input) => void controlCallCodec.decode(input)),
  onTheWire('answers about members', (input) => void membersReplyCodec.decode(input)),
];

const entries: Target = {
  name: 'entries of the log',
  seeds: [...puts, encodeEntry({ kind: 'check' })],
  words: WORDS,
  refusals: [],
  run: (input) => {
    const read = decodeEntry(input);
    if (read.kind === 'malformed') return;
    const again = decodeEntry(encodeEntry(read));
    if (again.kind !== read.kind) throw new Error('an entry differs after writing and reading');
  },
};

function logWorld(disk: SimulatedDisk): LogWorld {
  return {
    disk,
    clock: { monotonic: () => 0 },
    timers: {
      after: (_ms, f) => {
        queueMicrotask(f);
        return () => {};
      },
      every: () => () => {},
      immediate: setImmediate,
    },
    random: { float: () => 0.5, uuid: () => '', bytes: (n) => Buffer.alloc(n, 1) },
    segments: { firstSegmentBytes: 8 * SECTOR, segmentBytesMax: 32 * SECTOR },
  };
}

/** The bytes of a log of one segment. */
async function logBytes(): Promise<Buffer> {
  const disk = new SimulatedDisk();
  const hardState = { term: 1, vote: 1, commit: 0 } as HardState;
  const log = await WriteAheadLog.create(logWorld(disk), { identity: Buffer.from('peer one'), base: meta, hardState });
  for (let i = 1; i <= 4; i++)
    await log.append({ number: i, hardState, snapshot: undefined, entries: [entry(i)] } as never);
  await log.close();
  const first = disk.list().find((name) => name.endsWith('.wal'))!;
  return Buffer.from(disk.bytes(first));
}

/** Reads bytes found on disk at start. Invalid ones must be detected without relying on checksums. */
const log = async (): Promise<Target> => ({
  name: 'the write-ahead log',
  seeds: [await logBytes()],
  words: WORDS,
  refusals: [LogCorruptError],
  run: async (input) => {
    const disk = new SimulatedDisk();
    const preamble = decodePreamble(input.subarray(0, SECTOR));
    const file = disk.create(`${String(preamble?.sequence ?? 1).padStart(10, '0')}.wal`);
    await file.write(input, 0);
    recover(disk);
  },
});

async function snapshotBytes(): Promise<Buffer> {
  const home = memoryHome();
  const machine = await openStateMachine({ engine: await home.open(), name: home.name });
  await machine.apply(puts.map((data, i) => ({ index: i + 1, data })));
  const snapshot = await machine.openSnapshot();
  const chunks: Buffer[] = [];
  for await (const chunk of snapshot.chunks()) chunks.push(chunk);
  await machine.close();
  return Buffer.concat(chunks);
}

const snapshots = async (): Promise<Target> => ({
  name: 'snapshots',
  seeds: [await snapshotBytes()],
  words: WORDS,
  refusals: [StoreError],
  run: async (input) => {
    async function* pieces(): AsyncGenerator<Buffer, void, void> {
      for (let at = 0; at < input.length; at += 100_000) yield input.subarray(at, at + 100_000);
    }
    await inspectSnapshot(pieces());
  },
});

export async function peerTargets(): Promise<readonly Target[]> {
  return [...wire, entries, await log(), await snapshots()];
}
