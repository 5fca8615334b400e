import type { MessagePort } from 'node:worker_threads';
import type { Revision, Timers } from '../../base/index.js';
import type { AppliedEvent, KeyspaceStatus, RangeResult, Watch, WatchRequest, WatchSink } from '../../storage/index.js';
import { THREAD_LIMITS } from '../common/index.js';
import type { PeerKeyspace } from '../requests/index.js';
import {
  ASK,
  readRange,
  readWatch,
  type SlabMessage,
  TELL,
  writeEvent,
  writeHistoryError,
  writeKeyValue,
  writeReadIndexResult,
  writeStatus,
  writeTxnResult,
} from './protocol.js';
import { SlabReader, SlabWriter } from './slab.js';

/** Control calls by name; arguments and result are JSON values. */
export type ControlCalls = Readonly<Record<string, (argument: unknown) => unknown>>;

/** Serves a keyspace to the other end of `port`, until that end closes it. */
export function serveKeyspace(
  port: MessagePort,
  keyspace: PeerKeyspace,
  calls: ControlCalls,
  timers: Timers,
): {
  /** The status has changed. A change of leadership is sent at once, other changes with the next message or after a while. */
  progressed(): void;
  /** Resolves when the keyspace is closed and the other end has been notified. */
  readonly closed: Promise<void>;
} {
  const server = new Server(port, keyspace, calls, timers);
  port.on('message', (message: SlabMessage) => server.receive(message));
  return { progressed: () => server.progressed(), closed: server.closed };
}

interface ServedWatch {
  readonly request: WatchRequest;
  /** Everything up to this revision has been sent. A paused watch resumes here. */
  sent: Revision;
  /** The watch of the keyspace that serves it; undefined while it is paused. Events of any other are of an earlier run, and ignored. */
  run: { watch: Watch | undefined } | undefined;
}

class Server {
  readonly #port: MessagePort;
  readonly #keyspace: PeerKeyspace;
  readonly #calls: ControlCalls;
  readonly #timers: Timers;
  readonly #out = new SlabWriter();
  readonly #watches = new Map<number, ServedWatch>();
  readonly #paused = new Set<number>();
  #flushing = false;
  #stopped = false;
  /** Bytes of events that the other end has not acknowledged. */
  #eventBytes = 0;
  #lastStatus: KeyspaceStatus | undefined;
  #cancelStatus: (() => void) | undefined;
  readonly closed: Promise<void>;
  #setClosed: () => void = () => {};

  constructor(port: MessagePort, keyspace: PeerKeyspace, calls: ControlCalls, timers: Timers) {
    this.#port = port;
    this.#keyspace = keyspace;
    this.#calls = calls;
    this.#timers = timers;
    this.closed = new Promise((resolve) => {
      this.#setClosed = resolve;
    });
  }

  receive({ slab, length }: SlabMessage): void {
    const from = new SlabReader(slab, length);
    while (!from.done) this.#take(from);
  }

