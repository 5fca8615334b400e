// Checks a run while it happens. It knows only the guarantees of raft, not the algorithm (paper figure 3):
//
//   election safety        one leader in each term
//   leader completeness    a new leader has every entry that was committed in earlier terms
//   state-machine safety   no two peers apply different entries at the same index
//   linearizability        of all writes and reads, in real time
//   one successor          a leader asks no second successor to campaign while the first may still do so
//   durability             no acknowledged write is lost; none that was reported lost takes effect
//
// The checked object is the log of applied entries itself: the position of a write is its index, and a read sees the log up to an
// index. A history is therefore linearizable exactly if no operation has an index below that of an operation that ended before it
// began. One number, the highest index seen so far, decides that.

import type { Configuration, Entry, SnapshotMeta, TimeoutNow } from '../../raft/index.js';
import { decodeConfigEntry, sameConfiguration } from '../../raft/index.js';

export class CheckFailed extends Error {
  readonly check: string;

  constructor(check: string, message: string) {
    super(`${check}: ${message}`);
    this.name = 'CheckFailed';
    this.check = check;
  }
}

/** The state of the replicated state machine: the last index and a hash over all entries up to it. */
export interface Image {
  readonly index: number;
  readonly hash: number;
}

export const EMPTY_IMAGE: Image = { index: 0, hash: 0 };

export function applyEntry(image: Image, entry: Entry): Image {
  let hash = Math.imul(image.hash ^ entry.term, 0x01000193) ^ operationOf(entry);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) ^ entry.kind.length;
  return { index: entry.index, hash: hash >>> 0 };
}

/** Client operations are four unique bytes. 0 for entries that are not client operations. */
export function operationOf(entry: Entry): number {
  if (entry.kind !== 'normal') return 0;
  const { data } = entry;
  return ((data[0]! << 24) | (data[1]! << 16) | (data[2]! << 8) | data[3]!) >>> 0;
}

export function operationBytes(operation: number): Uint8Array {
  return new Uint8Array([operation >>> 24, operation >>> 16, operation >>> 8, operation]);
}

interface Applied {
  readonly entry: Entry;
  readonly image: Image;
  readonly by: number;
  /**
   * An upper bound of the term in which it was committed: the term of the first peer that applied it. May be far above the
   * entry's own.
   */
  readonly committedBy: number;
}

/** An operation in progress: its index must not be below `floor`. */
export interface Begun {
  readonly operation: number;
  readonly floor: number;
}

export class Checker {
  readonly #leaders = new Map<number, number>();
  /** By index - 1. */
  readonly #history: Applied[] = [];
  readonly #lost = new Set<number>();
  /** Each with the index at which it took effect, in ascending order. */
  readonly #configs: { readonly index: number; readonly config: Configuration }[];
  /** The newest request to campaign of each leader. */
  readonly #appointed = new Map<number, { readonly term: number; readonly to: number; readonly at: number }>();
  #seen = 0;
  #acknowledged = 0;

  /** @param founding the members of the new cluster. */
  constructor(founding: Configuration) {
    this.#configs = [{ index: 0, config: founding }];
  }

  /** The highest index of an acknowledged write. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The number of terms that had a leader. */
  get elections(): number {
    return this.#leaders.size;
  }

  /** The number of entries applied by any peer. */
  get length(): number {
    return this.#history.length;
  }

  /** The term of the entry applied at `index`. */
  termAt(index: number): number | undefined {
    return this.#history[index - 1]?.entry.term;
  }

