import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { CredentialConnection } from '../auth/index.js';
import type { Frames } from '../registry/index.js';

/**
 * One request and its response, independent of the protocol. `exchange1.ts` implements it for HTTP/1.1, WebSocket and injected
 * requests on Node's request and response objects. `exchange2.ts` implements it for HTTP/2 on the bare stream, which costs half
 * of what Node's compatibility layer costs. All code above uses only this interface.
 */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Drops the URL and the headers. A long-running response does not need them, and they may take more memory than all else of it. */
  forget(): void;
  /** The body, unread. */
  readonly body: Readable;
  /** Called before the body is read: a client that sent `Expect: 100-continue` may then send it. */
  bodyWanted(): void;
  /** Whether all announced bytes of the body were read. */
  bodyTaken(): void;
  /** The values of a header that may occur several times. */
  lines(name: string): readonly string[];

  /** State that lives as long as the connection. */
  readonly connection: Connection;

  /** Whether a streamed response goes over WebSocket. Its bytes are then WebSocket frames already. */
  readonly websocket: boolean;

  /**
   * Present if the request has an Upgrade header that another server may accept. Takes over the connection, and writes
   * the header of the response; no other response may have begun.
   */
  readonly takeOver?: ((header: Buffer) => Duplex) | undefined;

  /** Sends a complete response. */
  send(status: number, headers: OutgoingHttpHeaders, body: Buffer | undefined): void;
  /** Begins a response of unknown length, or one that is too large to be held in memory. */
  stream(status: number, headers: OutgoingHttpHeaders): AnswerStream;

  /** Whether the response has begun. An error can then no longer be sent. */
  readonly answered: boolean;
  /** Whether the client has disconnected. */
  readonly gone: boolean;
  /** Registers `f` to run once, when the response is sent or the client has disconnected. */
  onClose(f: () => void): void;
  /** Ends the exchange without sending anything more. */
  abort(): void;
}

/** The state of the underlying connection. */
export interface Connection extends CredentialConnection {
  /** The number of exchanges in progress. */
  open: number;
  /** A request on this connection had valid credentials. */
  authenticated: boolean;
  /** The user of the last request with valid credentials, whose share of the event loop the connection uses; '' before it. */
  flow: string;
  /**
   * The number of requests over HTTP/2 since the last one with valid credentials, less those that its rate allows; and when it was
   * counted, in monotonic milliseconds.
   */
  unauthenticated: number;
  countedAt: number;
  /** The number of pipelined requests that wait for an earlier response. */
  waiting: number;
  readonly remoteAddress: string;
}

/** The body of a response, written as fast as its connection accepts it. */
export interface AnswerStream {
  /**
   * Writes bytes. Returns false if the buffer is full; `onDrain` then reports when to continue. `frames`, if present,
   * has `bytes` as its payload and is shared with other watches; HTTP/1.1 keeps its chunk there.
   */
  write(bytes: Buffer, frames?: Frames): boolean;
  /** Registers `f` to run each time the connection drains after a `write` that returned false. */
  onDrain(f: () => void): void;
  end(): void;
}
