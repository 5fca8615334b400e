import {
  type Configuration,
  type Entry,
  type EntryKind,
  type HardState,
  type PeerId,
  type SnapshotMeta,
  toLogIndex,
  toTerm,
} from '../../../../raft/index.js';
import { invariant } from '../../../base/index.js';
import { getUint, putUint } from '../../common/index.js';

/**
 * The records of a frame, one after the other:
 *
 *     type u8 | fields, all integers little-endian, 8-byte integers below 2^53
 *
 *     1 entry       kind u8, length u32, index u64, term u64, data
 *     2 hard state  term u64, vote u64, commit u64
 *     3 base        mode u8, length u32, index u64, term u64, configuration (JSON)
 *     4 identity    0 u8, length u32, bytes
 *
 * A base describes what precedes the first entry. Mode `cut`: entries above it stay (compaction). Mode `restore`: the log is empty from here
 * on (a snapshot was installed).
 */
export type LogRecord =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'hardState'; readonly hardState: HardState }
  | { readonly kind: 'base'; readonly mode: BaseMode; readonly base: SnapshotMeta }
  | { readonly kind: 'identity'; readonly identity: Uint8Array };

export type BaseMode = 'cut' | 'restore';

const ENTRY = 1;
const HARD_STATE = 2;
const BASE = 3;
const IDENTITY = 4;

const ENTRY_HEADER = 1 + 1 + 4 + 8 + 8;
const HARD_STATE_BYTES = 1 + 3 * 8;
const IDENTITY_HEADER = 1 + 1 + 4;

const KINDS: readonly EntryKind[] = ['normal', 'config', 'noop'];

/** The bytes that `writeRecord` needs. A base is encoded to be measured, because it is rare. */
export function recordBytes(record: LogRecord): number {
  switch (record.kind) {
    case 'entry':
      return ENTRY_HEADER + record.entry.data.length;
    case 'hardState':
      return HARD_STATE_BYTES;
    case 'base':
      return ENTRY_HEADER + configurationBytes(record.base.config).length;
    case 'identity':
      return IDENTITY_HEADER + record.identity.length;
  }
}

/** Writes the record at `at`; returns the offset after it. */
export function writeRecord(out: Buffer, at: number, record: LogRecord): number {
  switch (record.kind) {
    case 'entry':
      return writeEntry(out, at, record.entry);
    case 'hardState': {
      out[at] = HARD_STATE;
      putUint(out, at + 1, record.hardState.term);
      putUint(out, at + 9, record.hardState.vote);
      putUint(out, at + 17, record.hardState.commit);
      return at + HARD_STATE_BYTES;
    }
    case 'base': {
      const { base, mode } = record;
      return writeBlock(out, at, BASE, mode === 'cut' ? 0 : 1, base.index, base.term, configurationBytes(base.config));
    }
    case 'identity': {
      out[at] = IDENTITY;
      out[at + 1] = 0;
      out.writeUInt32LE(record.identity.length, at + 2);
      out.set(record.identity, at + IDENTITY_HEADER);
      return at + IDENTITY_HEADER + record.identity.length;
    }
  }
}

export function writeEntry(out: Buffer, at: number, entry: Entry): number {
  return writeBlock(out, at, ENTRY, KINDS.indexOf(entry.kind), entry.index, entry.term, entry.data);
}

function writeBlock(
  out: Buffer,
  at: number,
  type: number,
  mode: number,
  index: number,
  term: number,
  data: Uint8Array,
) {
  out[at] = type;
  out[at + 1] = mode;
  out.writeUInt32LE(data.length, at + 2);
  putUint(out, at + 6, index);
  putUint(out, at + 14, term);
  out.set(data, at + ENTRY_HEADER);
  return at + ENTRY_HEADER + data.length;
}

/**
 * Reads the records of one frame. Its checksum was right, so a malformed record is an error in this program. Entry data
 * is copied, because the reader's window is reused.
 */
export function readRecords(bytes: Buffer, visit: (record: LogRecord) => void): void {
  let at = 0;
  while (at < bytes.length) {
    const type = bytes[at]!;
    switch (type) {
      case ENTRY: {
        const end = at + ENTRY_HEADER + bytes.readUInt32LE(at + 2);
        const kind = KINDS[bytes[at + 1]!];
        invariant(kind !== undefined && end <= bytes.length, 'the log holds an entry of no known form');
        const data = Buffer.from(bytes.subarray(at + ENTRY_HEADER, end));
        visit({
          kind: 'entry',
          entry: { kind, data, index: toLogIndex(getUint(bytes, at + 6)), term: toTerm(getUint(bytes, at + 14)) },
        });
        at = end;
        break;
      }
      case HARD_STATE: {
        const term = toTerm(getUint(bytes, at + 1));
        const vote = getUint(bytes, at + 9) as PeerId;
        visit({ kind: 'hardState', hardState: { term, vote, commit: toLogIndex(getUint(bytes, at + 17)) } });
        at += HARD_STATE_BYTES;
        break;
      }
      case BASE: {
        const end = at + ENTRY_HEADER + bytes.readUInt32LE(at + 2);
        invariant(end <= bytes.length, 'the log holds a base of no known form');
        const config = JSON.parse(bytes.toString('utf8', at + ENTRY_HEADER, end)) as Configuration;
        const index = toLogIndex(getUint(bytes, at + 6));
        const term = toTerm(getUint(bytes, at + 14));
        visit({ kind: 'base', mode: bytes[at + 1] === 0 ? 'cut' : 'restore', base: { index, term, config } });
        at = end;
        break;
      }
      case IDENTITY: {
        const end = at + IDENTITY_HEADER + bytes.readUInt32LE(at + 2);
        visit({ kind: 'identity', identity: Buffer.from(bytes.subarray(at + IDENTITY_HEADER, end)) });
        at = end;
        break;
      }
      default:
        invariant(false, `the log holds a record of unknown type ${type}`);
    }
  }
}

function configurationBytes(config: Configuration): Buffer {
  const { voters, votersOutgoing, learners, learnersNext } = config;
  return Buffer.from(JSON.stringify({ voters, votersOutgoing, learners, learnersNext }));
}
