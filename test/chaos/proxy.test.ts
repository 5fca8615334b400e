import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { PeerProxy } from './proxy.js';

const CONNECTIONS = 40;

/**
 * Opens connections to a port one after the other, each until the other side or this one after some milliseconds closes it, while another
 * thread opens and closes files, as a busy peer does.
 */
const BUSY_CLIENT = `
const { Worker } = require('node:worker_threads');
const { connect } = require('node:net');
const busy = new Worker(
  "const { openSync, closeSync } = require('node:fs'); for (;;) { const all = []; for (let i = 0; i < 50; i++) all.push(openSync('/dev/null')); for (const fd of all) closeSync(fd); }",
  { eval: true },
);
const dial = (left) => {
  if (left === 0) process.exit(0);
  const socket = connect(Number(process.argv[1]), '127.0.0.1', () => socket.write('x'));
  socket.on('error', () => {});
  socket.on('close', () => dial(left - 1));
  setTimeout(() => socket.destroy(), Number(process.argv[2])).unref();
};
busy.on('online', () => dial(${CONNECTIONS}));
`;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Opens a port and returns it. */
async function listening(accept: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    accept(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs the busy client against a proxy and returns the number of connections that delivered a byte. */
async function delivered(isCut: boolean, known: boolean): Promise<number> {
  let count = 0;
  const target = await listening((socket) => {
    socket.once('data', () => {
      count++;
      socket.destroy();
    });
  });
  const pids = new Map<string, number>();
  const proxy = await PeerProxy.open('b', { cut: (from) => isCut && from === 'a', peers: () => pids });
  closers.push(() => proxy.close());
  proxy.aim(target);
  const milliseconds = isCut ? 50 : 60_000;
  const client = spawn(process.execPath, ['-e', BUSY_CLIENT, String(proxy.port), String(milliseconds)], {
    stdio: 'inherit',
  });
  if (known) pids.set('a', client.pid!);
  await once(client, 'exit');
  return count;
}

describe('the proxy between peers', () => {
  it('delivers nothing from a caller that is cut off, however busy its process is', async () => {
    expect(await delivered(true, true)).toBe(0);
  });

  it('delivers from a caller that is not cut off', async () => {
    expect(await delivered(false, true)).toBe(CONNECTIONS);
  });

  it('identifies a caller whose port other connections have used', async () => {
    // Closed connections to other ports, from one local port: they stay in TIME_WAIT.
    const targets = await Promise.all(Array.from({ length: 20 }, () => listening((socket) => socket.resume())));
    const localPort = await freePort();
    for (const port of targets) {
      const socket = connect({ port, host: '127.0.0.1', localPort });
      await once(socket, 'connect');
      socket.end();
      await once(socket, 'close');
    }
    const target = await listening((socket) => socket.end('hello'));
    const proxy = await PeerProxy.open('b', { cut: () => false, peers: () => new Map([['a', process.pid]]) });
    closers.push(() => proxy.close());
    proxy.aim(target);
    const socket = connect({ port: proxy.port, host: '127.0.0.1', localPort });
    const received: Buffer[] = [];
    socket.on('data', (piece: Buffer) => received.push(piece));
    socket.on('error', () => {});
    await once(socket, 'close');
    expect(Buffer.concat(received).toString()).toBe('hello');
  });

  it('refuses a caller that it cannot identify', async () => {
    expect(await delivered(false, false)).toBe(0);
  });
});
