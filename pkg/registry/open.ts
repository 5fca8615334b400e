import type { StoredObjects } from '../admission/index.js';
import { errors } from '../api/index.js';
import type { World } from '../base/index.js';
import { Cache } from '../cache/index.js';
import type { Keyspace } from '../storage/index.js';
import type { AdmissionStep } from './admission.js';
import { type BootstrapConfig, bootstrap } from './bootstrap.js';
import { buildCatalogue, type Catalogue, type StorageForm } from './catalogue.js';
import type { Core } from './core.js';
import { remove, removeCollection } from './delete.js';
import { limits } from './limits.js';
import { storedObjects } from './lookup.js';
import { namespaceLifecycle } from './namespaces.js';
import { objectsFor } from './objects.js';
import { patch, updateView, viewOf } from './patchverb.js';
import { get, list } from './read.js';
import type { Registry } from './registry.js';
import type { ResourceDeclaration } from './resource.js';
import type { RuntimeConfig } from './runtimeconfig.js';
import { parseStored } from './stored.js';
import { connect } from './virtual.js';
import { watch } from './watch.js';
import { create, update } from './write.js';

export interface RegistryConfig {
  readonly world: World;
  readonly keyspace: Keyspace;
  readonly resources: readonly ResourceDeclaration[];
  /** `--runtime-config`: `apps/v1` -> true, `api/beta` -> true, ... */
  readonly runtimeConfig: RuntimeConfig;
  featureEnabled(gate: string): boolean;
  /** Admission beyond what the registry itself needs; runs after it. */
  readonly admission?: (objects: StoredObjects) => readonly AdmissionStep[];
  /** The stream of changes from the store broke: nothing here becomes current again. */
  failed(why: string): void;
}

/** Fills the cache and gives the verbs. Resolves when everything stored can be read. */
export async function openRegistry(config: RegistryConfig): Promise<Registry> {
  const { world, keyspace } = config;
  const catalogue = buildCatalogue(config.resources, config.runtimeConfig);
  const cache = new Cache({ world, keyspace, root: '/registry/', parse: parseStored, failed: config.failed });
  const steps = [namespaceLifecycle(() => core), ...(config.admission?.(storedObjects(() => core)) ?? [])];
  const core: Core = {
    world,
    keyspace,
    cache,
    admission: { steps },
    catalogue: () => catalogue,
    featureEnabled: (gate) => config.featureEnabled(gate),
    objects: (context) => objectsFor(core, context),
  };
  await cache.open(
    storageForms(config.resources, catalogue).map((s) => ({
      prefix: s.prefix,
      fieldsOf: (o) => s.fields.map((f) => f(o)),
    })),
  );
  const stopBookmarks = world.timers.every(limits.bookmarkInterval, () => cache.bookmark());
  return {
    catalogue,
    cache,
    get: (request, context) => get(core, request, context),
    list: (request, context) => list(core, request, context),
    watch: (request, context) => watch(core, request, context),
    create: (request, context) => create(core, request, context),
    update: (request, context) => {
      const view = viewOf(request.target);
      return view === undefined ? update(core, request, context) : updateView(core, request, view, context);
    },
    patch: (request, context) => patch(core, request, context),
    delete: (request, context) => remove(core, request, context),
    connect: (request, context) => connect(core, request, context),
    deleteCollection: (request, context) => removeCollection(core, request, context),
    bootstrap: (what: BootstrapConfig) => bootstrap(core, what),
    close: async () => {
      stopBookmarks();
      cache.close();
    },
  };
}

/** One each, of whatever is served; a kind that is switched off keeps what is stored of it, unseen. */
function storageForms(resources: readonly ResourceDeclaration[], catalogue: Catalogue): readonly StorageForm[] {
  const forms = new Map<string, StorageForm>();
  for (const { versions } of catalogue.groups)
    for (const { resources: served } of versions)
      for (const { storage } of served) {
        if (storage.prefix === '') continue;
        const other = forms.get(storage.prefix);
        if (other !== undefined && other !== storage)
          throw errors.internal(`two of ${resources.length} resources are stored below ${storage.prefix}`);
        forms.set(storage.prefix, storage);
      }
  return [...forms.values()];
}
