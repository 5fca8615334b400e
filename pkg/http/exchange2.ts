import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { AnswerStream, Connection, Exchange } from './exchange.js';
import { connectionOf } from './exchange1.js';
import { limits } from './limits.js';

/** HTTP/2, on the bare stream. */
export class StreamExchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  readonly connection: Connection;
  readonly websocket = false;
  readonly #stream: ServerHttp2Stream;
  readonly #raw: readonly string[];

  /** `raw`: names and values in turn, as they came. */
  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[], connection: Connection) {
    this.#stream = stream;
    this.#raw = raw;
    this.headers = headers;
    this.method = (headers[':method'] as string | undefined) ?? 'GET';
    this.url = (headers[':path'] as string | undefined) ?? '/';
    this.body = stream;
    this.connection = connection;
    // A stream that is reset by its client reports an error; the exchange learns of it by `close`.
    stream.on('error', ignore);
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
    // What the client still sends of a body that nobody wants is read away. (A stream without a body is left alone: reading to
    // its end makes Node destroy it before the answer's last write is done, at the price of an error object each time.)
    if (!stream.endAfterHeaders && stream.readableFlowing === null) this.#discardBody();
  }

  bodyWanted(): void {
    const stream = this.#stream;
    if (this.headers.expect === '100-continue' && !stream.headersSent) stream.additionalHeaders(CONTINUE);
  }

  bodyTaken(): void {
    this.#stream.pause();
  }

  #discardBody(): void {
    const stream = this.#stream;
    let discarded = 0;
    stream.on('data', (piece: Buffer) => {
      discarded += piece.length;
      // The client is told to stop, without an error (RFC 9113, 8.1).
      if (discarded > limits.discardBytesMax) stream.close(constants.NGHTTP2_NO_ERROR);
    });
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

/** The connection beneath a session: the same object for all its streams. */
export function sessionConnection(session: Http2Session): Connection {
  let found = sessions.get(session);
  if (found === undefined) {
    found = connectionOf(session.socket as TLSSocket);
    sessions.set(session, found);
  }
  return found;
}
