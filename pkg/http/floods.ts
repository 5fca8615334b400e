import { constants, type Http2Session, type ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { World } from '../base/index.js';
import type { Connection } from './exchange.js';
import { sessionConnection } from './exchange2.js';
import { limits } from './limits.js';

/** Counts what one connection may send, and recognizes those that send more. */

/**
 * Counts a request of an unauthenticated client on a session, and returns whether it is the last one that is allowed. Streams that are
 * reset at once count too. A request with valid credentials resets the count (`authenticate`).
 */
export function isFlood(session: Http2Session, now: number): boolean {
  const connection = sessionConnection(session);
  if (isKnown(session.socket as TLSSocket, connection)) return false;
  const allowed = ((now - connection.countedAt) / 1000) * limits.requestsAnonymousPerSecond;
  connection.unauthenticated = Math.max(0, connection.unauthenticated - allowed) + 1;
  connection.countedAt = now;
  return connection.unauthenticated >= limits.requestsAnonymousMax;
}

/**
 * Ends a session whose client sends PING or SETTINGS frames faster than any keep-alive. Each has a response, so they cost the server more
 * than the client.
 */
export function limitControlFrames(session: ServerHttp2Session, { clock }: World): void {
  let count = 0;
  let at = clock.monotonic();
  const one = (): void => {
    const now = clock.monotonic();
    count = Math.max(0, count - ((now - at) / 1000) * limits.controlFramesPerSecond) + 1;
    at = now;
    if (count <= limits.controlFramesMax || session.destroyed) return;
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    session.destroy();
  };
  session.on('ping', one);
  session.on('remoteSettings', one);
}

/** Whether the client has authenticated: by its certificate, or in an earlier request on this connection. */
export function isKnown(socket: TLSSocket, connection: Connection): boolean {
  return connection.authenticated || socket.authorized;
}
