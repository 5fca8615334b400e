import { describe, expect, it } from 'vitest';
import type { Entry } from '../../raft/index.js';
import { initialConfiguration, toLogIndex, toPeerId, toTerm } from '../../raft/index.js';
import { Checker, checkLogMatching, EMPTY_IMAGE, operationBytes, operationOf } from './checker.js';

const entry = (index: number, term: number, operation: number): Entry => ({
  index: toLogIndex(index),
  term: toTerm(term),
  kind: 'normal',
  data: operationBytes(operation),
});

const view = (peer: number, entries: readonly Entry[]) => ({
  peer,
  first: 1,
  last: entries.length,
  entry: (index: number) => entries[index - 1],
});

describe('the checker', () => {
  it('accepts a correct history', () => {
    const checker = new Checker(initialConfiguration([toPeerId(1)]));
    const write = checker.begin(1);
    const image = checker.applies(1, EMPTY_IMAGE, entry(1, 1, 1), 1);
    checker.writeDone(write, 1);
    const read = checker.begin(0);
    expect(checker.applies(2, EMPTY_IMAGE, entry(1, 1, 1), 1)).toEqual(image);
    checker.readDone(read, 1);
    checker.restores(3, image);
    checker.leads(1, 1, () => undefined);
    checker.leads(2, 2, () => 1);
    checker.atEnd(1);
    expect(operationOf(entry(1, 1, 4_000_000_000))).toBe(4_000_000_000);
  });

  it('detects a stale read, also one older than another read', () => {
    const checker = new Checker(initialConfiguration([toPeerId(1)]));
    const before = checker.begin(0);
    checker.writeDone(checker.begin(1), 5);
    checker.readDone(before, 3);
    expect(() => checker.readDone(checker.begin(0), 4)).toThrow('linearizability');
    checker.readDone(checker.begin(0), 9);
    expect(() => checker.readDone(checker.begin(0), 8)).toThrow('linearizability');
  });

  it('detects a write that takes effect before it began', () => {
    const checker = new Checker(initialConfiguration([toPeerId(1)]));
    checker.writeDone(checker.begin(1), 5);
    expect(() => checker.writeDone(checker.begin(2), 5)).toThrow('linearizability');
  });

  it('detects two leaders of one term', () => {
    const checker = new Checker(initialConfiguration([toPeerId(1)]));
    checker.leads(1, 3, () => undefined);
    checker.leads(1, 3, () => undefined);
    expect(() => checker.leads(2, 3, () => undefined)).toThrow('election safety');
  });

  it('detects a leader without a committed entry, but does not require entries of later terms', () => {
    const checker = new Checker(initialConfiguration([toPeerId(1)]));
    checker.applies(1, EMPTY_IMAGE, entry(1, 2, 1), 2);
    checker.leads(2, 2, () => undefined);
    expect(() => checker.leads(3, 3, () => 1)).toThrow('leader completeness');
  });

  it('requires an entry only of leaders after the term that committed it, not after its own term', () => {
    const checker = new Checker(initialConfiguration([toPeerId(1)]));
    checker.applies(1, EMPTY_IMAGE, entry(1, 2, 1), 5);
    // Its votes were delayed for a long time.
    checker.leads(2, 4, () => undefined);
    expect(() => checker.leads(3, 6, () => undefined)).toThrow('leader completeness');
  });

  it('detects peers that apply different entries, or skip one', () => {
    const checker = new Checker(initialConfiguration([toPeerId(1)]));
    checker.applies(1, EMPTY_IMAGE, entry(1, 1, 1), 1);
    expect(() => checker.applies(2, EMPTY_IMAGE, entry(1, 1, 2), 1)).toThrow('state-machine safety');
    expect(() => checker.applies(2, EMPTY_IMAGE, entry(1, 2, 1), 2)).toThrow('state-machine safety');
    expect(() => checker.applies(2, EMPTY_IMAGE, entry(2, 1, 1), 1)).toThrow('state-machine safety');
    expect(() => checker.restores(2, { index: 1, hash: 7 })).toThrow('state-machine safety');
    expect(() => checker.restores(2, { index: 2, hash: 7 })).toThrow('state-machine safety');
  });

  it('detects a missing acknowledged write, and a lost one that is present', () => {
    const gone = new Checker(initialConfiguration([toPeerId(1)]));
    gone.writeDone(gone.begin(1), 2);
    expect(() => gone.atEnd(1)).toThrow('durability');
    const there = new Checker(initialConfiguration([toPeerId(1)]));
    there.writeLost(there.begin(7));
    there.applies(1, EMPTY_IMAGE, entry(1, 1, 7), 1);
    expect(() => there.atEnd(1)).toThrow('durability');
  });

  it('detects logs that agree after a difference', () => {
    const a = view(1, [entry(1, 1, 1), entry(2, 1, 2), entry(3, 3, 3)]);
    checkLogMatching(a, view(2, [entry(1, 1, 1), entry(2, 2, 9)]));
    expect(() => checkLogMatching(a, view(2, [entry(1, 1, 1), entry(2, 2, 9), entry(3, 3, 3)]))).toThrow(
      'log matching',
    );
    expect(() => checkLogMatching(a, view(2, [entry(1, 1, 8)]))).toThrow('log matching');
  });
});
