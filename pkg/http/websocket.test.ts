import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { World } from '../base/index.js';
import { watchFrame, websocketFramings } from '../codec/index.js';
import { limits } from './limits.js';
import { TestDoor, turn, until } from './testing/door.js';
import { testWorld } from './testing.js';
import { openWebSocket } from './websocket.js';

const opened: TestDoor[] = [];
const clients: WebSocket[] = [];
afterEach(async () => {
  for (const ws of clients.splice(0)) ws.terminate();
  for (const { listener } of opened.splice(0)) await listener.drain(0);
});

async function open(...given: Parameters<typeof TestDoor.open>): Promise<TestDoor> {
  const door = await TestDoor.open(...given);
  opened.push(door);
  return door;
}

const CMS = '/api/v1/namespaces/n/configmaps';
const WATCH = `${CMS}?watch=true`;

/** A client and the messages that it received. */
class Watcher {
  readonly ws: WebSocket;
  readonly messages: string[] = [];
  readonly closed: Promise<number>;

  constructor(door: TestDoor, path: string, protocols: readonly string[] = []) {
    this.ws = new WebSocket(`wss://127.0.0.1:${door.listener.port}${path}`, protocols, { ca: door.ca });
    clients.push(this.ws);
    this.ws.on('message', (data: Buffer, binary: boolean) =>
      this.messages.push(`${binary ? 'binary' : 'text'} ${data}`),
    );
    this.closed = new Promise((resolve) => this.ws.on('close', resolve));
  }

