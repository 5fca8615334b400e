import { join } from 'node:path';
import { shellWord } from '../base/index.js';
import type { Config } from '../config/index.js';
import type { TrustedAuthorities } from '../controllers/index.js';
import type { TlsMaterial } from '../http/index.js';
import { createLog, type Log } from '../telemetry/index.js';
import { endpointAddress } from './advertise.js';
import { proxyCertificate } from './aggregation.js';
import { type Api, openApi } from './api.js';
import { openAudit } from './audit.js';
import { openBackends } from './backends.js';
import { failureOf, signalOrders } from './exit.js';
import { exposedFiles } from './files.js';
import { type FrontProxy, keepFrontProxy, trustOf } from './frontproxy.js';
import { keepCertDir } from './given.js';
import { GivenCertificates, type GivenTls } from './givencertificates.js';
import { lockFolder } from './lock.js';
import { openObjects } from './objects.js';
import { authorityWarning, KUBELET_CLIENT, keepKubeconfig, keepPki, type Pki, serverNames } from './pki.js';
import { serviceAddresses } from './services.js';
import { openStore, outgoingFolder, untilCurrent } from './store.js';
import { systemWorld } from './world.js';

/** The process as seen from outside: output, signals, exit. */
export interface ProcessDoor {
  /** Prints a line for the operator. */
  print(line: string): void;
  complain(line: string): void;
  onSignal(f: (signal: string) => void): void;
  exit(code: number): void;
}

/**
 * Runs the server. Start order: folder, keys, store, objects, port; then the ready line. Stop order: the reverse. A start that fails
 * prints one line and exits with a code other than 0.
 */
export async function runApiServer(config: Config, door: ProcessDoor): Promise<void> {
  const log = createLog({ level: config.logLevel });
  let running: Running | undefined;
  let stopping = false;
  const end = (server: Running): void => {
    server.stop().then(
      () => door.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stop failed');
        door.exit(1);
      },
    );
  };
  const order = signalOrders(systemWorld.clock);
  // A signal during the start is remembered until the start has ended.
  door.onSignal((signal) => {
    const wish = order();
    if (wish === 'now') return door.exit(1);
    if (wish === 'nothing') return;
    stopping = true;
    log.info({ signal }, 'stopping');
    if (running !== undefined) end(running);
    else systemWorld.timers.after(START_PATIENCE, () => door.exit(0));
  });
  try {
    running = await start(config, log, (error) => {
      log.fatal({ err: error }, 'the store stopped');
      door.complain(`stopped: ${failureOf(error).line}`);
      door.exit(1);
    });
  } catch (error) {
    const failure = failureOf(error);
    log.debug({ err: error }, 'start failed');
    door.complain(failure.line);
    return door.exit(failure.code);
  }
  if (stopping) return end(running);
  door.print(`trireme ready on ${running.url} in ${Math.round(performance.now())} ms`);
  door.print(`export KUBECONFIG=${shellWord(running.kubeconfig)}`);
}

/** Milliseconds that a start may still take after a signal: one that waits for other peers would never end. */
const START_PATIENCE = 3000;

