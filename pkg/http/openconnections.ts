import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { World } from '../base/index.js';
import type { Connection } from './exchange.js';
import { connectionOf } from './exchange1.js';
import { limits } from './limits.js';
import { part } from './parting.js';

/** The connections of a listener, with the number of requests that are open, and their end. */
export class OpenConnections {
  readonly #world: World;
  /** All accepted connections, with or without a TLS handshake. */
  readonly #accepted = new Set<Socket>();
  readonly #sockets = new Set<TLSSocket>();
  readonly #sessions = new Set<Http2Session>();
  #draining = false;
  #sweeps = false;
  #open = 0;
  #onQuiet: (() => void) | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  accepted(socket: Socket): void {
    this.#accepted.add(socket);
    socket.once('close', () => this.#accepted.delete(socket));
  }

  /** Adds a connection after its TLS handshake. A connection may be added again. */
  connected(socket: TLSSocket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // The exchanges handle the errors of a broken connection; they must not end the process.
    socket.on('error', ignore);
    if (this.#draining) socket.end();
  }

  opened(session: Http2Session): void {
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
    session.on('error', ignore);
    if (this.#draining) part(session, this.#world);
  }

  /**
   * Records that a request has begun, and returns the function to call when it ends. Until then its connection does not
   * count as idle, and a drain waits for it.
   */
  began(connection: Connection): () => void {
    connection.open++;
    this.#open++;
    return () => {
      connection.open--;
      this.#open--;
      if (this.#draining) this.#afterExchange();
    };
  }

  /**
   * Closes all connections: idle ones now, the others after their requests, and what is left after `graceTime` milliseconds. `closed`
   * resolves when there is none.
   */
  async drain(closed: Promise<void>, graceTime: number): Promise<void> {
    this.#draining = true;
    for (const session of this.#sessions) part(session, this.#world);
    this.#closeIdle();
    const { timers } = this.#world;
    /** Resolves when every connection is closed, or after this time. */
    const closedWithin = (milliseconds: number, begin: (enough: () => void) => void = ignore): Promise<void> =>
      new Promise((resolve) => {
        const cancel = timers.after(milliseconds, resolve);
        void closed.then(cancel).then(resolve);
        begin(resolve);
      });
    await closedWithin(graceTime, (enough) => {
      this.#onQuiet = enough;
      this.#afterExchange();
    });
    // A connection closes after its last bytes are written, however slowly the client reads them.
    await closedWithin(Math.min(graceTime, limits.partingTime));
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    // Otherwise a client that never sends anything would delay the drain until its handshake times out.
    for (const socket of this.#accepted) socket.destroy();
    await closed;
  }

  #afterExchange(): void {
    if (this.#open === 0) this.#onQuiet?.();
    if (this.#sweeps) return;
    this.#sweeps = true;
    // Runs once for all requests that end in one turn, because there may be thousands on as many connections.
    this.#world.timers.immediate(() => {
      this.#sweeps = false;
      this.#closeIdle();
    });
  }

  /** HTTP/1.1 connections without a request. HTTP/2 sessions close themselves after their last stream. */
  #closeIdle(): void {
    for (const socket of this.#sockets)
      if (socket.alpnProtocol !== 'h2' && connectionOf(socket).open === 0) socket.end();
  }
}

const ignore = (): void => {};
