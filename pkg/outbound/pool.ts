import { Agent, type ClientRequest, type IncomingMessage, request as requestH1 } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectH2, constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Scheduler } from '../base/index.js';
import { exchangeProblem, OutboundError } from './errors.js';
import { outboundLimits } from './limits.js';
import { paceResponse } from './responsefeed.js';
import { headerOf, type OutboundRequest, type OutboundResponse } from './target.js';

/** A response whose body has not been read. */
export interface OpenResponse extends Omit<OutboundResponse, 'body'> {
  readonly body: Readable;
  /** Ends the exchange. */
  abort(): void;
}

/** One exchange: the request with all its headers. */
export interface Exchange extends Pick<OutboundRequest, 'method' | 'path' | 'body' | 'once'> {
  readonly host: string;
  readonly scheme: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

type Connected = Socket | TLSSocket;

/**
 * The connections to one address with one identity. HTTP/2 is used if the server selects it: then all calls share a
 * connection. HTTP/1.1 connections are reused, the last one first.
 */
export class Pool {
  readonly #dial: () => Promise<Connected>;
  readonly #agent: Agent;
  readonly #scheduler: Scheduler;
  #usesH2: boolean | undefined;
  #opening: Promise<void> | undefined;
  #session: ClientHttp2Session | undefined;
  /** The last session that a server answered on. */
  #served: ClientHttp2Session | undefined;
  /** Connections that were opened to detect the protocol, and are not used yet. */
  #ready: Connected[] = [];
  #closed = false;
  /** Calls that run or wait. */
  calls = 0;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** `usesH2` is false if HTTP/2 is not negotiated. `scheduler` shares the parsing of responses among all pools. */
  constructor(dial: () => Promise<Connected>, usesH2: boolean, scheduler: Scheduler) {
    this.#dial = dial;
    this.#scheduler = scheduler;
    this.#usesH2 = usesH2 ? undefined : false;
    this.#agent = new Agent({
      keepAlive: true,
      scheduling: 'lifo',
      maxFreeSockets: outboundLimits.idleConnectionsMax,
      timeout: outboundLimits.idleTime,
    });
    this.#agent.createConnection = (_, callback) => {
      const ready = this.#ready.pop();
      if (ready !== undefined && !ready.destroyed) return ready;
      dial().then(
        (socket) => callback?.(null, socket),
        (error: unknown) => callback?.(error as Error, undefined as unknown as Socket),
      );
      return undefined;
    };
  }

  /** Sends a request and returns when the header of the response is complete. Throws `OutboundError`. */
  async exchange(call: Exchange, signal: AbortSignal): Promise<OpenResponse> {
    this.calls++;
    try {
      await this.#turn(signal);
    } catch (error) {
      this.calls--;
      throw error;
    }
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      this.calls--;
      this.#running--;
      this.#waiting.shift()?.();
    };
    try {
      const response = await this.#exchange(call, signal);
      response.body.once('close', end);
      return response;
    } catch (error) {
      end();
      throw error;
    }
  }

  close(): void {
    this.#closed = true;
    this.#agent.destroy();
    this.#session?.destroy();
    for (const socket of this.#ready.splice(0)) socket.destroy();
  }

  async #turn(signal: AbortSignal): Promise<void> {
    while (this.#running >= outboundLimits.callsMax)
      await aborted<void>(signal, (resolve) => {
        this.#waiting.push(resolve);
        return () => {
          const at = this.#waiting.indexOf(resolve);
          if (at >= 0) this.#waiting.splice(at, 1);
        };
      });
    if (signal.aborted) throw abortReason(signal);
    this.#running++;
  }

  /**
   * Sends the call again if its connection was closed before anything of it was sent, or if the server refused to look at it. The server may
   * also have closed an idle connection while the call was on its way: then a call is sent again unless it is `once`. Each such attempt
   * removes a connection, so there are few.
   */
  async #exchange(call: Exchange, signal: AbortSignal): Promise<OpenResponse> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.#attempt(call, signal);
      } catch (error) {
        const again = error instanceof ClosedError && (error.unsent || (error.reused && call.once !== true));
        if (!again || signal.aborted || attempts > outboundLimits.idleConnectionsMax) throw error;
      }
    }
  }

  async #attempt(call: Exchange, signal: AbortSignal): Promise<OpenResponse> {
    if (this.#usesH2 !== false && this.#usable() === undefined) {
      this.#opening ??= this.#open().finally(() => {
        this.#opening = undefined;
      });
      const opening = this.#opening;
      await aborted<void>(signal, (resolve, reject) => {
        opening.then(resolve, reject);
        return () => {};
      });
    }
    const session = this.#usable();
    if (session !== undefined)
      return overH2(session, call, signal, {
        retire: () => this.#retire(session),
        reused: () => this.#served === session,
        answered: () => {
          this.#served = session;
        },
      });
    return overH1(this.#agent, call, signal, this.#scheduler);
  }

  #usable(): ClientHttp2Session | undefined {
    const session = this.#session;
    return session === undefined || session.closed || session.destroyed ? undefined : session;
  }

  async #open(): Promise<void> {
    const socket = await this.#dial();
    if (this.#closed) {
      socket.destroy();
      throw new OutboundError('canceled', 'the server is stopping');
    }
    this.#usesH2 = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
    if (!this.#usesH2) {
      this.#ready.push(socket);
      socket.on('error', () => socket.destroy());
      socket.unref();
      return;
    }
    const session = connectH2('https://localhost', { createConnection: () => socket });
    session.setTimeout(outboundLimits.idleTime, () => session.close());
    session.on('goaway', () => this.#retire(session));
    // The calls that use the session get the error too.
    session.on('error', () => this.#retire(session));
    session.unref();
    this.#session = session;
  }

  /** New calls no longer use the session; active ones end. */
  #retire(session: ClientHttp2Session): void {
    if (this.#session === session) this.#session = undefined;
    session.close();
  }
}

