import { Agent, type RequestOptions, request } from 'node:https';
import type { Access } from '../../pkg/client/index.js';

/** The outcome of a request. `unknown`: it may have taken effect. `refused`: it certainly did not. */
export type Outcome =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Milliseconds. */
export const PATIENCE = 5000;
const INSISTENCE = 60_000;
const NO_ANSWER = 'no response in time';
/** Too many requests, no leader, unknown outcome. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 503, 504]);

/** A client of one server with one pool of connections. It sends each request once and reports what is known of its outcome. */
export class Asker {
  readonly #url: URL;
  readonly #access: Access;
  readonly #agent: Agent;

  constructor(access: Access, url: string) {
    this.#url = new URL(url);
    this.#access = access;
    const { ca, cert, key } = access;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 32, ca, cert, key });
  }

  ask(method: string, path: string, body?: object): Promise<Outcome> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    return new Promise((resolve) => {
      let sent = false;
      const asking = request(this.#options(method, path, payload), (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', (error) => resolve({ kind: 'unknown', why: error.message }));
        response.on('end', () => resolve(judged(response.statusCode ?? 0, Buffer.concat(pieces))));
      });
      // No byte of the request is sent before the handshake completes.
      asking.on('socket', (socket) => {
        if (socket.connecting) socket.once('secureConnect', () => (sent = true));
        else sent = true;
      });
      const timer = setTimeout(() => asking.destroy(new Error(NO_ANSWER)), PATIENCE);
      asking.on('close', () => clearTimeout(timer));
      asking.on('error', (error) => resolve({ kind: sent ? 'unknown' : 'refused', why: error.message }));
      asking.end(payload);
    });
  }

  /**
   * Retries until there is an answer, because tests must not depend on the speed of the machine: connections that a busy server
   * closes and responses of an overload or an election are retried, too. A conflict on a create and 404 on a delete mean that an
   * earlier attempt took effect, and count as success.
   */
  async insist(method: string, path: string, body?: object): Promise<Outcome> {
    let inDoubt = false;
    for (const end = performance.now() + INSISTENCE; ; ) {
      const outcome = await this.ask(method, path, body);
      if (outcome.kind === 'answer' && !TEMPORARY.has(outcome.status)) {
        if (inDoubt && method === 'POST' && outcome.status === 409) return { ...outcome, status: 201 };
        if (inDoubt && method === 'DELETE' && outcome.status === 404) return { ...outcome, status: 200 };
        return outcome;
      }
      inDoubt ||= outcome.kind !== 'refused';
      if (performance.now() > end) throw new Error(`${method} ${path} gets no response: ${JSON.stringify(outcome)}`);
      await new Promise<void>((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Opens a watch and returns the function that ends it. `ended` is called once. */
  stream(path: string, line: (text: string) => void, ended: () => void): () => void {
    let rest = '';
    let over = false;
    const end = (): void => {
      if (!over) ended();
      over = true;
    };
    const asking = request({ ...this.#options('GET', path, undefined), agent: false }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        const lines = (rest + piece).split('\n');
        rest = lines.pop() ?? '';
        for (const text of lines) if (text !== '' && !over) line(text);
      });
      response.on('end', end);
      response.on('error', end);
      response.on('close', end);
    });
    asking.on('error', end);
    asking.end();
    return () => {
      over = true;
      asking.destroy();
    };
  }

  #options(method: string, path: string, payload: Buffer | undefined): RequestOptions {
    const { ca, cert, key } = this.#access;
    return {
      method,
      path,
      host: this.#url.hostname,
      port: this.#url.port,
      agent: this.#agent,
      ca,
      cert,
      key,
      headers:
        payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(payload.length) },
    };
  }

  close(): void {
    this.#agent.destroy();
  }
}

function judged(status: number, bytes: Buffer): Outcome {
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(bytes.toString());
  } catch {
    return { kind: 'unknown', why: `status ${status} with a broken body` };
  }
  // The server sends this status only before a proposal, or if the proposal is certainly lost.
  if (status === 429) return { kind: 'refused', why: String(body['message']) };
  if (status >= 500) return { kind: 'unknown', why: String(body['message']) };
  return { kind: 'answer', status, body };
}
