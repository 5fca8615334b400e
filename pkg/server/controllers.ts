import type { AuthorizeCheck } from '../admission/index.js';
import type { UserInfo } from '../api/index.js';
import type { World } from '../base/index.js';
import { type Config, ConfigError } from '../config/index.js';
import {
  addressRepair,
  apiServiceAvailability,
  apiServiceRegistration,
  approvingController,
  attributesClassProtection,
  bootstrapSigner,
  type CertificateAuthority,
  CONTROLLERS,
  type Controller,
  ControllerManager,
  candidateCollector,
  claimProtection,
  cleanerController,
  clusterRoleAggregation,
  controllersElsewhere,
  defaultServiceAccount,
  defaultServiceCidr,
  definitionCleanup,
  definitionNames,
  definitionStructure,
  deviceTaintEviction,
  endpointSliceController,
  endpointsController,
  flowSchemaStatus,
  garbageCollector,
  identityLeaseCollector,
  kubernetesService,
  leaderElection,
  legacyTokenTracking,
  mirroringController,
  namespaceController,
  nodePortRepair,
  policyStatus,
  replicationController,
  resourceQuotaController,
  rootCaPublisher,
  SERVICE_CIDR_MANAGER,
  serviceCidrController,
  signingController,
  storageVersionMigrator,
  tokenCleaner,
  tokenSecrets,
  unknownControllers,
  volumeProtection,
} from '../controllers/index.js';
import { kubernetesServiceObject, type Registry } from '../registry/index.js';
import type { Keyspace } from '../storage/index.js';
import type { Log, QueueView } from '../telemetry/index.js';
import type { Access } from './access.js';
import type { Aggregator } from './aggregation.js';
import { certificateExpiry, certificateSigner } from './certificatesigner.js';
import { CONTROLLER_MANAGER, clusterOf } from './cluster.js';
import type { KeyPair } from './issue.js';
import { serviceAddresses } from './services.js';

