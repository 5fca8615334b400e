import { invariant, type Revision, revision, type World } from '../base/index.js';
import type {
  AppliedEvent,
  Change,
  HistoryError,
  Keyspace,
  KeyspaceStatus,
  KeyValue,
  RangeRequest,
  RangeResult,
  ReadIndexResult,
  Txn,
  TxnResult,
  Watch,
  WatchRequest,
  WatchSink,
} from './keyspace.js';
import { txnBytesMax } from './limits.js';

/**
 * The simplest possible keyspace: every version of every key in an array, every event in a list. It is the oracle of the property tests, so
 * it shares no code with the real implementations. It is slow and frees nothing.
 */
interface Version {
  readonly revision: Revision;
  /** Absent: the key was deleted at this revision. */
  readonly current?: KeyValue;
  readonly expiresAt?: number;
}

interface Watcher {
  readonly request: WatchRequest;
  readonly sink: WatchSink;
}

class ModelKeyspace implements Keyspace {
  readonly #versions = new Map<string, Version[]>();
  readonly #log: AppliedEvent[] = [];
  readonly #watchers = new Set<Watcher>();
  #applied = revision(0);
  #compacted = revision(0);
  #stopped = false;
  readonly #stopExpiry: () => void;

  constructor(world: World) {
    this.#stopExpiry = world.timers.every(1000, () => this.#expire(world.clock.now()));
  }

