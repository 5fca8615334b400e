import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Scheduler, World } from '../base/index.js';
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
 * The HTTP/1.1 connections of a listener. Node's parser reads a connection directly, which costs a get an eighth less than reading through a
 * feed: no buffer and no event for each read. But it parses all that arrives in one read at once, which can be hundreds of requests, on every
 * connection in one turn of the event loop. So all connections get a feed when a client sends requests without waiting for
 * answers, or when many send requests in one turn; what can be parsed directly before that is one read of one connection. Later connections
 * have a feed from the beginning, until neither has happened for a while.
 */
export class ParserFeeds {
  readonly #world: World;
  readonly #turns: Scheduler;
  readonly #bySocket = new WeakMap<Socket, ParserFeed>();
  /** Those of connections that Node reads directly. */
  readonly #direct = new Set<ParserFeed>();
  /** Monotonic, milliseconds. */
  #feedsUntil = Number.NEGATIVE_INFINITY;
  #turn = 0;
  #begunInTurn = 0;

  constructor(world: World, turns: Scheduler) {
    this.#world = world;
    this.#turns = turns;
  }

  /** Adds a connection that Node's parser has begun to read; again after an upgrade was refused. */
  add(socket: TLSSocket, client: FeedClient): void {
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (parse === undefined) return;
    const feed = new ParserFeed(socket, client, parse);
    // The bytes that follow a refused upgrade are in the stream's buffer already.
    const isAgain = this.#bySocket.has(socket);
    this.#bySocket.set(socket, feed);
    if (isAgain || this.#world.clock.monotonic() < this.#feedsUntil) {
      feed.attach();
      return;
    }
    this.#direct.add(feed);
    socket.once('close', () => this.#direct.delete(feed));
  }

  /** Records that the headers of a request were parsed. `isPipelined`: others of the connection wait for an answer. */
  began(request: IncomingMessage, isPipelined: boolean): void {
    const feed = this.#bySocket.get(request.socket);
    if (feed === undefined) return;
    if (isPipelined || this.#isCrowd()) this.#attachAll();
    // Node pauses its parser while a response waits to be written. OpenSSL then still delivers the records that it has read, and the paused
    // parser rejects them. A feed reads through the stream's buffer, which can be paused.
    else if (request.socket.isPaused()) this.#attach(feed);
    if (feed.attached) feed.began(request);
  }

  /** Stops the feed of a connection. Returns the bytes that arrived after the current piece. */
  detach(socket: Socket): Buffer {
    const feed = this.#bySocket.get(socket);
    if (feed === undefined) return EMPTY;
    this.#direct.delete(feed);
    return feed.detach();
  }

  #isCrowd(): boolean {
    const turn = this.#turns.turn();
    if (turn !== this.#turn) {
      this.#turn = turn;
      this.#begunInTurn = 0;
    }
    return ++this.#begunInTurn > limits.parsedDirectlyMax;
  }

  #attachAll(): void {
    this.#feedsUntil = this.#world.clock.monotonic() + limits.feedsTime;
    for (const feed of this.#direct) this.#attach(feed);
  }

  #attach(feed: ParserFeed): void {
    this.#direct.delete(feed);
    feed.attach();
  }
}

/**
 * Feeds the bytes of an HTTP/1.1 connection to Node's parser in pieces. Between two pieces the feed stops if the turn has no time left for
 * further requests, the connection was closed, or Node paused it. Unparsed bytes stay in the socket's buffer, so TCP slows the client down.
 */
class ParserFeed {
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
  #attached = false;
  #detached = false;

  constructor(socket: TLSSocket, client: FeedClient, parse: (bytes: Buffer) => void) {
    this.#socket = socket;
    this.#client = client;
    this.#parse = parse;
  }

  /** Whether the bytes go through this feed. */
  get attached(): boolean {
    return this.#attached;
  }

  /** Takes the place of the parser's listener. Bytes of the read that Node is parsing now are still parsed. */
  attach(): void {
    if (this.#attached || this.#detached) return;
    this.#attached = true;
    const socket = this.#socket;
    // Node stops reading into its parser when the socket has a new listener for data.
    socket.on('data', this.#onData);
    socket.off('data', this.#parse);
    // While Node read into its parser, the stream had a read under way that never ends, so it would begin no other after a pause.
    const read = (): void => socket._read(0);
    if (socket.isPaused()) socket.once('resume', read);
    else read();
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
