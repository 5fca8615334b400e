import { type AdmissionStep, admissionOf, errors, type StoredObjects } from '../api/index.js';
import { Flows, Scheduler, type World } from '../base/index.js';
import { Cache } from '../cache/index.js';
import type { Keyspace } from '../storage/index.js';
import { bootstrap, ensureNamespaces } from './bootstrap.js';
import type { BootstrapConfig } from './builtin/bootstrapobjects.js';
import { namespaceLifecycle } from './builtin/core/namespacelifecycle.js';
import { answerInVersion, listInVersion } from './conversion.js';
import type { Core } from './core.js';
import { declare } from './declare.js';
import { deletedInVersion, remove, removeCollection } from './delete.js';
import { kindChanger, storedKinds } from './kindchange.js';
import { KindSet } from './kindset.js';
import { limits } from './limits.js';
import { storedObjects } from './lookup.js';
import { RegistryMetrics, stepSeries } from './metrics.js';
import { objectsFor } from './objects.js';
import { patch, updateScale } from './patchverb.js';
import { checkSelectors, get, list } from './read.js';
import type { Registry } from './registry.js';
import type { Answer, Deleted, ListResult, Target, Written } from './requests.js';
import type { ResourceDeclaration } from './resource.js';
import type { RuntimeConfig } from './runtimeconfig.js';
import { parseStored } from './stored.js';
import { update } from './update.js';
import { collectionRequest } from './upgrade.js';
import { connect } from './virtual.js';
import { watch } from './watch.js';
import { create } from './write.js';

export interface RegistryConfig {
  readonly world: World;
  readonly keyspace: Keyspace;
  readonly resources: readonly ResourceDeclaration[];
  /** `--runtime-config`: `apps/v1` -> true, `api/beta` -> true, ... */
  readonly runtimeConfig: RuntimeConfig;
  featureEnabled(gate: string): boolean;
  /** Admission steps that run after those of the registry. */
  readonly admission?: (objects: StoredObjects, scheduler: Scheduler) => readonly AdmissionStep[];
  readonly metrics?: RegistryMetrics;
  /** Called when the watch of the store has failed permanently: the cache is no longer updated. */
  failed(why: string): void;
}

/** Opens a registry. Resolves when the cache is filled. */
export async function openRegistry(config: RegistryConfig): Promise<Registry> {
  const { world, keyspace } = config;
  const scheduler = new Scheduler(world, limits.turnTime, {
    flows: new Flows(world),
    heavyMilliseconds: limits.turnHeavyTime,
  });
  const kinds = new KindSet(
    config.resources.map((d) => declare(d, config.runtimeConfig, (gate) => config.featureEnabled(gate))),
  );
  const cache = new Cache({ world, keyspace, root: '/registry/', parse: parseStored, failed: config.failed });
  const given =
    config.admission?.(
      storedObjects(() => core),
      scheduler,
    ) ?? [];
  const steps = [
    ...given.filter((step) => step.makesNamespaces),
    namespaceLifecycle(() => core),
    ...given.filter((step) => !step.makesNamespaces),
  ];
  const admission = admissionOf(steps);
  const core: Core = {
    world,
    scheduler,
    keyspace,
    cache,
    admission,
    metrics: config.metrics ?? new RegistryMetrics(world.clock),
    stepSeries: {
      mutating: stepSeries(admission.mutating, 'admit'),
      validating: stepSeries(admission.validating, 'validate'),
      // Quotas: in kube-apiserver they are part of validation.
      transacting: stepSeries(admission.transacting, 'validate'),
    },
    servedResources: () => kinds.current,
    featureEnabled: (gate) => config.featureEnabled(gate),
    objects: (context) => objectsFor(core, context),
  };
  await cache.open(storedKinds(kinds.current).map(collectionRequest));
  const changer = kindChanger(kinds, cache);
  const stopBookmarks = world.timers.every(limits.bookmarkInterval, () => cache.bookmark());
  return {
    get servedResources() {
      return kinds.current;
    },
    scheduler,
    observeKinds: (f) => kinds.observe(f),
    changeKinds: (change) => changer.change(change),
    cache,
    get: (request, context) => answered(request.target, get(core, request, context)),
    list: (request, context) => listed(request.target, list(core, request, context)),
    watch: (request, context) => watch(core, request, context),
    create: (request, context) => written(request.target, create(core, request, context)),
    update: (request, context) => {
      const { target } = request;
      switch (target.kind) {
        case 'object':
        case 'status':
          return written(target, update(core, { ...request, target }, context));
        case 'scale':
          return written(target, updateScale(core, { ...request, target }, context));
        case 'collection':
        case 'action':
        case 'virtual':
        case 'connection':
          throw errors.methodNotAllowed();
      }
    },
    patch: (request, context) => written(request.target, patch(core, request, context)),
    delete: (request, context) => deleted(request.target, remove(core, request, context)),
    connect: (request, context) => connect(core, request, context),
    checkSelectors: (request, context) => checkSelectors(request, context),
    deleteCollection: (request, context) => removeCollection(core, request, context),
    bootstrap: (what: BootstrapConfig) => bootstrap(core, what),
    ensureNamespaces: () => ensureNamespaces(core),
    close: async () => {
      stopBookmarks();
      cache.close();
    },
  };
}

/* Responses are converted to the version of the request. For the storage version this takes no time. */

const inPlace = ({ resource }: Target): boolean =>
  resource.conversion === undefined && resource.declaration.remote === undefined;

function answered(target: Target, answer: Promise<Answer>): Promise<Answer> {
  return inPlace(target) ? answer : answer.then((a) => answerInVersion(target.resource, a));
}

function listed(target: Target, result: Promise<ListResult>): Promise<ListResult> {
  return inPlace(target) ? result : result.then((r) => listInVersion(target.resource, r));
}

function written(target: Target, result: Promise<Written>): Promise<Written> {
  if (inPlace(target)) return result;
  return result.then(async (w) => ({ ...w, object: await answerInVersion(target.resource, w.object) }));
}

function deleted(target: Target, result: Promise<Deleted>): Promise<Deleted> {
  if (inPlace(target)) return result;
  return result.then((d) => deletedInVersion(target, d));
}
