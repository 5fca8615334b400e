import type { World } from '../base/index.js';
import type { Config } from '../config/index.js';
import { builtinResources, openRegistry, type Registry } from '../registry/index.js';
import type { Keyspace } from '../storage/index.js';
import type { Log } from '../telemetry/index.js';
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
  close(): Promise<void>;
}

export async function openObjects(parts: ObjectsParts): Promise<Objects> {
  const { world, config, keyspace } = parts;
  const { api } = config;
  const registry = await openRegistry({
    world,
    keyspace,
    resources: builtinResources({ serviceIpRanges: api.serviceRanges, nodePorts: api.nodePorts }),
    runtimeConfig: api.runtimeConfig,
    featureEnabled: (gate) => api.featureGates.get(gate) ?? false,
    failed: parts.failed,
  });
  const begin = (): Promise<void> =>
    registry.bootstrap({
      serviceAddresses: serviceAddresses(api.serviceRanges),
      securePort: config.serving.port === 0 ? 6443 : config.serving.port,
    });
  await begin();
  return {
    registry,
    begin,
    pause: () => {},
    close: () => registry.close(),
  };
}
