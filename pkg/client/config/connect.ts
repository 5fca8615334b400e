import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock } from '../../base/index.js';
import type { Credentials } from '../../outbound/index.js';
import { ClientError } from '../error.js';
import { type ExecCluster, type ExecCredential, ExecPlugin } from './exec.js';
import type { ClusterEntry, UserEntry } from './kubeconfig.js';
import type { LoadedConfig, Located } from './load.js';

/** How to reach a server, and the credentials for it. */
export interface ClientConfig {
  /** `https://host:port`, without a path. */
  readonly origin: string;
  /** The path of the server's URL, without a trailing slash; usually ''. */
  readonly path: string;
  /** The namespace of the context; `default` by default. */
  readonly namespace: string;
  /** The name in the certificate of the server, if it is not the host. */
  readonly serverName: string | undefined;
  /** Authorities, PEM; those of the system if undefined. */
  readonly ca: string | undefined;
  readonly insecure: boolean;
  /** The URL of an HTTP proxy that supports CONNECT; undefined: none. */
  readonly proxy: string | undefined;
  /** The client certificate of the configuration, if it has one. */
  readonly certificate: Credentials['certificate'];
  /** The credentials of the next request. Runs a plug-in, or reads a file again, if that is necessary. Throws `ClientError`. */
  credentials(): Promise<Credentials>;
  /** Tells that a server has answered 401. Returns whether other credentials may now be available. */
  refused(): boolean;
}

export interface ConfigParts {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the standard input is a terminal that plug-ins may use. */
  readonly isTerminal: boolean;
}

/** Milliseconds after which a token file is read again. */
const TOKEN_FILE_AGE = 10_000;
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/** The configuration of a context, by default the current one. Throws `ClientError`. */
export function clientConfig(loaded: LoadedConfig, parts: ConfigParts, contextName?: string): ClientConfig {
  const named = contextName ?? loaded.currentContext;
  const files = loaded.files.join(', ');
  const context = loaded.contexts.get(named);
  if (context === undefined && contextName !== undefined)
    throw new ClientError(`${files}: context "${contextName}" does not exist`);
  const cluster = loaded.clusters.get(context?.cluster ?? '');
  const userName = context?.user ?? '';
  const user = userName === '' ? { entry: {}, folder: '.' } : loaded.users.get(userName);
  if (cluster === undefined || user === undefined)
    throw new ClientError(`${files}: the current context does not name an existing cluster and user`);
  const { entry } = cluster;
  const url = serverUrl(entry.server, context!.cluster);
  const server = {
    origin: url.origin,
    path: url.pathname.replace(/\/$/, ''),
    namespace: text(context?.namespace) ?? 'default',
    serverName: text(entry['tls-server-name']),
    ca: authorityOf(cluster),
    insecure: entry['insecure-skip-tls-verify'] === true,
    proxy: proxyOf(entry, context!.cluster),
  };
  if (server.insecure && server.ca !== undefined)
    throw new ClientError('specifying a root certificates file with the insecure flag is not allowed');
  return { ...server, ...userCredentials(user, userName, cluster, parts) };
}

function serverUrl(server: string, cluster: string): URL {
  if (!URL.canParse(server)) throw new ClientError(`server "${server}" of cluster "${cluster}" is not a URL`);
  return new URL(server);
}

/** The authorities of a cluster, PEM. Throws `ClientError` if a file cannot be read. */
export const authorityOf = ({ entry, folder }: Located<ClusterEntry>): string | undefined =>
  pemOf(entry['certificate-authority-data'], entry['certificate-authority'], folder);

function proxyOf(entry: ClusterEntry, cluster: string): string | undefined {
  const proxy = text(entry['proxy-url']);
  if (proxy === undefined) return undefined;
  if (!URL.canParse(proxy)) throw new ClientError(`invalid 'proxy-url' "${proxy}" for cluster "${cluster}"`);
  const { protocol } = new URL(proxy);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new ClientError(`'proxy-url' "${proxy}" for cluster "${cluster}": only http and https proxies are supported`);
  return proxy;
}

