import type { Revision } from '../base/index.js';
import { Batch, type Framer, type Frames, type PlannedEvent, plan, single } from './frames.js';
import type { StoredObject } from './object.js';
import type { Replay } from './replay.js';
import type { GroupMember, WatchGroup } from './watchgroup.js';

/** The parts of a collection that a cursor uses. */
export interface CursorHome {
  /** Revision up to which the cache has applied. */
  applied(): Revision;
  /** Position in the log after `revision`, or undefined when the log no longer reaches back. */
  positionAfter(revision: Revision): number | undefined;
  replay(after: Revision, cursor: Cursor): Replay;
  join(cursor: Cursor): WatchGroup;
  leave(cursor: Cursor, group: WatchGroup | undefined): void;
}

export interface CursorOptions {
  readonly framer: Framer;
  readonly after: Revision;
  /** Objects that are delivered first, as ADDED. Undefined is an object that was examined and not selected. */
  readonly initial: Iterator<StoredObject | undefined> | undefined;
  /** A bookmark marks the end of the initial events. */
  readonly initialEnd: boolean;
  readonly bookmarks: boolean;
  /** Returns the last frame of a stream whose next event was compacted. */
  readonly expired: (oldest: Revision) => Buffer;
}

/**
 * The position of one watch; it buffers no events. The connection calls `take` until it returns undefined, and the function passed to
 * `onReady` is then called once. A cursor delivers the initial events (from a snapshot), then history (replayed from the keyspace, if
 * the log does not reach back far enough), then the log. A cursor that falls behind the log returns to history.
 */
export class Cursor implements GroupMember {
  position = 0;
  delivered: Revision;
  idle = false;
  readonly #home: CursorHome;
  readonly #options: Omit<CursorOptions, 'initial'>;
  #initial: Iterator<StoredObject | undefined> | undefined;
  #initialEnd: boolean;
  #group: WatchGroup | undefined;
  #replay: Replay | undefined;
  #ready: (() => void) | undefined;
  #final: Buffer | undefined;
  #started = false;
  #bookmarkDue = false;
  #ended = false;
  #leaving = false;
  /** Events up to this revision are not delivered. It is the start of the watch or the end of its history; the cache may be behind both. */
  #floor: Revision;

  constructor(home: CursorHome, { initial, ...options }: CursorOptions) {
    this.#home = home;
    this.#options = options;
    this.#initial = initial;
    this.#initialEnd = options.initialEnd;
    this.delivered = options.after;
    this.#floor = options.after;
  }

  get ended(): boolean {
    return this.#ended;
  }

  onReady(f: () => void): void {
    this.#ready = f;
  }

