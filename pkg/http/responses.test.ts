import { expect, it } from 'vitest';
import { Scheduler } from '../base/index.js';
import type { Call } from './call.js';
import { limits } from './limits.js';
import { sendBytes } from './responses.js';
import { testWorld } from './testing.js';

/** A call whose connection accepts everything, and what was written to it. */
function recorded(): { readonly call: Call; readonly written: Buffer[]; readonly whole: Buffer[]; ended(): boolean } {
  const written: Buffer[] = [];
  const whole: Buffer[] = [];
  let ended = false;
  const answer = {
    write: (bytes: Buffer) => {
      written.push(bytes);
      return true;
    },
    onDrain: () => {},
    end: () => {
      ended = true;
    },
  };
  const exchange = {
    gone: false,
    headers: {},
    stream: () => answer,
    send: (_status: number, _headers: unknown, body: Buffer) => whole.push(body),
  };
  const user = { name: 'jane', groups: [] };
  const scheduler = new Scheduler(testWorld, 0);
  const call = { exchange, bytes: 0, scheduler, timers: testWorld.timers, user };
  return { call: call as unknown as Call, written, whole, ended: () => ended };
}

it('writes a large body in pieces', async () => {
  const { call, written, whole, ended } = recorded();
  const body = Buffer.from(Uint8Array.from({ length: limits.wholeBytesMax + 1 }, (_, i) => i % 251));
  await sendBytes(call, 200, 'application/json', body);
  expect(Buffer.concat(written).equals(body)).toBe(true);
  expect(Math.max(...written.map((p) => p.length))).toBe(limits.pieceBytes);
  expect([ended(), call.bytes, whole.length]).toEqual([true, body.length, 0]);
});

it('writes another body at once', async () => {
  const { call, written, whole } = recorded();
  const body = Buffer.alloc(limits.wholeBytesMax, 1);
  await sendBytes(call, 200, 'application/json', body);
  expect([written.length, whole.length]).toEqual([0, 1]);
  expect(whole[0]).toBe(body);
});
