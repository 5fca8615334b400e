import { readFile } from 'node:fs/promises';
import {
  builtinAdmission,
  choiceProblem,
  choiceWarnings,
  chosenSteps,
  PodSecurityMetrics,
  PolicyMetrics,
  paramRightsStep,
  podCertificateSigningStep,
  WebhookMetrics,
} from '../admission/index.js';
import type { AdmissionStep } from '../api/index.js';
import type { EscalationCheck } from '../auth/index.js';
import type { World } from '../base/index.js';
import { type Config, ConfigError, fileErrorText } from '../config/index.js';
import { ConversionMetrics, serveDefinitions, type TrustedAuthorities } from '../controllers/index.js';
import { connectKms, type Encryption, openEncryption } from '../encryption/index.js';
import type { Aggregation } from '../http/index.js';
import {
  CertificateMetrics,
  ClientMetrics,
  EgressMetrics,
  type Outbound,
  type ServiceResolver,
  serviceResolver,
  WebhookClients,
} from '../outbound/index.js';
import {
  builtinResources,
  type ClusterConfig,
  openRegistry,
  type Registry,
  RegistryMetrics,
  runtimeConfigProblem,
  storagePrefixOf,
} from '../registry/index.js';
import type { Keyspace } from '../storage/index.js';
import type { Family, Log, QueueView } from '../telemetry/index.js';
import { type Access, openAccess } from './access.js';
import { readAdmissionConfig } from './admissionconfig.js';
import { authorizeCheckOf, createNamespace, imagePolicyOf } from './admissionparts.js';
import { Aggregator, type AggregatorParts } from './aggregation.js';
import { clusterOf } from './cluster.js';
import { componentProbe } from './componentprobe.js';
import { API_SERVER, bootstrapAddresses, checkControllers, openControllers } from './controllers.js';
import { ensureFlowControl } from './flowcontrol.js';
import type { KeyPair } from './issue.js';
import { kindsCurrent } from './kindscurrent.js';
import { shortened } from './logfields.js';
import { openOutbound, webhookCalls } from './outbound.js';
import { bootstrapRbac } from './policy.js';
import { createPresence, type Presence, serverName } from './presence.js';
import { keepUp } from './upkeep.js';

export interface ObjectsParts {
  readonly world: World;
  readonly config: Config;
  readonly keyspace: Keyspace;
  readonly log: Log;
  /** The certificate of the authority, PEM, published in every namespace as kube-root-ca.crt. */
  readonly rootCa: string;
  /** PEM of the server's own key for service-account tokens. */
  readonly tokenKey: string;
  /** The authority of the server: it signs certificate requests if flags name no other. */
  readonly authority: () => KeyPair;
  /** The current authorities by which this server verifies clients and front proxies. */
  readonly trusted: () => TrustedAuthorities;
  /** The client certificate for aggregated servers. */
  readonly proxyClient: AggregatorParts['certificate'];
  /** Called when the event stream of the store failed. The cache is stale then and the process must end. */
  readonly failed: (why: string) => void;
}

/** The registry, the bootstrap objects, and the controllers. */
export interface Objects {
  readonly registry: Registry;
  readonly access: Access;
  readonly outbound: Outbound;
  readonly aggregation: Aggregation;
  readonly presence: Presence;
  readonly encryption: Encryption;
  readonly metrics: readonly Family[];
  /** Creates the bootstrap objects and starts the controllers. */
  begin(): Promise<void>;
  /** Stops the controllers until `begin`. */
  pause(): void;
  /** Waits until the kinds of all definitions that any peer established are served here. */
  kindsCurrent(): Promise<void>;
  /** The queues of the controllers that run here. */
  queues(): Iterable<QueueView>;
  close(): Promise<void>;
}

