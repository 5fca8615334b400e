import { ApiError, cloneJson, isObject, type JsonObject, parseApiVersion } from '../api/index.js';
import {
  type BootstrapConfig,
  type BootstrapObject,
  bootstrapNamespaces,
  bootstrapObjects,
} from './builtin/bootstrapobjects.js';
import { type Core, fresh } from './core.js';
import type { RequestContext } from './requests.js';
import { insert } from './write.js';

/** Creates the objects that every cluster has from the start. The first peer creates them; existing objects do not change. */
export function bootstrap(core: Core, config: BootstrapConfig): Promise<void> {
  return ensureAll(core, bootstrapObjects(config));
}

/** Creates the namespaces that every cluster has and that are missing. */
export function ensureNamespaces(core: Core): Promise<void> {
  return ensureAll(core, bootstrapNamespaces());
}

async function ensureAll(core: Core, objects: readonly BootstrapObject[]): Promise<void> {
  for (const { resource, namespace, object } of objects) await ensure(core, namespace, object, resource);
}

async function ensure(core: Core, namespace: string, object: JsonObject, plural: string): Promise<void> {
  const { group, version } = parseApiVersion(String(object['apiVersion']))!;
  const resource = core.servedResources().find(group, version, plural);
  if (resource === undefined) return;
  const meta = object['metadata'];
  const name = isObject(meta) ? String(meta['name']) : '';
  const key = namespace === '' ? name : `${namespace}/${name}`;
  const isThere = (): boolean =>
    core.cache.collection(resource.storage.prefix)?.get(resource.storage.prefix + key) !== undefined;
  const context: RequestContext = {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    userAgent: '',
    deadline: core.world.clock.monotonic() + BOOTSTRAP_PATIENCE,
    warn: () => {},
    annotate: () => {},
  };
  const target = {
    kind: 'collection',
    rules: resource.strategy,
    resource,
    namespace,
    name: '',
    subresource: '',
  } as const;
  const options = { dryRun: false, fieldManager: 'kube-apiserver', fieldValidation: 'Ignore' } as const;
  for (let attempt = 1; !isThere(); attempt++) {
    try {
      await insert(core, { target, options, context }, cloneJson(object), false);
      return;
    } catch (e) {
      if (!(e instanceof ApiError)) throw e;
      // Peers may start at the same time. If the object exists after a conflict (of its name or an address), another peer created it.
      await fresh(core, context).catch(() => {});
      if (isThere()) return;
      const passes = e.status.code === 429 || e.status.code >= 500;
      if (!passes || attempt === BOOTSTRAP_ATTEMPTS) throw e;
      await new Promise<void>((resolve) => core.world.timers.after(BOOTSTRAP_PAUSE, resolve));
    }
  }
}

/** Milliseconds. */
const BOOTSTRAP_PATIENCE = 30_000;
const BOOTSTRAP_PAUSE = 250;
/** Errors that are retried, because an election may be in progress. */
const BOOTSTRAP_ATTEMPTS = 20;
