import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../auth/index.js';
import type { Frames } from '../registry/index.js';
import { chunkOf } from './chunk.js';
import type { AnswerStream, Connection, Exchange } from './exchange.js';
import { limits } from './limits.js';
import { openWebSocket, type Upgrade } from './websocket.js';

/** HTTP/1.1, and injected requests of tests, on Node's request and response objects. */
export class MessageExchange implements Exchange {
  readonly method: string;
  url: string;
  headers: IncomingHttpHeaders;
  readonly body: Readable;
  readonly connection: Connection;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #upgrade: Upgrade | undefined;
  #upgraded = false;

  /** `upgrade`: a streamed response goes over WebSocket, unless another server serves the request. */
  constructor(request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade) {
    this.#request = request;
    this.#response = response;
    this.#upgrade = upgrade;
    this.method = request.method ?? 'GET';
    this.url = request.url ?? '/';
    this.headers = request.headers;
    this.body = request;
    this.connection = connectionOf(request.socket as TLSSocket);
  }

  forget(): void {
    const request = this.#request;
    request.url = '';
    request.headers = {};
    request.rawHeaders = [];
    this.url = '';
    this.headers = request.headers;
  }

  get websocket(): boolean {
    return this.#upgrade?.isForwarded === false;
  }

  get takeOver(): ((header: Buffer) => Duplex) | undefined {
    const upgrade = this.#upgrade;
    if (upgrade?.isForwarded !== true) return undefined;
    return (header) => {
      const { socket, head } = upgrade;
      this.#upgraded = true;
      this.#response.detachSocket(socket);
      socket.write(header);
      if (head.length > 0) socket.unshift(head);
      return socket;
    };
  }

  lines(name: string): readonly string[] {
    const raw = this.#request.rawHeaders;
    const found: string[] = [];
    for (let i = 0; i < raw.length; i += 2)
      if (raw[i]!.length === name.length && raw[i]!.toLowerCase() === name) found.push(raw[i + 1]!);
    return found;
  }

  /** Node has sent 100 Continue already. */
  bodyWanted(): void {}

  bodyTaken(): void {}

  send(status: number, headers: OutgoingHttpHeaders, body: Buffer | undefined): void {
    this.#response.writeHead(status, headers);
    if (body === undefined || this.method === 'HEAD') this.#response.end();
    else this.#response.end(body);
    this.#discardBody();
  }

  stream(status: number, headers: OutgoingHttpHeaders): AnswerStream {
    const response = this.#response;
    if (this.#upgrade?.isForwarded === false) {
      const answer = openWebSocket(this.#request, this.#upgrade, String(headers['audit-id']));
      this.#upgraded = true;
      return answer;
    }
    response.writeHead(status, headers);
    response.flushHeaders();
    return this.method === 'HEAD' ? new EmptyStream(response) : new MessageStream(response);
  }

  get answered(): boolean {
    return this.#upgraded || this.#response.headersSent;
  }

  get gone(): boolean {
    return this.#response.destroyed || this.#response.closed;
  }

  onClose(f: () => void): void {
    this.#response.once('close', f);
  }

  abort(): void {
    this.#request.destroy();
    this.#response.destroy();
  }

  /** The unread rest of a body is discarded, because the connection could not be used again otherwise. */
  #discardBody(): void {
    const request = this.#request;
    if (request.complete) return;
    let discarded = 0;
    request.on('data', (piece: Buffer) => {
      discarded += piece.length;
      if (discarded > limits.discardBytesMax) request.destroy();
    });
  }
}

class MessageStream implements AnswerStream {
  readonly #response: ServerResponse;
  #onDrain: (() => void) | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    // The response forwards the `drain` of its socket, also when only the socket was written to.
    response.on('drain', () => this.#onDrain?.());
  }

  write(bytes: Buffer, frames?: Frames): boolean {
    const response = this.#response;
    const socket = response.socket;
    // A whole chunk is written to the socket directly: one write instead of three.
    if (frames !== undefined && socket !== null && response.chunkedEncoding) {
      if (socket.write(chunkOf(frames))) return true;
      socket.once('drain', () => this.#onDrain?.());
      return false;
    }
    return response.write(bytes);
  }

  onDrain(f: () => void): void {
    this.#onDrain = f;
  }

  end(): void {
    this.#response.end();
  }
}

/** The response to HEAD: headers only. */
class EmptyStream implements AnswerStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  write(): boolean {
    return true;
  }

  onDrain(): void {}

  end(): void {
    this.#response.end();
  }
}

const connections = new WeakMap<object, Connection>();

/** The state kept for a socket: one object for each connection, however many requests it carries. */
export function connectionOf(socket: TLSSocket): Connection {
  let found = connections.get(socket);
  if (found === undefined) {
    found = new SocketConnection(socket);
    connections.set(socket, found);
  }
  return found;
}

class SocketConnection implements Connection {
  identity: unknown;
  digested: Connection['digested'];
  open = 0;
  waiting = 0;
  authenticated = false;
  flow = '';
  unauthenticated = 0;
  countedAt = 0;
  readonly #socket: TLSSocket;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
  }

  certificate(): ClientCertificate | undefined {
    // Injected requests have no TLS connection.
    if (typeof this.#socket.getPeerCertificate !== 'function') return undefined;
    const certificate = this.#socket.getPeerCertificate(true);
    if (certificate === null || certificate === undefined || Object.keys(certificate).length === 0) return undefined;
    const { authorized, authorizationError } = this.#socket;
    // For clients, Node sets the code of OpenSSL's last error.
    const isForOtherPurpose = String(authorizationError) === 'INVALID_PURPOSE';
    return { verified: authorized, isForOtherPurpose, certificate };
  }

  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? '';
  }
}
