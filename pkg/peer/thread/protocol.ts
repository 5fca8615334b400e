import type { Revision } from '../../base/index.js';
import type {
  AppliedEvent,
  Change,
  HistoryError,
  KeyspaceStatus,
  KeyValue,
  RangeRequest,
  RefusalReason,
  TxnResult,
  WatchRequest,
} from '../../storage/index.js';
import { THREAD_LIMITS } from '../common/index.js';
import type { PeerReadResult } from '../requests/index.js';
import { ownBytes, type SlabReader, type SlabWriter } from './slab.js';

/** Messages of the serving thread. */
export const ASK = {
  txn: 1,
  compact: 2,
  readIndex: 3,
  range: 4,
  watch: 5,
  cancel: 6,
  /** Acknowledges bytes of events. */
  credit: 7,
  /** A control call, as JSON. */
  call: 8,
  /** Close in order. */
  close: 9,
} as const;

/** Messages of the peer thread. */
export const TELL = {
  txn: 1,
  readIndex: 2,
  /** Some items of a range; more follow. */
  rangeItems: 3,
  rangeEnd: 4,
  events: 5,
  progress: 6,
  watchEnd: 7,
  status: 8,
  call: 9,
  /** All requests are answered and the keyspace is closed. The last message. */
  closed: 10,
} as const;

/** One message between the threads. The first `length` bytes of the slab are used. */
export interface SlabMessage {
  readonly slab: ArrayBuffer;
  readonly length: number;
}

const REASONS: readonly RefusalReason[] = ['overloaded', 'noLeader', 'noSpace', 'tooLarge', 'stopping'];

export function writeTxnResult(out: SlabWriter, result: TxnResult): void {
  switch (result.kind) {
    case 'committed':
      out.u8(0);
      out.uint(result.revision);
      break;
    case 'conflict':
      out.u8(1);
      out.uint(result.revision);
      out.text(result.key);
      break;
    case 'refused':
      out.u8(2);
      out.u8(REASONS.indexOf(result.reason));
      out.text(result.message);
      break;
    case 'unknown':
      out.u8(3);
      out.text(result.message);
      break;
  }
}

export function readTxnResult(from: SlabReader): TxnResult {
  switch (from.u8()) {
    case 0:
      return { kind: 'committed', revision: from.revision() };
    case 1:
      return { kind: 'conflict', revision: from.revision(), key: from.text() };
    case 2:
      return { kind: 'refused', reason: REASONS[from.u8()]!, message: from.text() };
    default:
      return { kind: 'unknown', message: from.text() };
  }
}

export function writeReadIndexResult(out: SlabWriter, result: PeerReadResult): void {
  out.u8(result.kind === 'ok' ? 0 : 1);
  if (result.kind === 'ok') {
    out.uint(result.revision);
    out.uint(result.sole ?? 0);
    return;
  }
  out.u8(REASONS.indexOf(result.reason));
  out.text(result.message);
}

export function readReadIndexResult(from: SlabReader): PeerReadResult {
  if (from.u8() === 0) return { kind: 'ok', revision: from.revision(), sole: from.uint() };
  return { kind: 'refused', reason: REASONS[from.u8()]!, message: from.text() };
}

/** An optional number is written plus one; 0 means absent. */
const optional = (n: number | undefined): number => (n === undefined ? 0 : n + 1);

export function writeRange(out: SlabWriter, { start, end, revision, limit }: RangeRequest): void {
  out.text(start);
  out.text(end);
  out.uint(optional(revision));
  out.uint(optional(limit));
}

export function readRange(from: SlabReader): RangeRequest {
  const [start, end, at, limit] = [from.text(), from.text(), from.uint(), from.uint()];
  return {
    start,
    end,
    ...(at === 0 ? {} : { revision: (at - 1) as Revision }),
    ...(limit === 0 ? {} : { limit: limit - 1 }),
  };
}

