import type { Revision } from '../../base/index.js';
import type { Engine } from '../engine/engine.js';
import { corrupt } from '../errors.js';
import type { AppliedEvent, Change, KeyValue } from '../keyspace.js';
import { pageBytesMax, pageRowsMax, pageVisitsMax } from '../limits.js';
import { type Row, type RowAt, readRow, readRowKey, rowKinds, rowRange } from './row.js';
import { rowKeys } from './state.js';
import type { Versions } from './versions.js';

/** Lets other work of this thread run. */
export type YieldThread = () => Promise<void>;

/** Pages between two yields: an in-memory engine responds without leaving the thread. */
const pagesPerYield = 4;

export interface KeyRange {
  readonly start: string;
  readonly end: string;
}

export interface RangePage {
  readonly items: readonly KeyValue[];
  /** On the last page only: whether the limit truncated the result. */
  readonly more: boolean;
}

export interface ChangesPage {
  readonly events: readonly AppliedEvent[];
  /** Everything in range up to this revision has been returned. */
  readonly through: Revision;
}

/** The changes of one revision in range, and the place of each previous version. */
interface Group {
  readonly revision: Revision;
  readonly changes: Change[];
  readonly before: RowAt[];
}

/** Reads values at places. Throws a `StoreError`, `corrupt`, if the engine returns other bytes than were written. */
export class Reader {
  readonly #name: string;
  readonly #engine: Engine;
  readonly #versions: Versions;
  readonly #yieldThread: YieldThread;

  constructor(name: string, engine: Engine, versions: Versions, yieldThread: YieldThread) {
    this.#name = name;
    this.#engine = engine;
    this.#versions = versions;
    this.#yieldThread = yieldThread;
  }

  /**
   * Returns the key-values in range at `revision`, page by page; the next page is read while one is used. The caller
   * keeps the revision readable meanwhile.
   */
  async *range(range: KeyRange, revision: number, limit: number): AsyncGenerator<RangePage, void, void> {
    const walk = new Walk(this.#versions, range, revision, limit);
    let ahead: Promise<readonly KeyValue[]> | undefined;
    for (let pages = 1; !walk.done; pages++) {
      const places = walk.next();
      const reading = places.length > 0 ? this.#keyValues(places) : undefined;
      // If the page is never requested, its rejection must not count as unhandled.
      reading?.catch(() => undefined);
      if (ahead !== undefined) yield { items: await ahead, more: false };
      if (pages % pagesPerYield === 0) await this.#yieldThread();
      ahead = reading;
    }
    yield { items: ahead === undefined ? [] : await ahead, more: walk.more };
  }

  /** Returns events in range with revisions above `after` and not above `through`, from the current rows. */
  async *changes(
    range: KeyRange,
    after: number,
    through: number,
    previous: boolean,
  ): AsyncGenerator<ChangesPage, void, void> {
    const scan = this.#engine.scan(rowRange(after, through));
    try {
      let groups: Group[] = [];
      let pages = 0;
      for (let page = await scan.next(); page !== undefined; page = await scan.next()) {
        for (const [i, key] of page.keys.entries()) {
          const at = this.#place(key);
          const row = this.#row(at, page.values[i]!);
          if (groups.at(-1)?.revision !== at.revision) {
            groups.push({ revision: at.revision as Revision, changes: [], before: [] });
          }
          if (row.key < range.start || row.key >= range.end) continue;
          groups.at(-1)!.changes.push(changeOf(at, row));
          groups.at(-1)!.before.push(row.previous);
        }
        // Only the next page shows whether the last revision is complete.
        const whole = groups.slice(0, -1);
        groups = groups.slice(-1);
        const events = await this.#eventsOf(whole, previous);
        if (events.length > 0) yield { events, through: events.at(-1)!.revision };
        if (++pages % pagesPerYield === 0) await this.#yieldThread();
      }
      yield { events: await this.#eventsOf(groups, previous), through: through as Revision };
    } finally {
      await scan.close();
    }
  }

  /** The same events with `previous` filled. `before` is parallel to them; its rows have not been swept. */
  async withPrevious(
    events: readonly AppliedEvent[],
    before: readonly (readonly RowAt[])[],
  ): Promise<readonly AppliedEvent[]> {
    const places = before.flat().filter(({ revision }) => revision > 0);
    if (places.length === 0) return events;
    const values = await this.#keyValues(places);
    let next = 0;
    return events.map((event, i) => ({
      revision: event.revision,
      changes: event.changes.map((change, j) =>
        before[i]![j]!.revision > 0 ? { ...change, previous: values[next++]! } : change,
      ),
    }));
  }

  async #eventsOf(groups: readonly Group[], previous: boolean): Promise<readonly AppliedEvent[]> {
    const seen = groups.filter(({ changes }) => changes.length > 0);
    const events = seen.map(({ revision, changes }) => ({ revision, changes }));
    if (!previous) return events;
    return this.withPrevious(
      events,
      seen.map(({ before }) => before),
    );
  }

  async #keyValues(places: readonly RowAt[]): Promise<readonly KeyValue[]> {
    const found = await this.#engine.getMany(rowKeys(places));
    return places.map((at, i) => {
      const bytes = found[i];
      if (bytes === undefined) throw corrupt(this.#name, `row ${at.revision}.${at.sequence} is missing`);
      return keyValueOf(at, this.#row(at, bytes));
    });
  }

  #place(key: Buffer): RowAt {
    const at = readRowKey(key);
    if (at === undefined) throw corrupt(this.#name, `a stray key ${key.toString('hex')}`);
    return at;
  }

  #row(at: RowAt, bytes: Buffer): Row {
    const row = readRow(at, bytes);
    if (row === undefined) throw corrupt(this.#name, `row ${at.revision}.${at.sequence} fails its checksum`);
    return row;
  }
}

/** Iterates over the key index in bounded steps and collects the places of values. */
class Walk {
  readonly #versions: Versions;
  readonly #end: string;
  readonly #revision: number;
  #start: string;
  #left: number;
  #done = false;
  #more = false;

  constructor(versions: Versions, { start, end }: KeyRange, revision: number, limit: number) {
    this.#versions = versions;
    this.#start = start;
    this.#end = end;
    this.#revision = revision;
    this.#left = limit;
  }

  get done(): boolean {
    return this.#done;
  }

  /** Whether a key beyond the limit exists; known when done. */
  get more(): boolean {
    return this.#more;
  }

  /** Returns the places of the next page; empty if a step found nothing, which is not yet the end. */
  next(): RowAt[] {
    const places: RowAt[] = [];
    let bytes = 0;
    let visits = 0;
    let last = '';
    let cut = false;
    this.#versions.scan(this.#start, this.#end, this.#revision, (key, version) => {
      if (version !== undefined && this.#left === 0) {
        this.#more = true;
        return false;
      }
      last = key;
      if (version !== undefined) {
        places.push(version);
        bytes += version.bytes;
        this.#left--;
      }
      cut = places.length >= pageRowsMax || bytes >= pageBytesMax || ++visits >= pageVisitsMax;
      return !cut;
    });
    this.#done = !cut;
    this.#start = `${last}\0`;
    return places;
  }
}

function changeOf(at: RowAt, row: Row): Change {
  return row.kind === rowKinds.delete
    ? { kind: 'delete', key: row.key }
    : { kind: 'put', current: keyValueOf(at, row) };
}

function keyValueOf(at: RowAt, row: Row): KeyValue {
  return {
    key: row.key,
    value: row.value,
    createRevision: row.createRevision as Revision,
    modRevision: at.revision as Revision,
  };
}
