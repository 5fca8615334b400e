import { request as httpsRequest } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { limits } from '../../pkg/http/limits.js';
import { TestDoor, until } from '../../pkg/http/testing/door.js';
import { FRAMES, frame, http2Flood, http2Floods, requestHeaders } from './floods.mjs';

const opened: TestDoor[] = [];
afterEach(async () => {
  for (const { listener } of opened.splice(0)) await listener.drain(0);
});

async function open(authenticated = false): Promise<TestDoor> {
  const door = await TestDoor.open(undefined, { user: () => undefined });
  if (authenticated)
    door.services.stages.authenticator.authenticate = () => ({
      kind: 'authenticated',
      user: { name: 'a', groups: ['system:masters'] },
    });
  opened.push(door);
  return door;
}

const at = ({ listener }: TestDoor) => ({ host: '127.0.0.1', port: listener.port, rejectUnauthorized: false });

/** The door knows no user; a request is served if it has this response. */
const ANSWERED = 401;

/** The status of a request over a connection of its own. */
function status(door: TestDoor, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = httpsRequest({ ...at(door), path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Floods for which the server closes the connection; the test waits for it. The others cost little. */
const CLOSED = ['PING', 'SETTINGS', 'CONTINUATION', 'reset at once'];
/** What floods leave behind in this process, which is both the server and its clients. */
const MEMORY_MAX = 200 * 1024 * 1024;

describe('a flood over HTTP/2 by clients without credentials', () => {
  it.each(Object.entries(http2Floods))('does not keep others from being served: %s', async (name, flood) => {
    const door = await open();
    const before = process.memoryUsage.rss();
    let stop = (): void => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const flooding = http2Flood(at(door), 3, flood, stopped);
    for (let i = 0; i < 5; i++) expect(await status(door, '/version')).toBe(ANSWERED);
    if (!CLOSED.some((kind) => name.includes(kind))) stop();
    await flooding;
    stop();
    expect(process.memoryUsage.rss() - before).toBeLessThan(MEMORY_MAX);
  });
});

const PREFACE = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(FRAMES.settings, 0, 0)]);
const CREATE = '/api/v1/namespaces/n/configmaps';
const JSON_BODY = [['content-type', 'application/json']] as const;

/** The frames of a stream that the server sends until `enough` accepts one, as types and payloads. */
function framesUntil(
  door: TestDoor,
  sent: Buffer,
  enough: (type: number, payload: Buffer) => boolean,
): Promise<readonly { readonly type: number; readonly payload: Buffer }[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...at(door), ALPNProtocols: ['h2'] }, () => socket.write(Buffer.concat([PREFACE, sent])));
    const frames: { type: number; payload: Buffer }[] = [];
    let rest: Buffer = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed')));
    socket.on('data', (piece: Buffer) => {
      rest = Buffer.concat([rest, piece]);
      while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
        const length = rest.readUIntBE(0, 3);
        const [type, payload] = [rest[3]!, rest.subarray(9, 9 + length)];
        rest = rest.subarray(9 + length);
        frames.push({ type, payload });
        if (!enough(type, payload)) continue;
        socket.removeAllListeners('close');
        socket.destroy();
        resolve(frames);
        return;
      }
    });
  });
}

describe('a body', () => {
  it('that is refused unread is not read over HTTP/2: the stream is reset without an error', async () => {
    const door = await open();
    const sent = frame(FRAMES.headers, 4, 1, requestHeaders('POST', CREATE, JSON_BODY));
    const frames = await framesUntil(door, sent, (type) => type === FRAMES.reset);
    expect(frames.at(-1)!.payload.readUInt32BE()).toBe(0);
    const body = Buffer.concat(frames.filter((f) => f.type === FRAMES.data).map((f) => f.payload)).toString();
    expect(JSON.parse(body)).toMatchObject({ code: 401 });
  });

  it('in DATA frames of one byte is refused', async () => {
    const door = await open(true);
    const pieces = Array.from({ length: 2 * limits.bodyPiecesMax }, () => frame(FRAMES.data, 0, 1, Buffer.from(' ')));
    const sent = [frame(FRAMES.headers, 4, 1, requestHeaders('POST', CREATE, JSON_BODY)), ...pieces];
    const frames = await framesUntil(door, Buffer.concat(sent), (type) => type === FRAMES.data);
    expect(frames.at(-1)!.payload.toString()).toContain('the request body arrives in too small pieces');
  });

  it('in chunks of one byte is refused', async () => {
    const door = await open(true);
    const socket = await door.dial();
    const answer = until(socket, (text) => text.includes('too small pieces'));
    const head = `POST ${CREATE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    socket.write(head + '1\r\n \r\n'.repeat(2 * limits.bodyPiecesMax));
    expect(await answer).toContain('400 Bad Request');
    socket.destroy();
  });

  it('in a thousand small pieces is accepted', async () => {
    const door = await open(true);
    const socket = await door.dial();
    const answer = until(socket, (text) => text.includes('HTTP/1.1 201'));
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { k: 'v'.repeat(900) },
    });
    const head = `POST ${CREATE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    socket.write(`${head}${[...text].map((c) => `1\r\n${c}\r\n`).join('')}0\r\n\r\n`);
    await answer;
    socket.destroy();
  });
});

it('clients that send headers slowly do not keep others from being served, and are closed', async () => {
  const door = await open();
  const sockets = await Promise.all(Array.from({ length: 30 }, () => door.dial()));
  for (const socket of sockets) socket.write('GET /version HTTP/1.1\r\nHost: x\r\n');
  for (let i = 0; i < limits.headersMax + 2; i++) {
    for (const socket of sockets) if (socket.writable) socket.write(`X-${i}: y\r\n`);
    if (i % 50 === 0) expect(await status(door, '/version')).toBe(ANSWERED);
  }
  const answers = sockets.map((socket) => until(socket, (text) => text.includes('431')));
  for (const socket of sockets) socket.write('\r\n');
  await Promise.all(answers);
  for (const socket of sockets) socket.destroy();
});

it('clients that send headers slowly over HTTP/2 do not keep others from being served, and are closed', async () => {
  const door = await open();
  const block = requestHeaders('GET', '/version', [['x-slow', 'y'.repeat(400)]]);
  const pieces = Array.from({ length: block.length / 10 }, (_, i) => block.subarray(10 * i, 10 * i + 10));
  const sockets = await Promise.all(
    Array.from(
      { length: 30 },
      () =>
        new Promise<TLSSocket>((resolve, reject) => {
          const socket = connect({ ...at(door), ALPNProtocols: ['h2'] }, () => resolve(socket));
          socket.on('error', reject);
        }),
    ),
  );
  const closed = sockets.map((socket) => {
    socket.removeAllListeners('error').on('error', () => {});
    socket.resume();
    return new Promise((resolve) => socket.once('close', resolve));
  });
  for (const socket of sockets) socket.write(Buffer.concat([PREFACE, frame(FRAMES.headers, 1, 1, pieces[0])]));
  for (const [i, piece] of pieces.slice(1).entries()) {
    for (const socket of sockets) if (socket.writable) socket.write(frame(FRAMES.continuation, 0, 1, piece));
    if (i % 10 === 0) expect(await status(door, '/version')).toBe(ANSWERED);
  }
  await Promise.all(closed);
});
