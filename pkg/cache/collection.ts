import { invariant, OrderedMap, type OrderedView, type Revision } from '../base/index.js';
import { type AppliedEvent, type Change, type Keyspace, type KeyValue, prefixEnd } from '../storage/index.js';
import { Cursor, type CursorHome, type CursorOptions } from './cursor.js';
import { cacheLimits } from './limits.js';
import { EventLog, type LogEntry } from './log.js';
import { atRevision, CachedObject, fromStored, type ObjectForm, type StoredObject } from './object.js';
import { Replay } from './replay.js';
import { SlabAllocator } from './slab.js';
import { NotDecodable, NotReadable, Unreadable, type UnreadableObject, unreadableObject } from './unreadable.js';
import { decide, type GroupEvent, type GroupMember, type Selection, WatchGroup } from './watchgroup.js';
import { WatchRoutes } from './watchroutes.js';

/** The immutable state of a collection at one revision. */
export interface CollectionSnapshot {
  /** The snapshot has all changes up to this revision. */
  readonly revision: Revision;
  /** The state is the same at every revision from here to `revision`. */
  readonly changed: Revision;
  readonly objects: OrderedView<StoredObject>;
}

export interface WatchStart extends Omit<CursorOptions, 'initial'> {
  readonly selection: Selection;
  /** Objects that are delivered first; `after` must be the revision of their state. */
  readonly initial: Iterator<StoredObject | undefined> | undefined;
}

export interface CollectionOptions {
  /** `/registry/pods/`. */
  readonly prefix: string;
  readonly form: ObjectForm;
  readonly keyspace: Keyspace;
  readonly allocator: SlabAllocator;
  /** Called for each change when it is applied. */
  readonly observed: (change: ObservedChange) => void;
}

/** One change of one object, for observers of the whole cache: controllers. */
export interface ObservedChange {
  readonly prefix: string;
  readonly revision: Revision;
  readonly before: StoredObject | undefined;
  /** Undefined for a deletion. */
  readonly after: StoredObject | undefined;
}

/** The current objects of one resource, its recent events, and its watches. */
export class Collection {
  readonly prefix: string;
  readonly #form: ObjectForm;
  readonly #keyspace: Keyspace;
  #allocator: SlabAllocator;
  readonly #observed: (change: ObservedChange) => void;
  #muted = false;
  #objects = new OrderedMap<CachedObject>();
  #unreadable = new Unreadable();
  #log: EventLog;
  readonly #groups = new Map<string, WatchGroup>();
  readonly #routes = new WatchRoutes();
  readonly #cursors = new Set<Cursor>();
  readonly #home: CursorHome;
  /** What each watch selects. Watches of one group share the selection of the group, which may be large. */
  readonly #selections = new WeakMap<Cursor, Pick<WatchStart, 'selection' | 'framer'>>();
  #woken: GroupMember[] = [];
  #applied: Revision;
  #changed: Revision;
  #snapshot: CollectionSnapshot | undefined;
  #kept: { readonly snapshot: CollectionSnapshot; readonly superseded: number }[] = [];
  /** Bytes of the present objects. */
  #bytes = 0;
  /** Bytes of superseded objects. */
  #superseded = 0;
  #gone: { readonly of: CachedObject; readonly as: CachedObject } | undefined;

  /** Creates a collection whose event log begins after the revision `at`. `fill` adds the objects of that state. */
  constructor(options: CollectionOptions, at: Revision) {
    this.prefix = options.prefix;
    this.#form = options.form;
    this.#keyspace = options.keyspace;
    this.#allocator = options.allocator;
    this.#observed = options.observed;
    this.#applied = at;
    this.#changed = at;
    this.#log = new EventLog(at, (e) => this.#forget(e));
    this.#home = {
      applied: () => this.#applied,
      positionAfter: (r) => (r < this.#log.floor ? undefined : this.#log.positionAfter(r)),
      replay: (after, cursor) => this.#replay(after, cursor),
      join: (cursor) => this.#join(cursor),
      leave: (cursor, group) => this.#leave(cursor, group),
    };
  }

  /** All changes up to this revision are applied. */
  get applied(): Revision {
    return this.#applied;
  }

