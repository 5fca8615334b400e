// Checks what clients and watchers of the simulated peers saw. It knows only the guarantees of a keyspace:
//
//   agreement         every peer shows the same changes at the same revision, and every watch shows all of them, in order, once
//   durability        a committed write is among the changes, at the revision in the response; a refused one is not
//   linearizability   an operation sees everything that had ended before it began
//   reads             a range at revision R has exactly the state after the changes up to R
//
// Revisions order all writes, so one number decides linearizability: the highest revision that any completed operation saw. An
// operation that begins later must not be below it.

import type { AppliedEvent, KeyValue } from '../../../pkg/storage/index.js';
import { CheckFailed } from '../checker.js';

/** An operation in progress, and the highest revision seen when it began. */
export interface Begun {
  readonly id: number;
  readonly floor: number;
}

export type WriteOutcome =
  | { readonly kind: 'committed'; readonly revision: number }
  | { readonly kind: 'conflict' | 'refused' | 'unknown' };

interface KeyState {
  readonly value: string;
  readonly modRevision: number;
  readonly createRevision: number;
}

interface ReadSeen {
  readonly revision: number;
  readonly items: readonly KeyValue[];
  readonly by: string;
}

/** The events of one watch. */
export class WatchLog {
  readonly peer: string;
  readonly after: number;
  last: number;
  readonly revisions: number[] = [];

  constructor(peer: string, after: number) {
    this.peer = peer;
    this.after = after;
    this.last = after;
  }
}

/** The state that a history begins with: what a restored snapshot held. */
export interface HistoryBase {
  readonly before: History;
  readonly items: readonly KeyValue[];
  /** Revisions of the restored cluster are greater. */
  readonly revision: number;
}

export class History {
  readonly #base: HistoryBase | undefined;
  /** Writes whose value expires. */
  readonly #expiring: Set<string>;
  /** Changes by revision, as comparable text. */
  readonly #changes = new Map<number, { readonly text: string; readonly by: string; readonly event: AppliedEvent }>();
  readonly #outcomes = new Map<number, WriteOutcome>();
  readonly #reads: ReadSeen[] = [];
  readonly #watches: WatchLog[] = [];
  #lastId = 0;
  #seen = 0;
  #newest = 0;
  committed = 0;
  readsServed = 0;

  constructor(base?: HistoryBase) {
    this.#base = base;
    this.#expiring = base === undefined ? new Set() : base.before.#expiring;
    if (base === undefined) return;
    this.#lastId = base.before.#lastId;
    this.#seen = base.revision;
    this.committed = base.before.committed;
    this.readsServed = base.before.readsServed;
  }

  /** The restored snapshot that it began with, if any. */
  get base(): HistoryBase | undefined {
    return this.#base;
  }

  /** The newest revision that any watch delivered. */
  get newest(): number {
    return this.#newest;
  }

