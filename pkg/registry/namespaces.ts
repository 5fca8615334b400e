import { errors } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { Compare } from '../storage/index.js';
import type { AdmissionStep } from './admission.js';
import { type Core, fresh } from './core.js';
import type { Target } from './requests.js';

const PREFIX = '/registry/namespaces/';

/**
 * What lives in a namespace needs it: nothing is created in one that is not there (404) or is being deleted (403), whatever the
 * kind. The namespaces that every cluster has cannot be deleted.
 */
export function namespaceLifecycle(core: () => Core): AdmissionStep {
  return {
    name: 'NamespaceLifecycle',
    mutate: async (request) => {
      const { target, operation, name, context } = request;
      const { resource, namespace } = target;
      if (operation === 'delete') {
        if (resource.storage.prefix === PREFIX && IMMORTAL.has(name))
          throw errors.forbidden(resource.groupResource, name, 'this namespace may not be deleted');
        return;
      }
      if (operation !== 'create' || !isHoused(target)) return;
      if (find(core(), namespace) === undefined) await fresh(core(), context);
      homeOf(core(), target, name);
    },
  };
}

/** Whether an object of the target lives in a namespace. */
export const isHoused = ({ resource, namespace }: Target): boolean => resource.namespaced && namespace !== '';

/**
 * The state in which a namespace takes a new object, for its transaction to compare: a peer that has not yet heard of the
 * namespace's deletion cannot leave an object behind in it after it was found empty. Throws when it takes none.
 */
export function homeOf(core: Core, { resource, namespace }: Target, name: string): Compare {
  const found = find(core, namespace);
  if (found === undefined) throw errors.notFound({ group: '', resource: 'namespaces' }, namespace);
  if (isTerminating(core, found)) throw errors.namespaceTerminating(resource.groupResource, name, namespace);
  return { key: found.key, modRevision: found.revision };
}

function find(core: Core, namespace: string): StoredObject | undefined {
  return core.cache.collection(PREFIX)?.get(PREFIX + namespace);
}

/** A label of a namespace, when there is one and it has it. */
export function labelOfNamespace(core: Core, namespace: string, key: string): string | undefined {
  const labels = namespace === '' ? undefined : find(core, namespace)?.labels();
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** By its phase, which is a selectable field and so is kept with the object: nothing is parsed for each write in a namespace. */
function isTerminating(core: Core, namespace: StoredObject): boolean {
  const phase = core.catalogue().find('', 'v1', 'namespaces')?.fieldLabels.get('status.phase');
  return phase !== undefined && namespace.fields()[phase] === 'Terminating';
}

const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);
