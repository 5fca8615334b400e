import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Exposition, ExpositionFormat } from '../telemetry/index.js';
import { metricsFormat } from './metricsformat.js';
import { policyOptions, secureContext, type TlsMaterial, type TlsPolicy } from './tls.js';

/**
 * The listeners of `--listen-metrics-urls`, with the paths and responses of etcd: `/metrics`, `/health`, `/livez` and `/readyz`. Clients
 * need no credentials. Requests that arrive together share one scrape and one read.
 */

export interface MetricsPortParts {
  readonly exposition: Pick<Exposition, 'scrape'>;
  readonly store: StoreHealth;
  readonly tls: TlsMaterial;
  readonly policy: TlsPolicy;
}

/** What the paths of health ask the store. */
export interface StoreHealth {
  hasLeader(): boolean;
  /** Reads from a quorum. Resolves to the reason if that was not possible. */
  linearizableRead(): Promise<string | undefined>;
}

/** An address to listen on. Over HTTPS the certificate is that of the serving port, and clients need none. */
export interface MetricsAddress {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
}

export interface MetricsPort {
  /** The port of each address, in their order. */
  readonly ports: readonly number[];
  /** Replaces the certificate for new connections. */
  renew(tls: TlsMaterial): void;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 64;
/** Requests in progress on one listener. Connections with more are closed. */
const REQUESTS_MAX = 64;
/** Milliseconds in which a client must have sent its request. */
const REQUEST_TIME = 10_000;
const HEADER_BYTES_MAX = 16 * 1024;

/** Opens all listeners, or rejects and closes those that are open. */
export async function openMetricsPort(
  addresses: readonly MetricsAddress[],
  parts: MetricsPortParts,
): Promise<MetricsPort> {
  const answers = new Answers(parts);
  const servers: { readonly server: Server; readonly use: (tls: TlsMaterial) => void }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(({ server }) => closed(server)));
  };
  try {
    for (const { secure, host, port } of addresses) {
      const opened = secure ? secureServer(parts, answers) : plainServer(answers);
      servers.push(opened);
      await listening(opened.server, host, port);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ports: servers.map(({ server }) => (server.address() as AddressInfo).port),
    renew(tls) {
      for (const { use } of servers) use(tls);
    },
    close,
  };
}

const OPTIONS = { maxHeaderSize: HEADER_BYTES_MAX, headersTimeout: REQUEST_TIME, requestTimeout: REQUEST_TIME };

function plainServer(answers: Answers): { server: Server; use: (tls: TlsMaterial) => void } {
  return { server: createServer(OPTIONS, listenerOf(answers)), use: () => {} };
}

function secureServer({ tls, policy }: MetricsPortParts, answers: Answers) {
  const { minVersion, ciphers } = policyOptions(policy);
  const contextOf = (material: TlsMaterial) => ({ ...secureContext(material), minVersion, ciphers });
  const server = createSecureServer({ ...OPTIONS, ...contextOf(tls) }, listenerOf(answers));
  return { server, use: (material: TlsMaterial) => server.setSecureContext(contextOf(material)) };
}