  /** Resolves when the handshake is accepted, or to the status and text of the rejection. */
  opened(): Promise<'open' | { status: number; headers: IncomingMessage['headers']; text: string }> {
    return new Promise((resolve, reject) => {
      this.ws.on('open', () => resolve('open'));
      this.ws.on('error', reject);
      this.ws.on('unexpected-response', (_request: unknown, response: IncomingMessage) => {
        let text = '';
        response.on('data', (piece: Buffer) => {
          text += piece.toString();
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
    });
  }

  async until(count: number): Promise<readonly string[]> {
    while (this.messages.length < count) await new Promise((resolve) => this.ws.once('message', resolve));
    return this.messages;
  }
}

const frame = (object: string): Buffer => watchFrame(websocketFramings.json, 'ADDED', Buffer.from(object));
const message = (object: string): string => `text {"type":"ADDED","object":${object}}\n`;

/** Lets the test fire the timers of one length. */
function worldWith(milliseconds: number): { readonly world: World; readonly due: (() => void)[] } {
  const due: (() => void)[] = [];
  const { timers } = testWorld;
  const after: typeof timers.after = (ms, f) => {
    if (ms !== milliseconds) return timers.after(ms, f);
    due.push(f);
    return () => {};
  };
  return { world: { ...testWorld, timers: { ...timers, after } }, due };
}

describe('a watch over WebSocket', () => {
  it.each([WATCH, '/api/v1/watch/namespaces/n/configmaps', '/api/v1/watch/namespaces/n/configmaps/a'])(
    'sends events as messages: %s',
    async (path) => {
      const door = await open();
      const watcher = new Watcher(door, path);
      expect(await watcher.opened()).toBe('open');
      const [stream] = door.services.registry.streams;
      stream!.push(Buffer.concat([frame('1'), frame('2')]));
      await watcher.until(2);
      stream!.push(frame(`"${'x'.repeat(100_000)}"`));
      expect(await watcher.until(3)).toEqual([message('1'), message('2'), message(`"${'x'.repeat(100_000)}"`)]);
      const exposed = (await door.services.exposition.scrape('text')).toString();
      expect(exposed).toMatch(/apiserver_longrunning_requests\{[^}]*verb="WATCH"[^}]*\} 1/);
    },
  );

  it('accepts one subprotocol of any name, or none', async () => {
    const door = await open();
    const none = new Watcher(door, WATCH);
    expect([await none.opened(), none.ws.protocol]).toEqual(['open', '']);
    const one = new Watcher(door, WATCH, ['base64.binary.k8s.io']);
    expect([await one.opened(), one.ws.protocol]).toEqual(['open', 'base64.binary.k8s.io']);
    const two = await new Watcher(door, WATCH, ['base64.binary.k8s.io', 'other']).opened();
    expect(two).toMatchObject({ status: 400, text: expect.stringContaining('Sec-WebSocket-Protocol') });
    // Rejected handshakes leave nothing open.
    expect(door.services.registry.streams.map((s) => s.closed)).toEqual([false, false, true]);
  });

  it.each<[what: string, path: string, status: number, options: Parameters<typeof TestDoor.open>[1]]>([
    ['nobody', WATCH, 401, { user: () => undefined }],
    ['who may not', WATCH, 403, { user: () => ({ name: 'jane', groups: [] }) }],
    ['no such kind', '/api/v1/namespaces/n/things?watch=1', 404, {}],
    ['what cannot be watched', '/api/v1/componentstatuses?watch=1', 405, {}],
    ['a wrong number', `${WATCH}&timeoutSeconds=x`, 400, {}],
  ])('is refused with a Status before it begins: %s', async (_what, path, status, options) => {
    const door = await open(testWorld, options);
    const refused = await new Watcher(door, path).opened();
    expect(refused).toMatchObject({ status, headers: { connection: 'close' } });
    expect(JSON.parse((refused as { text: string }).text)).toMatchObject({ kind: 'Status', code: status });
  });

  it.each(['Sec-WebSocket-Version: 12\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'])(
    'is refused with plain text if the handshake is invalid: %s',
    async (headers) => {
      const door = await open();
      const socket = await door.dial();
      const answer = until(socket, (text) => text.includes('Sec-WebSocket-'));
      socket.write(
        `GET ${WATCH} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n\r\n`,
      );
      expect(await answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*sec-websocket-version: 13\r\n/);
      await new Promise((resolve) => socket.once('close', resolve));
    },
  );

  it('ignores messages of its client, and ends when the client closes', async () => {
    const door = await open();
    const watcher = new Watcher(door, WATCH);
    await watcher.opened();
    const [stream] = door.services.registry.streams;
    watcher.ws.send('hello');
    watcher.ws.send(Buffer.alloc(100));
    const pong = new Promise((resolve) => watcher.ws.once('pong', resolve));
    watcher.ws.ping('a');
    expect(String(await pong)).toBe('a');
    stream!.push(frame('1'));
    expect(await watcher.until(1)).toEqual([message('1')]);
    // Events continue meanwhile.
    let pushing = true;
    const pushes = (async () => {
      for (; pushing; await turn()) stream!.push(frame('2'));
    })();
    watcher.ws.close(1000);
    expect(await watcher.closed).toBe(1000);
    while (!stream!.closed) await turn();
    pushing = false;
    await pushes;
    expect(door.services.watches.size).toBe(0);
    const exposed = (await door.services.exposition.scrape('text')).toString();
    expect(exposed).toMatch(/apiserver_longrunning_requests\{[^}]*verb="WATCH"[^}]*\} 0/);
    expect(exposed).toMatch(/apiserver_request_total\{[^}]*verb="WATCH"[^}]*code="101"[^}]*\} 1/);
  });

  it('ends when its client sends a message that is too long or invalid', async () => {
    const door = await open();
    const long = new Watcher(door, WATCH);
    await long.opened();
    long.ws.send(Buffer.alloc(limits.messageBytesMax + 1));
    expect(await long.closed).toBe(1009);
    const socket = await door.dial();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const accepted = until(socket, (text) => text.startsWith('HTTP/1.1 101 ') && text.includes('\r\n\r\n'));
    socket.write(HANDSHAKE);
    expect(await accepted).toMatch(/\r\naudit-id: [0-9a-f-]{36}\r\n/i);
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await closed;
    const { streams } = door.services.registry;
    while (streams.some((s) => !s.closed)) await turn();
    expect(streams.length).toBe(2);
  });

  it('ends with a close frame after its duration, and when the server drains', async () => {
    const { world, due } = worldWith(7000);
    const door = await open(world);
    const timed = new Watcher(door, `${WATCH}&timeoutSeconds=7`);
    await timed.opened();
    for (const f of due) f();
    expect(await timed.closed).toBe(1000);
    const drained = new Watcher(door, WATCH);
    await drained.opened();
    const [, stream] = door.services.registry.streams;
    stream!.push(frame('1'));
    await drained.until(1);
    await Promise.all([door.listener.drain(60_000), drained.closed.then((code) => expect(code).toBe(1000))]);
    expect(stream!.closed).toBe(true);
  });

  it('disconnects a client that reads nothing for too long, without buffering', async () => {
    const { world, due } = worldWith(limits.stalledTime);
    const door = await open(world);
    const watcher = new Watcher(door, WATCH);
    await watcher.opened();
    const [stream] = door.services.registry.streams;
    watcher.ws.pause();
    // More than the connection buffers: one write, and no other.
    stream!.push(frame(`"${'x'.repeat(32 << 20)}"`));
    while (due.length === 0) await turn();
    stream!.push(frame('2'));
    for (let i = 0; i < 10; i++) await turn();
    expect(stream!.pending).toBe(1);
    due[0]!();
    while (!stream!.closed) await turn();
    watcher.ws.resume();
    expect(await watcher.closed).toBe(1006);
    expect(door.services.watches.size).toBe(0);
  });
});

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
const HANDSHAKE = `GET ${WATCH} HTTP/1.1\r\nHost: x\r\n${UPGRADE}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

describe('an unsupported upgrade', () => {
  it('is ignored, however often it is requested', async () => {
    const door = await open();
    const warnings: Error[] = [];
    const warned = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', warned);
    const socket = await door.dial();
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    for (let i = 0; i < 30; i++) {
      const list = until(socket, (text) => text.includes('"kind":"List"'));
      socket.write(`GET ${CMS} HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n`);
      expect(await list).toMatch(/^HTTP\/1\.1 200 /);
    }
    // With a body that arrives later, and a pipelined request.
    const both = until(socket, (text) => text.includes('gitVersion'));
    socket.write(`POST ${CMS} HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: SPDY/3.1\r\n`);
    socket.write(`Content-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
    await turn();
    socket.write(`${body.slice(5)}GET /version HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(await both).toMatch(/^HTTP\/1\.1 201 [\s\S]*HTTP\/1\.1 200 /);
    await turn();
    process.off('warning', warned);
    expect(warnings).toEqual([]);
    socket.destroy();
  });

  it('closes a connection with a response in progress, and rejects one with too many headers', async () => {
    const door = await open();
    let begun = (): void => {};
    const first = new Promise<void>((resolve) => {
      begun = resolve;
    });
    door.services.registry.before = () => {
      begun();
      return new Promise(() => {});
    };
    const busy = await door.dial();
    busy.on('error', () => {});
    const closed = new Promise((resolve) => busy.once('close', resolve));
    busy.write(`GET ${CMS} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await first;
    busy.resume();
    busy.write(HANDSHAKE);
    await closed;
    expect(door.services.registry.streams).toEqual([]);

    const many = await door.dial();
    many.on('error', () => {});
    const cut = until(many, (text) => text.endsWith('}\n'));
    const headers = Array.from({ length: limits.headersMax }, (_, i) => `X-${i}: y\r\n`).join('');
    many.write(`GET /version HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n${headers}\r\n`);
    expect(await cut).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('pings', () => {
  /** A connection whose other end the test controls. */
  class TestSocket extends Duplex {
    readonly written: Buffer[] = [];
    takes = true;

    override _read(): void {}

    override _write(piece: Buffer, _encoding: string, done: () => void): void {
      this.written.push(piece);
      if (this.takes) done();
    }
  }

  it('are not answered while the client does not read', async () => {
    const headers = {
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    };
    const socket = new TestSocket();
    const request = { method: 'GET', url: WATCH, headers } as unknown as IncomingMessage;
    const upgrade = { socket: socket as unknown as TLSSocket, head: Buffer.alloc(0), isForwarded: false };
    const answer = openWebSocket(request, upgrade, 'id');
    // A masked ping without payload.
    const ping = Buffer.from([0x89, 0x80, 1, 2, 3, 4]);
    const before = socket.written.length;
    socket.push(ping);
    while (socket.written.length === before) await turn();
    expect(Buffer.concat(socket.written.slice(before))).toEqual(Buffer.from([0x8a, 0]));
    socket.takes = false;
    while (answer.write(Buffer.alloc(10_000)));
    const held = socket.writableLength;
    for (let i = 0; i < 1000; i++) socket.push(ping);
    for (let i = 0; i < 10; i++) await turn();
    expect([socket.readableLength, socket.writableLength]).toEqual([0, held]);
    socket.destroy();
  });
});
