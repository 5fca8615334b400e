import type { MessagePort } from 'node:worker_threads';
import { type Revision, revision, type Timers } from '../../base/index.js';
import type {
  AppliedEvent,
  Keyspace,
  KeyspaceStatus,
  KeyValue,
  RangeRequest,
  RangeResult,
  ReadIndexResult,
  RefusalReason,
  Txn,
  TxnResult,
  Watch,
  WatchRequest,
  WatchSink,
} from '../../storage/index.js';
import { THREAD_LIMITS } from '../common/index.js';
import { encodeTxn, type PeerReadResult, type SoleMemberCell, SoleReads } from '../requests/index.js';
import {
  ASK,
  readEvent,
  readHistoryError,
  readItem,
  readReadIndexResult,
  readStatus,
  readTxnResult,
  type SlabMessage,
  TELL,
  writeRange,
  writeWatch,
} from './protocol.js';
import { SlabReader, SlabWriter } from './slab.js';

export interface RemoteKeyspace extends Keyspace {
  /** Runs a control call on the other side. Rejects with its error. */
  call(name: string, argument?: unknown): Promise<unknown>;
  /** The other side is lost: ends everything that is pending, and refuses everything new. */
  lost(why: string): void;
}

/** What is known of the other end before its first message. */
export interface FarEnd {
  readonly status: KeyspaceStatus;
  readonly soleCell: SoleMemberCell;
}

/** The keyspace that `serveKeyspace` serves at the other end of `port`. Closing it closes the port. */
export function connectKeyspace(port: MessagePort, far: FarEnd, timers: Timers): RemoteKeyspace {
  const client = new Client(port, far, timers);
  port.on('message', (message: SlabMessage) => client.receive(message));
  return client;
}

type Answer<T> = (result: T) => void;

interface RunningRange {
  readonly items: KeyValue[];
  readonly resolve: Answer<RangeResult>;
  readonly reject: (error: Error) => void;
}

interface RunningCall {
  readonly resolve: Answer<unknown>;
  readonly reject: (error: Error) => void;
}

class Client implements RemoteKeyspace {
  readonly #port: MessagePort;
  readonly #timers: Timers;
  readonly #out = new SlabWriter();
  #flushing = false;
  #lastId = 0;
  #status: KeyspaceStatus;
  #lost: string | undefined;
  #closed: Promise<void> | undefined;
  #onClosed: ((why: string) => void) | undefined;

  readonly #txns = new Map<number, { readonly resolve: Answer<TxnResult>; readonly bytes: number }>();
  #txnBytes = 0;
  readonly #ranges = new Map<number, RunningRange>();
  readonly #calls = new Map<number, RunningCall>();
  readonly #sinks = new Map<number, WatchSink>();
  /** Callers since the last message. One request is sent for all. */
  #readers: Answer<ReadIndexResult>[] = [];
  readonly #reads = new Map<number, readonly Answer<ReadIndexResult>[]>();
  #readersWaiting = 0;
  /** Bytes of events that were handled. The next message acknowledges them; it is sent for them alone only if they are many. */
  #unacknowledged = 0;
  readonly #soleReads: SoleReads;

  constructor(port: MessagePort, { status, soleCell }: FarEnd, timers: Timers) {
    this.#port = port;
    this.#timers = timers;
    this.#status = status;
    this.#soleReads = new SoleReads(soleCell);
  }

  async txn(txn: Txn): Promise<TxnResult> {
    const { refusal: why, entry, puts } = encodeTxn(txn);
    const full = why ?? this.#full(entry.length);
    if (full !== undefined) return full;
    return new Promise((resolve) => {
      const id = this.#begin(ASK.txn);
      this.#out.bytes(entry);
      this.#out.u8(puts > 0 ? 1 : 0);
      this.#txns.set(id, { resolve, bytes: entry.length });
      this.#txnBytes += entry.length;
    });
  }

  compact(at: Revision): Promise<TxnResult> {
    const full = this.#full(0);
    if (full !== undefined) return Promise.resolve(full);
    return new Promise((resolve) => {
      const id = this.#begin(ASK.compact);
      this.#out.uint(at);
      this.#txns.set(id, { resolve, bytes: 0 });
    });
  }