  begin(): Begun {
    return { id: ++this.#lastId, floor: this.#seen };
  }

  /** The value of write `id` expires. */
  expires(id: number): void {
    this.#expiring.add(`w${id}`);
  }

  wrote({ id, floor }: Begun, outcome: WriteOutcome): void {
    this.#outcomes.set(id, outcome);
    if (outcome.kind !== 'committed') return;
    const { revision } = outcome;
    if (revision <= floor) {
      throw new CheckFailed(
        'linearizability',
        `write ${id} was committed at ${revision}, but ${floor} had been observed before it began`,
      );
    }
    this.committed++;
    this.#seen = Math.max(this.#seen, revision);
  }

  /** `readIndex` returned `index`, and a range after it returned these items as of `revision`. */
  read({ floor }: Begun, index: number, revision: number, items: readonly KeyValue[], by: string): void {
    if (index < floor) {
      throw new CheckFailed(
        'linearizability',
        `${by} read at ${index}, but ${floor} had been observed before it began`,
      );
    }
    if (revision < index) {
      throw new CheckFailed('linearizability', `${by} served a read of ${index} from the state at ${revision}`);
    }
    this.readsServed++;
    this.#seen = Math.max(this.#seen, index);
    this.#reads.push({ revision, items, by });
  }

  /** A range at `revision`, which need not be the newest, returned these items. */
  readPast(revision: number, items: readonly KeyValue[], by: string): void {
    if (this.#base !== undefined && revision < this.#base.revision) {
      throw new CheckFailed('reads', `${by} served ${revision}, but history was dropped up to ${this.#base.revision}`);
    }
    this.#reads.push({ revision, items, by });
  }

  watch(peer: string, after: number): WatchLog {
    const log = new WatchLog(peer, after);
    this.#watches.push(log);
    return log;
  }

  saw(watch: WatchLog, event: AppliedEvent): void {
    const { revision } = event;
    if (revision <= watch.last) {
      throw new CheckFailed('agreement', `a watch of ${watch.peer} showed ${revision} after ${watch.last}`);
    }
    watch.last = revision;
    watch.revisions.push(revision);
    const text = event.changes
      .map((change) =>
        change.kind === 'put'
          ? `put ${change.current.key}@${change.current.createRevision}=${Buffer.from(change.current.value).toString()}`
          : `delete ${change.key}`,
      )
      .join('; ');
    const known = this.#changes.get(revision);
    if (known === undefined) {
      this.#changes.set(revision, { text, by: watch.peer, event });
      this.#newest = Math.max(this.#newest, revision);
    } else if (known.text !== text) {
      throw new CheckFailed(
        'agreement',
        `at ${revision} ${watch.peer} shows '${text}', ${known.by} showed '${known.text}'`,
      );
    }
  }

  progressed(watch: WatchLog, revision: number): void {
    watch.last = Math.max(watch.last, revision);
  }

  /** The state after all changes up to `revision`. */
  #states(): (revision: number) => ReadonlyMap<string, KeyState> {
    const revisions = [...this.#changes.keys()].sort((a, b) => a - b);
    const state = new Map<string, KeyState>();
    for (const { key, value, modRevision, createRevision } of this.#base?.items ?? []) {
      state.set(key, { value: Buffer.from(value).toString(), modRevision, createRevision });
    }
    let next = 0;
    let last = 0;
    return (revision) => {
      if (revision < last) throw new Error('states are requested in order');
      last = revision;
      for (; next < revisions.length && revisions[next]! <= revision; next++) {
        const at = revisions[next]!;
        for (const change of this.#changes.get(at)!.event.changes) {
          if (change.kind === 'delete') {
            this.#checkExpired(change.key, at, state.get(change.key)?.value);
            state.delete(change.key);
            continue;
          }
          const { key, value } = change.current;
          const createRevision = state.get(key)?.createRevision ?? at;
          state.set(key, { value: Buffer.from(value).toString(), modRevision: at, createRevision });
        }
      }
      return state;
    };
  }

  /** Keys below `/e` are deleted only when their value expires. */
  #checkExpired(key: string, at: number, value: string | undefined): void {
    if (!key.startsWith('/e') || (value !== undefined && this.#expiring.has(value))) return;
    throw new CheckFailed('expiry', `${key} was deleted at ${at}, but its value ${value} does not expire`);
  }

  /**
   * Called at the end, when every member has applied everything.
   *
   * @param upTo the revision of the snapshot from which the cluster was restored: what followed is lost
   */
  atEnd(upTo = Number.POSITIVE_INFINITY): void {
    const written = new Map<string, number>();
    for (const [revision, { event }] of this.#changes) {
      for (const change of event.changes) {
        if (change.kind === 'put') written.set(Buffer.from(change.current.value).toString(), revision);
      }
    }
    for (const [id, outcome] of this.#outcomes) {
      const at = written.get(`w${id}`);
      if (outcome.kind === 'committed' && outcome.revision <= upTo && at !== outcome.revision) {
        throw new CheckFailed(
          'durability',
          `write ${id} was committed at ${outcome.revision}; found ${at ?? 'nothing'}`,
        );
      }
      if ((outcome.kind === 'refused' || outcome.kind === 'conflict') && at !== undefined) {
        throw new CheckFailed('durability', `write ${id} has the outcome ${outcome.kind}, and is at ${at}`);
      }
    }
    const stateAt = this.#states();
    for (const { revision, items, by } of this.#reads.sort((a, b) => a.revision - b.revision)) {
      if (revision > upTo) break;
      compare(`a read of ${by} at ${revision}`, items, stateAt(revision));
    }
    const all = [...this.#changes.keys()].sort((a, b) => a - b);
    if (upTo < Number.POSITIVE_INFINITY) return;
    for (const { peer, after, last, revisions } of this.#watches) {
      const expected = all.filter((revision) => revision > after && revision <= last);
      if (expected.length !== revisions.length || expected.some((revision, i) => revision !== revisions[i])) {
        const missing = expected.find((revision) => !revisions.includes(revision));
        throw new CheckFailed('agreement', `a watch of ${peer} from ${after} to ${last} omitted ${missing}`);
      }
    }
  }

  /** Checks the state of a peer at a revision. */
  checkState(by: string, revision: number, items: readonly KeyValue[]): void {
    compare(`the state of ${by} at ${revision}`, items, this.#states()(revision));
  }
}

function compare(what: string, items: readonly KeyValue[], state: ReadonlyMap<string, KeyState>): void {
  const expected = [...state].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, of]) => text(key, of.value, of));
  const found = items.map((item) => text(item.key, Buffer.from(item.value).toString(), item));
  if (expected.join('\n') === found.join('\n')) return;
  throw new CheckFailed('reads', `${what} is [${found.join(', ')}], expected [${expected.join(', ')}]`);
}

function text(
  key: string,
  value: string,
  at: { readonly createRevision: number; readonly modRevision: number },
): string {
  return `${key}=${value}@${at.createRevision}/${at.modRevision}`;
}
