import { revision as asRevision, type Revision } from '../base/index.js';
import { type EventType, type Framer, type Frames, plan } from './frames.js';
import { cacheLimits } from './limits.js';
import type { EventLog, LogEntry } from './log.js';
import type { CachedObject, StoredObject } from './object.js';

/** The events that a watch selects. Selections with the same `id` select the same events. */
export interface Selection {
  readonly id: string;
  /** '' selects every namespace. */
  readonly namespace: string;
  /** Selects the object of this name; '' selects any name. */
  readonly name: string;
  /** Absent: selects every object in the namespace, or of the name. */
  readonly matches?: (o: StoredObject) => boolean;
  /** A selectable field that must equal a value for `matches` to hold. It limits the groups to which the collection offers an entry. */
  readonly hot?: { readonly field: number; readonly value: string };
}

export interface GroupEvent {
  readonly position: number;
  readonly revision: Revision;
  readonly type: EventType;
  readonly object: StoredObject;
}

/** The part of a watch that its group uses. */
export interface GroupMember {
  /** The next position to deliver. All selected events before it were delivered. */
  position: number;
  /** The revision up to which all selected events were delivered. */
  delivered: Revision;
  /** The watch has all events; the group wakes it at the next one. */
  idle: boolean;
  wake(): void;
}

interface Joined {
  readonly next: number;
  readonly delivered: Revision;
  readonly frames: Frames;
}

/** Returns the event type of an entry for a selection, or undefined if it selects the object neither before nor after the change. */
export function decide(
  selection: Selection,
  entry: Pick<LogEntry, 'object' | 'deleted' | 'previous'>,
  gone: () => StoredObject,
): { readonly type: EventType; readonly object: StoredObject } | undefined {
  const { object, previous, deleted } = entry;
  const matches = selection.matches;
  const before = previous !== undefined && (matches === undefined || matches(previous));
  if (deleted) return before ? { type: 'DELETED', object } : undefined;
  const after = matches === undefined || matches(object);
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', object };
  return before ? { type: 'DELETED', object: gone() } : undefined;
}

/**
 * A watch group is all watches of the same events in the same encoding. It holds the selected events once, frames them once, and
 * returns the same joined buffer to every member at the same position. A thousand watches cost a thousand socket writes and one join.
 *
 * Invariant: every selected event with position >= `covered` that the log still has is in `#events`, in order.
 */
export class WatchGroup {
  readonly id: string;
  readonly selection: Selection;
  readonly framer: Framer;
  readonly members = new Set<GroupMember>();
  readonly #log: EventLog;
  readonly #gone: (previous: CachedObject, revision: Revision) => StoredObject;
  #events: GroupEvent[] = [];
  #covered: number;
  #idle = new Set<GroupMember>();
  #batches = new Map<number, Joined>();

  constructor(
    id: string,
    selection: Selection,
    framer: Framer,
    log: EventLog,
    gone: (previous: CachedObject, revision: Revision) => StoredObject,
  ) {
    this.id = id;
    this.selection = selection;
    this.framer = framer;
    this.#log = log;
    this.#gone = gone;
    this.#covered = log.next;
  }

