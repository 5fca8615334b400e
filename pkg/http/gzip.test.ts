import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { Scheduler } from '../base/index.js';
import type { Call } from './call.js';
import type { AnswerStream } from './exchange.js';
import { acceptsGzip, gzipped } from './gzip.js';
import { testWorld } from './testing.js';

/** A connection that accepts one write at a time, and drains in a later turn. */
function connection(gone: boolean) {
  const written: Buffer[] = [];
  let onDrain = (): void => {};
  let onClose = (): void => {};
  let ended = false;
  let full = false;
  const answer: AnswerStream = {
    write: (bytes) => {
      expect(full).toBe(false);
      written.push(Buffer.from(bytes));
      full = true;
      setImmediate(() => {
        full = false;
        onDrain();
      });
      return false;
    },
    onDrain: (f) => {
      onDrain = f;
    },
    end: () => {
      ended = true;
    },
  };
  const exchange = {
    gone,
    abort: () => {},
    onClose: (f: () => void) => {
      onClose = f;
    },
  };
  const scheduler = new Scheduler(testWorld, 0);
  const user = { name: 'jane', groups: [] };
  const call = { exchange, bytes: 0, scheduler, timers: testWorld.timers, user } as unknown as Call;
  const leave = (): void => {
    exchange.gone = true;
    onClose();
  };
  return { call, answer, written, leave, ended: () => ended };
}

it('compresses at the pace of the connection, into a reused buffer', async () => {
  const { call, answer, written, ended } = connection(false);
  const sent: Buffer[] = [];
  function* pieces(): Generator<Buffer, void, boolean | undefined> {
    let chunk = Buffer.alloc(100_000);
    for (let i = 0; i < 30; i++) {
      randomBytes(50_000).copy(chunk);
      sent.push(Buffer.from(chunk));
      if ((yield chunk) !== true) chunk = Buffer.alloc(100_000);
    }
  }
  await gzipped(call, answer, pieces());
  const whole = Buffer.concat(written);
  expect(gunzipSync(whole).equals(Buffer.concat(sent))).toBe(true);
  expect([ended(), call.bytes]).toEqual([true, whole.length]);
});

it('ends when the client disconnects, or disconnected earlier', async () => {
  const before = connection(true);
  await gzipped(before.call, before.answer, [Buffer.alloc(1000)]);
  expect(before.written).toEqual([]);
  const during = connection(false);
  function* endless(): Generator<Buffer, void, boolean | undefined> {
    for (let i = 0; ; i++) {
      if (i === 20) during.leave();
      yield randomBytes(100_000);
    }
  }
  await gzipped(during.call, during.answer, endless());
  expect(during.ended()).toBe(false);
});

it.each<[method: string, accept: string | undefined, open: boolean, expected: boolean]>([
  ['GET', 'gzip', true, true],
  ['GET', 'deflate, gzip;q=0.5', true, true],
  ['GET', 'gzip', false, false],
  ['GET', 'gzip;q=0', true, false],
  ['GET', 'deflate, br', true, false],
  ['GET', undefined, true, false],
  ['HEAD', 'gzip', true, false],
  ['POST', 'gzip', true, false],
  ['PUT', 'gzip', true, false],
  ['PATCH', 'gzip', true, false],
  ['DELETE', 'gzip', true, false],
])(
  'is used for reads if the client accepts it and the gate is on: %s, %s, gate %s',
  (method, accept, compresses, expected) => {
    const headers = accept === undefined ? {} : { 'accept-encoding': accept };
    expect(acceptsGzip({ compresses, exchange: { method, headers } } as unknown as Call)).toBe(expected);
  },
);
