import { AuditMetrics, type Auditor } from '../audit/index.js';
import { type CertificateBundles, Impersonator } from '../auth/index.js';
import type { World } from '../base/index.js';
import { type Config, featureStates } from '../config/index.js';
import type { Encryption } from '../encryption/index.js';
import {
  type Aggregation,
  type Backends,
  type ControlDesk,
  DiscoveryDocuments,
  type HttpServices,
  knownResource,
  type Listener,
  OpenApiDocuments,
  openListener,
  openMetricsPort,
  requestAudit,
  requestCounter,
  sharedStages,
  supportedEncodings,
  type TlsMaterial,
  VERSION_DOCUMENT,
  Watches,
} from '../http/index.js';
import { createRenderer, type Registry, UNSAFE_DELETE_GATE } from '../registry/index.js';
import type { Keyspace } from '../storage/index.js';
import {
  ApiServerMetrics,
  buildInfo,
  Exposition,
  featureInfo,
  HealthResults,
  ImpersonationMetrics,
  type Log,
  QueueMetrics,
  type QueueView,
  StorageMetrics,
  type StoredResourceView,
} from '../telemetry/index.js';
import { type Access, requestAuthentication } from './access.js';
import { allocationGauges } from './allocations.js';
import { openGate } from './gate.js';
import { healthChecks } from './healthchecks.js';
import { connectionsMax, openFiles } from './openfiles.js';

/** The parts of a server. */
export interface ApiParts {
  readonly world: World;
  readonly log: Log;
  readonly config: Config;
  readonly keyspace: Keyspace;
  readonly registry: Registry;
  readonly access: Access;
  readonly aggregation: Aggregation;
  readonly backends: Backends;
  /** Waits until the kinds of all definitions that any peer established are served here. */
  readonly kindsCurrent: () => Promise<void>;
  /** The authority of front proxies, PEM; absent without front proxies. */
  readonly proxyCa?: string | undefined;
  /** The queues of the controllers. */
  readonly queues: () => Iterable<QueueView>;
  /** The control endpoints of the peer; absent for a store in memory. */
  readonly control?: ControlDesk;
  readonly encryption: Encryption;
  /** Absent without an audit policy. */
  readonly auditor: Auditor | undefined;
  readonly tls: TlsMaterial;
  /** The host and port at which clients reach the server: `127.0.0.1:6443`. */
  readonly address: (port: number) => string;
}

/** A served API. */
export interface Api {
  readonly port: number;
  readonly exposition: Exposition;
  /** Makes `/readyz` fail, so that load balancers send no new requests. */
  unready(): void;
  /** Ends every watch; clients list and watch again. */
  endWatches(): void;
  /** Replaces keys and authorities, for new connections and for authentication on open ones. */
  renew(tls: TlsMaterial, proxyCa?: string): void;
  drain(graceTime: number): Promise<void>;
}

