import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, configOf, parseCommandLine } from '../config/index.js';
import { type Keyspace, openMemoryKeyspace, prefixEnd } from '../storage/index.js';
import { createLog } from '../telemetry/index.js';
import { endpointAddress } from './advertise.js';
import { proxyCertificate } from './aggregation.js';
import { openApi } from './api.js';
import { openBackends } from './backends.js';
import { kubeconfigText } from './kubeconfig.js';
import { openObjects } from './objects.js';
import { makePki, serverNames } from './pki.js';
import { systemWorld } from './world.js';

export interface TestApiServerOptions {
  /** The port to serve on; 0, the default, for any that is free. */
  readonly port?: number;
  /** As `--runtime-config`: `{ 'api/beta': true }`. */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
  /** As `--feature-gates`. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** As `--controllers`; all by default. With `[]`, only the test writes. */
  readonly controllers?: readonly string[];
  /** Default silent. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

/** An API server in this process, for tests of its clients. */
export interface TestApiServer {
  readonly url: string;
  /** The text of a kubeconfig for an administrator. */
  readonly kubeconfig: string;
  /** The same in a file, for kubectl. `close` removes it. */
  readonly kubeconfigPath: string;
  /** PEM: the authority, and the administrator's certificate and key. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** Restores the initial state. Resource versions keep rising; watches end, so clients list again. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server with its store in memory. Needs no native module. */
export function startApiServer(options: TestApiServerOptions = {}): Promise<TestApiServer> {
  return startWithFlags(flagsOf(options), options.logLevel);
}

/** The same with any server flags, except those of the store and of its certificates. */
export async function startWithFlags(
  flags: readonly string[],
  logLevel: NonNullable<TestApiServerOptions['logLevel']> = 'silent',
): Promise<TestApiServer> {
  const world = systemWorld;
  const config = configFrom(flags);
  const log = createLog({ level: logLevel });
  const [pki, keyspace] = await Promise.all([
    makePki(serverNames(['127.0.0.1'], '10.96.0.1'), world.clock.now()),
    openMemoryKeyspace(world),
  ]);
  const objects = await openObjects({
    world,
    config,
    keyspace,
    log,
    rootCa: pki.ca.cert,
    tokenKey: pki.tokenKey,
    authority: () => pki.ca,
    proxyClient: proxyCertificate(config),
    trusted: () => ({ clientCa: pki.ca.cert, requestHeader: undefined }),
    failed: (why) => log.error({ why }, 'the event stream of the store failed'),
  });
  const api = await openApi({
    world,
    log,
    config,
    keyspace,
    registry: objects.registry,
    encryption: objects.encryption,
    auditor: undefined,
    access: objects.access,
    aggregation: objects.aggregation,
    backends: openBackends({ config, outbound: objects.outbound, kubeletClient: () => pki.kubeletClient }),
    kindsCurrent: () => objects.kindsCurrent(),
    queues: () => objects.queues(),
    tls: { cert: pki.serving.cert, key: pki.serving.key, clientCa: pki.ca.cert },
    address: (port) => `127.0.0.1:${port}`,
  });
  const address = endpointAddress(config.serving);
  objects.presence.announce(address === undefined ? undefined : { address, port: api.port });
  api.exposition.add(...objects.metrics);
  const url = `https://127.0.0.1:${api.port}`;
  const kubeconfig = kubeconfigText({
    url,
    ca: pki.ca.cert,
    user: 'kubernetes-admin',
    cert: pki.admin.cert,
    key: pki.admin.key,
  });
  const folder = mkdtempSync(join(tmpdir(), 'trireme-'));
  const kubeconfigPath = join(folder, 'kubeconfig');
  writeFileSync(kubeconfigPath, kubeconfig, { mode: 0o600 });
  let closing: Promise<void> | undefined;
  return {
    url,
    kubeconfig,
    kubeconfigPath,
    ca: pki.ca.cert,
    cert: pki.admin.cert,
    key: pki.admin.key,
    async reset() {
      objects.pause();
      await empty(keyspace);
      await objects.begin();
      api.endWatches();
    },
    close() {
      closing ??= (async () => {
        await api.drain(GRACE);
        await objects.close();
        await keyspace.close();
        rmSync(folder, { recursive: true, force: true });
      })();
      return closing;
    },
  };
}

/** Milliseconds that open requests get to finish. A test may leave some open and must not wait for them. */
const GRACE = 200;

function flagsOf(options: TestApiServerOptions): readonly string[] {
  const switches = (of: Readonly<Record<string, boolean>> | undefined): string =>
    Object.entries(of ?? {})
      .map(([k, v]) => `${k}=${v}`)
      .join(',');
  return [
    `--secure-port=${options.port ?? 0}`,
    `--runtime-config=${switches(options.runtimeConfig)}`,
    `--feature-gates=${switches(options.featureGates)}`,
    `--controllers=${(options.controllers ?? ['*']).join(',')}`,
  ];
}

function configFrom(flags: readonly string[]): Config {
  const line = parseCommandLine(['--secure-port=0', ...flags]);
  if (line.kind !== 'run') throw new Error('unreachable');
  return configOf(line.values, line.warnings, line.given);
}

const OPS = 1000;

/** Deletes every key. */
async function empty(keyspace: Keyspace): Promise<void> {
  for (;;) {
    const found = await keyspace.range({ start: '/', end: prefixEnd('/'), limit: OPS });
    if (found.kind !== 'ok') throw new Error('the store cannot be read');
    if (found.items.length === 0) return;
    const ops = found.items.map((item) => ({ kind: 'delete' as const, key: item.key }));
    const result = await keyspace.txn({ compares: [], ops });
    if (result.kind !== 'committed') throw new Error(`the store could not be emptied: ${result.kind}`);
  }
}
