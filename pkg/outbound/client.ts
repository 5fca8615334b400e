import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Scheduler, type World } from '../base/index.js';
import type { CertificateMetrics } from './certificatemetrics.js';
import type { ClientMetrics } from './clientmetrics.js';
import { type Dialer, dialDirect, dialSignal, startTls } from './dial.js';
import { OutboundError } from './errors.js';
import { httpProxy } from './httpconnect.js';
import { outboundLimits } from './limits.js';
import { type Exchange, type OpenResponse, Pool, readBody } from './pool.js';
import {
  type Address,
  addressOf,
  type EgressNetwork,
  hostPort,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundTarget,
} from './target.js';
import { requestUpgrade, type UpgradeReply } from './upgrade.js';

export interface OutboundParts {
  readonly world: World;
  /** How the targets of a network are reached; directly by default. */
  readonly egress?: (network: EgressNetwork) => Dialer;
  /** The networks that an egress configuration selects; absent without a list of selections. */
  readonly networks?: ReadonlySet<EgressNetwork> | undefined;
  /** Counts failures because of outdated certificates. */
  readonly certificates?: CertificateMetrics;
  /** Counts the calls of `send`. */
  readonly calls?: ClientMetrics;
  /** Sent as `User-Agent` unless the request has one. */
  readonly userAgent?: string;
}

/** Calls other servers over HTTPS. Each server process has one, whose connections all callers share. */
export class Outbound {
  readonly #parts: OutboundParts;
  readonly #pools = new Map<string, Pool>();
  readonly #keys = new WeakMap<OutboundTarget, string>();
  readonly #scheduler: Scheduler;
  #closed = false;

  constructor(parts: OutboundParts) {
    this.#parts = parts;
    this.#scheduler = new Scheduler(parts.world, outboundLimits.parseTime);
  }

  /** The networks that an egress configuration selects; undefined without a list of selections. */
  get networks(): ReadonlySet<EgressNetwork> | undefined {
    return this.#parts.networks;
  }