  #take(from: SlabReader): void {
    const ask = from.u8();
    const id = from.uint();
    switch (ask) {
      case ASK.txn:
        this.#answerTxn(id, this.#keyspace.proposeTxn(from.view(), { puts: from.u8() }));
        break;
      case ASK.compact:
        this.#answerTxn(id, this.#keyspace.compact(from.revision()));
        break;
      case ASK.readIndex:
        void this.#keyspace.readIndex().then((result) => {
          const out = this.#begin(TELL.readIndex, id);
          writeReadIndexResult(out, result);
        });
        break;
      case ASK.range:
        void this.#keyspace.range(readRange(from)).then(
          (result) => this.#answerRange(id, result),
          (error: unknown) => this.#failRange(id, error),
        );
        break;
      case ASK.watch:
        this.#startWatch(id, readWatch(from));
        break;
      case ASK.cancel:
        this.#watches.get(id)?.run?.watch?.cancel();
        this.#watches.delete(id);
        this.#paused.delete(id);
        break;
      case ASK.credit:
        this.#eventBytes -= id;
        this.#resume();
        break;
      case ASK.call:
        void this.#call(id, from.text(), from.text());
        break;
      case ASK.close:
        void this.#close();
        break;
    }
  }

  #begin(tell: number, id: number): SlabWriter {
    if (this.#out.length > THREAD_LIMITS.messageBytesTarget) this.#flush();
    this.scheduleFlush();
    this.#out.u8(tell);
    this.#out.uint(id);
    return this.#out;
  }

  progressed(): void {
    if (this.#stopped) return;
    const { isLeader, hasLeader } = this.#keyspace.status();
    if (isLeader !== this.#lastStatus?.isLeader || hasLeader !== this.#lastStatus.hasLeader) {
      this.scheduleFlush();
      return;
    }
    // The other thread does not depend on this event, so it is not woken for each batch.
    this.#cancelStatus ??= this.#timers.after(THREAD_LIMITS.statusMs, () => {
      this.#cancelStatus = undefined;
      this.scheduleFlush();
    });
  }

  scheduleFlush(): void {
    if (this.#flushing || this.#stopped) return;
    this.#flushing = true;
    // Runs after the events of this turn, so that their results share one message.
    this.#timers.immediate(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#stopped) return;
    this.#tellStatus();
    const length = this.#out.length;
    if (length === 0) return;
    const slab = this.#out.take();
    this.#port.postMessage({ slab, length } satisfies SlabMessage, [slab]);
  }

  #tellStatus(): void {
    const status = this.#keyspace.status();
    const last = this.#lastStatus;
    if (last !== undefined && (Object.keys(status) as (keyof KeyspaceStatus)[]).every((k) => status[k] === last[k]))
      return;
    this.#lastStatus = status;
    this.#out.u8(TELL.status);
    this.#out.uint(0);
    writeStatus(this.#out, status);
  }

  #answerTxn(id: number, answer: ReturnType<PeerKeyspace['txn']>): void {
    void answer.then(
      (result) => writeTxnResult(this.#begin(TELL.txn, id), result),
      (error: unknown) => writeTxnResult(this.#begin(TELL.txn, id), { kind: 'unknown', message: String(error) }),
    );
  }

  #answerRange(id: number, result: RangeResult): void {
    if (result.kind !== 'ok') {
      writeHistoryError(this.#begin(TELL.rangeEnd, id), result);
      return;
    }
    let at = 0;
    while (at < result.items.length) {
      const out = this.#begin(TELL.rangeItems, id);
      for (; at < result.items.length && out.length < THREAD_LIMITS.messageBytesTarget; at++) {
        out.u8(1);
        writeKeyValue(out, result.items[at]!);
      }
      out.u8(0);
    }
    const out = this.#begin(TELL.rangeEnd, id);
    out.u8(0);
    out.uint(result.revision);
    out.u8(result.more ? 1 : 0);
  }

  #failRange(id: number, error: unknown): void {
    const out = this.#begin(TELL.rangeEnd, id);
    out.u8(3);
    out.text(error instanceof Error ? error.message : String(error));
  }

  #startWatch(id: number, request: WatchRequest): void {
    const served: ServedWatch = { request, sent: request.after, run: undefined };
    this.#watches.set(id, served);
    this.#goOn(id, served);
  }

  #goOn(id: number, served: ServedWatch): void {
    const run: ServedWatch['run'] = { watch: undefined };
    served.run = run;
    run.watch = this.#keyspace.watch(
      { ...served.request, after: served.sent },
      {
        events: (batch) => served.run === run && this.#events(id, served, batch),
        progress: (at) => served.run === run && this.#progress(id, served, at),
        end: (why) => served.run === run && this.#endWatch(id, why),
      },
    );
  }

  #endWatch(id: number, why: Parameters<WatchSink['end']>[0]): void {
    this.#watches.delete(id);
    const out = this.#begin(TELL.watchEnd, id);
    if (why.kind === 'stopped') {
      out.u8(0);
      out.text(why.message);
    } else {
      writeHistoryError(out, why);
    }
  }

  #events(id: number, served: ServedWatch, batch: readonly AppliedEvent[]): void {
    const out = this.#begin(TELL.events, id);
    const before = out.length;
    for (const event of batch) {
      out.u8(1);
      writeEvent(out, event);
      served.sent = event.revision;
    }
    out.u8(0);
    const bytes = out.length - before;
    out.uint(bytes);
    this.#eventBytes += bytes;
    if (this.#eventBytes > THREAD_LIMITS.eventBytesMax) this.#pause(id, served);
  }

  #progress(id: number, served: ServedWatch, at: Revision): void {
    this.#begin(TELL.progress, id).uint(at);
    if (at > served.sent) served.sent = at;
  }

  /**
   * The serving thread lags behind. The watch is paused, and its events are read from history later, so they need no
   * memory.
   */
  #pause(id: number, served: ServedWatch): void {
    this.#paused.add(id);
    const { run } = served;
    served.run = undefined;
    // Not inside the sink, because the hub iterates over its watches. The watch may be resumed by then.
    this.#timers.immediate(() => run?.watch?.cancel());
  }

  #resume(): void {
    if (this.#paused.size === 0 || this.#eventBytes > THREAD_LIMITS.eventBytesMax / 2) return;
    const paused = [...this.#paused];
    this.#paused.clear();
    for (const id of paused) {
      const served = this.#watches.get(id);
      if (served !== undefined) this.#goOn(id, served);
    }
  }

  async #call(id: number, name: string, argument: string): Promise<void> {
    let ok = true;
    let value: unknown;
    try {
      const call = this.#calls[name];
      if (call === undefined) throw new Error(`unknown control call ${name}`);
      value = await call(JSON.parse(argument));
    } catch (error) {
      ok = false;
      value = error instanceof Error ? error.message : String(error);
    }
    const out = this.#begin(TELL.call, id);
    out.u8(ok ? 1 : 0);
    out.text(JSON.stringify(value ?? null));
  }

  async #close(): Promise<void> {
    let why = '';
    try {
      await this.#keyspace.close();
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
    }
    // Closing settles pending requests in callbacks; their messages must be sent first.
    await new Promise<void>((resolve) => this.#timers.immediate(resolve));
    this.#begin(TELL.closed, 0).text(why);
    this.#flush();
    this.#stopped = true;
    this.#cancelStatus?.();
    this.#setClosed();
  }
}
