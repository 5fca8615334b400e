import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Large work that asks as it should: `pieces` pieces, each noted with who did it. */
function worker(turns: Turns, name: string, pieces: number, notes: string[]): void {
  let left = pieces;
  const go = (): void => {
    do {
      notes.push(name);
      if (--left === 0) return;
    } while (!turns.spent());
    turns.later(go);
  };
  if (turns.spent()) turns.later(go);
  else go();
}

describe('turns of the event loop', () => {
  it('let everything be done at once while there is time', () => {
    const notes: string[] = [];
    worker(new Turns(Number.POSITIVE_INFINITY), 'a', 5, notes);
    expect(notes).toEqual(['a', 'a', 'a', 'a', 'a']);
  });

  it('are shared out in the order of asking when there is none', async () => {
    const turns = new Turns(-1);
    const notes: string[] = [];
    for (const name of ['a', 'b', 'c']) worker(turns, name, 3, notes);
    expect(notes).toEqual([]);
    for (let i = 0; i < 20; i++) await nextTurn();
    expect(notes.join('')).toBe('abcabcabc');
  });

  it('give way to what comes by itself', async () => {
    const turns = new Turns(-1);
    const notes: string[] = [];
    worker(turns, 'list', 100, notes);
    for (let i = 0; i < 10; i++) {
      await nextTurn();
      notes.push('other');
    }
    expect(notes.filter((n) => n === 'other')).toHaveLength(10);
    expect(notes.filter((n) => n === 'list').length).toBeLessThan(20);
  });
});
