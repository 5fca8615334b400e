import { InvariantError, invariant, type Revision } from '../../base/index.js';
import type { Engine, EngineBatch } from '../engine/engine.js';
import { StoreError } from '../errors.js';
import type { AppliedEvent, HistoryError, KeyValue, RangeRequest, RangeResult } from '../keyspace.js';
import { batchBytesMax, batchOpsMax, sweepRowsBusyMin, sweepRowsMax, sweepRowsPerWrite } from '../limits.js';
import { loadState, type Rest } from './load.js';
import { type Meta, metaKey, writeMeta } from './meta.js';
import { Pins } from './pins.js';
import { type ChangesPage, type KeyRange, type RangePage, Reader, type YieldThread } from './reader.js';
import { rowsEnd } from './row.js';
import { openSnapshot, type Snapshot } from './snapshot.js';
import type { ApplyResult, Decided, State } from './state.js';

/** An entry of the log: its index, and the result of `encodeEntry` or nothing. */
export interface IndexedEntry {
  readonly index: number;
  /** Must not change afterwards: values in events are views of it. */
  readonly data: Buffer;
}

/** The effects of one engine batch, which can be read now. */
export interface Applied {
  readonly revision: Revision;
  /** Without `previous`. */
  readonly events: readonly AppliedEvent[];
  /**
   * The same events with `previous`; read once, however often it is called. Valid until the promise of `onApplied`
   * resolves.
   */
  withPrevious(): Promise<readonly AppliedEvent[]>;
}

export interface MachineOptions {
  readonly engine: Engine;
  /** The data folder, for messages. */
  readonly name: string;
  /**
   * Called in order, one at a time, before the promises of the corresponding `apply` calls resolve. It must not reject.
   */
  readonly onApplied?: (applied: Applied) => void | Promise<void>;
  /** The machine has failed: a write failed or damage was found. Called once. */
  readonly onFailure?: (error: StoreError | InvariantError) => void;
  /**
   * The engine found no space. Resolves with true to retry the write. With false, or if this is absent, the machine
   * fails. Meanwhile decided entries accumulate, reads continue, and no write resolves.
   */
  readonly roomOrRetry?: (error: StoreError) => Promise<boolean>;
  /** Lets other work of this thread run. If absent, long reads and sweeps do not let other work run: for tools. */
  readonly yieldThread?: YieldThread;
  /** Called after each page of rows that is read at the start, to throttle it. */
  readonly rest?: Rest;
}

/** Entries that are written and published together. */
interface Group {
  readonly batch: EngineBatch;
  readonly decided: Decided;
  sync: boolean;
  /** The meta row of exactly these entries. Set when no more are added. */
  meta: Meta | undefined;
  readonly waiters: { readonly resolve: () => void; readonly reject: (error: Error) => void }[];
}

/**
 * The state machine on an engine: decides entries when they arrive, writes the decisions in batches, one at a time, and publishes each batch
 * when it can be read.
 *
 *     apply(entries) --decide--> group --write--> engine --onApplied--> watchers --> apply resolves
 *
 * Entries that arrive while a batch is being written form the next one, so batches grow with the load. After a failed write nothing more is
 * written, because memory is ahead of the engine. The owner opens a new machine and applies the log again from its `applied`.
 */
export class StateMachine {
  readonly #engine: Engine;
  readonly #name: string;
  readonly #state: State;
  readonly #reader: Reader;
  readonly #pins = new Pins();
  readonly #yieldThread: YieldThread;
  readonly #onApplied: MachineOptions['onApplied'];
  readonly #onFailure: MachineOptions['onFailure'];
  readonly #roomOrRetry: MachineOptions['roomOrRetry'];
  #blocked: string | undefined;
  readonly #sealed: Group[] = [];
  #open: Group | undefined;
  /** The meta row of the last written batch. */
  #written: Meta;
  #writing: Promise<void> | undefined;
  #failure: StoreError | InvariantError | undefined;
  #closed = false;
  #closing: Promise<void> | undefined;

  constructor(options: MachineOptions, state: State) {
    this.#engine = options.engine;
    this.#name = options.name;
    this.#state = state;
    this.#written = state.meta();
    this.#onApplied = options.onApplied;
    this.#onFailure = options.onFailure;
    this.#roomOrRetry = options.roomOrRetry;
    this.#yieldThread = options.yieldThread ?? (() => Promise.resolve());
    this.#reader = new Reader(this.#name, this.#engine, state.versions, this.#yieldThread);
    // Continue a compaction that the last run did not finish.
    this.#kick();
  }

  /** Index of the last entry whose effects can be read here. Not necessarily synced; see `barrier`. */
  get applied(): Revision {
    return this.#written.applied as Revision;
  }

  /** Oldest revision that can be read. */
  get compacted(): Revision {
    return this.#written.compacted as Revision;
  }

  /** Index of the last entry that `apply` was given. */
  get decided(): number {
    return this.#state.decided;
  }

  get sizeBytes(): number {
    return this.#closed ? 0 : this.#engine.sizeBytes();
  }