/** The connection of a call was closed before the response began. */
class ClosedError extends OutboundError {
  /** Whether the server cannot have acted on the call. */
  readonly unsent: boolean;
  /** Whether the connection had served other calls. */
  readonly reused: boolean;

  constructor(reason: string, { unsent, reused }: Pick<ClosedError, 'unsent' | 'reused'>) {
    super('exchange', reason);
    this.unsent = unsent;
    this.reused = reused;
  }
}

/** Returns the reason of an aborted call. */
export function abortReason(signal: AbortSignal): Error {
  const { reason } = signal as { readonly reason: unknown };
  return reason instanceof OutboundError ? reason : new OutboundError('canceled', 'context canceled');
}

/** Waits until `start` settles or the signal aborts. `start` returns a function that is called on abort. */
function aborted<T>(
  signal: AbortSignal,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal));
    let undo: () => void = () => {};
    const stop = (): void => {
      undo();
      reject(abortReason(signal));
    };
    signal.addEventListener('abort', stop, { once: true });
    const settled =
      <A>(f: (value: A) => void) =>
      (value: A): void => {
        signal.removeEventListener('abort', stop);
        f(value);
      };
    undo = start(settled(resolve), settled(reject));
  });
}

function overH1(agent: Agent, call: Exchange, signal: AbortSignal, scheduler: Scheduler): Promise<OpenResponse> {
  return new Promise((resolve, reject) => {
    const asking: ClientRequest = requestH1({
      agent,
      method: call.method,
      path: call.path,
      setHost: false,
      headers: {
        host: call.host,
        ...(call.headers as Readonly<Record<string, string | string[]>>),
        ...(call.body === undefined ? {} : { 'content-length': call.body.length }),
      },
    });
    paceResponse(asking, scheduler);
    const stop = (): void => void asking.destroy(abortReason(signal));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    let written = 0;
    asking.once('socket', (socket) => {
      written = socket.bytesWritten;
    });
    asking.once('response', (response: IncomingMessage) => {
      response.once('close', () => signal.removeEventListener('abort', stop));
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: response,
        abort: () => void asking.destroy(),
      });
    });
    asking.on('error', (error) => {
      signal.removeEventListener('abort', stop);
      if (error instanceof OutboundError) return reject(error);
      const { socket, reusedSocket } = asking;
      const reason = exchangeProblem(error, socket ?? undefined);
      const unsent = reusedSocket && socket?.bytesWritten === written;
      const isLost = reusedSocket && isClosed(error);
      reject(isLost ? new ClosedError(reason, { unsent, reused: true }) : new OutboundError('exchange', reason));
    });
    // Node closes the connection without an error when a server changes the protocol unasked.
    asking.once('close', () => {
      signal.removeEventListener('abort', stop);
      reject(new OutboundError('exchange', 'EOF'));
    });
    asking.end(call.body);
  });
}

