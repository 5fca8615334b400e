import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { CredentialConnection } from '../auth/index.js';

/**
 * One request and its answer, whichever protocol brought it: HTTP/1.1 (WebSocket on top of it) and test injections through Node's
 * request and response objects (`exchange1.ts`), HTTP/2 on the bare stream (`exchange2.ts`), which costs half of what the compatibility layer does.
 * Everything above knows only this.
 */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The body, unread. */
  readonly body: Readable;
  /** The body is wanted now: a client that asked before it sends anything (`Expect: 100-continue`) may go on. */
  bodyWanted(): void;
  /** All bytes that the headers announced were taken from `body`. */
  bodyTaken(): void;
  /** Values of a header that may come in several lines, one each. */
  lines(name: string): readonly string[];

  /** Remembers what it is given as long as the connection lives. */
  readonly connection: Connection;

  /** What is streamed goes over WebSocket: it is framed so already. */
  readonly websocket: boolean;

  /** The whole answer at once. */
  send(status: number, headers: OutgoingHttpHeaders, body: Buffer | undefined): void;
  /** Begins an answer whose length is not known, or that is too large to stand in memory. */
  stream(status: number, headers: OutgoingHttpHeaders): AnswerStream;

  /** Whether an answer has begun: too late for another. */
  readonly answered: boolean;
  /** Whether the client has gone. */
  readonly gone: boolean;
  /** `f` runs once, when the exchange is over: answer sent, or client gone. */
  onClose(f: () => void): void;
  /** Ends the exchange without (further) answer. */
  abort(): void;
}

/** What is known of the connection beneath. */
export interface Connection extends CredentialConnection {
  /** Exchanges that are under way on it. */
  open: number;
  /** Requests without credentials that came over HTTP/2. */
  anonymous: number;
  /** Requests that wait for the answer of the one before them. */
  waiting: number;
  readonly remoteAddress: string;
}

/** The body of an answer, written at the pace of its connection. */
export interface AnswerStream {
  /**
   * Hands over bytes. False: enough for now, `onDrain` says when to go on. `chunk`, where it is given, is `bytes` framed
   * as an HTTP/1.1 chunk: a connection that needs it so writes it as it is.
   */
  write(bytes: Buffer, chunk?: Buffer): boolean;
  /** `f` runs each time the connection has room again after a `write` that said false. */
  onDrain(f: () => void): void;
  end(): void;
}
