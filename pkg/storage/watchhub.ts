import { invariant, type Revision } from '../base/index.js';
import type { AppliedEvent, Change, Watch, WatchRequest, WatchSink } from './keyspace.js';
import { recentBatchesMax, recentBytesMax, watchesMax } from './limits.js';
import type { Applied } from './mvcc/machine.js';
import type { ChangesPage, KeyRange } from './mvcc/reader.js';

/** The source of history: a state machine. */
export interface HistorySource {
  readonly applied: Revision;
  readonly compacted: Revision;
  changes(range: KeyRange, after: Revision, previous: boolean): AsyncIterable<ChangesPage>;
}

/**
 * Serves watches from one stream of applied batches, and from history if they begin earlier.
 *
 * A watch is a position: everything up to it has been delivered. Delivering advances the position, and nothing at or below it is delivered
 * again, so history and the live stream join without gap or repetition. A watch that is up to date is served as batches arrive. One that is
 * behind first reads the recent batches that the hub keeps or, further back, pages of history. Nothing is buffered for a single watch: what
 * it has not received is in the hub's recent batches or in the store.
 */
export class WatchHub {
  #source: HistorySource;
  readonly #watches = new Set<Watcher>();
  readonly #recent = new Recent();
  #stopped: string | undefined;

  constructor(source: HistorySource) {
    this.#source = source;
    this.#recent.reset(source.applied);
  }

  /** Watches being served. */
  get size(): number {
    return this.#watches.size;
  }

  /**
   * Publishes a batch: everything up to `applied.revision` can be read now. Calls are in order, each after the promise of the previous one has
   * resolved. When it resolves, the batch has been delivered to all watches that were up to date. A batch without entries (a sync, a sweep) is
   * skipped. A batch with a lower revision violates an invariant: it would hide a newer one from watches that begin between them.
   */
  publish(applied: Applied): void | Promise<void> {
    const { newest } = this.#recent;
    invariant(applied.revision >= newest, `a batch up to ${applied.revision} is told after one up to ${newest}`);
    if (applied.revision === newest) return;
    this.#recent.push(applied);
    let slow: Promise<void>[] | undefined;
    for (const watcher of this.#watches) {
      if (watcher.replaying) continue;
      if (watcher.request.previous) {
        slow ??= [];
        slow.push(this.#advance(watcher));
      } else {
        this.#deliver(watcher, applied.events, applied.revision);
      }
    }
    if (slow !== undefined) return Promise.all(slow).then(() => undefined);
  }

  watch(request: WatchRequest, sink: WatchSink): Watch {
    const watcher: Watcher = { request, sink, position: request.after, replaying: true, over: false };
    this.#watches.add(watcher);
    // Deferred until the caller has the handle with which it can cancel.
    void Promise.resolve().then(() => this.#begin(watcher));
    return { cancel: () => this.#drop(watcher) };
  }

  /**
   * Replaces the source of history; `source.applied` may have jumped. Watches continue if the new history covers them. Batches of the old source,
   * such as its last sync, must not be published after this.
   */
  replaceSource(source: HistorySource): void {
    this.#source = source;
    this.#recent.reset(source.applied);
    for (const watcher of this.#watches) {
      if (watcher.replaying || watcher.position >= source.applied) continue;
      watcher.replaying = true;
      void this.#begin(watcher);
    }
  }

  /** Ends every watch. Later watches end at once. */
  stop(message: string): void {
    this.#stopped = message;
    for (const watcher of [...this.#watches]) this.#end(watcher, { kind: 'stopped', message });
  }

  async #begin(watcher: Watcher): Promise<void> {
    if (watcher.over) return;
    if (this.#stopped !== undefined) return this.#end(watcher, { kind: 'stopped', message: this.#stopped });
    if (this.#watches.size > watchesMax) return this.#end(watcher, { kind: 'stopped', message: 'too many watches' });
    try {
      await this.#catchUp(watcher);
    } catch (error) {
      if (watcher.over) return;
      // The store has failed or is closed, and reports that to its owner itself.
      this.#end(watcher, { kind: 'stopped', message: (error as Error).message });
    }
  }

  /** Reads history until the recent batches cover the rest. When it returns, the watch is not behind those. */
  async #catchUp(watcher: Watcher): Promise<void> {
    while (!watcher.over) {
      const source = this.#source;
      if (watcher.position < source.compacted) {
        return this.#end(watcher, { kind: 'compacted', oldest: source.compacted });
      }
      if (this.#servesFromHere(watcher)) {
        watcher.replaying = false;
        const level = watcher.position;
        await this.#advance(watcher);
        // No event was pending. The end of history is reported nevertheless.
        if (!watcher.over && watcher.position === level && level <= source.applied) watcher.sink.progress?.(level);
        return;
      }
      try {
        await this.#replay(watcher, source);
      } catch (error) {
        // A replaced source may be closed while it is read. The new one has the rest.
        if (source === this.#source) throw error;
      }
    }
  }

  /**
   * A batch provides the previous values of all of its events or of none. Those of events before the position of the watch may be compacted. So
   * a watch that begins inside a batch gets the rest of it from history.
   */
  #servesFromHere({ position, request }: Watcher): boolean {
    return this.#recent.reaches(position) && !(request.previous && this.#recent.splitAt(position));
  }

  async #replay(watcher: Watcher, source: HistorySource): Promise<void> {
    for await (const page of source.changes(watcher.request, watcher.position, watcher.request.previous)) {
      if (watcher.over || source !== this.#source) return;
      this.#give(watcher, page.events, page.through);
    }
  }

  /**
   * Brings a watch up to date from the recent batches. Without `previous` it is up to date when this returns, before
   * the promise resolves.
   */
  async #advance(watcher: Watcher): Promise<void> {
    for (let batch = this.#recent.after(watcher.position); batch !== undefined && !watcher.over; ) {
      if (watcher.request.previous && batch.events.some((event) => within(event, watcher.request))) {
        const events = await batch.withPrevious();
        // While this call waited, another one may have advanced the watch, or the source may have been replaced.
        if (watcher.replaying) return;
        this.#deliver(watcher, events, batch.revision);
      } else {
        this.#deliver(watcher, batch.events, batch.revision);
      }
      batch = this.#recent.after(watcher.position);
    }
  }

  #deliver(watcher: Watcher, events: readonly AppliedEvent[], through: Revision): void {
    if (watcher.over || through <= watcher.position) return;
    this.#give(watcher, select(events, watcher.request, watcher.position), through);
  }

  #give(watcher: Watcher, events: readonly AppliedEvent[], through: Revision): void {
    watcher.position = through;
    if (events.length > 0) watcher.sink.events(events);
    if (!watcher.over) watcher.sink.progress?.(through);
  }

  #end(watcher: Watcher, why: Parameters<WatchSink['end']>[0]): void {
    if (watcher.over) return;
    this.#drop(watcher);
    watcher.sink.end(why);
  }

  #drop(watcher: Watcher): void {
    watcher.over = true;
    this.#watches.delete(watcher);
  }
}

