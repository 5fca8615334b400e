import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Scheduler } from '../base/index.js';
import { limits } from './limits.js';

/** The state of a connection that decides when its requests begin. */
export interface FeedClient {
  /** Whether it has authenticated. */
  readonly isKnown: () => boolean;
  readonly starts: () => Scheduler;
  /** The flow to which its requests belong. */
  readonly flow: () => string;
}

/**
 * Feeds the bytes of an HTTP/1.1 connection to Node's parser in pieces. Without this, Node parses everything that
 * arrives in one read at once, which can be hundreds of requests, on every connection in one turn of the event loop.
 * Between two pieces the feed stops if the turn has no time left for further requests, the connection was closed, or
 * Node paused it. Unparsed bytes stay in the socket's buffer, so TCP slows the client down.
 */
export class ParserFeed {
  readonly #socket: TLSSocket;
  readonly #client: FeedClient;
  /** Node's own listener. */
  readonly #parse: (bytes: Buffer) => void;
  /**
   * Bytes that certainly belong to the body of the last request. They contain no requests, so they need not be split.
   */
  #bodyLeft = 0;
  #begun: IncomingMessage | undefined;
  #waits = false;
  #isTurn = false;
  /** The bytes after the piece that is being parsed. */
  #rest: Buffer = EMPTY;
  #detached = false;

  /** Replaces the parser's listener. */
  static attach(socket: TLSSocket, client: FeedClient): ParserFeed | undefined {
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (parse === undefined) return undefined;
    const feed = new ParserFeed(socket, client, parse);
    socket.off('data', parse);
    // Node feeds its parser directly from the stream, and pauses the parser while a response waits to be written.
    // OpenSSL then still delivers the records that it has read, and the paused parser rejects them. With a data
    // listener, Node reads through the stream's buffer, which can be paused.
    socket.on('data', feed.#onData);
    return feed;
  }

  private constructor(socket: TLSSocket, client: FeedClient, parse: (bytes: Buffer) => void) {
    this.#socket = socket;
    this.#client = client;
    this.#parse = parse;
  }

  /** Records that the current piece contained the headers of a request. */
  began(request: IncomingMessage): void {
    this.#begun = request;
  }

  /** Stops. Returns the bytes that arrived after the current piece. */
  detach(): Buffer {
    this.#detached = true;
    this.#socket.off('data', this.#onData);
    return this.#rest;
  }

  readonly #onData = (bytes: Buffer): void => {
    let rest = bytes;
    while (rest.length > 0) {
      const socket = this.#socket;
      if (socket.destroyed || this.#detached) return;
      // Node resumes a connection that it has paused.
      if (socket.isPaused()) {
        socket.unshift(rest);
        return;
      }
      const starts = this.#client.starts();
      if (!this.#isTurn && starts.spent(this.#client.flow())) {
        this.#wait(rest);
        return;
      }
      this.#isTurn = false;
      const piece = this.#cut(rest);
      rest = rest.subarray(piece.length);
      this.#rest = rest;
      this.#parse.call(socket, piece);
      starts.settle();
      this.#rest = EMPTY;
      this.#count(piece.length);
    }
  };

  /** Continues with the bytes in a later turn. */
  #wait(bytes: Buffer): void {
    const socket = this.#socket;
    socket.pause();
    socket.unshift(bytes);
    if (this.#waits) return;
    this.#waits = true;
    this.#client.starts().later(() => {
      this.#waits = false;
      if (socket.destroyed || this.#detached) return;
      this.#isTurn = true;
      socket.resume();
      // Calls #onData with the buffered bytes.
      socket.read();
      this.#isTurn = false;
    }, this.#client.flow());
  }

  #cut(bytes: Buffer): Buffer {
    const piece = this.#client.isKnown() ? limits.parsedBytesMax : limits.parsedBytesAnonymousMax;
    const length = Math.max(piece, this.#bodyLeft);
    return bytes.length <= length ? bytes : bytes.subarray(0, length);
  }

  #count(parsed: number): void {
    const request = this.#begun;
    if (request === undefined) {
      this.#bodyLeft = Math.max(0, this.#bodyLeft - parsed);
      return;
    }
    this.#begun = undefined;
    const length = Number(request.headers['content-length']);
    this.#bodyLeft = length > parsed ? length - parsed : 0;
  }
}

const EMPTY = Buffer.alloc(0);