  /** Sends a request and reads the whole response, whatever its status. Redirects are not followed. Throws `OutboundError`. */
  async send(target: OutboundTarget, request: OutboundRequest): Promise<OutboundResponse> {
    const { controller, done } = this.#deadline(request);
    const { signal } = controller;
    const call = { method: request.method, url: target.origin + request.path };
    const { clock } = this.#parts.world;
    const began = clock.monotonic();
    let answer: OutboundResponse | undefined;
    try {
      const response = await this.#begin(target, request, signal);
      const body = await readBody(response, request.bodyBytesMax ?? outboundLimits.bodyBytesMax, signal);
      answer = { status: response.status, headers: response.headers, body };
      return answer;
    } catch (error) {
      throw this.#failure(error, target, call);
    } finally {
      done();
      this.#parts.calls?.sent({
        host: hostOf(target),
        method: request.method,
        seconds: (clock.monotonic() - began) / 1000,
        requestBytes: request.body?.length ?? 0,
        response: answer && { status: answer.status, bytes: answer.body.length },
      });
    }
  }

  /**
   * Sends a request and returns when the header of the response is complete; `timeout` limits the time until then, and
   * the signal the whole exchange. The caller reads the body or aborts. Throws `OutboundError`.
   */
  async open(target: OutboundTarget, request: OutboundRequest): Promise<OpenResponse> {
    const { controller, done } = this.#deadline(request);
    const call = { method: request.method, url: target.origin + request.path };
    try {
      return await this.#begin(target, request, controller.signal);
    } catch (error) {
      throw this.#failure(error, target, call);
    } finally {
      done();
    }
  }

  /**
   * Sends a request with an Upgrade header, over a connection of its own; `timeout` limits the time until the header of
   * the response is complete. Throws `OutboundError`.
   */
  async upgrade(target: OutboundTarget, request: OutboundRequest): Promise<UpgradeReply> {
    const { controller, done } = this.#deadline(request);
    const call = { method: request.method, url: target.origin + request.path };
    try {
      const socket = await this.connect(target);
      return await requestUpgrade(socket, this.#exchangeOf(target, request), controller.signal);
    } catch (error) {
      throw this.#failure(error, target, call);
    } finally {
      done();
    }
  }

  /**
   * Opens a dedicated connection to a target, for protocols other than requests and responses. Throws `OutboundError`.
   */
  connect(target: OutboundTarget): Promise<Socket> {
    return this.#dial(target, this.#addressOf(target), ['http/1.1']);
  }

  /** Ends all connections. Calls fail from then on. */
  close(): void {
    this.#closed = true;
    for (const pool of this.#pools.values()) pool.close();
    this.#pools.clear();
  }

  #begin(target: OutboundTarget, request: OutboundRequest, signal: AbortSignal): Promise<OpenResponse> {
    if (this.#closed) throw new OutboundError('canceled', 'the server is stopping');
    return this.#pool(target, this.#addressOf(target)).exchange(this.#exchangeOf(target, request), signal);
  }

  #exchangeOf({ origin, credentials }: OutboundTarget, request: OutboundRequest): Exchange {
    const authorization = credentials?.authorization?.();
    return {
      ...request,
      host: hostOf({ origin }),
      scheme: origin.slice(0, origin.indexOf(':')),
      headers: {
        'user-agent': this.#parts.userAgent ?? 'trireme',
        ...credentials?.headers,
        ...(authorization === undefined ? {} : { authorization }),
        ...request.headers,
      },
    };
  }

  #addressOf(target: OutboundTarget): Address {
    return target.address?.() ?? addressOf(target.origin);
  }

  #pool(target: OutboundTarget, address: Address): Pool {
    const key = `${hostPort(address)} ${this.#keyOf(target)}`;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      const protocols = target.http2 === false || target.origin.startsWith('http:') ? ['http/1.1'] : ['h2', 'http/1.1'];
      pool = new Pool(() => this.#dial(target, address, protocols), protocols.length > 1, this.#scheduler);
    } else this.#pools.delete(key);
    // The most recently used pool is the last.
    this.#pools.set(key, pool);
    if (this.#pools.size > outboundLimits.targetsMax) this.#evict();
    return pool;
  }

  /** Closes the least recently used pool without calls. */
  #evict(): void {
    for (const [key, pool] of this.#pools) {
      if (pool.calls > 0) continue;
      this.#pools.delete(key);
      pool.close();
      return;
    }
  }

  /** Returns a key for everything that distinguishes connections of targets, except the address. */
  #keyOf(target: OutboundTarget): string {
    let key = this.#keys.get(target);
    if (key === undefined) {
      const { origin, serverName, ca, insecure, credentials, network, proxy, http2, dialTime } = target;
      const { cert, key: secret } = credentials?.certificate ?? {};
      key = JSON.stringify([origin, serverName, ca, insecure, cert, secret, network, proxy, http2, dialTime]);
      this.#keys.set(target, key);
    }
    return key;
  }

  async #dial(target: OutboundTarget, address: Address, protocols: readonly string[]): Promise<Socket> {
    const { world, egress } = this.#parts;
    const { origin, serverName, ca, insecure = false, credentials, network = 'controlplane', proxy, dialTime } = target;
    const { signal, done } = dialSignal(world, dialTime);
    try {
      const direct = egress?.(network) ?? dialDirect;
      const dial = proxy === undefined ? direct : httpProxy(proxy, ca, world, direct);
      const socket = await dial(address, signal);
      if (origin.startsWith('http:')) return socket;
      const name = serverName ?? addressOf(origin).host;
      return await startTls(
        socket,
        {
          name,
          protocols,
          insecure,
          ...(ca === undefined ? {} : { ca }),
          ...(credentials === undefined ? {} : { credentials }),
        },
        world,
        signal,
      );
    } finally {
      done();
    }
  }

  #failure(error: unknown, { purpose }: OutboundTarget, call: ConstructorParameters<typeof OutboundError>[2]): Error {
    if (!(error instanceof OutboundError)) return new OutboundError('resolve', (error as Error).message, call);
    const { phase, reason, fault } = error;
    if (purpose !== undefined && fault !== undefined) this.#parts.certificates?.failed(purpose, fault);
    return new OutboundError(phase, reason, call, fault);
  }

  /** A signal that aborts after the timeout of the request, or with the signal of the caller. */
  #deadline({ timeout, signal }: OutboundRequest): { readonly controller: AbortController; readonly done: () => void } {
    const controller = new AbortController();
    const cancel = this.#parts.world.timers.after(timeout, () =>
      controller.abort(new OutboundError('timeout', 'context deadline exceeded')),
    );
    const stop = (): void => controller.abort(new OutboundError('canceled', 'context canceled'));
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
    return {
      controller,
      done: () => {
        cancel();
        signal?.removeEventListener('abort', stop);
      },
    };
  }
}

/** The host and the port in an origin. */
const hostOf = ({ origin }: Pick<OutboundTarget, 'origin'>): string => origin.slice(origin.indexOf('//') + 2);

/** Returns what is wrong with a PEM bundle of authorities; undefined if it is valid. The text is client-go's. */
export function bundleProblem(ca: string): string | undefined {
  const problem = 'unable to load root certificates: unable to parse bytes as PEM block';
  if (!ca.includes('-----BEGIN CERTIFICATE-----')) return problem;
  try {
    createSecureContext({ ca });
    return undefined;
  } catch {
    return problem;
  }
}
