import type { JsonObject } from '../api/index.js';
import { revision as asRevision, type Revision, type World } from '../base/index.js';
import { type AppliedEvent, type Keyspace, prefixEnd, type RefusalReason, type Watch } from '../storage/index.js';
import { Collection, type ObservedChange } from './collection.js';
import { EncodingBudget } from './encodings.js';
import { cacheLimits } from './limits.js';
import { LostObjects } from './lost.js';
import { LabelSets } from './object.js';
import { OwnWrites } from './ownwrites.js';
import { SharedValues } from './sharedvalues.js';
import { SlabAllocator } from './slab.js';
import type { UnreadableObject } from './unreadable.js';

export interface CacheOptions {
  readonly world: World;
  readonly keyspace: Keyspace;
  /** The prefix of all keys that belong to collections: `/registry/`. */
  readonly root: string;
  parse(bytes: Buffer): JsonObject;
  /** Called when the watch of the keyspace failed permanently: the cache is no longer updated. */
  failed(why: string): void;
}

export interface CollectionRequest {
  /** The prefix of the keys: `/registry/pods/`. It is below the root and ends in a slash; no prefix begins with another. */
  readonly prefix: string;
  /** Returns the values of the selectable fields, in the order in which selections number them. */
  fieldsOf(o: JsonObject): readonly string[];
  /** See `ObjectForm.upgrade`. */
  readonly upgrade?: (stored: Buffer) => Buffer | undefined;
}

/** A collection that is filled and follows the keyspace, and that readers cannot find yet. */
export interface PreparedCollection {
  /**
   * Makes it the collection of its prefix; watches on the former one end. Returns false if the cache was reloaded
   * meanwhile; the collection must then be prepared again.
   */
  commit(): boolean;
  /** Drops it. */
  discard(): void;
}

/** The error of a read that cannot be served now. */
export class NotServed extends Error {
  override readonly name = 'NotServed';
  readonly reason: RefusalReason | 'timeout';

  constructor(reason: RefusalReason | 'timeout', message: string) {
    super(message);
    this.reason = reason;
  }
}

interface Preparing {
  readonly prefix: string;
  readonly waiting: AppliedEvent[];
  /** False after a reload of the cache: events may be missing. */
  valid: boolean;
}

interface Waiter {
  readonly revision: Revision;
  readonly resolve: () => void;
  readonly reject: (e: Error) => void;
}

/**
 * The current objects and recent events of all resources, on the serving thread. One watch of the keyspace feeds it, so that all
 * collections share one total order and one applied revision.
 */