export async function openObjects(parts: ObjectsParts): Promise<Objects> {
  const { world, config, log } = parts;
  const { api } = config;
  checkControllers(config.controllers, log);
  const problem = choiceProblem(api.admission);
  if (problem !== undefined) throw new ConfigError(problem);
  let access: Access | undefined;
  const resources = builtinResources({
    serviceIpRanges: api.serviceRanges,
    nodePorts: api.nodePorts,
    eventSeconds: api.eventSeconds,
    authorize: (user, attributes) => access!.services.authorize(user, attributes),
    rulesFor: (user, namespace) => access!.services.rulesFor(user, namespace),
    tokens: lateTokens(config, () => access!.services.tokens),
    probe: componentProbe(world),
  });
  const encryption = await openEncryption({
    world,
    keyspace: parts.keyspace,
    resources: resources.map((d) => ({ group: d.group, resource: d.resource, prefix: storagePrefixOf(d) })),
    file: config.encryption.configFile,
    reload: config.encryption.reload,
    readText: (file) => encryptionText(file),
    connectKms,
    server: serverName(config.cluster.name),
    log,
  });
  const { keyspace } = encryption;
  const odd = runtimeConfigProblem(api.runtimeConfig, resources);
  if (odd !== undefined) throw new ConfigError(`--runtime-config: ${odd}`);
  const authorizeCheck = authorizeCheckOf(() => access!.authorizer);
  const { kubeconfigs = {}, imagePolicy: image, ...fileSettings } = await readAdmissionConfig(api.admission.configFile);
  const note = (message: string, fields: Readonly<Record<string, unknown>>): void =>
    log.warn(shortened(fields), message);
  const webhookMetrics = new WebhookMetrics();
  const conversionMetrics = new ConversionMetrics();
  const egressMetrics = new EgressMetrics(world.clock);
  const certificateMetrics = new CertificateMetrics();
  const clientMetrics = new ClientMetrics();
  const podSecurityMetrics = new PodSecurityMetrics();
  const policyMetrics = new PolicyMetrics(world.clock);
  const registryMetrics = new RegistryMetrics(world.clock);
  const outbound = await openOutbound(config, world, egressMetrics, certificateMetrics, clientMetrics);
  const imagePolicy = imagePolicyOf(image, { chosen: api.admission, world, outbound, note });
  let resolveService: ServiceResolver | undefined;
  const registry = await openRegistry({
    world,
    keyspace,
    resources,
    runtimeConfig: api.runtimeConfig,
    metrics: registryMetrics,
    admission: (stored, scheduler) => {
      resolveService = serviceResolver({
        objects: stored,
        random: world.random,
        toEndpoints: config.outbound.toEndpoints,
      });
      const steps = builtinAdmission(stored, world, authorizeCheck, {
        tolerationSeconds: api.admission.tolerationSeconds,
        enabled: (gate: string) => api.featureGates.get(gate) ?? true,
        scheduler,
        ...fileSettings,
        podSecurityMetrics,
        policyMetrics,
        ...(imagePolicy === undefined ? {} : { imagePolicy }),
        createNamespace: (name) => createNamespace(clusterOf(registry, world, API_SERVER), name),
        webhooks: webhookCalls({
          world,
          outbound,
          resolve: resolveService,
          metrics: webhookMetrics,
          note,
          kubeconfigs,
        }),
      });
      for (const warning of choiceWarnings(steps, api.admission)) log.warn({}, warning);
      return [
        ...chosenSteps(steps, api.admission),
        grantsStep(() => access!.escalation),
        paramRightsStep(stored, authorizeCheck),
        podCertificateSigningStep(authorizeCheck),
      ];
    },
    // A schema with an unknown gate: the gate was removed because the feature is always enabled.
    featureEnabled: (gate) => api.featureGates.get(gate) ?? true,
    failed: parts.failed,
  });
  try {
    access = await openAccess({ world, config, registry, log, tokenKey: parts.tokenKey, outbound });
  } catch (error) {
    encryption.close();
    await registry.close();
    throw error;
  }
  encryption.onReadable(() => {
    registry.cache
      .readAgain()
      .then((lost) => {
        if (lost.length > 0) log.error({ objects: lost.length, first: lost[0]!.key, why: lost[0]!.problem }, LOST);
      })
      .catch((error: unknown) => log.error({ err: error }, 'could not read objects again that did not decrypt'));
  });
  const { close: closeAccess } = access;
  const aggregator = new Aggregator({
    world,
    pace: registry.scheduler,
    outbound,
    objects: access.objects,
    resolve: resolveService!,
    certificate: parts.proxyClient,
    note,
  });
  const apiServer = { world, cluster: clusterOf(registry, world, API_SERVER), log: note };
  const controllers = openControllers({ ...parts, registry, keyspace, access, authorizeCheck, aggregator, note });
  const presence = createPresence({ world, config, keyspace, context: apiServer, trusted: parts.trusted });
  const definitions = serveDefinitions(registry, note, {
    world,
    pace: registry.scheduler,
    clients: new WebhookClients({ world, outbound, resolve: resolveService! }),
    metrics: conversionMetrics,
  });
  let stopUpkeep: (() => void) | undefined;
  const pause = (): void => {
    stopUpkeep?.();
    stopUpkeep = undefined;
    presence.pause();
    controllers.pause();
  };
  const begin = async (): Promise<void> => {
    await definitions.ready;
    await registry.bootstrap(bootstrapAddresses(config));
    if (access.usesMode('RBAC')) await bootstrapRbac(registry, world);
    await ensureFlowControl(registry, world);
    stopUpkeep ??= keepUp(registry, world, note);
    controllers.begin();
    presence.begin();
  };
  try {
    await begin();
  } catch (error) {
    // Stop before the store closes: the cache would treat the end of its event stream as a failure.
    pause();
    definitions.stop();
    encryption.close();
    await registry.close();
    throw error;
  }
  return {
    registry,
    access,
    outbound,
    aggregation: aggregator,
    presence,
    encryption,
    metrics: [
      webhookMetrics,
      conversionMetrics,
      egressMetrics,
      certificateMetrics,
      clientMetrics,
      podSecurityMetrics,
      policyMetrics,
      aggregator.metrics,
      registryMetrics,
    ].flatMap(({ families }): readonly Family[] => families),
    begin,
    pause,
    kindsCurrent: () => kindsCurrent(world, registry, definitions),
    queues: () => controllers.queues(),
    close: () => {
      pause();
      definitions.stop();
      aggregator.close();
      closeAccess();
      outbound.close();
      encryption.close();
      return registry.close();
    },
  };
}