  /** Bytes of all rows, including kept history. */
  get sizeInUseBytes(): number {
    return this.#state.bytes;
  }

  /** Why nothing can be written for now: the engine waits for space. */
  get blocked(): string | undefined {
    return this.#blocked;
  }

  /** Keys in the index, kept changes, and whether compaction has work left: for metrics. */
  get counts(): { readonly keys: number; readonly changes: number; readonly sweeping: boolean } {
    const { versions } = this.#state;
    return { keys: versions.keys, changes: versions.changes, sweeping: this.#state.canSweep(this.#written.compacted) };
  }

  /**
   * Decides the entries synchronously, in order; their indexes are above all earlier ones. Resolves with one result per
   * entry when all of them can be read and `onApplied` has been called. The caller limits the entries in flight.
   */
  async apply(entries: readonly IndexedEntry[]): Promise<readonly ApplyResult[]> {
    this.#live();
    const results: ApplyResult[] = [];
    try {
      for (const { index, data } of entries) {
        const group = this.#group();
        results.push(this.#state.decide(index, data, group.batch, group.decided));
        if (group.batch.ops >= batchOpsMax || group.batch.bytes >= batchBytesMax) this.#seal(group);
      }
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    if (results.length > 0) await this.#flushed(false);
    return results;
  }

  /** Resolves when everything decided so far is on stable storage, with its index. */
  async barrier(): Promise<Revision> {
    this.#live();
    const decided = this.#state.decided as Revision;
    await this.#flushed(true);
    return decided;
  }

  async range(request: RangeRequest): Promise<RangeResult> {
    const answer = this.pages(request);
    if ('kind' in answer) return answer;
    const items: KeyValue[] = [];
    let more = false;
    for await (const page of answer.pages) {
      for (const item of page.items) items.push(item);
      more = page.more;
    }
    return { kind: 'ok', revision: answer.revision, items, more };
  }

  /**
   * `range` page by page, for results too large for memory. The caller begins to iterate at once; from then until the
   * iteration ends the revision is pinned.
   */
  pages(
    request: RangeRequest,
  ): { readonly revision: Revision; readonly pages: AsyncIterable<RangePage> } | HistoryError {
    this.#live();
    const revision = request.revision ?? this.applied;
    if (revision > this.applied) return { kind: 'future', newest: this.applied };
    if (revision < this.compacted) return { kind: 'compacted', oldest: this.compacted };
    const limit = request.limit ?? Number.POSITIVE_INFINITY;
    return {
      revision,
      pages: this.#pinned(revision, () => this.#reader.range(request, revision, limit)),
    };
  }

  /**
   * Events in range above `after`, up to the applied index, from the kept history. The last page reports the revision
   * reached. `after` must not be below `compacted`, and the caller begins to iterate at once.
   */
  changes(range: KeyRange, after: Revision, previous: boolean): AsyncIterable<ChangesPage> {
    this.#live();
    invariant(after >= this.compacted, `changes after ${after} have been compacted`);
    const through = this.applied;
    return this.#pinned(after, () => this.#reader.changes(range, after, through, previous));
  }

  /** Expired keys, each with the revision that its deletion must compare with. */
  expired(now: number, limit: number): readonly { readonly key: string; readonly modRevision: Revision }[] {
    return this.#state.versions.expired(now, limit) as { key: string; modRevision: Revision }[];
  }

  /**
   * The whole state at one applied index, pinned until closed; with `follow`, later changes can be added (`chunks`).
   */
  async openSnapshot({ follow = false } = {}): Promise<Snapshot> {
    this.#live();
    return openSnapshot({
      engine: this.#engine,
      name: this.#name,
      latest: () => this.#written,
      // The engine pins the existing rows. Only rows that a following snapshot reads later must be protected from the
      // sweep.
      hold: (index) => {
        const release = this.#pins.hold(follow ? index : Number.POSITIVE_INFINITY);
        return () => {
          release();
          this.#kick();
        };
      },
    });
  }

  /** Rewrites the engine's files without deleted rows. Takes long. */
  async defragment(): Promise<void> {
    this.#live();
    await this.#engine.compactRange({ gte: metaKey, lt: rowsEnd });
  }

  /** Resolves when no range, history or snapshot is being read. */
  async unread(): Promise<void> {
    await this.#pins.idle();
  }

  /**
   * Writes the decided entries, syncs them (unless `flush` is false), and closes the engine. Active reads end with a
   * `StoreError`, `closed`.
   */
  close({ flush = true } = {}): Promise<void> {
    this.#closing ??= this.#close(flush);
    return this.#closing;
  }

  async #close(flush: boolean): Promise<void> {
    // Without space, the unwritten entries remain in the log.
    if (flush && this.#failure === undefined && this.#blocked === undefined)
      await this.#flushed(true).catch(() => undefined);
    this.#closed = true;
    await this.#writing;
    await this.#engine.close();
  }

  /** Wraps every read: pins the revision meanwhile, and fails the machine if the read finds damage. */
  async *#pinned<T>(revision: number, read: () => AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
    this.#live();
    invariant(revision >= this.#written.compacted, `revision ${revision} was compacted before it was read`);
    const release = this.#pins.hold(revision);
    try {
      yield* read();
    } catch (error) {
      if (error instanceof StoreError && error.kind === 'corrupt') this.#fail(error);
      throw error;
    } finally {
      release();
      this.#kick();
    }
  }

  /** The group for the next decisions. */
  #group(): Group {
    this.#open ??= {
      batch: this.#engine.batch(),
      decided: { events: [], previous: [] },
      sync: false,
      meta: undefined,
      waiters: [],
    };
    return this.#open;
  }

  #seal(group: Group): void {
    group.meta = this.#state.meta();
    group.batch.put(metaKey, writeMeta(group.meta));
    this.#sealed.push(group);
    this.#open = undefined;
  }