  begin(operation: number): Begun {
    return { operation, floor: this.#seen };
  }

  writeDone(begun: Begun, index: number): void {
    if (index <= begun.floor) {
      throw new CheckFailed(
        'linearizability',
        `write ${begun.operation} took effect at ${index}, but ${begun.floor} was observed before it began`,
      );
    }
    this.#acknowledged = Math.max(this.#acknowledged, index);
    this.#seen = Math.max(this.#seen, index);
  }

  readDone(begun: Begun, index: number): void {
    if (index < begun.floor) {
      throw new CheckFailed(
        'linearizability',
        `a read returned ${index}, but ${begun.floor} was observed before it began`,
      );
    }
    this.#seen = Math.max(this.#seen, index);
  }

  /** The proposer learned that another entry has its position. */
  writeLost(begun: Begun): void {
    this.#lost.add(begun.operation);
  }

  leads(peer: number, term: number, termAt: (index: number) => number | undefined): void {
    const other = this.#leaders.get(term);
    if (other !== undefined && other !== peer) {
      throw new CheckFailed('election safety', `peers ${other} and ${peer} both lead term ${term}`);
    }
    if (other === peer) return;
    this.#leaders.set(term, peer);
    const last = this.#history.findLast(({ committedBy }) => committedBy < term)?.entry;
    if (last === undefined) return;
    const here = termAt(last.index);
    if (here !== last.term) {
      throw new CheckFailed(
        'leader completeness',
        `leader ${peer} of term ${term} has term ${here} at ${last.index}, where an entry of term ${last.term} was committed before`,
      );
    }
  }

  /** A leader asks a successor to campaign. `patience`: the least time after which it may ask another one. */
  appoints(
    { from, to, term }: TimeoutNow,
    { now, patience }: { readonly now: number; readonly patience: number },
  ): void {
    const before = this.#appointed.get(from);
    this.#appointed.set(from, { term, to, at: now });
    if (before === undefined || before.term !== term || before.to === to || now - before.at >= patience) return;
    throw new CheckFailed(
      'one successor',
      `leader ${from} of term ${term} asks ${to} to campaign ${now - before.at} after ${before.to}`,
    );
  }

  /** `term` is the current term of the peer. Returns the state after the entry. */
  applies(peer: number, before: Image, entry: Entry, term: number): Image {
    if (entry.index !== before.index + 1) {
      throw new CheckFailed('state-machine safety', `peer ${peer} applies ${entry.index} after ${before.index}`);
    }
    const after = applyEntry(before, entry);
    const known = this.#history[entry.index - 1];
    if (known === undefined) {
      if (entry.index !== this.#history.length + 1) {
        throw new CheckFailed(
          'state-machine safety',
          `peer ${peer} applies ${entry.index}, but no peer applied ${entry.index - 1}`,
        );
      }
      this.#history.push({ entry, image: after, by: peer, committedBy: term });
      if (entry.kind === 'config') this.#configs.push({ index: entry.index, config: decodeConfigEntry(entry).config });
    } else if (known.entry.term !== entry.term || known.image.hash !== after.hash) {
      throw new CheckFailed(
        'state-machine safety',
        `at ${entry.index} peer ${peer} applies ${describe(entry)}, peer ${known.by} applied ${describe(known.entry)}`,
      );
    }
    return after;
  }

  /** A peer installed the state of another, or restarted with its own. */
  restores(peer: number, image: Image): void {
    if (image.index === 0) return;
    if (this.#history[image.index - 1]?.image.hash !== image.hash) {
      throw new CheckFailed(
        'state-machine safety',
        `peer ${peer} restored a state at ${image.index} that no other peer has`,
      );
    }
  }

  /** A peer reports the term at an applied index: of a snapshot, or of the new base of its log. */
  standsFor(peer: number, { index, term, config }: SnapshotMeta): void {
    if (index === 0) return;
    const known = this.#history[index - 1];
    if (known?.entry.term !== term) {
      throw new CheckFailed('state-machine safety', `peer ${peer} reports that ${index} has term ${term}`);
    }
    const inForce = this.#configs.findLast((placed) => placed.index <= index)!.config;
    if (!sameConfiguration(config, inForce)) {
      throw new CheckFailed(
        'membership',
        `peer ${peer} reports that ${JSON.stringify(config)} was in force at ${index}; it was ${JSON.stringify(inForce)}`,
      );
    }
  }

  /** Called at the end, when every member has applied everything. */
  atEnd(applied: number): void {
    if (applied < this.#acknowledged) {
      throw new CheckFailed(
        'durability',
        `write at ${this.#acknowledged} was acknowledged, but the log ends at ${applied}`,
      );
    }
    for (const { entry } of this.#history) {
      const operation = operationOf(entry);
      if (operation !== 0 && this.#lost.has(operation)) {
        throw new CheckFailed(
          'durability',
          `operation ${operation} was reported lost, but took effect at ${entry.index}`,
        );
      }
    }
  }
}

function describe(entry: Entry): string {
  return `${entry.kind} ${operationOf(entry)} of term ${entry.term}`;
}

/** The log of one peer. */
export interface LogView {
  readonly peer: number;
  readonly first: number;
  readonly last: number;
  readonly entry: (index: number) => Entry | undefined;
}

/** Log matching (paper 5.3): where two logs agree on a term, they agree on that entry and all before it. */
export function checkLogMatching(a: LogView, b: LogView): void {
  let agreed = false;
  for (let index = Math.min(a.last, b.last); index >= Math.max(a.first, b.first); index--) {
    const x = a.entry(index)!;
    const y = b.entry(index)!;
    const same = x.term === y.term && x.kind === y.kind && operationOf(x) === operationOf(y);
    if (x.term === y.term ? !same : agreed) {
      throw new CheckFailed(
        'log matching',
        `peers ${a.peer} and ${b.peer} differ at ${index}: ${describe(x)}, ${describe(y)}`,
      );
    }
    agreed ||= same;
  }
}
