import { builtinAdmission, choiceProblem, choiceWarnings, chosenSteps } from '../admission/index.js';
import type { World } from '../base/index.js';
import { type Config, ConfigError } from '../config/index.js';
import {
  ControllerManager,
  defaultServiceAccount,
  garbageCollector,
  namespaceController,
  rootCaPublisher,
  unknownControllers,
} from '../controllers/index.js';
import { builtinResources, openRegistry, type Registry, runtimeConfigProblem } from '../registry/index.js';
import type { Keyspace } from '../storage/index.js';
import type { Log, QueueView } from '../telemetry/index.js';
import { authorizer } from './authorizer.js';
import { clusterOf } from './cluster.js';
import { serviceAddresses } from './services.js';

export interface ObjectsParts {
  readonly world: World;
  readonly config: Config;
  readonly keyspace: Keyspace;
  readonly log: Log;
  /** Of the cluster's authority, PEM: every namespace is told. */
  readonly rootCa: string;
  /** What is current cannot be told any more: the process must end. */
  readonly failed: (why: string) => void;
}

/** The objects of the cluster: the registry, what is there from the start, and the controllers that keep things true. */
export interface Objects {
  readonly registry: Registry;
  /** Makes what every cluster has, and lets the controllers run. */
  begin(): Promise<void>;
  /** The controllers rest until `begin`. */
  pause(): void;
  /** What the controllers that run here have to do. */
  queues(): Iterable<QueueView>;
  close(): Promise<void>;
}

/** How soon a change of leadership is noticed. */
const LEADERSHIP_PERIOD = 200;

const CONTROLLERS = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
] as const;

export async function openObjects(parts: ObjectsParts): Promise<Objects> {
  const { world, config, keyspace, log } = parts;
  const { api } = config;
  const unknown = unknownControllers(config.controllers, CONTROLLERS);
  if (unknown.length > 0)
    throw new ConfigError(`--controllers: there is no ${unknown.join(', ')}, only ${CONTROLLERS.join(', ')}`);
  const problem = choiceProblem(api.admission);
  if (problem !== undefined)
    throw new ConfigError(`--enable-admission-plugins, --disable-admission-plugins: ${problem}`);
  const resources = builtinResources({
    serviceIpRanges: api.serviceRanges,
    nodePorts: api.nodePorts,
    authorize: (user, attributes) => authorizer.authorize(user, attributes),
  });
  const odd = runtimeConfigProblem(api.runtimeConfig, resources);
  if (odd !== undefined) throw new ConfigError(`--runtime-config: ${odd}`);
  const registry = await openRegistry({
    world,
    keyspace,
    resources,
    runtimeConfig: api.runtimeConfig,
    admission: (stored) => {
      const steps = builtinAdmission(stored, world);
      for (const warning of choiceWarnings(steps, api.admission)) log.warn({}, warning);
      return chosenSteps(steps, api.admission);
    },
    // A gate that is not known is one of a feature that has been on for so long that its gate is gone.
    featureEnabled: (gate) => api.featureGates.get(gate) ?? true,
    failed: parts.failed,
  });
  const note = (message: string, fields: Readonly<Record<string, unknown>>): void => log.warn(fields, message);
  const context = { world, cluster: clusterOf(registry, world), log: note };
  const controllers = new ControllerManager(
    () => [
      garbageCollector(context),
      namespaceController(context),
      defaultServiceAccount(context),
      rootCaPublisher(context, parts.rootCa),
    ],
    config.controllers,
    note,
  );
  let stopLooking: () => void = () => {};
  const pause = (): void => {
    stopLooking();
    controllers.stop();
  };
  const begin = async (): Promise<void> => {
    await registry.bootstrap({
      serviceAddresses: serviceAddresses(api.serviceRanges),
      securePort: config.serving.port === 0 ? 6443 : config.serving.port,
    });
    const look = (): void => controllers.lead(keyspace.status().isLeader);
    stopLooking = world.timers.every(LEADERSHIP_PERIOD, look);
    look();
  };
  try {
    await begin();
  } catch (error) {
    // Before the store goes: a cache that loses its store believes that something broke.
    pause();
    await registry.close();
    throw error;
  }
  return {
    registry,
    begin,
    pause,
    queues: () => controllers.running,
    close: () => {
      pause();
      return registry.close();
    },
  };
}