async function encryptionText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `error while parsing file: error while loading file: error reading encryption provider configuration file ${JSON.stringify(file)}: ${fileErrorText(error, file)}`,
    );
  }
}

const LOST =
  'stored objects can no longer be decrypted: bring back their key, or write them again before this server stops, which still knows them';

const GRANTING: ReadonlySet<string> = new Set(['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings']);

/** Checks escalation of roles and bindings, after mutation and before validation, as kube-apiserver does. */
function grantsStep(check: () => EscalationCheck): AdmissionStep {
  return {
    name: 'RBACEscalation',
    concerns: ({ groupResource: { group, resource } }) =>
      group === 'rbac.authorization.k8s.io' && GRANTING.has(resource),
    mutate: async ({ groupResource: { resource }, operation, object, old, user, name, namespace }) => {
      if (object === undefined) return;
      const requestName = operation === 'create' ? '' : name;
      await check().check({ user, resource, namespace, requestName, object, old });
    },
  };
}

/** The token service. It needs the registry, which is open before the first request. */
function lateTokens(
  { access: { serviceAccounts } }: Config,
  tokens: () => ClusterConfig['tokens'],
): ClusterConfig['tokens'] {
  return {
    audiences: serviceAccounts.audiences,
    get secondsMax() {
      return tokens().secondsMax;
    },
    get extendedSeconds() {
      return tokens().extendedSeconds;
    },
    issue: (token) => tokens().issue(token),
    review: (token, audiences) => tokens().review(token, audiences),
  };
}
