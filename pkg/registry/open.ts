import type { World } from '../base/index.js';
import type { Keyspace } from '../storage/index.js';
import type { Registry } from './registry.js';
import type { ResourceDeclaration } from './resource.js';

export interface RegistryConfig {
  readonly world: World;
  readonly keyspace: Keyspace;
  readonly resources: readonly ResourceDeclaration[];
  /** `--runtime-config`: `apps/v1` -> true, `api/beta` -> true, ... */
  readonly runtimeConfig: ReadonlyMap<string, boolean>;
  featureEnabled(gate: string): boolean;
}

/** Fills the cache and gives the verbs. Resolves when everything stored can be read. */
export type OpenRegistry = (config: RegistryConfig) => Promise<Registry>;
