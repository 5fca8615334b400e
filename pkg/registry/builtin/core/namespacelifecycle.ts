import { nameShown } from '../../../admission/index.js';
import { type AdmissionStep, errors, type GroupResourceName } from '../../../api/index.js';
import type { StoredObject } from '../../../cache/index.js';
import type { Compare } from '../../../storage/index.js';
import { type Core, fresh } from '../../core.js';
import { NAMESPACE_PREFIX, NAMESPACES, PERMANENT_NAMESPACES, PHASE_FIELD, TERMINATING } from './namespacefacts.js';

/** Access reviews are allowed in namespaces that do not exist. */
const REVIEWS_GROUP = 'authorization.k8s.io';
const LOOKUP_TIMEOUT_MS = 10_000;

/**
 * The admission step of namespaces. It refuses to create objects in a namespace that does not exist (404) or is being deleted (403), and to
 * delete a system namespace.
 */
export function namespaceLifecycle(core: () => Core): AdmissionStep {
  return {
    name: 'NamespaceLifecycle',
    operations: ['create', 'update', 'delete'],
    mutate: (request) => {
      const { operation, groupResource, namespace, name } = request;
      if (operation === 'delete') {
        if (namespace === '' && groupResource.resource === NAMESPACES.resource && PERMANENT.has(name))
          throw errors.forbidden(groupResource, name, 'this namespace may not be deleted');
        return;
      }
      if (operation !== 'create' || namespace === '' || groupResource.group === REVIEWS_GROUP) return;
      if (find(core(), namespace) !== undefined) {
        namespaceState(core(), namespace, groupResource, nameShown(request));
        return;
      }
      return confirmed(core(), namespace, groupResource, nameShown(request));
    },
  };
}

async function confirmed(core: Core, namespace: string, groupResource: GroupResourceName, name: string): Promise<void> {
  await fresh(core, { deadline: core.world.clock.monotonic() + LOOKUP_TIMEOUT_MS });
  namespaceState(core, namespace, groupResource, name);
}

/**
 * Returns a comparison of the namespace for the transaction of a create. A peer that has not seen the deletion of the namespace then cannot
 * add an object after the namespace was found empty. Throws if the namespace accepts no new objects.
 */
export function namespaceState(core: Core, namespace: string, groupResource: GroupResourceName, name: string): Compare {
  const found = find(core, namespace);
  if (found === undefined) throw errors.notFound(NAMESPACES, namespace);
  if (isTerminating(core, found)) throw errors.namespaceTerminating(groupResource, name, namespace);
  return { key: found.key, modRevision: found.revision };
}

function find(core: Core, namespace: string): StoredObject | undefined {
  return core.cache.collection(NAMESPACE_PREFIX)?.get(NAMESPACE_PREFIX + namespace);
}

/** Returns the value of a label of a namespace, or undefined. */
export function labelOfNamespace(core: Core, namespace: string, key: string): string | undefined {
  const labels = namespace === '' ? undefined : find(core, namespace)?.labels();
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** Reads the phase, a selectable field that the cache keeps with the object, so that no write parses its namespace. */
function isTerminating(core: Core, namespace: StoredObject): boolean {
  const { group, resource } = NAMESPACES;
  const phase = core.servedResources().kind(group, resource)?.served[0]?.fieldLabels.get(PHASE_FIELD);
  return phase !== undefined && namespace.fields()[phase] === TERMINATING;
}

const PERMANENT: ReadonlySet<string> = new Set(PERMANENT_NAMESPACES);