/** An explicit token, basic authentication or certificate takes precedence over a plug-in, as in client-go. */
function userCredentials(
  { entry, folder }: Located<UserEntry>,
  name: string,
  cluster: Located<ClusterEntry>,
  parts: ConfigParts,
): Pick<ClientConfig, 'certificate' | 'credentials' | 'refused'> {
  if (entry['auth-provider'] !== undefined && entry['auth-provider'] !== null)
    throw new ClientError(`user "${name}": auth provider not supported`);
  const cert = pemOf(entry['client-certificate-data'], entry['client-certificate'], folder);
  const key = pemOf(entry['client-key-data'], entry['client-key'], folder);
  if ((cert === undefined) !== (key === undefined))
    throw new ClientError(`user "${name}": client-certificate and client-key must be specified together`);
  const certificate = cert === undefined || key === undefined ? undefined : { cert, key };
  const authorization = authorizationOf(entry, folder, parts.clock);
  const headers = impersonation(entry);
  const fixed = {
    ...(certificate === undefined ? {} : { certificate }),
    ...(headers === undefined ? {} : { headers }),
  };
  if (entry.exec === undefined || entry.exec === null || authorization !== undefined || certificate !== undefined)
    return {
      certificate,
      credentials: async () => (authorization === undefined ? fixed : { ...fixed, authorization }),
      refused: () => false,
    };
  const plugin = new ExecPlugin(entry.exec, name, folder, execCluster(cluster), parts);
  let last: ExecCredential | undefined;
  return {
    certificate: undefined,
    async credentials() {
      last = await plugin.credential();
      const { token } = last;
      return {
        ...fixed,
        ...(last.certificate === undefined ? {} : { certificate: last.certificate }),
        ...(token === undefined ? {} : { authorization: () => `Bearer ${token}` }),
      };
    },
    refused() {
      if (last !== undefined) plugin.refused(last);
      return true;
    },
  };
}

function execCluster(cluster: Located<ClusterEntry>): ExecCluster {
  const { entry } = cluster;
  const ca = authorityOf(cluster);
  const [serverName, proxy] = [text(entry['tls-server-name']), text(entry['proxy-url'])];
  const config = (entry.extensions ?? []).find(({ name }) => name === EXEC_EXTENSION)?.extension;
  return {
    server: entry.server,
    ...(serverName === undefined ? {} : { 'tls-server-name': serverName }),
    ...(entry['insecure-skip-tls-verify'] === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(proxy === undefined ? {} : { 'proxy-url': proxy }),
    ...(config === undefined ? {} : { config: config as NonNullable<ExecCluster['config']> }),
  };
}

/** A token file takes precedence over a token. */
function authorizationOf(entry: UserEntry, folder: string, clock: Clock): (() => string) | undefined {
  const [token, file, name] = [text(entry.token), text(entry.tokenFile), text(entry.username)];
  if (file !== undefined) return tokenFile(resolve(folder, file), clock, token);
  if (token !== undefined) return () => `Bearer ${token}`;
  if (name === undefined) return undefined;
  const basic = Buffer.from(`${name}:${text(entry.password) ?? ''}`).toString('base64');
  return () => `Basic ${basic}`;
}

/** The token of a file, which is read again every ten seconds: the old one stays valid for longer than that. */
export function tokenFile(path: string, clock: Clock, first?: string): () => string {
  let last = first ?? '';
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.monotonic();
    if (now - readAt > TOKEN_FILE_AGE) {
      try {
        last = readFileSync(path, 'utf8').trim() || last;
        readAt = now;
      } catch (error) {
        if (last === '') throw new ClientError(`cannot read the token: ${(error as Error).message}`);
      }
    }
    return `Bearer ${last}`;
  };
}

function impersonation(entry: UserEntry): Credentials['headers'] {
  const as = text(entry.as);
  if (as === undefined) return undefined;
  const uid = text(entry['as-uid']);
  const groups = entry['as-groups'] ?? [];
  const extra = Object.entries(entry['as-user-extra'] ?? {});
  return {
    'impersonate-user': as,
    ...(uid === undefined ? {} : { 'impersonate-uid': uid }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups }),
    ...Object.fromEntries(
      extra.map(([key, values]) => [`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`, values]),
    ),
  };
}

const text = (value: string | null | undefined): string | undefined =>
  value === null || value === '' ? undefined : value;

/** Embedded data takes precedence over a file, as in client-go. */
function pemOf(data: string | null | undefined, path: string | null | undefined, folder: string): string | undefined {
  if (text(data) !== undefined) return Buffer.from(data!, 'base64').toString();
  if (text(path) === undefined) return undefined;
  try {
    return readFileSync(resolve(folder, path!), 'utf8');
  } catch (error) {
    throw new ClientError(`cannot read a file that the kubeconfig names: ${(error as Error).message}`);
  }
}
