import { readFile } from 'node:fs/promises';
import {
  type AuthorizeCheck,
  builtinAdmission,
  choiceProblem,
  choiceWarnings,
  chosenSteps,
  paramRightsStep,
  podCertificateSigningStep,
  WebhookMetrics,
} from '../admission/index.js';
import type { AdmissionStep, UserInfo } from '../api/index.js';
import type { EscalationCheck } from '../auth/index.js';
import type { World } from '../base/index.js';
import { type Config, ConfigError } from '../config/index.js';
import {
  addressRepair,
  apiServiceAvailability,
  apiServiceRegistration,
  approvingController,
  attributesClassProtection,
  bootstrapSigner,
  CONTROLLERS,
  ControllerManager,
  ConversionMetrics,
  claimProtection,
  cleanerController,
  clusterRoleAggregation,
  controllersElsewhere,
  defaultServiceAccount,
  defaultServiceCidr,
  definitionCleanup,
  definitionNames,
  deviceTaintEviction,
  endpointSliceController,
  endpointsController,
  flowSchemaStatus,
  garbageCollector,
  identityLeaseCollector,
  kubernetesService,
  legacyTokenTracking,
  mirroringController,
  namespaceController,
  nodePortRepair,
  policyStatus,
  replicationController,
  resourceQuotaController,
  rootCaPublisher,
  serveDefinitions,
  serviceCidrController,
  signingController,
  storageVersionMigrator,
  type TrustedAuthorities,
  tokenCleaner,
  tokenSecrets,
  unknownControllers,
  volumeProtection,
} from '../controllers/index.js';
import { connectKms, type Encryption, openEncryption } from '../encryption/index.js';
import type { Aggregation } from '../http/index.js';
import {
  EgressMetrics,
  type Outbound,
  type ServiceResolver,
  serviceResolver,
  WebhookClients,
} from '../outbound/index.js';
import {
  builtinResources,
  type ClusterConfig,
  kubernetesServiceObject,
  openRegistry,
  type Registry,
  runtimeConfigProblem,
  storagePrefixOf,
} from '../registry/index.js';
import type { Keyspace } from '../storage/index.js';
import type { Log, QueueView } from '../telemetry/index.js';
import { type Access, openAccess } from './access.js';
import { readAdmissionConfig } from './admissionconfig.js';
import { authorizeCheckOf, createNamespace, imagePolicyOf } from './admissionparts.js';
import { Aggregator, type AggregatorParts } from './aggregation.js';
import { certificateExpiry, certificateSigner } from './certificatesigner.js';
import { clusterOf } from './cluster.js';
import { ensureFlowControl } from './flowcontrol.js';
import type { KeyPair } from './issue.js';
import { openOutbound, webhookCalls } from './outbound.js';
import { bootstrapRbac } from './policy.js';
import { createPresence, type Presence, serverName } from './presence.js';
import { serviceAddresses } from './services.js';

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
  readonly metrics: WebhookMetrics['families'];
  /** Creates the bootstrap objects and starts the controllers. */
  begin(): Promise<void>;
  /** Stops the controllers until `begin`. */
  pause(): void;
  /** The queues of the controllers that run here. */
  queues(): Iterable<QueueView>;
  close(): Promise<void>;
}

const FLOW_CONTROL = { user: 'system:apiserver', manager: 'api-priority-and-fairness-config-consumer-v1' } as const;
const API_SERVER = { user: 'system:apiserver', manager: 'kube-apiserver' } as const;

/** Milliseconds between checks whether this peer leads. */
const LEADERSHIP_PERIOD = 200;