interface Watcher {
  readonly request: WatchRequest;
  readonly sink: WatchSink;
  /** Everything up to here has been delivered. */
  position: Revision;
  /** Behind the recent batches: `publish` does not serve it. */
  replaying: boolean;
  /** Cancelled or ended: its sink must not be called. */
  over: boolean;
}

/** The most recent batches within the limits, in order and without a gap. */
class Recent {
  #batches: Applied[] = [];
  #sizes: number[] = [];
  #bytes = 0;
  /** Everything published above this revision is in `#batches`. */
  #floor = 0 as Revision;

  reset(floor: Revision): void {
    this.#batches = [];
    this.#sizes = [];
    this.#bytes = 0;
    this.#floor = floor;
  }

  push(batch: Applied): void {
    let bytes = 0;
    for (const { changes } of batch.events) {
      for (const change of changes) if (change.kind === 'put') bytes += change.current.value.length;
    }
    this.#batches.push(batch);
    this.#sizes.push(bytes);
    this.#bytes += bytes;
    if (this.#batches.length > recentBatchesMax || this.#bytes > recentBytesMax) this.#trim();
  }

  /** The newest published revision. */
  get newest(): Revision {
    return this.#batches.at(-1)?.revision ?? this.#floor;
  }

  /** Reports whether the batches here are all that a watch at `position` lacks. */
  reaches(position: Revision): boolean {
    return position >= this.#floor;
  }

  /** Whether `position` is inside a batch. */
  splitAt(position: Revision): boolean {
    const first = this.after(position)?.events[0];
    return first !== undefined && first.revision <= position;
  }

  /** The first batch with events above `position`. */
  after(position: Revision): Applied | undefined {
    let low = 0;
    let high = this.#batches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#batches[middle]!.revision <= position) low = middle + 1;
      else high = middle;
    }
    return this.#batches[low];
  }

  /** Drops a quarter at a time, so that the arrays are not shifted with every batch. The newest batch always stays. */
  #trim(): void {
    let n = 0;
    let bytes = this.#bytes;
    while (
      n < this.#batches.length - 1 &&
      (this.#batches.length - n > recentBatchesMax * 0.75 || bytes > recentBytesMax * 0.75)
    ) {
      bytes -= this.#sizes[n]!;
      n++;
    }
    if (n === 0) return;
    this.#floor = this.#batches[n - 1]!.revision;
    this.#batches = this.#batches.slice(n);
    this.#sizes = this.#sizes.slice(n);
    this.#bytes = bytes;
  }
}

const keyOf = (change: Change): string => (change.kind === 'put' ? change.current.key : change.key);

function within({ changes }: AppliedEvent, { start, end }: KeyRange): boolean {
  return changes.some((change) => keyOf(change) >= start && keyOf(change) < end);
}

/** The events above `position` with their changes in range. An event completely in range is returned unchanged. */
function select(
  events: readonly AppliedEvent[],
  { start, end }: KeyRange,
  position: Revision,
): readonly AppliedEvent[] {
  const out: AppliedEvent[] = [];
  for (const event of events) {
    if (event.revision <= position) continue;
    let inside = 0;
    for (const change of event.changes) if (keyOf(change) >= start && keyOf(change) < end) inside++;
    if (inside === event.changes.length) out.push(event);
    else if (inside > 0) {
      const changes = event.changes.filter((change) => keyOf(change) >= start && keyOf(change) < end);
      out.push({ revision: event.revision, changes });
    }
  }
  return out;
}
