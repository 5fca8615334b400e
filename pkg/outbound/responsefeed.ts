import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Scheduler } from '../base/index.js';
import { outboundLimits } from './limits.js';

/**
 * Gives the bytes of a connection to Node's parser of HTTP/1.1 only while the turn of the event loop has time for it. A server may send
 * its response in chunks of one byte, or informational responses for ever: Node would parse all that arrives in one read, on every
 * connection, in one turn. Bytes that wait stay in the buffer of the socket, so TCP slows the server down.
 */
export function paceResponse(asking: ClientRequest, scheduler: Scheduler): void {
  asking.once('socket', (socket) => {
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (parse === undefined) return;
    const feed = new ResponseFeed(socket, parse, scheduler);
    asking.once('close', () => feed.detach());
  });
}

class ResponseFeed {
  readonly #socket: Socket;
  /** Node's own listener. */
  readonly #parse: (bytes: Buffer) => void;
  readonly #scheduler: Scheduler;
  #waits = false;
  /** The scheduler gives this connection its turn: a part is parsed in any case. */
  #isTurn = false;
  #detached = false;

  constructor(socket: Socket, parse: (bytes: Buffer) => void, scheduler: Scheduler) {
    this.#socket = socket;
    this.#parse = parse;
    this.#scheduler = scheduler;
    socket.off('data', parse);
    socket.on('data', this.#onData);
  }

  /** The exchange is over. A connection with bytes after its response is not used again. */
  detach(): void {
    this.#detached = true;
    this.#socket.off('data', this.#onData);
    if (this.#waits) this.#socket.destroy();
  }

  readonly #onData = (bytes: Buffer): void => {
    for (let at = 0; at < bytes.length; at += outboundLimits.parsedBytesMax) {
      if (this.#socket.destroyed || this.#detached) return;
      if (this.#waits || (!this.#isTurn && this.#scheduler.spent())) {
        this.#wait(bytes.subarray(at));
        return;
      }
      this.#isTurn = false;
      this.#parse.call(this.#socket, bytes.subarray(at, at + outboundLimits.parsedBytesMax));
      this.#scheduler.settle();
    }
  };

  /** Continues with the bytes in a later turn. */
  #wait(bytes: Buffer): void {
    const socket = this.#socket;
    socket.pause();
    socket.unshift(bytes);
    if (this.#waits) return;
    this.#waits = true;
    this.#scheduler.later(() => {
      this.#waits = false;
      if (socket.destroyed || this.#detached) return;
      this.#isTurn = true;
      socket.resume();
      // Calls #onData with the buffered bytes.
      socket.read();
      this.#isTurn = false;
    });
  }
}
