import { invariant, type Revision } from '../../base/index.js';
import type { EngineBatch } from '../engine/engine.js';
import type { AppliedEvent, Change, KeyValue, Txn } from '../keyspace.js';
import { decodeEntry } from './entry.js';
import { StateHash, Tally } from './hash.js';
import type { Meta } from './meta.js';
import { type Row, type RowAt, rowBytes, rowKey, rowKeyBytes, rowKinds, writeRow, writeRowKey } from './row.js';
import { Versions } from './versions.js';

/** The result of one entry. The same on every peer. */
export type ApplyResult =
  | { readonly kind: 'committed'; readonly revision: Revision }
  /** The first compare that was false; nothing was changed. */
  | { readonly kind: 'conflict'; readonly revision: Revision; readonly key: string }
  /** The bytes are not an entry. Nothing was changed. */
  | { readonly kind: 'malformed'; readonly revision: Revision; readonly message: string }
  /** An entry without data: the log uses indexes for its own entries too. */
  | { readonly kind: 'noop'; readonly revision: Revision }
  | ({ readonly kind: 'checked'; readonly revision: Revision } & StateHashes);

/** The result of a `check` entry. */
export interface StateHashes {
  /** Over everything applied up to here, and over the newest version of every key. */
  readonly hash: string;
  /** Over all readable rows, including older versions; empty if that was too much work. */
  readonly history: string;
}

/** Decided events: `previous[i][j]` is the place of the version before `events[i].changes[j]`; revision 0: none. */
export interface Decided {
  readonly events: AppliedEvent[];
  readonly previous: (readonly RowAt[])[];
}

const noValue = new Uint8Array(0);
const keyScratch = Buffer.allocUnsafeSlow(rowKeyBytes);

/**
 * The replicated state machine: synchronous, deterministic and total. `decide` evaluates one entry of the log against memory, records the
 * result there and adds the rows to a batch, which the caller writes. It neither reads the engine nor waits for it.
 */
export class State {
  readonly versions = new Versions();
  readonly #tally: Tally;
  readonly #hash: StateHash;
  #decided: number;
  #compacted: number;
  #swept: number;

  constructor(meta: Meta) {
    this.#tally = new Tally(meta);
    this.#hash = new StateHash(meta.chain);
    this.#decided = meta.applied;
    this.#compacted = meta.compacted;
    this.#swept = meta.swept;
  }

  /** Index of the last entry decided. */
  get decided(): number {
    return this.#decided;
  }

  get compacted(): number {
    return this.#compacted;
  }

  /** Bytes of all rows, history included. */
  get bytes(): number {
    return this.#tally.bytes;
  }

  /** The state after the last decision. */
  meta(): Meta {
    return {
      applied: this.#decided,
      compacted: this.#compacted,
      swept: this.#swept,
      chain: this.#hash.toString(),
      rows: this.#tally.rows,
      bytes: this.#tally.bytes,
      tally: this.#tally.toString(),
    };
  }