export class Cache {
  readonly #options: CacheOptions;
  readonly #collections = new Map<string, Collection>();
  /** The definitions of the collections. */
  readonly #requests = new Map<string, CollectionRequest>();
  /** Changes of the collections that are being prepared. */
  readonly #preparing = new Set<Preparing>();
  #allocator = new SlabAllocator();
  readonly #labelSets = new LabelSets();
  readonly #values = new SharedValues();
  /** The writes of this server that are under way. */
  readonly ownWrites = new OwnWrites();
  readonly lost = new LostObjects();
  readonly #encodings: EncodingBudget;
  #applied: Revision = asRevision(0);
  #watch: Watch | undefined;
  /** Sorted by revision, lowest first. */
  #waiters: Waiter[] = [];
  readonly #observers = new Set<(change: ObservedChange) => void>();
  #stopped: string | undefined;
  #reading: Promise<Revision> | undefined;
  #nextReading: Promise<Revision> | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#encodings = new EncodingBudget(options.world.clock);
  }

  /** The collections have all changes up to this revision. */
  get applied(): Revision {
    return this.#applied;
  }

  /** Bytes of all objects. */
  get bytes(): number {
    return this.#allocator.bytes;
  }

  /** Bytes of all kept encodings. */
  get encodingBytes(): number {
    return this.#encodings.bytes;
  }

  collection(prefix: string): Collection | undefined {
    return this.#collections.get(prefix);
  }

  /** All collections. */
  collections(): Iterable<Collection> {
    return this.#collections.values();
  }

  /**
   * Calls `f` for each change, in order, when it is applied. `f` must be fast and must not keep the objects. After a reload, the changes
   * of one object that the cache missed are reported as one. Returns a function that removes the observer.
   */
  observe(f: (change: ObservedChange) => void): () => void {
    this.#observers.add(f);
    return () => this.#observers.delete(f);
  }

  /** Fills the collections from one state and follows the keyspace from there. */
  async open(requests: readonly CollectionRequest[]): Promise<void> {
    for (const r of requests) this.#requests.set(r.prefix, r);
    await this.#loadRepeatedly();
  }

  /** Loads the state. Compaction may overtake an attempt, which then begins again at a newer revision. */
  async #loadRepeatedly(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#load();
      } catch (error) {
        if (attempt >= cacheLimits.loadAttempts || this.#stopped !== undefined) throw error;
      }
    }
  }

  async #load(): Promise<void> {
    const { keyspace, root } = this.#options;
    const first = await keyspace.range({ start: root, end: prefixEnd(root), limit: 1 });
    if (first.kind !== 'ok') throw new NotServed('stopping', `cannot read the keyspace: ${first.kind}`);
    const at = first.revision;
    // The replaced collections keep their own slabs, which are collected when the last reader is done.
    this.#allocator = new SlabAllocator();
    const filled: Collection[] = [];
    for (const r of [...this.#requests.values()]) filled.push(await this.#fill(r, at));
    if (this.#stopped !== undefined) throw new NotServed('stopping', this.#stopped);
    for (const c of filled) {
      const there = this.#collections.get(c.prefix);
      // Waiting readers refer to the existing collection, so it stays and gets the new state.
      if (there !== undefined) there.replace(c, { tell: this.#observers.size > 0 });
      else if (this.#requests.has(c.prefix)) this.#collections.set(c.prefix, c);
    }
    this.#advance(at);
    await new Promise<void>((resolve) => {
      this.#watch = keyspace.watch(
        { start: root, end: prefixEnd(root), after: at, previous: false },
        {
          events: (batch) => this.#events(batch),
          progress: (revision) => {
            resolve();
            this.#advance(revision);
          },
          end: (why) => {
            resolve();
            if (why.kind === 'compacted' && this.#stopped === undefined) void this.#reload();
            else this.#end(why.kind === 'stopped' ? why.message : `the stream of changes ended: ${why.kind}`);
          },
        },
      );
    });
  }

  /**
   * Reloads the cache from the current state. This peer was away for longer than history is kept and received a snapshot, so the changes
   * in between are unknown. Watches end, and their clients get 410 when they resume. Until the reload is complete the old state stays and
   * consistent reads wait.
   */
  async #reload(): Promise<void> {
    for (const p of this.#preparing) p.valid = false;
    this.#preparing.clear();
    try {
      await this.#loadRepeatedly();
    } catch (error) {
      this.#end(`the stream of changes ended, and its beginning anew failed: ${(error as Error).message}`);
    }
  }

  /**
   * Fills a collection while the cache runs, beside the present collection of its prefix, if any. The caller commits it in one synchronous
   * step, together with everything that depends on it.
   */
  async prepare(request: CollectionRequest): Promise<PreparedCollection> {
    const { prefix } = request;
    const preparing: Preparing = { prefix, waiting: [], valid: true };
    this.#preparing.add(preparing);
    const discard = (): void => void this.#preparing.delete(preparing);
    let filled: Collection;
    try {
      // It is filled from the last applied state, so it lacks only the events applied from now on.
      filled = await this.#fill(request, this.#applied);
    } catch (error) {
      discard();
      throw error;
    }
    return {
      discard,
      commit: () => {
        if (this.#stopped !== undefined) throw new NotServed('stopping', this.#stopped);
        discard();
        if (!preparing.valid) return false;
        const former = this.#collections.get(prefix);
        // Where a collection existed, observers have seen these events already.
        if (former !== undefined) filled.mute();
        for (const event of preparing.waiting) for (const change of event.changes) filled.apply(change, event.revision);
        filled.unmute();
        filled.advance(this.#applied);
        this.#collections.set(prefix, filled);
        this.#requests.set(prefix, request);
        former?.stop();
        return true;
      },
    };
  }

  /** Adds a collection while the cache runs. Resolves when the collection is current. */
  async add(request: CollectionRequest): Promise<Collection> {
    for (;;) {
      const there = this.#collections.get(request.prefix);
      if (there !== undefined) return there;
      const prepared = await this.prepare(request);
      // Another caller may have added it first.
      if (this.#collections.has(request.prefix)) prepared.discard();
      else prepared.commit();
    }
  }

  /**
   * Reads the objects again that could not be decrypted, and looks for those that no longer can. Called when keys have changed: after a
   * change of the configuration, or when a KMS plug-in responds again. Returns the objects that are lost but for this cache.
   */
  async readAgain(): Promise<readonly UnreadableObject[]> {
    const { keyspace } = this.#options;
    const lost: UnreadableObject[] = [];
    for (const collection of [...this.#collections.values()]) {
      for (const { key } of collection.unreadableObjects()) {
        const read = await keyspace.range({ start: key, end: `${key}\u0000` });
        if (read.kind === 'ok') for (const kv of read.items) collection.recover(kv);
      }
      lost.push(...(await this.lost.search(keyspace, collection)));
    }
    return lost;
  }

  /** Removes a collection. Its watches first deliver the events that it has. */
  remove(prefix: string): void {
    this.#collections.get(prefix)?.leave();
    this.#collections.delete(prefix);
    this.#requests.delete(prefix);
  }

  /** Resolves when all changes up to `revision` are applied. Rejects with `NotServed` at `deadline` (monotonic milliseconds). */
  waitFor(revision: Revision, deadline: number): Promise<void> {
    if (revision <= this.#applied) return Promise.resolve();
    if (this.#stopped !== undefined) return Promise.reject(new NotServed('stopping', this.#stopped));
    if (this.#waiters.length >= cacheLimits.revisionWaitersMax)
      return Promise.reject(new NotServed('overloaded', 'too many reads wait for newer data'));
    return new Promise((resolve, reject) => {
      const { clock, timers } = this.#options.world;
      const cancel = timers.after(Math.max(0, deadline - clock.monotonic()), () => {
        this.#waiters = this.#waiters.filter((w) => w !== waiter);
        reject(new NotServed('timeout', 'the data did not become current in time'));
      });
      const waiter: Waiter = {
        revision,
        resolve: () => {
          cancel();
          resolve();
        },
        reject: (e) => {
          cancel();
          reject(e);
        },
      };
      let at = this.#waiters.length;
      while (at > 0 && this.#waiters[at - 1]!.revision > revision) at--;
      this.#waiters.splice(at, 0, waiter);
    });
  }

  /**
   * Resolves when every write that any peer acknowledged before the call is applied. Calls during a read-index round share the next round,
   * because only that round begins after them.
   */
  async fresh(deadline: number): Promise<void> {
    await this.waitFor(await this.#readIndex(), deadline);
  }

  bookmark(): void {
    for (const c of this.#collections.values()) c.bookmark();
  }

  close(): void {
    this.#watch?.cancel();
    this.#end('the server is stopping', true);
  }

  #readIndex(): Promise<Revision> {
    if (this.#reading === undefined) {
      this.#reading = this.#askReadIndex().finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    this.#nextReading ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#nextReading = undefined;
        return this.#readIndex();
      });
    return this.#nextReading;
  }

  async #askReadIndex(): Promise<Revision> {
    const answer = await this.#options.keyspace.readIndex();
    if (answer.kind === 'refused') throw new NotServed(answer.reason, answer.message);
    return answer.revision;
  }

  async #fill(request: CollectionRequest, pinned: Revision | undefined): Promise<Collection> {
    const { prefix } = request;
    const end = prefixEnd(prefix);
    let collection: Collection | undefined;
    let start = prefix;
    let at = pinned;
    for (;;) {
      const limit = cacheLimits.fillPageKeys;
      const page = await this.#options.keyspace.range({
        start,
        end,
        limit,
        ...(at === undefined ? {} : { revision: at }),
      });
      if (page.kind !== 'ok') throw new NotServed('stopping', `cannot read ${prefix}: ${page.kind}`);
      at = page.revision;
      collection ??= new Collection(
        {
          prefix,
          keyspace: this.#options.keyspace,
          allocator: this.#allocator,
          observed: (change) => {
            for (const f of this.#observers) f(change);
          },
          form: {
            prefix,
            labelSets: this.#labelSets,
            values: this.#values,
            ownWrites: this.ownWrites,
            encodings: this.#encodings,
            parse: (bytes) => this.#options.parse(bytes),
            fieldsOf: (o) => request.fieldsOf(o),
            ...(request.upgrade === undefined ? {} : { upgrade: request.upgrade }),
          },
        },
        at,
      );
      for (const kv of page.items) collection.fill(kv);
      if (!page.more) return collection;
      start = `${page.items.at(-1)!.key}\u0000`;
    }
  }

  #events(batch: readonly AppliedEvent[]): void {
    const touched = new Set<Collection>();
    for (const event of batch) {
      for (const change of event.changes) {
        const key = change.kind === 'put' ? change.current.key : change.key;
        const collection = this.#find(key);
        if (collection === undefined) continue;
        collection.apply(change, event.revision);
        touched.add(collection);
      }
      for (const { prefix, waiting } of this.#preparing) {
        const changes = event.changes.filter((c) => (c.kind === 'put' ? c.current.key : c.key).startsWith(prefix));
        if (changes.length > 0) waiting.push({ revision: event.revision, changes });
      }
    }
    this.#advance(batch.at(-1)!.revision, touched);
  }

  #find(key: string): Collection | undefined {
    let slash = key.indexOf('/', this.#options.root.length);
    for (let depth = 0; depth < 2 && slash > 0; depth++) {
      const found = this.#collections.get(key.slice(0, slash + 1));
      if (found !== undefined) return found;
      slash = key.indexOf('/', slash + 1);
    }
    return undefined;
  }

  #advance(revision: Revision, touched?: ReadonlySet<Collection>): void {
    if (revision <= this.#applied && touched === undefined) return;
    this.#applied = revision;
    for (const c of this.#collections.values()) c.advance(revision);
    for (const c of touched ?? []) c.flush();
    while (this.#waiters.length > 0 && this.#waiters[0]!.revision <= revision) this.#waiters.shift()!.resolve();
  }

  #end(why: string, asked = false): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    for (const w of this.#waiters) w.reject(new NotServed('stopping', why));
    this.#waiters = [];
    for (const c of this.#collections.values()) c.stop();
    if (!asked) this.#options.failed(why);
  }
}
