import { errors } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { AdmissionStep } from './admission.js';
import { type Core, fresh } from './core.js';

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
      if (operation !== 'create' || !resource.namespaced || namespace === '') return;
      const collection = core().cache.collection(PREFIX);
      if (collection === undefined) return;
      let found = collection.get(PREFIX + namespace);
      if (found === undefined) {
        await fresh(core(), context);
        found = collection.get(PREFIX + namespace);
      }
      if (found === undefined) throw errors.notFound({ group: '', resource: 'namespaces' }, namespace);
      if (!isTerminating(core(), found)) return;
      throw errors.namespaceTerminating(resource.groupResource, name, namespace);
    },
  };
}

/** By its phase, which is a selectable field and so is kept with the object: nothing is parsed for each write in a namespace. */
function isTerminating(core: Core, namespace: StoredObject): boolean {
  const phase = core.catalogue().find('', 'v1', 'namespaces')?.fieldLabels.get('status.phase');
  return phase !== undefined && namespace.fields()[phase] === 'Terminating';
}

const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);
