import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { AnswerStream, Connection, Exchange } from './exchange.js';
import { connectionOf } from './exchange1.js';

/** HTTP/2, on Node's stream without its compatibility layer. */
export class StreamExchange implements Exchange {
  readonly method: string;
  url: string;
  headers: IncomingHttpHeaders;
  readonly body: Readable;
  readonly connection: Connection;
  readonly websocket = false;
  readonly #stream: ServerHttp2Stream;
  #raw: readonly string[];

  /** `raw`: names and values alternate, as received. */
  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[], connection: Connection) {
    this.#stream = stream;
    this.#raw = raw;
    this.headers = headers;
    this.method = (headers[':method'] as string | undefined) ?? 'GET';
    this.url = (headers[':path'] as string | undefined) ?? '/';
    this.body = stream;
    this.connection = connection;
    // A stream that the client resets emits an error; the exchange observes `close` instead.
    stream.on('error', ignore);
  }

  forget(): void {
    this.url = '';
    this.headers = {};
    this.#raw = [];
  }

  lines(name: string): readonly string[] {
    const found: string[] = [];
    for (let i = 0; i < this.#raw.length; i += 2) if (this.#raw[i] === name) found.push(this.#raw[i + 1]!);
    return found;
  }

  send(status: number, headers: OutgoingHttpHeaders, body: Buffer | undefined): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.closed) return;
    headers[':status'] = status;
    if (body === undefined || body.length === 0 || this.method === 'HEAD') {
      stream.respond(headers, END);
    } else {
      stream.respond(headers);
      stream.end(body);
    }
    // After a response that does not need the rest of the body, the client is asked to stop sending, without an error (RFC 9113, 8.1). Frames
    // that it still sends cost nothing. A stream without a body is left alone: reading it to the end makes Node destroy it before the last
    // write of the response is done, and create an error object each time.
    if (!stream.endAfterHeaders && !stream.readableEnded && stream.state.remoteClose !== 1)
      stream.close(constants.NGHTTP2_NO_ERROR);
  }

  bodyWanted(): void {
    const stream = this.#stream;
    if (this.headers.expect === '100-continue' && !stream.headersSent) stream.additionalHeaders(CONTINUE);
  }

  /**
   * Holds back the end of the body until the response is written. When a stream has ended on both sides, Node destroys it, and for a write
   * that is not done yet it makes an error object, which costs more than the write.
   */
  bodyTaken(): void {
    const stream = this.#stream;
    stream.pause();
    if (stream.readableEnded || stream.destroyed) return;
    stream.unshift(HELD);
    stream.once('finish', resume);
  }

  stream(status: number, headers: OutgoingHttpHeaders): AnswerStream {
    headers[':status'] = status;
    if (!this.#stream.destroyed && !this.#stream.closed) this.#stream.respond(headers);
    return new StreamAnswer(this.#stream, this.method === 'HEAD');
  }

  get answered(): boolean {
    return this.#stream.headersSent;
  }

  get gone(): boolean {
    return this.#stream.destroyed || this.#stream.closed || this.#stream.aborted;
  }

  onClose(f: () => void): void {
    this.#stream.once('close', f);
  }

  abort(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}

const CONTINUE = { ':status': 100 };
const END = { endStream: true } as const;
const ignore = (): void => {};
/** A piece that stays unread: a stream with unread pieces has not ended. */
const HELD = Buffer.from(' ');

function resume(this: ServerHttp2Stream): void {
  this.resume();
}

class StreamAnswer implements AnswerStream {
  readonly #stream: ServerHttp2Stream;
  readonly #empty: boolean;

  constructor(stream: ServerHttp2Stream, empty: boolean) {
    this.#stream = stream;
    this.#empty = empty;
  }

  write(bytes: Buffer): boolean {
    if (this.#empty || this.#stream.destroyed || this.#stream.writableEnded) return true;
    return this.#stream.write(bytes);
  }

  onDrain(f: () => void): void {
    this.#stream.on('drain', f);
  }

  end(): void {
    if (!this.#stream.destroyed) this.#stream.end();
  }
}

const sessions = new WeakMap<Http2Session, Connection>();

/** The connection of a session: the same object for all its streams. */
export function sessionConnection(session: Http2Session): Connection {
  let found = sessions.get(session);
  if (found === undefined) {
    found = connectionOf(session.socket as TLSSocket);
    sessions.set(session, found);
  }
  return found;
}
