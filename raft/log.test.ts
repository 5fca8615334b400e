import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RaftInvariantError } from './invariant.js';
import { RaftLog } from './log.js';
import { emptyConfiguration } from './membership.js';
import { MemoryLog } from './memorylog.js';
import type { Write } from './ready.js';
import type { Entry, HardState, SnapshotMeta } from './types.js';
import { NO_PEER, toLogIndex, toTerm } from './types.js';

const HARD: HardState = { term: toTerm(1), vote: NO_PEER, commit: toLogIndex(0) };
const APPLY = { batchBytes: 1 << 20, applyingBytes: 1 << 20 };

const base = (index: number, term: number): SnapshotMeta => ({
  index: toLogIndex(index),
  term: toTerm(term),
  config: emptyConfiguration(),
});
const entry = (index: number, term: number): Entry => ({
  index: toLogIndex(index),
  term: toTerm(term),
  kind: 'normal',
  data: new Uint8Array(8),
});
const terms = (log: RaftLog) => {
  const list: (number | undefined)[] = [];
  for (let i = log.base.index; i <= log.lastIndex; i++) list.push(log.term(toLogIndex(i)));
  return list;
};

function fresh(): { readonly storage: MemoryLog; readonly log: RaftLog } {
  const storage = new MemoryLog(base(0, 0));
  return { storage, log: new RaftLog(storage, { commit: toLogIndex(0), applied: toLogIndex(0) }) };
}

function persist(storage: MemoryLog, log: RaftLog, write: Write): void {
  if (write.snapshot !== undefined) storage.reset(write.snapshot);
  storage.append(write.entries);
  log.persisted(write.number);
}