/** Builds the HTTP server and opens the port. */
export async function openApi(parts: ApiParts): Promise<Api> {
  const { world, log, config, keyspace, registry } = parts;
  const metrics = new ApiServerMetrics();
  const exposition = new Exposition({ nativeHistograms: config.api.featureGates.get('NativeHistograms') !== false });
  const storage = new StorageMetrics();
  const queues = new QueueMetrics();
  const features = featureInfo(featureStates(config.api.featureGates));
  exposition.add(...parts.access.metrics.families);
  const impersonation = new ImpersonationMetrics();
  exposition.add(...impersonation.families);
  exposition.add(...metrics.families, ...storage.families, ...queues.families);
  exposition.add(...parts.encryption.metrics.families);
  exposition.add(...(parts.auditor?.metrics ?? new AuditMetrics()).families);
  exposition.add(...buildInfo(VERSION_DOCUMENT), features);
  const counter = requestCounter(world, metrics, {
    known: (info) => knownResource(registry.servedResources, info),
    constrainedImpersonation: config.api.featureGates.get('ConstrainedImpersonation') === true,
    fairness: config.limits.fairness,
  });
  const flow = openGate({ world, config, registry, objects: parts.access.objects, metrics, counter });
  exposition.add(...flow.families);
  exposition.addSource(() => allocationGauges({ cache: registry.cache, keyspace, nodePorts: config.api.nodePorts }));
  exposition.beforeScrape(() => {
    flow.beforeScrape();
    storage.update({ resources: stored(registry), sizeBytes: keyspace.status().sizeBytes });
    queues.update(parts.queues());
  });
  const authentication = requestAuthentication({
    world,
    config,
    access: parts.access,
    metrics,
    bundles: bundlesOf(parts),
  });
  const state = { ready: true };
  let listener: Listener | undefined;
  const services: HttpServices = {
    world,
    log,
    metrics,
    exposition,
    registry,
    ...createRenderer(world),
    stages: {
      world,
      log,
      authenticator: authentication.authenticator,
      authorizer: parts.access.authorizer,
      impersonator: new Impersonator(parts.access.authorizer, {
        constrained: config.api.featureGates.get('ConstrainedImpersonation') === true,
        clock: world.clock,
        metrics: impersonation,
      }),
      audit: requestAudit(parts.auditor, world),
      gate: flow.gate,
      ...sharedStages(world, registry.scheduler),
      counter,
      supportedEncodings: supportedEncodings(config.api.featureGates.get('CBORServingAndStorage') === true),
      compresses: config.api.featureGates.get('APIResponseCompression') === true,
      requestTime: config.limits.requestTimeout,
    },
    fairness: flow.fairness,
    aggregation: parts.aggregation,
    backends: parts.backends,
    kindsCurrent: parts.kindsCurrent,
    health: healthChecks({
      keyspace,
      isReady: () => state.ready,
      kms: parts.encryption.health,
      reloadsEncryption: config.encryption.reload,
      fairness: flow.fairness !== undefined,
      rbac: parts.access.usesMode('RBAC'),
      elections: config.api.featureGates.get('CoordinatedLeaderElection') === true,
    }),
    healthResults: new HealthResults(),
    facts: {
      started: Math.floor(world.clock.now() / 1000 - process.uptime()),
      flags: config.api.featureGates.get('ComponentFlagz') === false ? undefined : config.flags,
      hasStatus: config.api.featureGates.get('ComponentStatusz') !== false,
    },
    discovery: new DiscoveryDocuments(),
    openApi: new OpenApiDocuments(),
    control: parts.control,
    createsUpgrades: config.api.featureGates.get('AuthorizePodWebsocketUpgradeCreatePermission') !== false,
    unsafeDeletion: config.api.featureGates.get(UNSAFE_DELETE_GATE) === true,
    issuer: {
      configuration: (address) => parts.access.serviceAccounts.discovery(address),
      get keySet() {
        return parts.access.serviceAccounts.keySet;
      },
    },
    watches: new Watches(),
    watchTime: config.limits.watchTimeout,
    address: () => parts.address(listener?.port ?? config.serving.port),
  };
  const files = openFiles();
  listener = await openListener(services, {
    host: config.serving.bindAddress,
    port: config.serving.port,
    tls: withProxyCa(parts.tls, parts.proxyCa),
    policy: config.serving.tls,
    connectionsMax: connectionsMax(files.limit, files.open),
    goawayChance: config.serving.goawayChance,
  });
  const monitoring = await openMetricsPort(config.serving.metricsUrls, {
    exposition,
    store: {
      hasLeader: () => keyspace.status().hasLeader,
      async linearizableRead() {
        const read = await keyspace.readIndex();
        return read.kind === 'ok' ? undefined : read.message;
      },
    },
    tls: parts.tls,
    policy: config.serving.tls,
  }).catch(async (error: unknown) => {
    await listener?.drain(0);
    throw error;
  });
  return {
    port: listener.port,
    exposition,
    unready: () => {
      state.ready = false;
    },
    endWatches: () => services.watches.end(),
    renew: (tls, proxyCa) => {
      authentication.use(bundlesOf({ tls, proxyCa }));
      listener.renew(withProxyCa(tls, proxyCa));
      monitoring.renew(tls);
    },
    drain: async (graceTime) => {
      await listener.drain(graceTime).finally(() => flow.close());
      await monitoring.close();
    },
  };
}

type Authorities = Pick<ApiParts, 'tls' | 'proxyCa'>;

const bundlesOf = ({ tls, proxyCa }: Authorities): CertificateBundles => ({ client: tls.clientCa, proxy: proxyCa });

/** TLS accepts certificates of clients and of front proxies; the authenticators distinguish them. */
const withProxyCa = (tls: TlsMaterial, proxyCa: string | undefined): TlsMaterial =>
  proxyCa === undefined ? tls : { ...tls, clientCa: `${tls.clientCa}\n${proxyCa}` };

/** The objects of each resource. */
function* stored(registry: Registry): Iterable<StoredResourceView> {
  const seen = new Set<string>();
  for (const { group, versions } of registry.servedResources.groups)
    for (const { resources } of versions)
      for (const { resource, storage } of resources) {
        if (storage.prefix === '' || seen.has(storage.prefix)) continue;
        seen.add(storage.prefix);
        const collection = registry.cache.collection(storage.prefix);
        const { size: objects = 0, bytes = 0, applied = 0 } = collection ?? {};
        yield { group, resource, objects, bytes, revision: applied };
      }
}
