import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { Scheduler } from '../base/index.js';
import { limits } from './limits.js';
import { ParserFeeds } from './parserfeed.js';
import { turn } from './testing/door.js';
import { testWorld } from './testing.js';

/** What the feeds use of a socket: its listeners, and whether it is paused. */
class FakeSocket extends EventEmitter {
  paused = false;
  readonly parser = (): void => {};

  constructor() {
    super();
    this.on('data', this.parser);
  }

  isPaused(): boolean {
    return this.paused;
  }

  _read(): void {}

  /** Whether Node's parser still reads the connection itself. */
  get isDirect(): boolean {
    const listeners = this.listeners('data');
    return listeners.length === 1 && listeners[0] === this.parser;
  }
}

describe('a connection of HTTP/1.1', () => {
  let now = 0;
  const world = { ...testWorld, clock: { ...testWorld.clock, monotonic: () => now } };
  const turns = new Scheduler(testWorld, 1);
  const client = { isKnown: () => true, starts: () => turns, flow: () => 'a' };

  function opened(count: number): { feeds: ParserFeeds; sockets: FakeSocket[]; more: () => FakeSocket } {
    const feeds = new ParserFeeds(world, turns);
    const more = (): FakeSocket => {
      const socket = new FakeSocket();
      feeds.add(socket as unknown as TLSSocket, client);
      return socket;
    };
    return { feeds, sockets: Array.from({ length: count }, more), more };
  }
  const requestOn = (socket: FakeSocket): IncomingMessage => ({ socket, headers: {} }) as unknown as IncomingMessage;
  const direct = (sockets: readonly FakeSocket[]): boolean[] => sockets.map((socket) => socket.isDirect);

  it('is parsed directly while its client waits for each answer', async () => {
    const { feeds, sockets } = opened(2);
    for (let i = 0; i < 2 * limits.parsedDirectlyMax; i++) {
      feeds.began(requestOn(sockets[i % 2]!), false);
      if (i % limits.parsedDirectlyMax === limits.parsedDirectlyMax - 1) await turn();
    }
    expect(direct(sockets)).toEqual([true, true]);
  });

  it('gets a feed when a client sends requests without waiting, and so do new ones for a while', () => {
    const { feeds, sockets, more } = opened(3);
    feeds.began(requestOn(sockets[1]!), true);
    expect(direct(sockets)).toEqual([false, false, false]);
    now += limits.feedsTime - 1;
    expect(more().isDirect).toBe(false);
    now += 1;
    expect(more().isDirect).toBe(true);
  });

  it('gets a feed when many clients send requests in one turn', async () => {
    const { feeds, sockets } = opened(2);
    await turn();
    for (let i = 0; i <= limits.parsedDirectlyMax; i++) {
      expect(direct(sockets)).toEqual([true, true]);
      feeds.began(requestOn(sockets[0]!), false);
    }
    expect(direct(sockets)).toEqual([false, false]);
  });

  it('gets a feed of its own when Node pauses it', () => {
    const { feeds, sockets } = opened(2);
    sockets[0]!.paused = true;
    for (const socket of sockets) feeds.began(requestOn(socket), false);
    expect(direct(sockets)).toEqual([false, true]);
  });

  it('gets none after it was closed or taken over', () => {
    const { feeds, sockets } = opened(3);
    sockets[0]!.emit('close');
    expect(feeds.detach(sockets[1] as unknown as TLSSocket)).toHaveLength(0);
    feeds.began(requestOn(sockets[2]!), true);
    expect(direct(sockets)).toEqual([true, true, false]);
  });

  it('gets a feed when a refused upgrade is parsed again', () => {
    const { feeds, sockets } = opened(1);
    const [socket] = sockets as [FakeSocket];
    feeds.detach(socket as unknown as TLSSocket);
    feeds.add(socket as unknown as TLSSocket, client);
    expect(socket.isDirect).toBe(false);
  });
});
