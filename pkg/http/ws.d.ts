/** Types for the parts of `ws` that are used here; the package has none. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  interface ServerOptions {
    readonly noServer: true;
    readonly clientTracking: boolean;
    readonly perMessageDeflate: boolean;
    readonly autoPong: boolean;
    /** Bytes. */
    readonly maxPayload: number;
    /** Milliseconds. */
    readonly closeTimeout: number;
  }

  class WebSocket extends EventEmitter {
    static readonly OPEN: 1;
    readonly readyState: 0 | 1 | 2 | 3;
    readonly protocol: string;
    constructor(
      url: string,
      protocols: readonly string[],
      options: { readonly ca: string; readonly cert?: string; readonly key?: string; readonly headers?: object },
    );
    pong(data: Buffer): void;
    ping(data?: string): void;
    send(data: string | Buffer): void;
    pause(): void;
    resume(): void;
    close(code?: number): void;
    terminate(): void;
  }

  class WebSocketServer extends EventEmitter {
    constructor(options: ServerOptions);
    /**
     * Synchronous. It accepts the handshake, emits `wsClientError`, or destroys a connection that is already closed.
     */
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, accepted: (ws: WebSocket) => void): void;
  }
}