describe('RaftLog', () => {
  it('returns each entry once, and counts it as stable when its write is durable', () => {
    const { storage, log } = fresh();
    log.push(entry(1, 1));
    const first = log.nextWrite(HARD, false)!;
    log.push(entry(2, 1));
    const second = log.nextWrite(HARD, false)!;
    expect([first.entries.length, second.entries.length, log.stable]).toEqual([1, 1, 0]);
    expect(log.nextWrite(HARD, false)).toBeUndefined();
    persist(storage, log, first);
    expect(log.stable).toBe(1);
    persist(storage, log, second);
    expect(log.stable).toBe(2);
  });

  it('distinguishes an old write from a new one of the same term and index (worked example in log.ts)', () => {
    const { storage, log } = fresh();
    for (const i of [1, 2, 3, 4]) log.push(entry(i, 2));
    const first = log.nextWrite(HARD, false)!;
    log.truncate(toLogIndex(3));
    log.push(entry(3, 3));
    const second = log.nextWrite(HARD, false)!;
    log.truncate(toLogIndex(3));
    log.push(entry(3, 3));
    const third = log.nextWrite(HARD, false)!;
    persist(storage, log, first);
    expect(log.stable).toBe(2);
    persist(storage, log, second);
    expect(log.stable).toBe(2);
    persist(storage, log, third);
    expect([log.stable, terms(log)]).toEqual([3, [0, 2, 2, 3]]);
  });

  it('applies only what is both committed and durable', () => {
    const { storage, log } = fresh();
    for (const i of [1, 2, 3]) log.push(entry(i, 1));
    log.commitTo(toLogIndex(2));
    expect(log.nextCommitted(APPLY)).toEqual([]);
    persist(storage, log, log.nextWrite(HARD, false)!);
    expect(log.nextCommitted(APPLY).map((e) => e.index)).toEqual([1, 2]);
    expect(log.nextCommitted(APPLY)).toEqual([]);
  });

  it('limits the entries that are being applied', () => {
    const { storage, log } = fresh();
    for (const i of [1, 2, 3]) log.push(entry(i, 1));
    log.commitTo(toLogIndex(3));
    persist(storage, log, log.nextWrite(HARD, false)!);
    const one = { batchBytes: 1, applyingBytes: 41 };
    expect(log.nextCommitted(one).map((e) => e.index)).toEqual([1]);
    expect(log.nextCommitted(one).map((e) => e.index)).toEqual([2]);
    expect(log.nextCommitted(one)).toEqual([]);
    log.appliedTo(toLogIndex(1));
    expect(log.nextCommitted(one).map((e) => e.index)).toEqual([3]);
  });

  it('drops everything for a snapshot, and applies nothing until it is durable', () => {
    const { storage, log } = fresh();
    for (const i of [1, 2, 3]) log.push(entry(i, 1));
    const before = log.nextWrite(HARD, false)!;
    log.restore(base(10, 4));
    log.push(entry(11, 4));
    log.commitTo(toLogIndex(11));
    expect([log.firstIndex, log.lastIndex, terms(log), log.term(toLogIndex(2))]).toEqual([11, 11, [4, 4], undefined]);
    const write = log.nextWrite(HARD, false)!;
    expect([write.snapshot?.index, write.entries.length]).toEqual([10, 1]);
    persist(storage, log, before);
    expect([log.installing, log.nextCommitted(APPLY)]).toEqual([true, []]);
    persist(storage, log, write);
    expect([log.installing, log.applied, log.stable]).toEqual([false, 10, 11]);
    expect(log.nextCommitted(APPLY).map((e) => e.index)).toEqual([11]);
  });

  it('rejects calls that would break an invariant', () => {
    const { storage, log } = fresh();
    log.push(entry(1, 2));
    expect(() => log.push(entry(3, 2))).toThrow(RaftInvariantError);
    expect(() => log.push(entry(2, 1))).toThrow('invariant 4');
    expect(() => log.commitTo(toLogIndex(2))).toThrow('invariant 6');
    expect(() => log.persisted(1)).toThrow('invariant 12');
    log.commitTo(toLogIndex(1));
    expect(() => log.truncate(toLogIndex(1))).toThrow('invariant 5');
    expect(() => log.restore(base(1, 2))).toThrow('invariant 5');
    expect(() => log.appliedTo(toLogIndex(1))).toThrow('invariant 6');
    expect(() => new RaftLog(storage, { commit: toLogIndex(5), applied: toLogIndex(0) })).toThrow('invariant 5');
  });

  it('behaves like a plain list for random appends, truncations, writes and completions', () => {
    type Op = 'push' | 'cut' | 'write' | 'persist' | 'commit' | 'apply';
    const op = fc.record({
      kind: fc.constantFrom<Op>('push', 'push', 'cut', 'write', 'persist', 'commit', 'apply'),
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(op, { maxLength: 60 }), (ops) => {
        const { storage, log } = fresh();
        const model: Entry[] = [];
        const writes: Write[] = [];
        let term = 1;
        let commit = 0;
        let applied = 0;
        for (const { kind, at } of ops) {
          if (kind === 'push') {
            const next = entry(model.length + 1, term);
            model.push(next);
            log.push(next);
          } else if (kind === 'cut' && model.length > commit) {
            const from = commit + 1 + Math.floor(at * (model.length - commit));
            model.length = from - 1;
            log.truncate(toLogIndex(from));
            term++;
          } else if (kind === 'write') {
            const write = log.nextWrite(HARD, false);
            if (write !== undefined) writes.push(write);
          } else if (kind === 'persist' && writes.length > 0) {
            // Like a writer that coalesces: syncs several writes at once and reports the last number.
            const synced = writes.splice(0, 1 + Math.floor(at * writes.length));
            for (const write of synced) storage.append(write.entries);
            log.persisted(synced.at(-1)!.number);
          } else if (kind === 'commit' && model.length > commit) {
            commit += Math.ceil(at * (model.length - commit));
            log.commitTo(toLogIndex(commit));
          } else if (kind === 'apply') {
            for (const e of log.nextCommitted(APPLY)) {
              expect(e).toBe(model[applied]);
              applied++;
            }
          }
          expect(log.lastIndex).toBe(model.length);
          expect(terms(log).slice(1)).toEqual(model.map((e) => e.term));
          expect(log.stable).toBeLessThanOrEqual(storage.lastIndex());
          for (let i = 1; i <= log.stable; i++) expect(storage.term(toLogIndex(i))).toBe(model[i - 1]!.term);
          expect(applied).toBeLessThanOrEqual(Math.min(commit, log.stable));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('MemoryLog', () => {
  it('serves the entries after a compaction, limited by bytes but at least one', () => {
    const log = new MemoryLog(base(0, 0));
    log.append(Array.from({ length: 3000 }, (_, i) => entry(i + 1, 1)));
    log.compact(base(2500, 1));
    expect([log.base().index, log.lastIndex(), log.term(toLogIndex(2500)), log.term(toLogIndex(2499))]).toEqual([
      2500,
      3000,
      1,
      undefined,
    ]);
    const read = (maxBytes: number) => log.entries(toLogIndex(2501), toLogIndex(3001), maxBytes).map((e) => e.index);
    expect(read(1)).toEqual([2501]);
    expect(read(41)).toEqual([2501, 2502]);
    expect(read(Number.MAX_SAFE_INTEGER).length).toBe(500);
    expect(() => log.entries(toLogIndex(2500), toLogIndex(2502), 1)).toThrow(RaftInvariantError);
    expect(() => log.compact(base(2600, 2))).toThrow('invariant 5');
    log.append([entry(2600, 2)]);
    expect([log.lastIndex(), log.term(toLogIndex(2600))]).toEqual([2600, 2]);
  });
});
