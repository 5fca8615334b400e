import { isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import type { World } from '../../base/index.js';
import {
  type Credentials,
  headerOf,
  type OpenResponse,
  Outbound,
  OutboundError,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundTarget,
  restError,
} from '../../outbound/index.js';
import type { ClientConfig } from '../config/connect.js';

export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query below the URL of the server. */
  readonly path: string;
  readonly body?: JsonValue;
  /** Of the body; `application/json` by default. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

export interface RestOptions {
  readonly world: World;
  readonly userAgent: string;
  /** Milliseconds of one attempt. */
  readonly timeout?: number;
}

/** Attempts after the first one, as client-go has them. */
const RETRIES_MAX = 10;
const TIMEOUT = 60_000;
/** Milliseconds between attempts to read from a server that cannot be reached. */
const RECONNECT_TIME = 1000;
const RETRY_AFTER_SECONDS_MAX = 60;
const BODY_BYTES_MAX = 512 * 1024 * 1024;

/** Sends requests to one API server: with the credentials of its configuration, and again when the server asks for that. */
export class RestClient {
  readonly config: ClientConfig;
  readonly #options: RestOptions;
  readonly #outbound: Outbound;
  /** The targets of the last certificate: connections are shared as long as it is the same. */
  #target: { readonly certificate: Credentials['certificate']; readonly target: OutboundTarget } | undefined;

  constructor(config: ClientConfig, options: RestOptions) {
    this.config = config;
    this.#options = options;
    const { world, userAgent } = options;
    this.#outbound = new Outbound({ world, userAgent });
  }

  get world(): World {
    return this.#options.world;
  }

  close(): void {
    this.#outbound.close();
  }

  /**
   * Sends a request and returns the JSON of the response. Throws `ApiError` with the Status of the server, and `OutboundError` if there was no
   * complete response. A request is repeated if the server answers 429 or 5xx with Retry-After, and once with new credentials after a 401;
   * a GET also if the server could not be reached.
   */
  async request(request: RestRequest): Promise<JsonObject> {
    const response = await this.#repeated(request, (target, sent) => this.#outbound.send(target, sent));
    const error = restError(response);
    if (error !== undefined) throw error;
    const value = JSON.parse(response.body.toString()) as JsonValue;
    if (!isObject(value)) throw new OutboundError('body', 'the response is not a JSON object');
    return value;
  }

  /** Sends a GET and returns when the response begins. Throws like `request`. The caller reads the body or aborts. */
  async open(request: RestRequest): Promise<OpenResponse> {
    const { response, error } = await this.#repeated(request, async (target, sent) => {
      const opened = await this.#outbound.open(target, sent);
      const { status, headers } = opened;
      if (status === 200) return { status, headers, response: opened, error: undefined };
      const body = await wholeOf(opened);
      return { status, headers, response: undefined, error: restError({ status, headers, body }) };
    });
    if (response !== undefined) return response;
    throw error ?? new OutboundError('exchange', 'the response has an unexpected status');
  }

  async #repeated<T extends Pick<OutboundResponse, 'status' | 'headers'>>(
    request: RestRequest,
    send: (target: OutboundTarget, sent: OutboundRequest) => Promise<T>,
  ): Promise<T> {
    let isRenewed = false;
    for (let attempt = 0; ; attempt++) {
      let wait: number | undefined;
      let failure: unknown;
      let response: T | undefined;
      try {
        const { target, headers } = await this.#prepared(request);
        response = await send(target, { ...this.#sent(request), headers });
        if (response.status === 401 && !isRenewed && this.config.refused()) {
          isRenewed = true;
          continue;
        }
        wait = retryAfter(response);
      } catch (error) {
        if (request.method !== 'GET' || !(error instanceof OutboundError) || !UNSENT.has(error.phase)) throw error;
        failure = error;
        wait = RECONNECT_TIME;
      }
      if (wait === undefined || attempt >= RETRIES_MAX) {
        if (response !== undefined) return response;
        throw failure;
      }
      await this.pause(wait, request.signal);
    }
  }

  /** Resolves after this time. Rejects when the signal aborts. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        cancel();
        reject(new OutboundError('canceled', 'context canceled'));
      };
      const cancel = this.#options.world.timers.after(milliseconds, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      if (signal?.aborted === true) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }

  #sent({ method, path, body, signal }: RestRequest): OutboundRequest {
    return {
      method,
      path: this.config.path + path,
      timeout: this.#options.timeout ?? TIMEOUT,
      bodyBytesMax: BODY_BYTES_MAX,
      once: method !== 'GET',
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      ...(signal === undefined ? {} : { signal }),
    };
  }

  async #prepared({ body, contentType = 'application/json' }: RestRequest) {
    const { authorization, certificate, headers } = await this.config.credentials();
    const value = authorization?.();
    return {
      target: this.#targetOf(certificate),
      headers: {
        accept: 'application/json',
        ...headers,
        ...(value === undefined ? {} : { authorization: value }),
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
    };
  }

  #targetOf(certificate: Credentials['certificate']): OutboundTarget {
    if (this.#target !== undefined && this.#target.certificate === certificate) return this.#target.target;
    const { origin, serverName, ca, insecure, proxy } = this.config;
    const target: OutboundTarget = {
      origin,
      insecure,
      ...(serverName === undefined ? {} : { serverName }),
      ...(ca === undefined ? {} : { ca }),
      ...(proxy === undefined ? {} : { proxy }),
      ...(certificate === undefined ? {} : { credentials: { certificate } }),
    };
    this.#target = { certificate, target };
    return target;
  }
}

const UNSENT: ReadonlySet<OutboundError['phase']> = new Set(['dial', 'exchange']);

/** Milliseconds that a server asks to wait; undefined if it does not ask. */
function retryAfter(response: Pick<OutboundResponse, 'status' | 'headers'>): number | undefined {
  if (response.status !== 429 && response.status < 500) return undefined;
  const seconds = Number.parseInt(headerOf(response, 'retry-after'), 10);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), RETRY_AFTER_SECONDS_MAX) * 1000;
}

async function wholeOf(response: OpenResponse): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of response.body as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}
