import { type IncomingMessage, request as requestH1 } from 'node:http';
import type { Socket } from 'node:net';
import { exchangeProblem, OutboundError } from './errors.js';
import type { Exchange, OpenResponse } from './pool.js';

/** The reply to a request with an Upgrade header. */
export type UpgradeReply =
  | {
      readonly kind: 'upgraded';
      /** Names and values as the server sent them, alternating. */
      readonly rawHeaders: readonly string[];
      /** The connection, from the first byte of the new protocol on. */
      readonly socket: Socket;
    }
  /** The server answered without changing the protocol. The connection ends with the response. */
  | { readonly kind: 'answered'; readonly response: OpenResponse };

/**
 * Sends a request with an Upgrade header over a connection of its own, and returns when the header of the response is
 * complete. Throws `OutboundError`.
 */
export function requestUpgrade(
  socket: Socket,
  { method, path, headers, host }: Exchange,
  signal: AbortSignal,
): Promise<UpgradeReply> {
  return new Promise((resolve, reject) => {
    const asking = requestH1({
      createConnection: () => socket,
      method,
      path,
      headers: { host, ...(headers as Record<string, string | string[]>) },
      setHost: false,
    });
    const stop = (): void => {
      asking.destroy();
      socket.destroy();
      reject(
        signal.reason instanceof OutboundError ? signal.reason : new OutboundError('canceled', 'context canceled'),
      );
    };
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    asking.once('upgrade', (response: IncomingMessage, _socket, head: Buffer) => {
      signal.removeEventListener('abort', stop);
      if (head.length > 0) socket.unshift(head);
      resolve({ kind: 'upgraded', rawHeaders: response.rawHeaders, socket });
    });
    asking.once('response', (body: IncomingMessage) => {
      signal.removeEventListener('abort', stop);
      const abort = (): void => void socket.destroy();
      body.once('close', abort);
      resolve({
        kind: 'answered',
        response: { status: body.statusCode ?? 0, headers: body.headers, body, abort },
      });
    });
    asking.on('error', (error) => {
      socket.destroy();
      reject(new OutboundError('exchange', exchangeProblem(error, socket)));
    });
    asking.end();
  });
}