  /** Resolves when everything decided so far is written. */
  #flushed(sync: boolean): Promise<void> {
    // Groups are written in order, so the last one's waiters wait for all.
    const group = this.#open === undefined && !sync ? (this.#sealed.at(-1) ?? this.#group()) : this.#group();
    group.sync ||= sync;
    const written = new Promise<void>((resolve, reject) => group.waiters.push({ resolve, reject }));
    this.#kick();
    return written;
  }

  #kick(): void {
    if (this.#writing !== undefined || this.#failure !== undefined || this.#closed) return;
    if (this.#sealed.length === 0 && this.#open === undefined && !this.#canSweep()) return;
    this.#writing = this.#write()
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#writing = undefined;
        // A group may have been opened after the loop's last check.
        this.#kick();
      });
  }

  /** The loop: write and publish until there is nothing left. */
  async #write(): Promise<void> {
    // Further entries of this turn of the event loop join the first batch.
    await Promise.resolve();
    for (;;) {
      if (this.#canSweep()) await this.#sweep();
      const group = this.#takeGroup();
      if (group === undefined) return;
      try {
        await this.#writeBatch(group);
        this.#written = group.meta!;
        await this.#onApplied?.(this.#appliedOf(group));
      } catch (error) {
        this.#fail(error);
        for (const { reject } of group.waiters) reject(this.#failure!);
        return;
      }
      for (const { resolve } of group.waiters) resolve();
    }
  }

  async #writeBatch({ batch, sync }: Group): Promise<void> {
    for (;;) {
      try {
        await batch.write({ sync });
        this.#blocked = undefined;
        return;
      } catch (error) {
        if (!(error instanceof StoreError) || error.kind !== 'noSpace' || this.#closed) throw error;
        this.#blocked = error.message;
        if ((await this.#roomOrRetry?.(error)) !== true || this.#closed) throw error;
      }
    }
  }

  #takeGroup(): Group | undefined {
    if (this.#sealed.length === 0 && this.#open !== undefined) this.#seal(this.#open);
    return this.#sealed.shift();
  }

  /** Only revisions that are compacted in the engine too and that no reader pins are swept. */
  #sweepable(): number {
    return Math.min(this.#written.compacted, this.#pins.oldest);
  }

  #canSweep(): boolean {
    return !this.#closed && this.#failure === undefined && this.#state.canSweep(this.#sweepable());
  }

  async #sweep(): Promise<void> {
    // Yield first: a caller whose write just completed may write again, and should not wait for a batch of deletions.
    if (this.#next() === undefined) await this.#yieldThread();
    if (!this.#canSweep()) return;
    const writes = this.#next()?.batch.ops ?? 0;
    const rows = writes === 0 ? sweepRowsMax : Math.max(sweepRowsBusyMin, writes * sweepRowsPerWrite);
    this.#state.sweep(this.#sweepable(), Math.min(rows, sweepRowsMax), this.#group().batch);
  }

  /** The group that would be written next. */
  #next(): Group | undefined {
    return this.#sealed[0] ?? this.#open;
  }

  #appliedOf({ decided, meta }: Group): Applied {
    let full: Promise<readonly AppliedEvent[]> | undefined;
    return {
      revision: meta!.applied as Revision,
      events: decided.events,
      withPrevious: () => {
        full ??= this.#reader.withPrevious(decided.events, decided.previous);
        return full;
      },
    };
  }

  #fail(cause: unknown): void {
    if (this.#failure !== undefined) return;
    const error =
      cause instanceof StoreError || cause instanceof InvariantError
        ? cause
        : new InvariantError(`applying to the store in ${this.#name} failed: ${String(cause)}`, { cause });
    this.#failure = error;
    for (const group of [...this.#sealed.splice(0), ...(this.#open === undefined ? [] : [this.#open])]) {
      for (const { reject } of group.waiters) reject(error);
    }
    this.#open = undefined;
    // Writes that waited for space at close are dropped: the log has them.
    if (this.#closed && error instanceof StoreError && error.kind === 'noSpace') return;
    this.#onFailure?.(error);
  }

  #live(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closed) throw new StoreError('closed', `the store in ${this.#name} is closed`);
  }
}

/** Loads the state (`loadState`) and starts the machine on it. */
export async function openStateMachine(options: MachineOptions): Promise<StateMachine> {
  return new StateMachine(options, await loadState(options.engine, options.name, options.rest));
}
