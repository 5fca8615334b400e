import type { Http2Session } from 'node:http2';
import { expect, it } from 'vitest';
import type { World } from '../base/index.js';
import { isParting, part } from './parting.js';

/** A session that records what is called, and a world whose turns end with `endTurn`. */
function recorded(): { readonly session: Http2Session; readonly world: World; calls: string[]; endTurn(): void } {
  const calls: string[] = [];
  const session = { destroyed: false, goaway: () => calls.push('goaway'), close: () => calls.push('close') };
  let next: (() => void)[] = [];
  const endTurn = (): void => {
    const now = next;
    next = [];
    for (const f of now) f();
  };
  const world = { timers: { immediate: (f: () => void) => void next.push(f) } };
  return { session: session as unknown as Http2Session, world: world as unknown as World, calls, endTurn };
}

it('closes a session only after the turn in which its GOAWAY is written', () => {
  const { session, world, calls, endTurn } = recorded();
  expect(isParting(session)).toBe(false);
  part(session, world);
  part(session, world);
  expect(isParting(session)).toBe(true);
  endTurn();
  expect(calls).toEqual(['goaway']);
  endTurn();
  expect(calls).toEqual(['goaway', 'close']);
});

it('leaves a session alone that has ended', () => {
  const { session, world, calls, endTurn } = recorded();
  part({ ...session, destroyed: true } as Http2Session, world);
  endTurn();
  expect(calls).toEqual([]);
});
