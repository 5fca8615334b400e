import type { ObjectInput, ObjectOutput, Operation } from './linearizable.js';

export type ObjectOperation = Operation<ObjectInput, ObjectOutput> & { readonly by: string };

/** A consistent list: its revision and time. */
export interface SeenRevision {
  readonly called: number;
  readonly returned: number;
  readonly revision: number;
  readonly by: string;
}

export interface WatchEvent {
  readonly kind: 'put' | 'delete' | 'bookmark';
  readonly key: string;
  readonly value: string;
  readonly revision: number;
}

/** The events of one watcher, in order of arrival. They are complete from `from` on, over any number of connections. */
export interface WatchRun {
  readonly by: string;
  readonly from: number;
  readonly events: WatchEvent[];
  /** It got 410 after all events up to here. */
  to?: number;
}

/** Everything that the clients of one run did and observed. */
export class History {
  readonly operations = new Map<string, ObjectOperation[]>();
  readonly revisions: SeenRevision[] = [];
  readonly watches: WatchRun[] = [];
  /** Counts by outcome. */
  readonly counts: Record<string, number> = {};

  add(key: string, operation: ObjectOperation): void {
    const there = this.operations.get(key);
    if (there === undefined) this.operations.set(key, [operation]);
    else there.push(operation);
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}