export async function openObjects(parts: ObjectsParts): Promise<Objects> {
  const { world, config, log } = parts;
  const { api } = config;
  const unknown = unknownControllers(config.controllers);
  if (unknown.length > 0)
    throw new ConfigError(`--controllers: unknown ${unknown.join(', ')}; known are ${[...CONTROLLERS].join(', ')}`);
  for (const name of controllersElsewhere(config.controllers))
    log.warn({}, `--controllers=${name} has no effect: kube-controller-manager has this controller`);
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
  const note = (message: string, fields: Readonly<Record<string, unknown>>): void => log.warn(fields, message);
  const webhookMetrics = new WebhookMetrics();
  const conversionMetrics = new ConversionMetrics();
  const egressMetrics = new EgressMetrics(world.clock);
  const outbound = await openOutbound(config, world, egressMetrics);
  const imagePolicy = imagePolicyOf(image, { chosen: api.admission, world, outbound, note });
  let resolveService: ServiceResolver | undefined;
  const registry = await openRegistry({
    world,
    keyspace,
    resources,
    runtimeConfig: api.runtimeConfig,
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
        ...(imagePolicy === undefined ? {} : { imagePolicy }),
        createNamespace: (name) => createNamespace(clusterOf(registry, world, API_SERVER), name),
        webhooks: webhookCalls({ outbound, resolve: resolveService, metrics: webhookMetrics, note, kubeconfigs }),
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
      .retryUnreadable()
      .catch((error: unknown) => log.error({ err: error }, 'could not read objects again that did not decrypt'));
  });
  const { close: closeAccess } = access;
  const aggregator = new Aggregator({
    world,
    outbound,
    objects: access.objects,
    resolve: resolveService!,
    certificate: parts.proxyClient,
  });
  const context = { world, cluster: clusterOf(registry, world), log: note };
  const authority = certificateSigner({ world, config: config.controllerSettings.signing, own: parts.authority });
  const controllers = new ControllerManager(
    () => [
      garbageCollector(context, aggregator.owners),
      namespaceController(context, aggregator.content),
      defaultServiceAccount(context),
      rootCaPublisher(context, parts.rootCa),
      clusterRoleAggregation(context),
      policyStatus(context),
      tokenSecrets(context, {
        rootCa: parts.rootCa,
        issue: (of) => access!.serviceAccounts.issuer.issueLegacy(of),
      }),
      resourceQuotaController(context),
      replicationController(context),
      claimProtection(context, { unusedSince: api.featureGates.get('PersistentVolumeClaimUnusedSinceTime') ?? true }),
      volumeProtection(context),
      attributesClassProtection(context),
      serviceCidrController(context),
      storageVersionMigrator(context),
      deviceTaintEviction(context),
      bootstrapSigner(context),
      tokenCleaner(context),
      signingController(context, { authority, duration: config.controllerSettings.signing.duration }),
      approvingController(context, { authority, mayCreate: mayRequest(authorizeCheck) }),
      cleanerController(context, { expiryOf: certificateExpiry }),
      endpointsController(context),
      endpointSliceController(context, { endpointsMax: config.controllerSettings.endpointsPerSlice }),
      mirroringController(context, { addressesMax: config.controllerSettings.mirroredPerSubset }),
    ],
    config.controllers,
    note,
  );
  const apiServer = { ...context, cluster: clusterOf(registry, world, API_SERVER) };
  const securePort = config.serving.port === 0 ? 6443 : config.serving.port;
  const serviceAddress = serviceAddresses(api.serviceRanges)[0] ?? '';
  // These belong to the API itself: --controllers does not switch them off.
  const ownControllers = new ControllerManager(
    () => [
      definitionNames(apiServer),
      definitionCleanup(apiServer),
      flowSchemaStatus({ ...context, cluster: clusterOf(registry, world, FLOW_CONTROL) }),
      apiServiceRegistration(apiServer),
      apiServiceAvailability(apiServer, aggregator.check),
      identityLeaseCollector(apiServer),
      defaultServiceCidr(apiServer, api.serviceRanges),
      legacyTokenTracking(apiServer),
      addressRepair(apiServer),
      nodePortRepair(apiServer, keyspace),
      kubernetesService(apiServer, {
        keyspace,
        service: kubernetesServiceObject({ serviceAddress, securePort }),
        endpoints: config.controllerSettings.keepsOwnEndpoints,
      }),
    ],
    ['*'],
    note,
  );
  const presence = createPresence({ world, config, keyspace, context: apiServer, trusted: parts.trusted });
  const definitions = serveDefinitions(registry, note, {
    world,
    clients: new WebhookClients({ outbound, resolve: resolveService! }),
    metrics: conversionMetrics,
  });
  let stopLooking: () => void = () => {};
  const pause = (): void => {
    stopLooking();
    presence.pause();
    controllers.stop();
    ownControllers.stop();
  };
  const begin = async (): Promise<void> => {
    await definitions.ready;
    await registry.bootstrap({ serviceAddress, serviceRanges: api.serviceRanges, securePort });
    if (access.usesMode('RBAC')) await bootstrapRbac(registry, world);
    await ensureFlowControl(registry, world);
    const look = (): void => {
      const { isLeader } = keyspace.status();
      controllers.lead(isLeader);
      ownControllers.lead(isLeader);
    };
    stopLooking = world.timers.every(LEADERSHIP_PERIOD, look);
    look();
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
    metrics: [...webhookMetrics.families, ...conversionMetrics.families, ...egressMetrics.families],
    begin,
    pause,
    queues: () => [...controllers.running, ...ownControllers.running],
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
      `error reading encryption provider configuration file ${JSON.stringify(file)}: ${(error as Error).message}`,
    );
  }
}

const GRANTING: ReadonlySet<string> = new Set(['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings']);

/** Checks escalation of roles and bindings, after mutation and before validation, as kube-apiserver does. */
function grantsStep(check: () => EscalationCheck): AdmissionStep {
  return {
    name: 'RBACEscalation',
    mutate: async ({ groupResource, operation, object, old, user, name, namespace }) => {
      const { group, resource } = groupResource;
      if (group !== 'rbac.authorization.k8s.io' || object === undefined || !GRANTING.has(resource)) return;
      const requestName = operation === 'create' ? '' : name;
      await check().check({ user, resource, namespace, requestName, object, old });
    },
  };
}

/** Reports whether a user may create a subresource of certificate requests. */
const mayRequest =
  (check: AuthorizeCheck) =>
  async (user: UserInfo, subresource: string): Promise<boolean> => {
    const attributes = {
      kind: 'resource',
      verb: 'create',
      group: 'certificates.k8s.io',
      version: '*',
      resource: 'certificatesigningrequests',
      subresource,
      namespace: '',
      name: '',
    } as const;
    return (await check(user, attributes)).allowed;
  };

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
