import { describe, expect, it } from 'vitest';
import { revision } from '../../base/index.js';
import { SoleReads } from './solereads.js';

const PERIOD = 7;

function surroundings() {
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  cell[0] = PERIOD;
  return { cell, reads: new SoleReads(cell) };
}

describe('the reads of the only member', () => {
  it('need no round after one that began in this period', () => {
    const { reads } = surroundings();
    expect(reads.known()).toBeUndefined();
    reads.ended({ kind: 'ok', revision: revision(3), sole: PERIOD });
    expect(reads.known()).toBe(3);
  });

  it('see every write that was answered, also a refused comparison', () => {
    const { reads } = surroundings();
    reads.ended({ kind: 'ok', revision: revision(3), sole: PERIOD });
    reads.answered({ kind: 'committed', revision: revision(5) });
    expect(reads.known()).toBe(5);
    reads.answered({ kind: 'conflict', revision: revision(8), key: '/k' });
    expect(reads.known()).toBe(8);
    reads.answered({ kind: 'committed', revision: revision(6) });
    expect(reads.known()).toBe(8);
    reads.answered({ kind: 'unknown', message: 'the peer has stopped' });
    expect(reads.known()).toBe(8);
  });

  it('need a round when the period has ended, and when a round began in none', () => {
    const { cell, reads } = surroundings();
    reads.ended({ kind: 'ok', revision: revision(3), sole: PERIOD });
    cell[0] = 0;
    expect(reads.known()).toBeUndefined();
    cell[0] = PERIOD + 1;
    expect(reads.known()).toBeUndefined();
    reads.ended({ kind: 'ok', revision: revision(9) });
    expect(reads.known()).toBeUndefined();
    reads.ended({ kind: 'ok', revision: revision(9), sole: PERIOD + 1 });
    expect(reads.known()).toBe(9);
    reads.ended({ kind: 'refused', reason: 'overloaded', message: 'too many reads are waiting' });
    expect(reads.known()).toBe(9);
  });
});
