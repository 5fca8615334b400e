import { EventEmitter } from 'node:events';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { Scheduler } from '../base/index.js';
import { systemWorld } from '../server/world.js';
import { Outbound, OutboundError, type OutboundRequest } from './index.js';
import { outboundLimits } from './limits.js';
import { paceResponse } from './responsefeed.js';
import { testServer } from './testing/server.js';

const undo: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const f of undo.splice(0).reverse()) await f();
});

const GET: OutboundRequest = { method: 'GET', path: '/', timeout: 60_000 };

/** The outcome of a request to a server that writes `text` to the connection. */
async function outcome(text: string, world = systemWorld): Promise<string> {
  const there = await testServer((_, __, response) => void response.socket!.write(text));
  undo.push(() => there.close());
  const by = new Outbound({ world });
  undo.push(() => by.close());
  return by.send({ origin: there.origin, ca: there.ca }, GET).then(
    ({ body }) => body.toString(),
    (error: unknown) => (error instanceof OutboundError ? error.reason : String(error)),
  );
}

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunks = (text: string): string => `${[...text].map((c) => `1\r\n${c}\r\n`).join('')}0\r\n\r\n`;

describe('a response', () => {
  it('that changes the protocol unasked ends the call', async () => {
    expect(await outcome('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n')).toBe('EOF');
  });

  it('is complete and in order when each turn has time for one part of it', async () => {
    let now = 0;
    const clock = { ...systemWorld.clock, monotonic: () => (now += outboundLimits.parseTime) };
    const text = Array.from({ length: 8000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('');
    expect((await outcome(CHUNKED + chunks(text), { ...systemWorld, clock })) === text).toBe(true);
  });

  it('that arrives at once is parsed in several turns', () => {
    const later: (() => void)[] = [];
    let now = 0;
    const scheduler = new Scheduler(
      {
        ...systemWorld,
        clock: { ...systemWorld.clock, monotonic: () => now },
        timers: { ...systemWorld.timers, immediate: (f) => void later.push(f) },
      },
      outboundLimits.parseTime,
    );
    const socket = new PassThrough({ readableHighWaterMark: 2 ** 20, writableHighWaterMark: 2 ** 20 });
    const parsed: number[] = [];
    socket.on('data', (piece: Buffer) => {
      parsed.push(piece.length);
      now += 2 * outboundLimits.parseTime;
    });
    const asking = new EventEmitter();
    paceResponse(asking as ClientRequest, scheduler);
    asking.emit('socket', socket as unknown as Socket);
    socket.emit('data', Buffer.alloc(4 * outboundLimits.parsedBytesMax));
    expect(parsed).toEqual([outboundLimits.parsedBytesMax]);
    for (let turns = 2; turns <= 4; turns++) {
      for (const f of later.splice(0)) f();
      expect(parsed).toHaveLength(turns);
    }
    asking.emit('close');
  });
});