interface Running {
  readonly url: string;
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

const DAY = 86_400_000;
/** How soon a change of a certificate or authority file is noticed. */
const RELOAD_PERIOD = 1_000;

async function start(config: Config, log: Log, fatal: (error: Error) => void): Promise<Running> {
  const world = systemWorld;
  for (const warning of config.warnings) log.warn({}, warning);
  const certificates = new GivenCertificates(config);
  const given = certificates.current;
  const lock = lockFolder(config.dataDir);
  const undo: (() => Promise<void> | void)[] = [() => lock.release()];
  const stop = async (): Promise<void> => {
    for (const f of undo.splice(0).reverse()) await f();
  };
  try {
    // The store opens on its own thread while this one reads or creates the keys.
    const opening = openStore(config, log, { world, fatal });
    opening.catch(() => {});
    const { bindAddress, advertiseAddress } = config.serving;
    const names = serverNames([bindAddress, advertiseAddress], serviceAddresses(config.api.serviceRanges)[0]!);
    const pkiFolder = join(config.dataDir, 'pki');
    let pki = await keepPki(pkiFolder, names, world.clock.now());
    const warn = (): void => {
      const warning = authorityWarning(pki.ca, world.clock.now());
      if (warning !== undefined) log.warn({ folder: pkiFolder }, warning);
    };
    warn();
    for (const file of exposedFiles(keyFilesOf(config, pkiFolder)))
      log.warn({ file }, 'a private key can be read by others than its owner: chmod 600');
    const own = await ownFrontProxy(config, pkiFolder, world.clock.now());
    if (given.pair === undefined) keepCertDir(config.serving.certDir, pki.serving);
    const keyspace = await opening;
    undo.push(() => keyspace.close());
    await untilCurrent(keyspace, world, log);
    const objects = await openObjects({
      world,
      config,
      keyspace,
      log,
      rootCa: rootCaOf(given, pki),
      tokenKey: pki.tokenKey,
      authority: () => pki.ca,
      trusted: () => trustedAuthorities(config, certificates.current, pki, own),
      proxyClient: proxyCertificate(config) ?? own?.client,
      failed: (why) => fatal(new Error(why)),
    });
    undo.push(() => objects.close());
    const auditor = await openAudit({ world, config, log, outbound: objects.outbound });
    undo.push(() => auditor?.close());
    const host = urlHost(config);
    const api: Api = await openApi({
      world,
      log,
      config,
      keyspace,
      control: { peer: keyspace, folder: outgoingFolder(config.dataDir) },
      registry: objects.registry,
      encryption: objects.encryption,
      auditor,
      access: objects.access,
      aggregation: objects.aggregation,
      backends: openBackends({ config, outbound: objects.outbound, kubeletClient: () => pki.kubeletClient }),
      kindsCurrent: () => objects.kindsCurrent(),
      proxyCa: given.proxyCa,
      queues: () => objects.queues(),
      tls: tlsMaterial(given, pki),
      address: (port) => `${host}:${port}`,
    });
    api.exposition.add(...objects.metrics);
    api.exposition.addSource(() => keyspace.metrics());
    const advertised = endpointAddress(config.serving);
    if (advertised === undefined)
      log.warn({}, 'no address for the endpoints of the Service kubernetes: give --advertise-address');
    else objects.presence.announce({ address: advertised, port: api.port });
    undo.push(async () => {
      await objects.presence.withdraw();
      await shutDown(api, config);
    });
    const url = `https://${host}:${api.port}`;
    const kubeconfig = join(config.dataDir, 'admin.kubeconfig');
    keepKubeconfig(kubeconfig, url, pki);
    const renew = (): void => api.renew(tlsMaterial(certificates.current, pki), certificates.current.proxyCa);
    const failed = (error: Error): void =>
      log.error({ err: error }, 'a certificate or authority could not be reloaded; the previous one stays');
    const stopRenewing = world.timers.every(DAY, () => {
      keepPki(pkiFolder, names, world.clock.now())
        .then((renewed) => {
          pki = renewed;
          warn();
          renew();
          keepKubeconfig(kubeconfig, url, pki);
        })
        // The server continues with its certificates and tries again a day later.
        .catch((error: unknown) => log.error({ err: error }, 'could not renew certificates'));
    });
    undo.push(stopRenewing);
    undo.push(
      world.timers.every(RELOAD_PERIOD, () => {
        if (!certificates.reload(failed)) return;
        renew();
        objects.presence.refresh();
        log.info({}, 'certificates and authorities reloaded');
      }),
    );
    const warming = world.timers.after(1000, () => void api.exposition.warm());
    undo.push(warming);
    log.info({ url }, 'serving');
    return { url, kubeconfig, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function shutDown(api: Api, config: Config): Promise<void> {
  api.unready();
  const { shutdownDelay } = config.serving;
  if (shutdownDelay > 0) await new Promise<void>((r) => void systemWorld.timers.after(shutdownDelay, r));
  await api.drain(config.serving.shutdownGrace);
}

/** The files of private keys: those of the server, and those that flags name. */
function keyFilesOf({ serving, cluster }: Config, pkiFolder: string): readonly string[] {
  const own = [
    'ca.key',
    'apiserver.key',
    'admin.key',
    'sa.key',
    'peer.key',
    'front-proxy-ca.key',
    'front-proxy-client.key',
    `${KUBELET_CLIENT}.key`,
  ].map((name) => join(pkiFolder, name));
  return [...own, serving.keyFile, cluster.peerKeyFile].filter((file) => file !== '');
}

/** The front proxy that this server is to aggregated servers, unless a flag names another. */
async function ownFrontProxy(config: Config, folder: string, now: number): Promise<FrontProxy | undefined> {
  if (config.outbound.proxyClient !== undefined || config.access.requestHeader !== undefined) return undefined;
  return keepFrontProxy(folder, now);
}

/** The trusted authorities of clients and front proxies that this server publishes to aggregated API servers. */
function trustedAuthorities(
  config: Config,
  given: GivenTls,
  pki: Pki,
  own: FrontProxy | undefined,
): TrustedAuthorities {
  const { requestHeader } = config.access;
  return {
    clientCa: tlsMaterial(given, pki).clientCa,
    requestHeader:
      requestHeader === undefined ? own && trustOf(own) : { ...requestHeader, clientCa: given.proxyCa ?? '' },
  };
}

function tlsMaterial({ pair, clientCa, named }: GivenTls, pki: Pki): TlsMaterial {
  const { cert, key } = pair ?? pki.serving;
  // The authority of the first start is always trusted, because it signed the administrator's certificate.
  return { cert, key, named, clientCa: clientCa === undefined ? pki.ca.cert : `${clientCa}\n${pki.ca.cert}` };
}

/** The authority published to clients (kube-root-ca.crt), also if flags name the serving certificate. */
function rootCaOf({ pair, clientCa }: GivenTls, pki: Pki): string {
  return pair !== undefined && clientCa !== undefined ? clientCa : pki.ca.cert;
}

/** The host at which clients on this machine reach the server. */
function urlHost(config: Config): string {
  const { advertiseAddress, bindAddress } = config.serving;
  const address = advertiseAddress !== '' ? advertiseAddress : bindAddress;
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}
