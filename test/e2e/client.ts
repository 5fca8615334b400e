import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';

/** The credentials of an administrator. */
export interface Credentials {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any response
  json(): any;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer | object;
}

const TIME = 60_000;

/** A small client that speaks HTTP/1.1 or HTTP/2 at a low level. */
export class Client {
  readonly #credentials: Credentials;
  readonly #agent: https.Agent;
  #session: ClientHttp2Session | undefined;
  readonly #http2: boolean;

  /** `anonymous`: without a certificate. */
  constructor(credentials: Credentials, options: { readonly http2?: boolean; readonly anonymous?: boolean } = {}) {
    const { ca, cert, key } = credentials;
    this.#credentials =
      options.anonymous === true ? ({ ...credentials, cert: '', key: '' } as Credentials) : credentials;
    this.#http2 = options.http2 ?? false;
    this.#agent = new https.Agent({ keepAlive: true, ca, ...(options.anonymous === true ? {} : { cert, key }) });
  }

  get credentials(): Credentials {
    return this.#credentials;
  }

  ask(path: string, ask: Ask = {}): Promise<Reply> {
    return this.#http2 ? this.#ask2(path, ask) : this.#ask1(path, ask);
  }

  #ask1(path: string, ask: Ask): Promise<Reply> {
    const payload = bytes(ask.body);
    const u = new URL(this.#credentials.url);
    return new Promise((resolve, reject) => {
      const request = https.request(
        {
          agent: this.#agent,
          host: u.hostname,
          port: u.port,
          path,
          method: ask.method ?? (payload === undefined ? 'GET' : 'POST'),
          headers: {
            ...(payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': payload.length }),
            ...ask.headers,
          },
          timeout: TIME,
        },
        (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.on('end', () =>
            resolve(reply(response.statusCode ?? 0, response.headers as IncomingHttpHeaders, pieces)),
          );
          response.on('error', reject);
        },
      );
      request.on('timeout', () => request.destroy(new Error(`no answer in time: ${path}`)));
      request.on('error', reject);
      request.end(payload);
    });
  }

  session(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      const { url, ca, cert, key } = this.#credentials;
      this.#session = connect(url, { ca, ...(cert === '' ? {} : { cert, key }) });
      this.#session.on('error', () => {});
    }
    return this.#session;
  }

  #ask2(path: string, ask: Ask): Promise<Reply> {
    const payload = bytes(ask.body);
    return new Promise((resolve, reject) => {
      const stream = this.session().request({
        ':path': path,
        ':method': ask.method ?? (payload === undefined ? 'GET' : 'POST'),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...ask.headers,
      });
      const pieces: Buffer[] = [];
      let headers: IncomingHttpHeaders = {};
      stream.setTimeout(TIME, () => reject(new Error(`no answer in time: ${path}`)));
      stream.on('response', (h) => {
        headers = h;
      });
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => resolve(reply(Number(headers[':status']), headers, pieces)));
      stream.on('error', reject);
      stream.end(payload);
    });
  }

  /**
   * Begins to read a response and stops at once. The returned function reads the rest and reports whether the response
   * was complete.
   */
  slowly(path: string): Promise<() => Promise<{ readonly bytes: number; readonly complete: boolean }>> {
    return new Promise((resolve, reject) => {
      const began = (from: Readable, complete: () => boolean): void => {
        from.pause();
        resolve(async () => {
          let bytes = 0;
          try {
            for await (const piece of from) bytes += (piece as Buffer).length;
          } catch {
            return { bytes, complete: false };
          }
          return { bytes, complete: complete() };
        });
      };
      if (this.#http2) {
        const stream = this.session().request({ ':path': path });
        stream.on('error', reject);
        stream.once('response', () => began(stream, () => stream.rstCode === 0));
        return;
      }
      const { url, ca, cert, key } = this.#credentials;
      https
        .get(`${url}${path}`, { ca, cert, key, agent: false }, (response) => began(response, () => response.complete))
        .on('error', reject);
    });
  }

  /** Opens a watch; lines are available as they arrive. */
  watch(path: string): WatchLines {
    return this.#http2 ? WatchLines.over2(this.session(), path) : WatchLines.over1(this.#credentials, path);
  }

  /** A bare TLS connection, to send bytes that no client library sends. */
  raw(options: { readonly allowHalfOpen?: boolean } = {}): Promise<TLSSocket> {
    const { url, ca, cert, key } = this.#credentials;
    const u = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = tlsConnect(
        {
          host: u.hostname,
          port: Number(u.port),
          ca,
          ...options,
          ...(cert === '' ? {} : { cert, key }),
          ALPNProtocols: ['http/1.1'],
        },
        () => resolve(socket),
      );
      socket.on('error', reject);
    });
  }

  close(): void {
    this.#agent.destroy();
    this.#session?.destroy();
  }
}

function bytes(body: Ask['body']): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function reply(status: number, headers: IncomingHttpHeaders, pieces: readonly Buffer[]): Reply {
  const body = Buffer.concat(pieces);
  return { status, headers, body, json: () => JSON.parse(body.toString()) };
}

/** Everything that a raw connection sends until it is closed. */
export function readAll(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
    });
    socket.on('close', () => resolve(text));
    socket.on('error', () => {});
  });
}

/** A watch from its client's point of view. */
export class WatchLines {
  // biome-ignore lint/suspicious/noExplicitAny: tests read any response
  readonly events: any[] = [];
  ended = false;
  failed = false;
  #rest = '';
  #wake: () => void = () => {};
  #stop: () => void = () => {};

  static over1(credentials: Credentials, path: string): WatchLines {
    const lines = new WatchLines();
    const { url, ca, cert, key } = credentials;
    const request = https.get(`${url}${path}`, { ca, cert, key, agent: false }, (response) => {
      response.on('data', (piece: Buffer) => lines.#feed(piece));
      response.on('end', () => lines.#end(false));
      response.on('error', () => lines.#end(true));
    });
    request.on('error', () => lines.#end(true));
    lines.#stop = () => request.destroy();
    return lines;
  }

  static over2(session: ClientHttp2Session, path: string): WatchLines {
    const lines = new WatchLines();
    const stream = session.request({ ':path': path });
    stream.on('data', (piece: Buffer) => lines.#feed(piece));
    stream.on('end', () => lines.#end(false));
    stream.on('error', () => lines.#end(true));
    lines.#stop = () => stream.close();
    return lines;
  }

  #feed(piece: Buffer): void {
    const parts = (this.#rest + piece.toString()).split('\n');
    this.#rest = parts.pop() ?? '';
    for (const line of parts) if (line !== '') this.events.push(JSON.parse(line));
    this.#wake();
  }

  #end(failed: boolean): void {
    this.ended = true;
    this.failed ||= failed;
    this.#wake();
  }

  async until(what: (lines: WatchLines) => boolean, milliseconds = 60_000): Promise<void> {
    const end = performance.now() + milliseconds;
    while (!what(this)) {
      const left = end - performance.now();
      if (left <= 0) throw new Error(`did not come about: ${JSON.stringify(this.events).slice(0, 500)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  close(): void {
    this.#stop();
  }
}
