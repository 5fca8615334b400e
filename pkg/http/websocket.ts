import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { WebSocket, WebSocketServer } from 'ws';
import type { AnswerStream } from './exchange.js';
import { limits } from './limits.js';
import { requestInfo } from './requestinfo.js';

/** A connection that Node's HTTP parser has detached because of an Upgrade header. */
export interface Upgrade {
  readonly socket: TLSSocket;
  /** The bytes after the request. */
  readonly head: Buffer;
  /** Another server decides about the upgrade. */
  readonly isForwarded: boolean;
}

/** A failed handshake. The response is plain text, not a Status. */
export class BadHandshake extends Error {
  override readonly name = 'BadHandshake';
}

/** Whether the request is a watch over WebSocket, the only protocol upgrade that is supported. */
export function isWebSocketWatch(request: IncomingMessage, url: string): boolean {
  if (request.method !== 'GET' || request.headers.upgrade?.toLowerCase() !== 'websocket') return false;
  try {
    const info = requestInfo('GET', url);
    return info.kind === 'resource' && info.verb === 'watch';
  } catch {
    return false;
  }
}

/**
 * The request line and headers again, without `upgrade` in Connection, so that Node does not detach the connection. The
 * Upgrade header stays: it is the sign that a token may be in a subprotocol.
 */
export function withoutUpgrade(
  request: Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'rawHeaders'>,
): Buffer {
  const raw = request.rawHeaders;
  let text = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  for (let i = 0; i < raw.length; i += 2) {
    const [name, value] = [raw[i]!, raw[i + 1]!];
    const kept = name.toLowerCase() === 'connection' ? withoutOption(value, 'upgrade') : value;
    if (kept !== '' || value === '') text += `${name}: ${kept}\r\n`;
  }
  return Buffer.from(`${text}\r\n`, 'latin1');
}

const withoutOption = (list: string, option: string): string =>
  list
    .split(',')
    .filter((one) => one.trim().toLowerCase() !== option)
    .join(',')
    .trim();

/**
 * Accepts the handshake. The response is written as complete WebSocket frames (`websocketFramings`) that are shared with other
 * watchers; the library handles everything else. Throws `BadHandshake`.
 */
export function openWebSocket(request: IncomingMessage, { socket, head }: Upgrade, auditId: string): AnswerStream {
  // As in kube-apiserver, any requested subprotocol is accepted. A bearer token in this header is read by its
  // authenticator.
  if (request.headers['sec-websocket-protocol']?.includes(',') === true)
    throw new BadHandshake('more than one Sec-WebSocket-Protocol is requested, and a watch supports one');
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: limits.messageBytesMax,
    closeTimeout: limits.partingTime,
  });
  let why = 'the connection is closing';
  let accepted: WebSocket | undefined;
  server.on('wsClientError', (error: Error) => {
    why = error.message;
  });
  server.on('headers', (headers: string[]) => headers.push(`Audit-Id: ${auditId}`));
  server.handleUpgrade(request, socket, head, (ws) => {
    accepted = ws;
  });
  if (accepted === undefined) throw new BadHandshake(why);
  return new MessageAnswer(accepted, socket);
}

/** The connection of a client whose messages are ignored, except control frames. */
class MessageAnswer implements AnswerStream {
  readonly #ws: WebSocket;
  readonly #socket: TLSSocket;

  constructor(ws: WebSocket, socket: TLSSocket) {
    this.#ws = ws;
    this.#socket = socket;
    // The message is too long or invalid: the library closes the connection, and the exchange observes the close.
    ws.on('error', () => {});
    // Pings are dropped while the client does not read, because the pongs would accumulate in memory.
    ws.on('ping', (data: Buffer) => {
      if (!socket.writableNeedDrain) ws.pong(data);
    });
  }

  write(frames: Buffer): boolean {
    // No bytes may follow the close frame. The body never drains again; only the close event follows.
    return this.#ws.readyState === WebSocket.OPEN && this.#socket.write(frames);
  }

  onDrain(f: () => void): void {
    this.#socket.on('drain', f);
  }

  end(): void {
    this.#ws.close(NORMAL);
  }
}

/** RFC 6455, 7.4.1. */
const NORMAL = 1000;