  readIndex(): Promise<ReadIndexResult> {
    if (this.#lost !== undefined) return Promise.resolve(refusal('stopping', this.#lost));
    const known = this.#soleReads.known();
    if (known !== undefined) return Promise.resolve({ kind: 'ok', revision: known });
    if (this.#readersWaiting >= 4 * THREAD_LIMITS.requestsMax) {
      return Promise.resolve(refusal('overloaded', 'too many reads are waiting'));
    }
    this.#readersWaiting++;
    this.#scheduleFlush();
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  range(request: RangeRequest): Promise<RangeResult> {
    if (this.#lost !== undefined) return Promise.reject(new Error(this.#lost));
    if (this.#ranges.size >= THREAD_LIMITS.requestsMax) return Promise.reject(new Error('too many ranges are waiting'));
    return new Promise((resolve, reject) => {
      const id = this.#begin(ASK.range);
      writeRange(this.#out, request);
      this.#ranges.set(id, { items: [], resolve, reject });
    });
  }

  watch(request: WatchRequest, sink: WatchSink): Watch {
    const lost = this.#lost;
    if (lost !== undefined) {
      let cancelled = false;
      this.#timers.immediate(() => cancelled || sink.end({ kind: 'stopped', message: lost }));
      return {
        cancel: () => {
          cancelled = true;
        },
      };
    }
    const id = this.#begin(ASK.watch);
    writeWatch(this.#out, request);
    this.#sinks.set(id, sink);
    return {
      cancel: () => {
        if (!this.#sinks.delete(id) || this.#lost !== undefined) return;
        this.#put(ASK.cancel, id);
      },
    };
  }

  status(): KeyspaceStatus {
    return this.#status;
  }

  call(name: string, argument: unknown = null): Promise<unknown> {
    if (this.#lost !== undefined) return Promise.reject(new Error(this.#lost));
    return new Promise((resolve, reject) => {
      const id = this.#begin(ASK.call);
      this.#out.text(name);
      this.#out.text(JSON.stringify(argument));
      this.#calls.set(id, { resolve, reject });
    });
  }

  close(): Promise<void> {
    if (this.#lost !== undefined) return Promise.resolve();
    this.#closed ??= new Promise((resolve, reject) => {
      this.#onClosed = (why) => {
        // Called once: `lost` also calls it, without the reason.
        this.#onClosed = undefined;
        this.lost('the keyspace is closed');
        this.#port.close();
        if (why === '') resolve();
        else reject(new Error(why));
      };
      this.#put(ASK.close, 0);
    });
    return this.#closed;
  }

  lost(why: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = why;
    this.#status = { ...this.#status, isLeader: false, hasLeader: false };
    // A transaction that was already sent may have been committed.
    for (const { resolve } of this.#txns.values()) resolve({ kind: 'unknown', message: why });
    for (const { reject } of this.#ranges.values()) reject(new Error(why));
    for (const { reject } of this.#calls.values()) reject(new Error(why));
    for (const resolve of [...this.#readers, ...[...this.#reads.values()].flat()]) resolve(refusal('stopping', why));
    for (const sink of this.#sinks.values()) sink.end({ kind: 'stopped', message: why });
    this.#onClosed?.('');
    for (const waiting of [this.#txns, this.#ranges, this.#calls, this.#reads, this.#sinks]) waiting.clear();
    this.#readers = [];
  }

  #full(bytes: number): TxnResult | undefined {
    if (this.#lost !== undefined) return refusal('stopping', this.#lost);
    if (this.#txns.size < THREAD_LIMITS.requestsMax && this.#txnBytes + bytes <= THREAD_LIMITS.requestBytesMax) {
      return undefined;
    }
    return refusal('overloaded', 'too many writes are waiting');
  }

  #begin(ask: number): number {
    const id = ++this.#lastId;
    this.#put(ask, id);
    return id;
  }

  #put(ask: number, id: number): void {
    this.#scheduleFlush();
    this.#out.u8(ask);
    this.#out.uint(id);
  }

  #scheduleFlush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    // Runs after all sockets of this turn were read, so that their requests share one message.
    this.#timers.immediate(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#lost !== undefined) return;
    if (this.#readers.length > 0) {
      const id = ++this.#lastId;
      this.#out.u8(ASK.readIndex);
      this.#out.uint(id);
      this.#reads.set(id, this.#readers);
      this.#readers = [];
    }
    if (this.#unacknowledged > 0) {
      this.#out.u8(ASK.credit);
      this.#out.uint(this.#unacknowledged);
      this.#unacknowledged = 0;
    }
    const { length } = this.#out;
    if (length === 0) return;
    const slab = this.#out.take();
    this.#port.postMessage({ slab, length } satisfies SlabMessage, [slab]);
  }

  receive({ slab, length }: SlabMessage): void {
    if (this.#lost !== undefined) return;
    const from = new SlabReader(slab, length);
    let eventBytes = 0;
    while (!from.done) eventBytes += this.#take(from);
    this.#unacknowledged += eventBytes;
    if (this.#unacknowledged > THREAD_LIMITS.creditBytes && this.#lost === undefined) this.#scheduleFlush();
  }

  /** Handles one result. Returns the bytes of its events. */
  #take(from: SlabReader): number {
    const tell = from.u8();
    const id = from.uint();
    switch (tell) {
      case TELL.txn:
        this.#endTxn(id, readTxnResult(from));
        return 0;
      case TELL.readIndex:
        this.#endReads(id, readReadIndexResult(from));
        return 0;
      case TELL.rangeItems:
        this.#rangeItems(id, from);
        return 0;
      case TELL.rangeEnd:
        this.#endRange(id, from);
        return 0;
      case TELL.events:
        return this.#events(id, from);
      case TELL.progress: {
        const at = from.revision();
        this.#sinks.get(id)?.progress?.(at);
        return 0;
      }
      case TELL.watchEnd:
        this.#endWatch(id, from);
        return 0;
      case TELL.status:
        this.#status = readStatus(from);
        return 0;
      case TELL.closed: {
        const why = from.text();
        if (this.#closed === undefined) this.lost('the peer has stopped');
        else this.#onClosed?.(why);
        return 0;
      }
      default:
        this.#endCall(id, from);
        return 0;
    }
  }

  #endTxn(id: number, result: TxnResult): void {
    this.#soleReads.answered(result);
    const waiting = this.#txns.get(id);
    this.#txns.delete(id);
    this.#txnBytes -= waiting?.bytes ?? 0;
    waiting?.resolve(result);
  }

  #endReads(id: number, result: PeerReadResult): void {
    this.#soleReads.ended(result);
    const readers = this.#reads.get(id) ?? [];
    this.#reads.delete(id);
    this.#readersWaiting -= readers.length;
    for (const resolve of readers) resolve(result);
  }

  #rangeItems(id: number, from: SlabReader): void {
    const items = this.#ranges.get(id)?.items;
    while (from.u8() === 1) {
      const item = readItem(from);
      items?.push(item);
    }
  }

  #events(id: number, from: SlabReader): number {
    const events: AppliedEvent[] = [];
    while (from.u8() === 1) events.push(readEvent(from));
    const bytes = from.uint();
    this.#sinks.get(id)?.events(events);
    return bytes;
  }

  #endWatch(id: number, from: SlabReader): void {
    const kind = from.u8();
    const why = kind === 0 ? ({ kind: 'stopped', message: from.text() } as const) : readHistoryError(kind, from);
    const sink = this.#sinks.get(id);
    this.#sinks.delete(id);
    sink?.end(why);
  }

  #endCall(id: number, from: SlabReader): void {
    const ok = from.u8() === 1;
    const value: unknown = JSON.parse(from.text());
    const waiting = this.#calls.get(id);
    this.#calls.delete(id);
    if (ok) waiting?.resolve(value);
    else waiting?.reject(new Error(String(value)));
  }

  #endRange(id: number, from: SlabReader): void {
    const waiting = this.#ranges.get(id);
    this.#ranges.delete(id);
    const kind = from.u8();
    if (kind === 0) {
      const [at, more] = [from.revision(), from.u8() === 1];
      waiting?.resolve({ kind: 'ok', revision: at, items: waiting.items, more });
    } else if (kind === 3) {
      const message = from.text();
      waiting?.reject(new Error(message));
    } else {
      waiting?.resolve(readHistoryError(kind, from));
    }
  }
}

function refusal(reason: RefusalReason, message: string): { kind: 'refused'; reason: RefusalReason; message: string } {
  return { kind: 'refused', reason, message };
}

/** The status before the first message. */
export const UNKNOWN_STATUS: KeyspaceStatus = {
  applied: revision(0),
  compacted: revision(0),
  isLeader: false,
  hasLeader: false,
  sizeBytes: 0,
  sizeInUseBytes: 0,
};