  /** Adds a new entry of the log that is in the scope of the group. Appends the members to be woken to the list. */
  offer(entry: LogEntry, woken: GroupMember[]): void {
    if (this.#idle.size === this.members.size && this.#events.length > 0) this.#clear(entry.position);
    const event = this.#event(entry);
    if (event === undefined) return;
    if (this.#events.length === 0 && this.#idle.size === this.members.size) this.#covered = entry.position;
    this.#events.push(event);
    for (const m of this.#idle) {
      m.idle = false;
      m.position = entry.position;
      // A waiting member has all earlier events, so no entry between its position and this one was selected.
      if (m.delivered < entry.revision - 1) m.delivered = asRevision(entry.revision - 1);
      woken.push(m);
    }
    this.#idle.clear();
    this.#trim();
  }

  /**
   * Returns the next joined batch for a member. Returns undefined if the member has all events, and wakes it at the next one. Returns
   * 'lost' if the log no longer has the entries after its position.
   */
  take(member: GroupMember, maxBytes: number): Frames | undefined | 'lost' {
    if (member.position < this.#log.first) return 'lost';
    this.#cover(member.position);
    const from = this.#indexOf(member.position);
    const first = this.#events[from];
    if (first === undefined) {
      member.position = this.#log.next;
      member.idle = true;
      this.#idle.add(member);
      return undefined;
    }
    const batch = this.#batch(first.position, from, maxBytes);
    member.position = batch.next;
    member.delivered = batch.delivered;
    return batch.frames;
  }

  /** Returns the next event of the member alone and not framed; otherwise like `take`. */
  next(member: GroupMember): GroupEvent | undefined | 'lost' {
    if (member.position < this.#log.first) return 'lost';
    this.#cover(member.position);
    const event = this.#events[this.#indexOf(member.position)];
    if (event === undefined) {
      member.position = this.#log.next;
      member.idle = true;
      this.#idle.add(member);
    }
    return event;
  }

  leave(member: GroupMember): void {
    this.members.delete(member);
    this.#idle.delete(member);
  }

  #event(entry: LogEntry): GroupEvent | undefined {
    const seen = decide(this.selection, entry, () => this.#gone(entry.previous!, entry.revision));
    return seen === undefined ? undefined : { position: entry.position, revision: entry.revision, ...seen };
  }

  #batch(position: number, from: number, maxBytes: number): Joined {
    const known = this.#batches.get(position);
    // Join a short batch again if events were appended since, so that a slow member takes all pending events at once.
    if (
      known !== undefined &&
      (known.next > this.#events.at(-1)!.position || known.frames.payload.length * 2 > maxBytes)
    )
      return known;
    const planned = plan(this.framer, this.#events, from, maxBytes);
    const lastOne = this.#events[from + planned.events - 1]!;
    const made: Joined = { next: lastOne.position + 1, delivered: lastOne.revision, frames: planned.join() };
    this.#batches.delete(position);
    if (this.#batches.size >= cacheLimits.watchGroupBatchesMax)
      this.#batches.delete(this.#batches.keys().next().value as number);
    this.#batches.set(position, made);
    return made;
  }

  /** Selects the entries from `position` on that were dropped or never examined. */
  #cover(position: number): void {
    if (position >= this.#covered) return;
    const found: GroupEvent[] = [];
    for (let p = Math.max(position, this.#log.first); p < this.#covered; p++) {
      const entry = this.#log.at(p);
      if (!inScope(this.selection, entry.object)) continue;
      const event = this.#event(entry);
      if (event !== undefined) found.push(event);
    }
    this.#events = found.concat(this.#events);
    this.#covered = position;
  }

  #indexOf(position: number): number {
    let lo = 0;
    let hi = this.#events.length;
    while (lo < hi) {
      const mid = (lo + hi) >>> 1;
      if (this.#events[mid]!.position < position) lo = mid + 1;
      else hi = mid;
    }
    return lo;
  }

  #clear(covered: number): void {
    this.#events = [];
    // Not `clear`: V8 links the old table, with its batches, to the new one (see `TurnoverMap`).
    this.#batches = new Map();
    this.#covered = covered;
  }

  /** Drops the events that the log has dropped. It works in large steps, which keeps the cost of an event low. */
  #trim(): void {
    const first = this.#events[0]!;
    if (first.position >= this.#log.first || this.#events.length < 64) return;
    const drop = this.#indexOf(this.#log.first);
    if (drop * 2 < this.#events.length) return;
    this.#events.splice(0, drop);
    this.#covered = Math.max(this.#covered, this.#log.first);
  }
}

export function inScope(selection: Selection, object: StoredObject): boolean {
  return (
    (selection.namespace === '' || object.namespace === selection.namespace) &&
    (selection.name === '' || object.name === selection.name)
  );
}