  /**
   * The state is the same at every revision from here to `applied`. This is the revision of the last change, or of the state with which
   * the collection was filled. (The revision of the newest object would be too low: an object may have been deleted after it.)
   */
  get changed(): Revision {
    return this.#changed;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Bytes of the present objects, as stored. */
  get bytes(): number {
    return this.#bytes;
  }

  get watchers(): number {
    return this.#cursors.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  snapshot(): CollectionSnapshot {
    if (this.#snapshot === undefined || this.#snapshot.revision < this.#changed)
      this.#snapshot = {
        revision: this.#applied,
        changed: this.#changed,
        objects: this.#objects.snapshot() as OrderedView<StoredObject>,
      };
    else if (this.#snapshot.revision !== this.#applied) this.#snapshot = { ...this.#snapshot, revision: this.#applied };
    return this.#snapshot;
  }

  /** Returns the state at `revision` if it is the current one or a kept snapshot. */
  snapshotAt(revision: Revision): CollectionSnapshot | undefined {
    if (revision >= this.#changed && revision <= this.#applied) return this.snapshot();
    return this.#kept.find((k) => revision >= k.snapshot.changed && revision <= k.snapshot.revision)?.snapshot;
  }

  /** Keeps a snapshot for the following pages of a list while it holds little memory. */
  keep(snapshot: CollectionSnapshot): void {
    const same = this.#kept.findIndex((k) => k.snapshot.changed === snapshot.changed);
    if (same >= 0) {
      // The same state; it is now known to be valid up to a later revision.
      const { superseded, snapshot: old } = this.#kept[same]!;
      if (snapshot.revision > old.revision) this.#kept[same] = { snapshot, superseded };
      return;
    }
    if (this.#kept.length >= cacheLimits.snapshotsKept) this.#kept.shift();
    this.#kept.push({ snapshot, superseded: this.#superseded });
  }

  /** The object at `key` if its stored value cannot be read; `get` does not find it. */
  unreadable(key: string): UnreadableObject | undefined {
    return this.#unreadable.get(key);
  }

  /** The objects from `start` to `end` (exclusive) that cannot be read, in the order of their keys. Snapshots do not have them. */
  unreadableBetween(start: string, end: string): readonly UnreadableObject[] {
    return this.#unreadable.between(start, end);
  }

  /** Makes a cached object of an object from history. It has its own memory. Throws `NotReadable`. */
  restore(kv: KeyValue): StoredObject {
    const read = this.#read(kv, new SlabAllocator(0));
    if (read instanceof CachedObject) return read;
    throw new NotReadable([read]);
  }

  /** Makes the object of a stored value, or returns why it cannot be read. */
  #read(kv: KeyValue, allocator = this.#allocator): CachedObject | UnreadableObject {
    const problem = kv.protection?.problem;
    if (problem !== undefined) return unreadableObject(kv, 'decryption', problem);
    try {
      const object = fromStored(this.#form, allocator, kv);
      const own = this.#form.ownWrites.valueOf(kv);
      if (own !== undefined && !object.stale) object.adopt(own);
      return object;
    } catch (error) {
      if (error instanceof NotDecodable) return unreadableObject(kv, 'decoding', error.message);
      throw error;
    }
  }

  /** Adds an object of the initial state of the collection. */
  fill(kv: KeyValue): void {
    const object = this.#read(kv);
    if (!(object instanceof CachedObject)) {
      this.#unreadable.add(object);
      return;
    }
    object.hold();
    this.#bytes += object.length - (this.#objects.set(object.key, object)?.length ?? 0);
  }

  /** Applies one change. Changes come in order; the caller calls `flush` after the changes that arrived together. */
  apply(change: Change, revision: Revision): void {
    this.#changed = revision;
    const key = change.kind === 'put' ? change.current.key : change.key;
    const object = change.kind === 'put' ? this.#read(change.current) : undefined;
    if (object !== undefined && !(object instanceof CachedObject)) {
      this.#lose(object, revision);
      return;
    }
    if (this.#unreadable.get(key) !== undefined) {
      this.#regain(key, object, revision);
      return;
    }
    if (object !== undefined) {
      object.hold();
      const previous = this.#objects.set(object.key, object);
      this.#bytes += object.length - (previous?.length ?? 0);
      this.#append({ revision, object, previous, deleted: false });
      if (previous !== undefined) this.#supersede(previous);
      return;
    }
    const previous = this.#objects.delete(key);
    if (previous === undefined) return;
    this.#bytes -= previous.length;
    const last = atRevision(this.#form, this.#allocator, previous, revision);
    this.#append({ revision, object: last, previous, deleted: true });
    this.#supersede(previous);
  }

  /**
   * An object that can no longer be read leaves the tree. Observers do not get a deletion, because it was not deleted.
   * Watches cannot represent the change, so they end, and the log begins after it.
   */
  #lose(lost: UnreadableObject, revision: Revision): void {
    const previous = this.#objects.delete(lost.key);
    this.#unreadable.add(lost, previous);
    this.#interrupt(revision);
    if (previous !== undefined) this.#supersede(previous);
  }

  /** An object that could not be read was written again, or deleted. */
  #regain(key: string, after: CachedObject | undefined, revision: Revision): void {
    const seen = this.#unreadable.remove(key);
    if (after !== undefined) {
      after.hold();
      this.#objects.set(key, after);
    }
    this.#interrupt(revision);
    if (!this.#muted && (after ?? seen) !== undefined)
      this.#observed({ prefix: this.prefix, revision, before: seen, after });
  }

  #interrupt(revision: Revision): void {
    this.stop();
    this.#log.restart(revision);
    this.#snapshot = undefined;
    this.#kept = [];
  }

  /** The objects that cannot be read, for another attempt. */
  unreadableObjects(): readonly UnreadableObject[] {
    return this.#unreadable.all();
  }

  /** Adds an object that could not be read before and is unchanged: its key is known now. */
  recover(kv: KeyValue): void {
    if (this.#unreadable.get(kv.key)?.revision !== kv.modRevision) return;
    const object = this.#read(kv);
    if (object instanceof CachedObject) this.#regain(kv.key, object, this.#applied);
  }

  /** Stops reporting changes to observers until `unmute`, because they have seen them already. */
  mute(): void {
    this.#muted = true;
  }

  unmute(): void {
    this.#muted = false;
  }

  /** Records that all changes up to `revision` are applied. */
  advance(revision: Revision): void {
    this.#applied = revision;
  }

  /** Wakes the watches that wait for the events applied since the last call. */
  flush(): void {
    this.#log.trim();
    const woken = this.#woken;
    this.#woken = [];
    for (const m of woken) m.wake();
  }

  watch(start: WatchStart): Cursor {
    const { selection, ...options } = start;
    const cursor = new Cursor(this.#home, options);
    this.#selections.set(cursor, { selection, framer: start.framer });
    this.#cursors.add(cursor);
    return cursor;
  }

  /** Makes a bookmark due for every watch with bookmarks. */
  bookmark(): void {
    for (const c of this.#cursors) c.bookmark();
  }

  stop(): void {
    for (const c of [...this.#cursors]) c.stop();
  }

  /** Ends the watches when they have delivered what is there. */
  leave(): void {
    for (const c of [...this.#cursors]) c.leave();
  }

  /**
   * Replaces the state by that of `other`, which was filled for this purpose, without its history. Watches end; readers that
   * wait for this collection to become current are served. If `tell` is set, the differences are reported to the
   * observers.
   */
  replace(other: Collection, { tell }: { readonly tell: boolean }): void {
    this.stop();
    const old = this.#objects;
    this.#abandon();
    this.#objects = other.#objects;
    this.#unreadable = other.#unreadable;
    this.#log = other.#log;
    this.#allocator = other.#allocator;
    this.#applied = other.#applied;
    this.#changed = other.#changed;
    this.#snapshot = undefined;
    this.#kept = [];
    this.#superseded = 0;
    this.#gone = undefined;
    this.#woken = [];
    if (tell) this.#tellOfAll(old);
  }

  /** Drops the kept encodings of all objects. The budget of encodings refers to them, which would keep the replaced state in memory. */
  #abandon(): void {
    for (const object of this.#objects.range(this.prefix, prefixEnd(this.prefix))) object.abandon();
    for (let position = this.#log.first; position < this.#log.next; position++) {
      const { object, previous } = this.#log.at(position);
      object.abandon();
      previous?.abandon();
    }
  }

  /** Reports the differences between `old` and the present state, one change for each object. The changes between them are unknown. */
  #tellOfAll(old: OrderedMap<CachedObject>): void {
    const { prefix } = this;
    const revision = this.#applied;
    const end = prefixEnd(prefix);
    for (const before of old.range(prefix, end)) {
      if (this.#objects.get(before.key) === undefined) this.#observed({ prefix, revision, before, after: undefined });
    }
    for (const after of this.#objects.range(prefix, end)) {
      const before = old.get(after.key);
      if (before?.revision !== after.revision) this.#observed({ prefix, revision, before, after });
    }
  }

  #append(entry: Omit<LogEntry, 'position'>): void {
    entry.object.hold();
    entry.previous?.hold();
    const whole = this.#log.append(entry);
    this.#routes.each(whole, (group) => group.offer(whole, this.#woken));
    const { revision, previous, object, deleted } = whole;
    if (!this.#muted)
      this.#observed({ prefix: this.prefix, revision, before: previous, after: deleted ? undefined : object });
    if ((whole.position & 255) === 0) this.#log.trim();
  }

  #supersede(previous: CachedObject): void {
    this.#superseded += previous.length;
    previous.letGo(this.#allocator);
    const oldest = this.#kept[0];
    if (oldest !== undefined && this.#superseded - oldest.superseded > cacheLimits.snapshotChurnBytesMax)
      this.#kept.shift();
  }

  #forget(e: LogEntry): void {
    e.object.letGo(this.#allocator);
    e.previous?.letGo(this.#allocator);
  }

  #join(cursor: Cursor): WatchGroup {
    const { selection, framer } = this.#selections.get(cursor)!;
    const id = `${framer.id} ${selection.id}`;
    let group = this.#groups.get(id);
    if (group === undefined) {
      group = new WatchGroup(id, selection, framer, this.#log, (previous, at) => this.#lastSeen(previous, at));
      this.#groups.set(id, group);
      this.#routes.add(group);
    }
    group.members.add(cursor);
    this.#selections.set(cursor, { selection: group.selection, framer });
    return group;
  }

  #leave(cursor: Cursor, group: WatchGroup | undefined): void {
    if (group !== undefined) {
      group.leave(cursor);
      if (group.members.size === 0) {
        this.#groups.delete(group.id);
        this.#routes.remove(group);
      }
    }
    if (cursor.ended) this.#cursors.delete(cursor);
  }

  /** The object of the DELETED event for an object that left a selection: the last selected state, with the revision of the change. */
  #lastSeen(previous: CachedObject, at: Revision): StoredObject {
    if (this.#gone?.of !== previous || this.#gone.as.revision !== at) {
      const own = new SlabAllocator(0);
      this.#gone = { of: previous, as: atRevision(this.#form, own, previous, at) };
    }
    return this.#gone.as;
  }

  #replay(after: Revision, cursor: Cursor): Replay {
    const { selection } = this.#selections.get(cursor)!;
    const start = scopeStart(this.prefix, selection);
    return new Replay(
      {
        keyspace: this.#keyspace,
        start,
        end: selection.namespace !== '' && selection.name !== '' ? `${start}\u0000` : prefixEnd(start),
        select: (event) => this.#select(selection, event),
        joins: (r) => r >= this.#log.floor,
        wake: () => cursor.wake(),
      },
      after,
    );
  }

  #select(selection: Selection, event: AppliedEvent): readonly GroupEvent[] {
    const out: GroupEvent[] = [];
    for (const change of event.changes) {
      const before = change.previous === undefined ? undefined : (this.restore(change.previous) as CachedObject);
      const own = new SlabAllocator(0);
      const at = (o: CachedObject): CachedObject => atRevision(this.#form, own, o, event.revision);
      invariant(change.kind === 'put' || before !== undefined, 'a deletion in history has no previous state');
      const object = change.kind === 'put' ? (this.restore(change.current) as CachedObject) : at(before!);
      if (selection.name !== '' && object.name !== selection.name) continue;
      const entry = { object, previous: before, deleted: change.kind === 'delete' };
      const seen = decide(selection, entry, () => at(before!));
      if (seen !== undefined) out.push({ position: 0, revision: event.revision, ...seen });
    }
    return out;
  }
}

function scopeStart(prefix: string, selection: Selection): string {
  if (selection.namespace === '') return prefix;
  return selection.name === ''
    ? `${prefix}${selection.namespace}/`
    : `${prefix}${selection.namespace}/${selection.name}`;
}
