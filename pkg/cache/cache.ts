import type { JsonObject } from '../api/index.js';
import { revision as asRevision, type Revision, type World } from '../base/index.js';
import { type AppliedEvent, type Keyspace, prefixEnd, type RefusalReason, type Watch } from '../storage/index.js';
import { Collection, type ObservedChange } from './collection.js';
import { EncodingBudget } from './encodings.js';
import { cacheLimits } from './limits.js';
import { LabelSets } from './object.js';
import { SlabAllocator } from './slab.js';

export interface CacheOptions {
  readonly world: World;
  readonly keyspace: Keyspace;
  /** Everything below it is dispatched to the collections: `/registry/`. */
  readonly root: string;
  parse(bytes: Buffer): JsonObject;
  /** The stream of changes broke: what is cached can no longer be trusted to become current. */
  failed(why: string): void;
}

export interface CollectionRequest {
  /** `/registry/pods/`: below the root, ends in a slash, and no prefix begins with another. */
  readonly prefix: string;
  /** Values of the selectable fields, in the order in which selections number them. */
  fieldsOf(o: JsonObject): readonly string[];
  /** See `ObjectForm.upgrade`. */
  readonly upgrade?: (stored: Buffer) => Buffer | undefined;
}

/** A collection that has been filled and follows the keyspace, but is not yet the one that readers find. */
export interface PreparedCollection {
  /**
   * Makes it the collection of its prefix; watches on a former one end. False: the cache has begun anew meanwhile, and the
   * collection must be prepared again.
   */
  commit(): boolean;
  /** Drops it. */
  discard(): void;
}

/** Why a read cannot be served now. */
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
  /** False once the cache has begun anew: events may be missing. */
  valid: boolean;
}

interface Waiter {
  readonly revision: Revision;
  readonly resolve: () => void;
  readonly reject: (e: Error) => void;
}

/**
 * Current objects and recent events of all resources, on the serving thread, fed by one watch of the keyspace: one total order,
 * one applied revision.
 */
export class Cache {
  readonly #options: CacheOptions;
  readonly #collections = new Map<string, Collection>();
  /** What the collections are made from. */
  readonly #requests = new Map<string, CollectionRequest>();
  /** Collections that are being prepared: their changes wait. */
  readonly #preparing = new Set<Preparing>();
  #allocator = new SlabAllocator();
  readonly #labelSets = new LabelSets();
  readonly #encodings: EncodingBudget;
  #applied: Revision = asRevision(0);
  #watch: Watch | undefined;
  /** By revision, lowest first. */
  #waiters: Waiter[] = [];
  readonly #observers = new Set<(change: ObservedChange) => void>();
  #stopped: string | undefined;
  #reading: Promise<Revision> | undefined;
  #nextReading: Promise<Revision> | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#encodings = new EncodingBudget(options.world.clock);
  }

  /** Everything up to this revision is in the collections. */
  get applied(): Revision {
    return this.#applied;
  }

  /** Bytes of the objects held. */
  get bytes(): number {
    return this.#allocator.bytes;
  }

  /** Bytes of other encodings of theirs that are kept. */
  get encodingBytes(): number {
    return this.#encodings.bytes;
  }

  collection(prefix: string): Collection | undefined {
    return this.#collections.get(prefix);
  }

  /** Every collection there is. */
  collections(): Iterable<Collection> {
    return this.#collections.values();
  }

  /**
   * Calls `f` for every change, in order, as it is applied; it must be quick and may not keep the objects. After a reload, the changes
   * of one object that the cache missed are reported as one. Returns the function that ends it.
   */
  observe(f: (change: ObservedChange) => void): () => void {
    this.#observers.add(f);
    return () => this.#observers.delete(f);
  }

  /** Fills the collections from one state and follows the keyspace from there. */
  async open(requests: readonly CollectionRequest[]): Promise<void> {
    for (const r of requests) this.#requests.set(r.prefix, r);
    await this.#load();
  }

  async #load(): Promise<void> {
    const { keyspace, root } = this.#options;
    const first = await keyspace.range({ start: root, end: prefixEnd(root), limit: 1 });
    if (first.kind !== 'ok') throw new NotServed('stopping', `cannot read the keyspace: ${first.kind}`);
    const at = first.revision;
    // What is replaced keeps its own memory, and takes it along when nobody reads it any more.
    this.#allocator = new SlabAllocator();
    const filled: Collection[] = [];
    for (const r of [...this.#requests.values()]) filled.push(await this.#fill(r, at));
    if (this.#stopped !== undefined) throw new NotServed('stopping', this.#stopped);
    for (const c of filled) {
      const there = this.#collections.get(c.prefix);
      // Readers that wait hold on to the collection that they know: it stays, and becomes current.
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
   * This peer was away for longer than history is kept and was caught up by a snapshot, so the changes in between are unknown. The
   * cache starts over from the current state. Watches end, and their clients get 410 when they resume. Until then the old state stays, and
   * consistent reads wait.
   */
  async #reload(): Promise<void> {
    for (const p of this.#preparing) p.valid = false;
    this.#preparing.clear();
    let problem = '';
    for (let attempt = 0; attempt < cacheLimits.reloadAttempts && this.#stopped === undefined; attempt++) {
      try {
        return await this.#load();
      } catch (error) {
        problem = (error as Error).message;
      }
    }
    this.#end(`the stream of changes ended, and its beginning anew failed: ${problem}`);
  }

  /**
   * Fills a collection while the cache runs, beside the one that its prefix has now, if any. The caller commits it when
   * everything else that goes with it is ready, in one synchronous step.
   */
  async prepare(request: CollectionRequest): Promise<PreparedCollection> {
    const { prefix } = request;
    const preparing: Preparing = { prefix, waiting: [], valid: true };
    this.#preparing.add(preparing);
    const discard = (): void => void this.#preparing.delete(preparing);
    let filled: Collection;
    try {
      // Filled from the state that was applied last: the events applied from now on are all that it lacks.
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
        // Observers have seen these events already where there was a collection.
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

  /** Adds a collection while the cache runs; resolves when it is current. */
  async add(request: CollectionRequest): Promise<Collection> {
    for (;;) {
      const there = this.#collections.get(request.prefix);
      if (there !== undefined) return there;
      const prepared = await this.prepare(request);
      // Another caller may have been faster.
      if (this.#collections.has(request.prefix)) prepared.discard();
      else prepared.commit();
    }
  }

  remove(prefix: string): void {
    this.#collections.get(prefix)?.stop();
    this.#collections.delete(prefix);
    this.#requests.delete(prefix);
  }

  /** Resolves when everything up to `revision` is in; rejects with `NotServed` at `deadline` (monotonic milliseconds). */
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
   * Resolves when every write that was acknowledged anywhere before the call is in. Callers that come while a read-index round is
   * under way share the next one: its point in time lies after they came.
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