export interface ControllersParts {
  readonly world: World;
  readonly config: Config;
  readonly registry: Registry;
  readonly keyspace: Keyspace;
  readonly access: Access;
  readonly authorizeCheck: AuthorizeCheck;
  readonly aggregator: Aggregator;
  /** The certificate of the authority, PEM, published in every namespace as kube-root-ca.crt. */
  readonly rootCa: string;
  /** The authority of the server: it signs certificate requests if flags name no other. */
  readonly authority: () => KeyPair;
  readonly note: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** The controllers of this peer. They run while it leads. */
export interface Controllers {
  begin(): void;
  /** Stops them until `begin`. */
  pause(): void;
  /** The queues of those that run here. */
  queues(): Iterable<QueueView>;
}

/** The user and the field manager of the API's own controllers. */
export const API_SERVER = { user: 'system:apiserver', manager: 'kube-apiserver' } as const;
const FLOW_CONTROL = { user: 'system:apiserver', manager: 'api-priority-and-fairness-config-consumer-v1' } as const;
const SERVICE_CIDRS = { user: 'system:apiserver', manager: SERVICE_CIDR_MANAGER } as const;
/** Applies the rules of aggregated roles under its own name, as in kube-controller-manager. */
const ROLE_AGGREGATION = { ...CONTROLLER_MANAGER, manager: 'clusterrole-aggregation-controller' } as const;

/** Milliseconds between checks whether this peer leads. */
const LEADERSHIP_PERIOD = 200;

/** Throws `ConfigError` for an unknown name in --controllers, and warns of those that only kube-controller-manager has. */
export function checkControllers(chosen: Config['controllers'], log: Log): void {
  const unknown = unknownControllers(chosen);
  if (unknown.length > 0)
    throw new ConfigError(`--controllers: unknown ${unknown.join(', ')}; known are ${[...CONTROLLERS].join(', ')}`);
  for (const name of controllersElsewhere(chosen))
    log.warn({}, `--controllers=${name} has no effect: kube-controller-manager has this controller`);
}

/** The addresses that the bootstrap objects have. */
export function bootstrapAddresses({ api, serving }: Config) {
  const { serviceRanges } = api;
  const securePort = serving.port === 0 ? 6443 : serving.port;
  return { serviceRanges, serviceAddress: serviceAddresses(serviceRanges)[0] ?? '', securePort };
}

export function openControllers(parts: ControllersParts): Controllers {
  const { world, config, keyspace, note } = parts;
  const signer = certificateSigner({ world, config: config.controllerSettings.signing, own: parts.authority });
  const managers = [
    new ControllerManager(() => systemControllers(parts, signer), config.controllers, note),
    // These belong to the API itself: --controllers does not switch them off.
    new ControllerManager(() => apiControllers(parts), ['*'], note),
  ];
  let stopLooking: () => void = () => {};
  const look = (): void => {
    const { isLeader } = keyspace.status();
    for (const manager of managers) manager.lead(isLeader);
  };
  return {
    begin() {
      stopLooking = world.timers.every(LEADERSHIP_PERIOD, look);
      look();
    },
    pause() {
      stopLooking();
      for (const manager of managers) manager.stop();
    },
    queues: () => managers.flatMap(({ running }) => [...running]),
  };
}

/** What kube-controller-manager does elsewhere. */
function systemControllers(parts: ControllersParts, authority: CertificateAuthority): readonly Controller[] {
  const { world, registry, access, authorizeCheck, aggregator, rootCa, note } = parts;
  const { api, controllerSettings } = parts.config;
  const context = { world, cluster: clusterOf(registry, world), log: note };
  return [
    garbageCollector(context, aggregator.owners, aggregator.remoteObjects),
    namespaceController(context, aggregator.content),
    defaultServiceAccount(context),
    rootCaPublisher(context, rootCa),
    clusterRoleAggregation({ ...context, cluster: clusterOf(registry, world, ROLE_AGGREGATION) }),
    policyStatus(context),
    tokenSecrets(context, { rootCa, issue: (of) => access.serviceAccounts.issuer.issueLegacy(of) }),
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
    signingController(context, { authority, duration: controllerSettings.signing.duration }),
    approvingController(context, { authority, mayCreate: mayRequest(authorizeCheck) }),
    cleanerController(context, { expiryOf: certificateExpiry }),
    endpointsController(context),
    endpointSliceController(context, { endpointsMax: controllerSettings.endpointsPerSlice }),
    mirroringController(context, { addressesMax: controllerSettings.mirroredPerSubset }),
  ];
}

/** What kube-apiserver does itself. */
function apiControllers({
  world,
  config,
  registry,
  keyspace,
  aggregator,
  note,
}: ControllersParts): readonly Controller[] {
  const context = { world, cluster: clusterOf(registry, world, API_SERVER), log: note };
  const flowControl = { ...context, cluster: clusterOf(registry, world, FLOW_CONTROL) };
  const elects = config.api.featureGates.get('CoordinatedLeaderElection') === true;
  return [
    definitionNames(context),
    definitionStructure(context),
    definitionCleanup(context),
    flowSchemaStatus(flowControl),
    apiServiceRegistration(context),
    apiServiceAvailability(context, aggregator.check),
    identityLeaseCollector(context),
    defaultServiceCidr(context, {
      ranges: config.api.serviceRanges,
      status: clusterOf(registry, world, SERVICE_CIDRS),
    }),
    legacyTokenTracking(context),
    addressRepair(context),
    nodePortRepair(context, keyspace),
    kubernetesService(context, {
      keyspace,
      service: kubernetesServiceObject(bootstrapAddresses(config)),
      endpoints: config.controllerSettings.keepsOwnEndpoints,
    }),
    ...(elects ? [leaderElection(context), candidateCollector(context)] : []),
  ];
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