const isClosed = ({ code }: NodeJS.ErrnoException): boolean => code === 'ECONNRESET' || code === 'EPIPE';

interface SessionUse {
  /** Later calls use another session. */
  retire(): void;
  /** Whether the session has served a call. */
  reused(): boolean;
  answered(): void;
}

function overH2(
  session: ClientHttp2Session,
  call: Exchange,
  signal: AbortSignal,
  use: SessionUse,
): Promise<OpenResponse> {
  return new Promise((resolve, reject) => {
    let stream: ClientHttp2Stream;
    try {
      stream = session.request(
        {
          [constants.HTTP2_HEADER_METHOD]: call.method,
          [constants.HTTP2_HEADER_PATH]: call.path,
          [constants.HTTP2_HEADER_SCHEME]: call.scheme,
          [constants.HTTP2_HEADER_AUTHORITY]: call.host,
          ...(call.headers as Readonly<Record<string, string | string[]>>),
          ...(call.body === undefined ? {} : { 'content-length': String(call.body.length) }),
        },
        { endStream: call.body === undefined },
      );
    } catch (error) {
      // The session ended a moment ago.
      return reject(new ClosedError(exchangeProblem(error, undefined), { unsent: true, reused: true }));
    }
    const stop = (): void => {
      // A connection whose server does not respond may be dead: the next call opens another.
      if (abortReason(signal) instanceof OutboundError) use.retire();
      stream.close(constants.NGHTTP2_CANCEL);
      stream.destroy(abortReason(signal));
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const failed = (reason: string): OutboundError => {
      const unsent = stream.pending || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
      if (!unsent && !session.destroyed) return new OutboundError('exchange', reason);
      return new ClosedError(reason, { unsent, reused: use.reused() });
    };
    stream.once('response', (headers) => {
      use.answered();
      const { [constants.HTTP2_HEADER_STATUS]: status, ...others } = headers;
      resolve({ status: Number(status ?? 0), headers: others, body: stream, abort: () => void stream.close() });
    });
    stream.once('close', () => {
      signal.removeEventListener('abort', stop);
      reject(failed('EOF'));
    });
    stream.on('error', (error) =>
      reject(error instanceof OutboundError ? error : failed(exchangeProblem(error, undefined))),
    );
    stream.end(call.body);
  });
}

/** Reads a whole body. Throws `OutboundError`. */
export async function readBody(response: OpenResponse, bytesMax: number, signal: AbortSignal): Promise<Buffer> {
  const declared = Number(headerOf(response, 'content-length'));
  const tooLarge = (): OutboundError => new OutboundError('body', `the response is larger than ${bytesMax} bytes`);
  if (declared > bytesMax) {
    response.abort();
    throw tooLarge();
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > bytesMax) {
        response.abort();
        throw tooLarge();
      }
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof OutboundError && error.phase === 'body') throw error;
    if (signal.aborted) throw new OutboundError('body', (abortReason(signal) as OutboundError).reason);
    if (error instanceof OutboundError) throw new OutboundError('body', error.reason);
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new OutboundError('body', code === 'ECONNRESET' ? 'unexpected EOF' : (error as Error).message);
  }
  if (!Number.isNaN(declared) && bytes < declared && headerOf(response, 'content-length') !== '')
    throw new OutboundError('body', 'unexpected EOF');
  return Buffer.concat(pieces);
}