export function writeHistoryError(out: SlabWriter, error: HistoryError): void {
  out.u8(error.kind === 'compacted' ? 1 : 2);
  out.uint(error.kind === 'compacted' ? error.oldest : error.newest);
}

export function readHistoryError(kind: number, from: SlabReader): HistoryError {
  return kind === 1 ? { kind: 'compacted', oldest: from.revision() } : { kind: 'future', newest: from.revision() };
}

export function writeKeyValue(out: SlabWriter, item: KeyValue): void {
  out.text(item.key);
  out.uint(item.createRevision);
  out.uint(item.modRevision);
  out.bytes(item.value);
}

/** The value gets its own memory, because caches keep it for a long time. */
export function readKeyValue(from: SlabReader): KeyValue {
  const [key, createRevision, modRevision] = [from.text(), from.revision(), from.revision()];
  return { key, createRevision, modRevision, value: from.copy() };
}

/**
 * An item of a range. A large value is a view: copies of a thousand of them would be a large part of a start. If it is kept, the rest of its
 * message stays in memory with it: at most some 16 times its size.
 */
export function readItem(from: SlabReader): KeyValue {
  const [key, createRevision, modRevision] = [from.text(), from.revision(), from.revision()];
  const view = from.view();
  return { key, createRevision, modRevision, value: view.length < VIEW_BYTES_MIN ? ownBytes(view) : view };
}

/** The size from which a value is a view. */
const VIEW_BYTES_MIN = THREAD_LIMITS.messageBytesTarget / 8;

export function writeWatch(out: SlabWriter, request: WatchRequest): void {
  out.text(request.start);
  out.text(request.end);
  out.uint(request.after);
  out.u8(request.previous ? 1 : 0);
}

export function readWatch(from: SlabReader): WatchRequest {
  return { start: from.text(), end: from.text(), after: from.revision(), previous: from.u8() === 1 };
}

const PUT = 1;
const WITH_PREVIOUS = 2;

export function writeEvent(out: SlabWriter, event: AppliedEvent): void {
  out.uint(event.revision);
  out.uint(event.changes.length);
  for (const change of event.changes) {
    const { previous } = change;
    out.u8((change.kind === 'put' ? PUT : 0) | (previous === undefined ? 0 : WITH_PREVIOUS));
    if (change.kind === 'put') writeKeyValue(out, change.current);
    else out.text(change.key);
    if (previous !== undefined) writeKeyValue(out, previous);
  }
}

export function readEvent(from: SlabReader): AppliedEvent {
  const at = from.revision();
  const changes = times(from.uint(), (): Change => {
    const flags = from.u8();
    if (flags & PUT) {
      const current = readKeyValue(from);
      return flags & WITH_PREVIOUS ? { kind: 'put', current, previous: readKeyValue(from) } : { kind: 'put', current };
    }
    const key = from.text();
    return flags & WITH_PREVIOUS ? { kind: 'delete', key, previous: readKeyValue(from) } : { kind: 'delete', key };
  });
  return { revision: at, changes };
}

export function writeStatus(out: SlabWriter, status: KeyspaceStatus): void {
  out.uint(status.applied);
  out.uint(status.compacted);
  out.u8((status.isLeader ? 1 : 0) | (status.hasLeader ? 2 : 0));
  out.uint(Math.round(status.sizeBytes));
  out.uint(Math.round(status.sizeInUseBytes));
}

export function readStatus(from: SlabReader): KeyspaceStatus {
  const [applied, compacted, flags] = [from.revision(), from.revision(), from.u8()];
  const [sizeBytes, sizeInUseBytes] = [from.uint(), from.uint()];
  return {
    applied,
    compacted,
    isLeader: (flags & 1) !== 0,
    hasLeader: (flags & 2) !== 0,
    sizeBytes,
    sizeInUseBytes,
  };
}

function times<T>(n: number, make: () => T): T[] {
  const made: T[] = [];
  for (let i = 0; i < n; i++) made.push(make());
  return made;
}