  async txn(txn: Txn): Promise<TxnResult> {
    if (this.#stopped) return { kind: 'refused', reason: 'stopping', message: 'the keyspace is closed' };
    const bytes = txn.ops.reduce((sum, op) => sum + (op.kind === 'put' ? op.value.length : 0), 0);
    if (bytes > txnBytesMax) return { kind: 'refused', reason: 'tooLarge', message: `${bytes} bytes` };
    return this.#apply(txn);
  }

  async readIndex(): Promise<ReadIndexResult> {
    if (this.#stopped) return { kind: 'refused', reason: 'stopping', message: 'the keyspace is closed' };
    return { kind: 'ok', revision: this.#applied };
  }

  async range(request: RangeRequest): Promise<RangeResult> {
    const at = request.revision ?? this.#applied;
    const gone = this.#unreadable(at);
    if (gone !== undefined) return gone;
    const all: KeyValue[] = [];
    for (const [key, versions] of this.#versions) {
      if (key < request.start || key >= request.end) continue;
      const current = versions.findLast((v) => v.revision <= at)?.current;
      if (current !== undefined) all.push(current);
    }
    all.sort((a, b) => (a.key < b.key ? -1 : 1));
    const limit = request.limit ?? all.length;
    return { kind: 'ok', revision: at, items: all.slice(0, limit), more: all.length > limit };
  }

  watch(request: WatchRequest, sink: WatchSink): Watch {
    const watcher: Watcher = { request, sink };
    let cancelled = false;
    queueMicrotask(() => {
      if (cancelled) return;
      if (this.#stopped) return sink.end({ kind: 'stopped', message: 'the keyspace is closed' });
      if (request.after < this.#compacted) return sink.end({ kind: 'compacted', oldest: this.#compacted });
      this.#deliver(
        watcher,
        this.#log.filter((e) => e.revision > request.after),
      );
      sink.progress?.(this.#applied);
      this.#watchers.add(watcher);
    });
    return {
      cancel: () => {
        cancelled = true;
        this.#watchers.delete(watcher);
      },
    };
  }

  async compact(at: Revision): Promise<TxnResult> {
    if (this.#stopped) return { kind: 'refused', reason: 'stopping', message: 'the keyspace is closed' };
    const now = this.#next();
    // Revisions above the applied one cannot be compacted, and the compacted revision never decreases.
    if (at > this.#compacted && at <= now) this.#compacted = at;
    for (const watcher of this.#watchers) watcher.sink.progress?.(now);
    return { kind: 'committed', revision: now };
  }

  status(): KeyspaceStatus {
    let bytes = 0;
    for (const versions of this.#versions.values()) {
      for (const v of versions) bytes += v.current?.value.length ?? 0;
    }
    return {
      applied: this.#applied,
      compacted: this.#compacted,
      isLeader: true,
      hasLeader: true,
      sizeBytes: bytes,
      sizeInUseBytes: bytes,
    };
  }

  async close(): Promise<void> {
    this.#stopped = true;
    this.#stopExpiry();
    for (const { sink } of this.#watchers) sink.end({ kind: 'stopped', message: 'the keyspace is closed' });
    this.#watchers.clear();
  }

  #next(): Revision {
    this.#applied = revision(this.#applied + 1);
    return this.#applied;
  }

  #latest(key: string): Version | undefined {
    return this.#versions.get(key)?.at(-1);
  }

  #apply(txn: Txn): TxnResult {
    const at = this.#next();
    for (const { key, modRevision } of txn.compares) {
      if ((this.#latest(key)?.current?.modRevision ?? 0) !== modRevision) {
        for (const watcher of this.#watchers) watcher.sink.progress?.(at);
        return { kind: 'conflict', revision: at, key };
      }
    }
    const changes: Change[] = [];
    for (const op of txn.ops) {
      const previous = this.#latest(op.key)?.current;
      if (op.kind === 'delete' && previous === undefined) continue;
      const versions = this.#versions.get(op.key) ?? [];
      this.#versions.set(op.key, versions);
      invariant(versions.at(-1)?.revision !== at, `key ${op.key} occurs twice in one transaction`);
      const rest = previous === undefined ? {} : { previous };
      if (op.kind === 'delete') {
        versions.push({ revision: at });
        changes.push({ kind: 'delete', key: op.key, ...rest });
        continue;
      }
      const current: KeyValue = {
        key: op.key,
        value: Uint8Array.from(op.value),
        createRevision: previous?.createRevision ?? at,
        modRevision: at,
      };
      versions.push({ revision: at, current, ...(op.expiresAt === undefined ? {} : { expiresAt: op.expiresAt }) });
      changes.push({ kind: 'put', current, ...rest });
    }
    if (changes.length > 0) this.#log.push({ revision: at, changes });
    for (const watcher of this.#watchers) {
      if (changes.length > 0) this.#deliver(watcher, [{ revision: at, changes }]);
      watcher.sink.progress?.(at);
    }
    return { kind: 'committed', revision: at };
  }

  #deliver({ request, sink }: Watcher, events: readonly AppliedEvent[]): void {
    const wanted: AppliedEvent[] = [];
    for (const event of events) {
      if (event.revision <= request.after) continue;
      const changes = event.changes.flatMap((change): Change[] => {
        const key = change.kind === 'put' ? change.current.key : change.key;
        if (key < request.start || key >= request.end) return [];
        if (request.previous) return [change];
        return [change.kind === 'put' ? { kind: 'put', current: change.current } : { kind: 'delete', key }];
      });
      if (changes.length > 0) wanted.push({ revision: event.revision, changes });
    }
    if (wanted.length > 0) sink.events(wanted);
  }

  #unreadable(at: Revision): HistoryError | undefined {
    if (at > this.#applied) return { kind: 'future', newest: this.#applied };
    if (at < this.#compacted) return { kind: 'compacted', oldest: this.#compacted };
    return undefined;
  }

  #expire(now: number): void {
    for (const [key, versions] of this.#versions) {
      const latest = versions.at(-1);
      if (latest?.current === undefined || latest.expiresAt === undefined || latest.expiresAt > now) continue;
      this.#apply({ compares: [{ key, modRevision: latest.revision }], ops: [{ kind: 'delete', key }] });
    }
  }
}

export function openModelKeyspace(world: World): Keyspace {
  return new ModelKeyspace(world);
}
