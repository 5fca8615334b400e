import { posix } from 'node:path';
import { isObject, type JsonObject, numberAt, textAt } from '../api/index.js';
import type { World } from '../base/index.js';
import { bundleProblem, type Outbound } from './client.js';
import { sendFollowing } from './redirect.js';
import { sendRepeatedly } from './repeat.js';
import { type ServiceResolver, serviceName } from './services.js';
import {
  addressOf,
  type Credentials,
  hostPort,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundTarget,
} from './target.js';

export interface WebhookClientParts {
  readonly world: Pick<World, 'clock' | 'timers'>;
  readonly outbound: Outbound;
  readonly resolve: ServiceResolver;
  /** The credentials for a host and port. */
  readonly credentials?: (hostPort: string) => Credentials;
}

/** A call to a webhook. */
export interface WebhookCall {
  readonly body: Buffer;
  /** Milliseconds until the response must be complete. The webhook sees them in whole seconds. */
  readonly timeout: number;
  /** Milliseconds for the call and its repetitions, if each may take the whole `timeout`; by default `timeout`. */
  readonly total?: number;
  readonly bodyBytesMax?: number;
  readonly signal?: AbortSignal | undefined;
}

interface Client {
  readonly target: OutboundTarget;
  readonly path: string;
}

/** Why a client configuration cannot be used. */
export class ClientConfigError extends Error {
  override readonly name = 'ClientConfigError';
}

/**
 * Calls webhooks by their client configurations (a URL or a service reference, with a CA bundle). Calls to services and to hosts other
 * than this one use HTTP/1.1, as those of kube-apiserver do, so that several backends share the load.
 */
export class WebhookClients {
  readonly #parts: WebhookClientParts;
  readonly #clients = new WeakMap<JsonObject, Client>();

  constructor(parts: WebhookClientParts) {
    this.#parts = parts;
  }

  /** Posts JSON, again where the webhook asks for it. `config` must be the same value for every call. Throws `ClientConfigError` or `OutboundError`. */
  call(config: JsonObject, { body, timeout, total, bodyBytesMax, signal }: WebhookCall): Promise<OutboundResponse> {
    let client = this.#clients.get(config);
    if (client === undefined) {
      client = this.#client(config);
      this.#clients.set(config, client);
    }
    const { target, path } = client;
    const request: OutboundRequest = {
      method: 'POST',
      path: `${path}?timeout=${Math.ceil(timeout / 1000)}s`,
      headers: HEADERS,
      body,
      timeout,
      ...(bodyBytesMax === undefined ? {} : { bodyBytesMax }),
      ...(signal === undefined ? {} : { signal }),
    };
    const { world, outbound } = this.#parts;
    const send = (r: OutboundRequest): Promise<OutboundResponse> => sendFollowing({ world, outbound }, target, r);
    return sendRepeatedly({ world, send, url: target.origin + request.path }, request, total);
  }

  #client(config: JsonObject): Client {
    const bundle = Buffer.from(textAt(config, 'caBundle'), 'base64').toString();
    if (bundle !== '') {
      const problem = bundleProblem(bundle);
      if (problem !== undefined) throw new ClientConfigError(problem);
    }
    const ca = bundle === '' ? {} : { ca: bundle };
    const service = config['service'];
    return isObject(service) ? this.#ofService(service, ca) : this.#ofUrl(textAt(config, 'url'), ca);
  }

  #ofService(service: JsonObject, ca: { readonly ca?: string }): Client {
    const reference = {
      namespace: textAt(service, 'namespace'),
      name: textAt(service, 'name'),
      port: numberAt(service, 'port') ?? 443,
    };
    const serverName = serviceName(reference);
    const host = hostPort({ host: serverName, port: reference.port });
    return {
      target: {
        origin: `https://${host}`,
        address: () => this.#parts.resolve(reference),
        serverName,
        credentials: this.#parts.credentials?.(host) ?? {},
        network: 'cluster',
        purpose: 'webhook',
        http2: false,
        ...ca,
      },
      path: cleanPath(textAt(service, 'path')),
    };
  }

  #ofUrl(text: string, ca: { readonly ca?: string }): Client {
    if (text === '') throw new ClientConfigError('webhook configuration must have either service or URL');
    let url: URL;
    try {
      url = new URL(text);
    } catch {
      throw new ClientConfigError(`Unparsable URL: ${text}`);
    }
    const origin = `${url.protocol}//${url.host}`;
    const address = addressOf(origin);
    return {
      target: {
        // Errors include the port if the configuration has one.
        origin: text.startsWith(`${origin}:${address.port}`) ? `${origin}:${address.port}` : origin,
        credentials: this.#parts.credentials?.(hostPort(address)) ?? {},
        network: 'controlplane',
        purpose: 'webhook',
        http2: isLoopback(address.host),
        ...ca,
      },
      path: cleanPath(url.pathname),
    };
  }
}

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, */*',
  'user-agent': 'kube-apiserver-admission',
  'accept-encoding': 'identity',
} as const;

function cleanPath(path: string): string {
  const clean = posix.join('/', path);
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
}

const isLoopback = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || host === '::1' || host.startsWith('127.');
