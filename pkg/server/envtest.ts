import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { ConfigError, isKnownFlag } from '../config/index.js';

/**
 * The two programs of an envtest assets folder. controller-runtime starts `etcd`, then `kube-apiserver
 * --etcd-servers=URL`, each with the flags of the real one. Our `etcd` stores nothing: it answers health checks and
 * publishes the path of its data folder. Our `kube-apiserver` keeps its store in that folder, so the state lives as
 * long as it would in etcd.
 */

const STORE_PATH = '/trireme/store';
const ETCD_VERSION = '3.7.3';

export interface EtcdStandIn {
  close(): void;
}

/** Serves `--listen-client-urls`. Throws `ConfigError` for a flag that etcd does not have. */
export async function startEtcdStandIn(args: readonly string[]): Promise<EtcdStandIn> {
  const flags = flagsOf(args);
  const dataDir = flags.get('data-dir') ?? `${flags.get('name') ?? 'default'}.etcd`;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const answers: Readonly<Record<string, unknown>> = {
    '/health': { health: 'true', reason: '' },
    '/livez': 'ok\n',
    '/readyz': 'ok\n',
    '/version': { etcdserver: ETCD_VERSION, etcdcluster: '3.7.0', storage: '' },
    [STORE_PATH]: { dataDir: join(dataDir, 'trireme') },
  };
  const servers: Server[] = [];
  for (const text of (flags.get('listen-client-urls') ?? 'http://localhost:2379').split(',')) {
    const url = new URL(text);
    if (url.protocol !== 'http:') throw new ConfigError(`--listen-client-urls=${text}: only http is served here`);
    const server = createServer((request, response) => {
      const answer = answers[new URL(request.url ?? '/', url).pathname];
      response.statusCode = answer === undefined ? 404 : 200;
      response.end(answer === undefined ? '' : typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(Number(url.port), url.hostname.replace(/^\[|\]$/g, ''), resolve);
    });
    servers.push(server);
  }
  return {
    close: () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

/** The flags for our server: those of kube-apiserver, with the flags of etcd replaced by the data folder that etcd names. */
export async function envtestArguments(args: readonly string[]): Promise<readonly string[]> {
  const flags = flagsOf(args);
  const servers = flags.get('etcd-servers');
  if (servers === undefined) return args;
  const url = new URL(STORE_PATH, servers.split(',')[0]);
  const response = await fetch(url).catch((error: unknown) => {
    throw new ConfigError(`--etcd-servers=${servers}: ${String((error as Error).cause ?? error)}`);
  });
  if (!response.ok)
    throw new ConfigError(`--etcd-servers=${servers}: not the etcd of this folder; a real etcd cannot be used`);
  const { dataDir } = (await response.json()) as { readonly dataDir: string };
  const rest = [...flags].filter(([name]) => !name.startsWith('etcd-')).map(([name, value]) => `--${name}=${value}`);
  // kube-apiserver alone has no kube-controller-manager: the tests of a project expect that nothing else writes objects.
  const controllers = flags.has('controllers') ? [] : ['--controllers=-*'];
  return [...rest, ...controllers, `--data-dir=${dataDir}`];
}

/**
 * `--name=value` and `--name value`; values of a repeated flag are joined by commas. A switch without a value is
 * `true`.
 */
function flagsOf(args: readonly string[]): Map<string, string> {
  const flags = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const m = /^--?([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(args[i]!);
    if (m === null) throw new ConfigError(`unexpected argument ${JSON.stringify(args[i])}`);
    const name = m[1]!;
    if (!isKnownFlag(name)) throw new ConfigError(`unknown flag --${name}`);
    const next = args[i + 1];
    let value = m[2];
    if (value === undefined && next !== undefined && !next.startsWith('-')) {
      value = next;
      i++;
    }
    const before = flags.get(name);
    flags.set(name, before === undefined ? (value ?? 'true') : `${before},${value ?? 'true'}`);
  }
  return flags;
}
