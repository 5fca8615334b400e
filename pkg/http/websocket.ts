import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { WebSocket, WebSocketServer } from 'ws';
import type { AnswerStream } from './exchange.js';
import { limits } from './limits.js';
import { requestInfo } from './requestinfo.js';

/** A connection that Node's HTTP parser has let go of, because its client asked for another protocol. */
export interface Upgrade {
  readonly socket: TLSSocket;
  /** What came behind the request. */
  readonly head: Buffer;
}

/** A handshake that cannot be answered: refused in plain text, as there is no API in it. */
export class BadHandshake extends Error {
  override readonly name = 'BadHandshake';
}

/** Whether this asks for a watch over WebSocket: the one thing that is to be had over another protocol. */
export function isWebSocketWatch(request: IncomingMessage, url: string): boolean {
  if (request.method !== 'GET' || request.headers.upgrade?.toLowerCase() !== 'websocket') return false;
  try {
    const info = requestInfo('GET', url);
    return info.kind === 'resource' && info.verb === 'watch';
  } catch {
    return false;
  }
}

/** Request line and headers once more, without the Upgrade header. */
export function withoutUpgrade(request: IncomingMessage): Buffer {
  const raw = request.rawHeaders;
  let text = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]!.toLowerCase() !== 'upgrade') text += `${raw[i]}: ${raw[i + 1]}\r\n`;
  return Buffer.from(`${text}\r\n`, 'latin1');
}

/**
 * Accepts. What is written to the answer is messages in their frames already (`websocketFramings`), shared with other watchers; the
 * library sees to everything else. Throws `BadHandshake`.
 */
export function openWebSocket(request: IncomingMessage, { socket, head }: Upgrade, auditId: string): AnswerStream {
  // As kube-apiserver: the one that is asked for is taken, whatever it is. A bearer token among them is its authenticator's to take out.
  if (request.headers['sec-websocket-protocol']?.includes(',') === true)
    throw new BadHandshake('more than one Sec-WebSocket-Protocol is asked for, and a watch speaks one');
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

/** Messages to a client whose own, save those that keep and close the connection, are nobody's business. */
class MessageAnswer implements AnswerStream {
  readonly #ws: WebSocket;
  readonly #socket: TLSSocket;

  constructor(ws: WebSocket, socket: TLSSocket) {
    this.#ws = ws;
    this.#socket = socket;
    // A message that is too long or no message at all: the library closes, and the exchange learns of it by that.
    ws.on('error', () => {});
    // Who asks and does not read the answers gets no more of them: they would stand in memory.
    ws.on('ping', (data: Buffer) => {
      if (!socket.writableNeedDrain) ws.pong(data);
    });
  }

  write(frames: Buffer): boolean {
    // Nothing may follow the frame that closes. There will be no room any more, only the end.
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
