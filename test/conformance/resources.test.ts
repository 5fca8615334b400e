import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asked, ofReference, openAsked } from './asked.js';
import { playSequence, playStatement, problemOf } from './player.js';
import { sequences, statements } from './statements/index.js';

/** Plays the statements of the resource reference (specification document 2). */
let asked: Asked;
beforeAll(async () => {
  asked = await openAsked();
}, 60_000);
afterAll(() => asked.close());

const titled = <T extends { readonly section: string; readonly text: string; readonly differs?: string }>(
  all: readonly T[],
): (readonly [string, T])[] =>
  all.filter((s) => !ofReference || s.differs === undefined).map((s) => [`${s.section}: ${s.text}`, s] as const);

describe('the resource reference', () => {
  it.each(titled(statements))('%s', async (_title, s) => {
    const reply = await playStatement(asked.client, s);
    expect(problemOf(s, reply), `${reply.status} ${reply.body.toString().slice(0, 2000)}`).toBeUndefined();
  });

  it.each(titled(sequences))('%s', async (_title, s) => {
    await playSequence(asked.client, s);
  });

  it('is stated once for each rule', () => {
    const titles = [...statements, ...sequences].map((s) => `${s.section}: ${s.text}`);
    expect(titles.filter((t, i) => titles.indexOf(t) !== i)).toEqual([]);
    expect(titles.length).toBeGreaterThan(500);
  });
});
