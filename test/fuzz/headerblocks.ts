import { connect } from 'node:tls';
import { limits } from '../../pkg/http/limits.js';
import type { TestDoor } from '../../pkg/http/testing/door.js';
import { FRAMES, frame } from '../chaos/floods.mjs';
import type { Target } from './target.js';

/** Header blocks of HTTP/2 requests (RFC 7541), sent to a real listener. */

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const END_STREAM = 1;
const END_HEADERS = 4;
const GOAWAY = 7;
const FRAME_BYTES_MAX = 16_384;
const PATH = '/api/v1/namespaces/n/configmaps/a';

export type Pair = readonly [name: string, value: string];

/** The fields that every request must have. */
export const GET: readonly Pair[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'x'],
  [':path', PATH],
];

/** An integer of HPACK with a prefix of `bits` (RFC 7541, 5.1). */
function integer(value: number, bits: number, first = 0): Buffer {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.from([first | value]);
  const bytes = [first | most];
  let rest = value - most;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return Buffer.from(bytes);
}

const text = (s: string): Buffer => Buffer.concat([integer(s.length, 7), Buffer.from(s, 'latin1')]);

/** A block of literal fields without indexing. */
export const block = (...pairs: readonly Pair[]): Buffer =>
  Buffer.concat(pairs.map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)])));

/** A field that enters the dynamic table. */
const indexed = (name: string, value: string): Buffer => Buffer.concat([Buffer.from([0x40]), text(name), text(value)]);

/** One large field in the dynamic table and many references of one byte to it. */
export const bomb = (references: number): Buffer =>
  Buffer.concat([block(...GET), indexed('x', 'y'.repeat(3900)), Buffer.alloc(references, 0x80 | 62)]);

/** The frames of one request with this block. */
function requestFrames(headerBlock: Buffer): Buffer {
  const frames = [PREFACE, frame(FRAMES.settings, 0, 0)];
  for (let at = 0; at === 0 || at < headerBlock.length; at += FRAME_BYTES_MAX) {
    const last = at + FRAME_BYTES_MAX >= headerBlock.length ? END_HEADERS : 0;
    const piece = headerBlock.subarray(at, at + FRAME_BYTES_MAX);
    frames.push(
      at === 0 ? frame(FRAMES.headers, END_STREAM | last, 1, piece) : frame(FRAMES.continuation, last, 1, piece),
    );
  }
  return Buffer.concat(frames);
}

export type Outcome = 'response' | 'reset' | 'closed';

/**
 * Sends a request with this header block over a connection of its own. Resolves how it ended: the headers of a
 * response, a reset of its stream, or the end of the connection.
 */
export function outcomeOf({ listener, ca }: TestDoor, headerBlock: Buffer): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: listener.port, ca, ALPNProtocols: ['h2'] });
    const end = (outcome: Outcome): void => {
      resolve(outcome);
      socket.destroy();
    };
    let received = Buffer.alloc(0);
    socket.on('error', () => end('closed')).on('close', () => end('closed'));
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      for (;;) {
        if (received.length < 9) return;
        const length = received.readUIntBE(0, 3);
        if (received.length < 9 + length) return;
        const type = received[3];
        if (type === FRAMES.headers) return end('response');
        if (type === FRAMES.reset) return end('reset');
        if (type === GOAWAY) return end('closed');
        received = received.subarray(9 + length);
      }
    });
    socket.once('secureConnect', () => socket.write(requestFrames(headerBlock)));
  });
}

/** Every block ends with a response, a reset or the end of its connection, and the next request is served. */
export function headerBlockTarget(door: TestDoor): Target {
  return {
    name: 'http2 header blocks',
    inputBytesMax: limits.headerBytesMax,
    seeds: [
      block(...GET, ['accept', 'application/json'], ['user-agent', 'fuzz'], ['authorization', 'Bearer a']),
      block(...GET, ['cookie', 'a=b'], ['cookie', 'c=d']),
      Buffer.concat([Buffer.from([0x20, 0x3f, 0xe1, 0x1f]), block(...GET), indexed('x', 'y'), Buffer.from([0xbe])]),
      bomb(20),
    ],
    words: [
      ...[
        ...GET,
        [':status', '200'],
        [':protocol', 'websocket'],
        ['connection', 'close'],
        ['te', 'gzip'],
        ['Upper', 'a'],
      ].map((pair) => block(pair as Pair).toString('latin1')),
      block(['transfer-encoding', 'chunked'], ['content-length', '-1'], ['host', 'y']).toString('latin1'),
      ...['\x80', '\xbe', '\xff\xff\xff\xff\xff\x0f', '\x3f\xe1\xff\x03', '\x20', '\x10', '\x82', '\x84\x87'],
    ],
    refusals: [],
    run: async (input) => {
      await outcomeOf(door, input);
      const next = await outcomeOf(door, block(...GET));
      if (next !== 'response') throw new Error(`the next request is not served: ${next}`);
    },
  };
}