  /**
   * Applies the entry at `index`, which is above every index before it. Its event, if any, goes to `decided`.
   * `data` must not change afterwards: values in events are views of it.
   */
  decide(index: number, data: Buffer, batch: EngineBatch, decided: Decided): ApplyResult {
    invariant(Number.isSafeInteger(index) && index > this.#decided, `entry ${index} after entry ${this.#decided}`);
    this.#decided = index;
    const revision = index as Revision;
    if (data.length === 0) return { kind: 'noop', revision };
    const entry = decodeEntry(data);
    switch (entry.kind) {
      case 'txn':
        return this.#txn(revision, entry.txn, batch, decided);
      case 'compact':
        this.#compact(revision, entry.revision);
        return { kind: 'committed', revision };
      case 'check':
        return {
          kind: 'checked',
          revision,
          hash: `${this.#hash}${this.versions.content}`,
          history: this.versions.history(this.#compacted),
        };
      case 'malformed':
        return { kind: 'malformed', revision, message: entry.message };
    }
  }

  #txn(revision: Revision, { compares, ops }: Txn, batch: EngineBatch, decided: Decided): ApplyResult {
    for (const { key, modRevision } of compares) {
      if (this.versions.modRevision(key) !== modRevision) return { kind: 'conflict', revision, key };
    }
    const changes: Change[] = [];
    const previous: RowAt[] = [];
    for (const op of ops) {
      const at: RowAt = { revision, sequence: changes.length };
      const before = this.versions.before(op.key, revision);
      if (op.kind === 'delete') {
        // Deleting an absent key changes nothing and makes no event.
        if (before.previous.revision === 0) continue;
        this.#write(at, rowKinds.delete, op.key, noValue, 0, before.previous, 0, batch);
        changes.push({ kind: 'delete', key: op.key });
      } else {
        const createRevision = before.createRevision as Revision;
        this.#write(at, rowKinds.put, op.key, op.value, createRevision, before.previous, op.expiresAt ?? 0, batch);
        const current: KeyValue = { key: op.key, value: op.value, createRevision, modRevision: revision };
        changes.push({ kind: 'put', current });
      }
      previous.push(before.previous);
    }
    if (changes.length > 0) {
      decided.events.push({ revision, changes });
      decided.previous.push(previous);
    }
    return { kind: 'committed', revision };
  }

  #write(
    at: RowAt,
    kind: Row['kind'],
    key: string,
    value: Uint8Array,
    createRevision: number,
    previous: RowAt,
    expiresAt: number,
    batch: EngineBatch,
  ): void {
    const { bytes, crc } = writeRow(at, kind, createRevision, previous, expiresAt, key, value);
    batch.put(writeRowKey(keyScratch, at.revision, at.sequence), bytes);
    const size = rowBytes(key.length, value.length);
    this.versions.record(at, { kind, key, createRevision, expiresAt, crc }, size);
    this.#tally.add(at, size);
    this.#hash.add(at.revision, crc);
  }

  #compact(index: number, revision: number): void {
    // A revision that is not applied cannot be compacted, and the compacted revision never decreases.
    if (revision > index || revision <= this.#compacted) return;
    this.#compacted = revision;
    this.#hash.add(index, revision | 0);
  }

  /** Deletes some of the rows that changes up to `through` superseded. This affects only the disk of this peer. */
  sweep(through: number, rowsMax: number, batch: EngineBatch): void {
    invariant(through <= this.#compacted, 'only compacted history is swept');
    this.#swept = this.versions.sweep(through, rowsMax, (at, bytes) => {
      batch.delete(writeRowKey(keyScratch, at.revision, at.sequence));
      this.#tally.remove(at, bytes);
    });
  }

  /** Reports whether `sweep(through)` has work to do. */
  canSweep(through: number): boolean {
    return this.versions.canSweep(through);
  }
}

/**
 * Rebuilds a state in memory from its rows, in order, and checks that they match the meta row. Each method returns a problem, or undefined.
 */
export class Loader {
  readonly state: State;
  readonly #meta: Meta;
  readonly #found = new Tally({ rows: 0, bytes: 0, tally: '0'.repeat(16) });

  constructor(meta: Meta) {
    this.#meta = meta;
    this.state = new State(meta);
  }

  row(at: RowAt, row: Row): string | undefined {
    const { versions } = this.state;
    const size = rowBytes(row.key.length, row.value.length);
    this.#found.add(at, size);
    if (at.revision > this.#meta.applied)
      return `row ${at.revision} lies above the applied index ${this.#meta.applied}`;
    if (at.revision <= this.#meta.swept) {
      const lone = row.kind === rowKinds.put && versions.load(at, row, size);
      return lone ? undefined : `row ${at.revision} should have been compacted`;
    }
    const { previous } = versions.before(row.key, at.revision);
    if (previous.revision !== row.previous.revision || previous.sequence !== row.previous.sequence) {
      return `row ${at.revision} follows row ${row.previous.revision}, but row ${previous.revision} was found`;
    }
    versions.record(at, row, size);
    return undefined;
  }

  end(): string | undefined {
    const { rows, bytes, tally } = this.#meta;
    if (this.#found.rows !== rows || this.#found.bytes !== bytes || this.#found.toString() !== tally) {
      return `${this.#found.rows} rows of ${this.#found.bytes} bytes found, ${rows} of ${bytes} expected`;
    }
    return undefined;
  }
}

/** Identifies the engine keys of rows, for tests and inspection. */
export function rowKeys(places: readonly RowAt[]): Buffer[] {
  return places.map(({ revision, sequence }) => rowKey(revision, sequence));
}