function listenerOf(answers: Answers): RequestListener {
  let open = 0;
  return (request, response) => {
    if (open >= REQUESTS_MAX) {
      request.socket.destroy();
      return;
    }
    open++;
    response.once('close', () => open--);
    // No path has a use for a body: the connection ends instead of reading it.
    if (request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined)
      response.setHeader('connection', 'close');
    answers.serve(request, response).catch(() => request.socket.destroy());
  };
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  server.maxConnections = CONNECTIONS_MAX;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** One check of `/livez` or `/readyz`. Returns undefined if it passes, otherwise the reason. */
type Check = () => Promise<string | undefined>;

class Answers {
  readonly #scrapes: Readonly<Record<ExpositionFormat, () => Promise<Buffer>>>;
  readonly #linearizable: Check;
  readonly #parts: MetricsPortParts;
  readonly #checks: Readonly<Record<'/livez' | '/readyz', ReadonlyMap<string, Check>>>;

  constructor(parts: MetricsPortParts) {
    this.#parts = parts;
    this.#scrapes = {
      text: shared(() => parts.exposition.scrape('text')),
      protobuf: shared(() => parts.exposition.scrape('protobuf')),
    };
    this.#linearizable = shared(() => parts.store.linearizableRead());
    // A peer whose data differs from that of the others stops, and one that serves can read its own data.
    const passes: Check = async () => undefined;
    this.#checks = {
      '/livez': new Map([['serializable_read', passes]]),
      '/readyz': new Map([
        ['data_corruption', passes],
        ['serializable_read', passes],
        ['linearizable_read', this.#linearizable],
      ]),
    };
  }

  async serve({ url = '/', method, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = url.indexOf('?');
    const path = at < 0 ? url : url.slice(0, at);
    const query = new URLSearchParams(at < 0 ? '' : url.slice(at));
    if (path === '/metrics') {
      const { format, contentType } = metricsFormat(headers.accept);
      return send(response, 200, await this.#scrapes[format](), { 'content-type': contentType });
    }
    const checks = this.#checksOf(path);
    if (path !== '/health' && checks === undefined) return send(response, 404, '404 page not found\n', NO_SNIFF);
    if (method !== 'GET') return send(response, 405, 'Method Not Allowed\n', { ...NO_SNIFF, allow: 'GET' });
    if (checks === undefined) return this.#health(response, query.get('serializable') === 'true');
    return report(response, checks, query);
  }

  /** The checks of `/livez`, `/readyz`, or one of them below its path. */
  #checksOf(path: string): ReadonlyMap<string, Check> | undefined {
    for (const [root, checks] of Object.entries(this.#checks)) {
      if (path === root) return checks;
      const name = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : '';
      const check = checks.get(name);
      if (check !== undefined) return new Map([[name, check]]);
    }
    return undefined;
  }

  async #health(response: ServerResponse, serializable: boolean): Promise<void> {
    const why = serializable ? undefined : await this.#unhealthy();
    const text = JSON.stringify({ health: String(why === undefined), reason: why ?? '' });
    if (why === undefined) send(response, 200, text, {});
    else send(response, 503, `${text}\n`, NO_SNIFF);
  }

  async #unhealthy(): Promise<string | undefined> {
    if (!this.#parts.store.hasLeader()) return 'RAFT NO LEADER';
    const why = await this.#linearizable();
    return why === undefined ? undefined : `RANGE ERROR:${why}`;
  }
}

/** `exclude` omits checks, `allowlist` selects them; with both, none is run, as in etcd. */
async function report(
  response: ServerResponse,
  checks: ReadonlyMap<string, Check>,
  query: URLSearchParams,
): Promise<void> {
  const [excluded, allowed] = [query.getAll('exclude'), query.getAll('allowlist')];
  const names = [...checks.keys()].filter((name) =>
    allowed.length > 0 ? excluded.length === 0 && allowed.includes(name) : !excluded.includes(name),
  );
  let text = '';
  let isOk = true;
  for (const name of names) {
    const why = await checks.get(name)!();
    text += why === undefined ? `[+]${name} ok\n` : `[-]${name} failed: ${why}\n`;
    isOk &&= why === undefined;
  }
  if (!isOk) return send(response, 503, `${text}\n`, NO_SNIFF);
  send(response, 200, `${query.has('verbose') ? text : ''}ok\n`, NO_SNIFF);
}

/** Concurrent calls share one result. */
function shared<T>(f: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= f().finally(() => {
      running = undefined;
    });
    return running;
  };
}

const NO_SNIFF = { 'x-content-type-options': 'nosniff' };

function send(
  response: ServerResponse,
  status: number,
  content: string | Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    ...headers,
    'content-length': body.length,
  });
  response.end(body);
}
