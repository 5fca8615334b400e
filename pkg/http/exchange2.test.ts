import { once } from 'node:events';
import http2, { type ClientHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Connection } from './exchange.js';
import { StreamExchange } from './exchange2.js';

const BODY = Buffer.alloc(3000, 'x');
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/**
 * Opens a server that reads the declared bytes of a body, calls `answer`, and counts streams: those that are closed, and those that Node
 * destroyed although their response was not written.
 */
async function reader(answer: (exchange: StreamExchange) => void) {
  const seen = { closed: 0, early: 0, failed: 0 };
  const server = http2.createServer();
  server.on('stream', (stream, headers) => {
    const exchange = new StreamExchange(stream, headers, [], {} as Connection);
    const destroy = stream.destroy.bind(stream);
    stream.destroy = (error) => {
      if (stream.writableLength > 0) seen.early++;
      return destroy(error);
    };
    stream.on('close', () => seen.closed++);
    stream.on('error', () => seen.failed++);
    let size = 0;
    const onData = (piece: Buffer): void => {
      size += piece.length;
      if (size < Number(headers['content-length'])) return;
      stream.off('data', onData);
      exchange.bodyTaken();
      setImmediate(() => answer(exchange));
    };
    stream.on('data', onData);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  ends.push(async () => {
    session.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { session, seen };
}

/** Sends the body in pieces; resolves to the bytes of the response. */
async function post(session: ClientHttp2Session, pieces: readonly Buffer[]): Promise<number> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const stream = session.request({ ':method': 'POST', ':path': '/', 'content-length': length });
  for (const piece of pieces) {
    stream.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  stream.end();
  let bytes = 0;
  for await (const piece of stream) bytes += (piece as Buffer).length;
  return bytes;
}

const ANSWERS: Readonly<Record<string, [(exchange: StreamExchange) => void, number]>> = {
  'with a body': [(exchange) => exchange.send(200, {}, BODY), BODY.length],
  'without a body': [(exchange) => exchange.send(200, {}, undefined), 0],
  'in pieces': [
    (exchange) => {
      const answer = exchange.stream(200, {});
      answer.write(BODY);
      setImmediate(() => {
        answer.write(BODY);
        answer.end();
      });
    },
    2 * BODY.length,
  ],
};

describe.each(Object.entries(ANSWERS))('a response %s, after the body of the request', (_, [answer, length]) => {
  it.each([
    ['in one piece', [BODY]],
    ['in pieces', [BODY.subarray(0, 10), BODY.subarray(10, 20), BODY.subarray(20)]],
  ])('%s, closes its stream once it is written', async (_, pieces) => {
    const { session, seen } = await reader(answer);
    for (let i = 0; i < 20; i++) expect(await post(session, pieces)).toBe(length);
    await expect.poll(() => seen.closed).toBe(20);
    expect(seen).toEqual({ closed: 20, early: 0, failed: 0 });
  });
});

it('closes the stream of a client that leaves before the response', async () => {
  const { session, seen } = await reader(() => {});
  const stream = session.request({ ':method': 'POST', ':path': '/', 'content-length': 3 });
  stream.on('error', () => {});
  stream.end('abc');
  await new Promise((resolve) => setTimeout(resolve, 20));
  stream.close(http2.constants.NGHTTP2_CANCEL);
  await expect.poll(() => seen.closed).toBe(1);
});
