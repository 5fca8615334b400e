import type { Socket } from 'node:net';
import type { World } from '../base/index.js';
import { limits } from './limits.js';

/**
 * Begins the TLS handshakes of accepted connections, a few in each turn of the event loop, because each costs up to a
 * millisecond. A connection joins the queue when its first bytes have arrived; one that sends nothing costs only its
 * socket, and is closed after a timeout.
 */
export class Handshakes {
  readonly #world: World;
  readonly #begin: (socket: Socket) => void;
  readonly #queue: Socket[] = [];
  #scheduled = false;

  /** `begin` starts the handshake on a connection. */
  constructor(world: World, begin: (socket: Socket) => void) {
    this.#world = world;
    this.#begin = begin;
  }

  /** Accepts a connection. */
  add(socket: Socket): void {
    const cancel = this.#world.timers.after(limits.headersTime, () => socket.destroy());
    socket.once('close', cancel);
    socket.on('error', ignore);
    socket.once('readable', () => {
      cancel();
      socket.off('close', cancel);
      // The client closed the connection without sending anything.
      if (socket.readableLength === 0) {
        socket.destroy();
        return;
      }
      this.#queue.push(socket);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0) return;
    this.#scheduled = true;
    this.#world.timers.immediate(() => {
      this.#scheduled = false;
      const now = this.#queue.splice(0, limits.handshakesPerTurn);
      for (const socket of now) {
        if (!socket.destroyed) this.#begin(socket);
      }
      this.#schedule();
    });
  }
}

const ignore = (): void => {};