  /** Returned without events when `enough` asked to yield before the initial state was examined completely. */
  take(maxBytes: number, enough: () => boolean = never): Frames | undefined {
    if (this.#ended) return undefined;
    const frames = this.#take(maxBytes, enough);
    if (frames !== undefined) {
      if (frames.events > 0) this.#started = true;
      return frames;
    }
    if (this.#final !== undefined) {
      const last: Frames = { ...single(this.#final), error: true };
      this.#finish();
      return last;
    }
    if (this.#leaving && this.idle) {
      this.#finish();
      return undefined;
    }
    // A bookmark at the start of the watch would tell the client nothing.
    const applied = this.#home.applied();
    if (this.#bookmarkDue && this.idle && applied >= this.delivered && applied > this.#options.after) {
      this.#bookmarkDue = false;
      this.delivered = applied;
      const first = !this.#started;
      this.#started = true;
      return single(this.#options.framer.bookmark(this.delivered, false, first));
    }
    return undefined;
  }

  /** Reports that `take` has something to return again. */
  wake(): void {
    this.#ready?.();
  }

  /** Makes the next bookmark of the stream due. */
  bookmark(): void {
    if (!this.#options.bookmarks || this.#ended) return;
    this.#bookmarkDue = true;
    if (this.idle) this.wake();
  }

  /** Ends the stream after `frame`. */
  fail(frame: Buffer): void {
    if (this.#ended) return;
    this.#final = frame;
    this.#replay?.stop();
    this.wake();
  }

  /** Ends the stream when it has delivered what is there. */
  leave(): void {
    this.#leaving = true;
    this.wake();
  }

  /** Ends the stream as if the client had closed it. */
  stop(): void {
    if (this.#ended) return;
    this.#finish();
    this.wake();
  }

  close(): void {
    this.#ready = undefined;
    this.#finish();
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#replay?.stop();
    this.#initial = undefined;
    this.#home.leave(this, this.#group);
  }

  #take(maxBytes: number, enough: () => boolean): Frames | undefined {
    if (this.#initial !== undefined) {
      const frames = this.#takeInitial(this.#initial, maxBytes, enough);
      if (frames !== undefined) return frames;
      this.#initial = undefined;
    }
    if (this.#initialEnd) {
      this.#initialEnd = false;
      return single(this.#options.framer.bookmark(this.delivered, true, !this.#started));
    }
    if (this.#final !== undefined) return undefined;
    // At most two rounds: a cursor that has just caught up from history cannot fall behind the log again within one call.
    for (let turn = 0; turn < 3; turn++) {
      if (this.#replay !== undefined) {
        const frames = this.#takeReplayed(this.#replay, maxBytes);
        if (frames !== 'done') return frames;
        this.#replay = undefined;
      }
      if (this.#group === undefined && !this.#enterGroup()) continue;
      const frames = this.#takeLive(this.#group!, maxBytes);
      if (frames !== 'lost') return frames;
      this.#home.leave(this, this.#group);
      this.#group = undefined;
      this.#startReplay();
    }
    return undefined;
  }

  #enterGroup(): boolean {
    const position = this.#home.positionAfter(this.delivered);
    if (position === undefined) {
      this.#startReplay();
      return false;
    }
    this.position = position;
    this.idle = false;
    this.#group = this.#home.join(this);
    return true;
  }

  #startReplay(): void {
    this.idle = false;
    this.#replay = this.#home.replay(this.delivered, this);
  }

  #takeLive(group: WatchGroup, maxBytes: number): Frames | undefined | 'lost' {
    const floor = this.#floor;
    if (this.delivered <= floor || (this.#options.framer.first !== undefined && !this.#started)) {
      for (;;) {
        const event = group.next(this);
        if (event === undefined || event === 'lost') return event;
        if (event.revision > floor) break;
        this.position = event.position + 1;
      }
      const first = this.#options.framer.first;
      if (first !== undefined && !this.#started) {
        const event = group.next(this) as PlannedEvent & { readonly position: number; readonly revision: Revision };
        this.position = event.position + 1;
        return single(first(event.type, event.object));
      }
    }
    return group.take(this, maxBytes);
  }

  #takeInitial(
    initial: Iterator<StoredObject | undefined>,
    maxBytes: number,
    enough: () => boolean,
  ): Frames | undefined {
    const framer = this.#options.framer;
    const batch = new Batch(framer);
    for (let looked = 1; batch.bytes < maxBytes; looked++) {
      const one = initial.next();
      if (one.done === true) {
        if (batch.events === 0) return undefined;
        break;
      }
      const object = one.value;
      if (object !== undefined) {
        if (framer.first !== undefined && !this.#started) return single(framer.first('ADDED', object));
        batch.add({ type: 'ADDED', object });
      }
      if (looked % LOOK_STRIDE === 0 && enough()) break;
    }
    return batch.events === 0 ? NOTHING_YET : batch.join();
  }

  #takeReplayed(replay: Replay, maxBytes: number): Frames | undefined | 'done' {
    const framer = this.#options.framer;
    const events = replay.pending;
    if (events.length > 0) {
      if (framer.first !== undefined && !this.#started) {
        const event = events.shift()!;
        return single(framer.first(event.type, event.object));
      }
      const batch = plan(framer, events, 0, maxBytes);
      this.delivered = events[batch.events - 1]!.revision;
      events.splice(0, batch.events);
      return batch.join();
    }
    if (replay.lost !== undefined) {
      this.#final = this.#options.expired(replay.lost);
      return undefined;
    }
    if (replay.reached !== undefined) {
      if (replay.reached > this.delivered) this.delivered = replay.reached;
      this.#floor = this.delivered;
      return 'done';
    }
    replay.resume(this.delivered);
    return undefined;
  }
}

/** The number of objects of the initial state that are examined between two calls of `enough`. */
const LOOK_STRIDE = 16;
const NOTHING_YET: Frames = { payload: Buffer.alloc(0), events: 0, framed: undefined };
const never = (): boolean => false;
