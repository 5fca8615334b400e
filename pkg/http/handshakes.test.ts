import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Handshakes } from './handshakes.js';
import { limits } from './limits.js';
import { turn } from './testing/door.js';
import { testWorld } from './testing.js';

const accepted = (): PassThrough & Socket => new PassThrough() as unknown as PassThrough & Socket;

it('begins few handshakes in each turn, in the order in which clients sent their first bytes', async () => {
  const begun: Socket[] = [];
  const inTurns: number[] = [];
  const handshakes = new Handshakes(testWorld, (socket) => begun.push(socket));
  const sockets = Array.from({ length: 3 * limits.handshakesPerTurn - 1 }, accepted);
  for (const socket of sockets) handshakes.add(socket);
  await turn();
  expect(begun).toEqual([]);
  for (const socket of sockets) socket.write('hello');
  while (begun.length < sockets.length) {
    const before = begun.length;
    await turn();
    if (begun.length > before) inTurns.push(begun.length - before);
  }
  const n = limits.handshakesPerTurn;
  expect(Math.max(...inTurns)).toBe(n);
  expect(begun).toEqual(sockets);
  // The handshake still receives the bytes.
  expect(String(begun[0]!.read())).toBe('hello');
});

it('closes a connection that sends nothing', async () => {
  const timers: (() => void)[] = [];
  const after = (_time: number, f: () => void) => {
    timers.push(f);
    return () => {};
  };
  const world = { ...testWorld, timers: { ...testWorld.timers, after } };
  const handshakes = new Handshakes(world, () => {
    throw new Error('no handshake was expected');
  });
  const [silent, ended] = [accepted(), accepted()];
  handshakes.add(silent);
  handshakes.add(ended);
  ended.end();
  while (!ended.destroyed) await turn();
  expect(silent.destroyed).toBe(false);
  timers[0]!();
  expect(silent.destroyed).toBe(true);
});
