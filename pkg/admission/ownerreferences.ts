import {
  type AdmissionRequest,
  type AdmissionStep,
  boolAt,
  equalJson,
  type JsonObject,
  objectsAt,
  parseApiVersion,
  type ResourceAttributes,
  type StoredObjects,
  textAt,
} from '../api/index.js';
import type { AuthorizeCheck } from './policy/checks.js';
import { forbidden } from './step.js';

const DELETE = "cannot set an ownerRef on a resource you can't delete";
const BLOCK = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";

/** The text that Go prints for an absent error. */
const NO_ERROR = '<nil>';

/**
 * A change of owners can cause a deletion, so it needs the permission to delete the object. `blockOwnerDeletion` delays
 * the deletion of the owner, which needs the permission to change the owner's finalizers.
 */
export function ownerReferencesStep(objects: StoredObjects, authorize: AuthorizeCheck): AdmissionStep {
  const allows = async (request: AdmissionRequest, asked: Partial<ResourceAttributes>) => {
    const { allowed, reason, error } = await authorize(request.user, { ...ANYTHING, ...asked });
    return { allowed, why: `${reason}, ${error ?? NO_ERROR}` };
  };
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    validate: async (request) => {
      const { operation, object, old, groupResource, subresource, namespace, name } = request;
      if (object === undefined || (operation !== 'create' && operation !== 'update')) return;
      // The status of a pod cannot change its owners.
      if (groupResource.group === '' && groupResource.resource === 'pods' && subresource === 'status') return;
      const owners = objectsAt(object, 'metadata', 'ownerReferences');
      const before = objectsAt(old, 'metadata', 'ownerReferences');
      if (equalJson([...owners], [...before])) return;
      if (operation !== 'create') {
        const { group, resource } = groupResource;
        const { version } = request.requested.resource;
        const found = await allows(request, { verb: 'delete', group, version, resource, subresource, namespace, name });
        if (!found.allowed) throw forbidden(request, `${DELETE}: ${found.why}`);
      }
      const blocking = newlyBlocking(owners, before);
      if (blocking.length === 0) return;
      if ((await allows(request, { verb: 'update', subresource: 'finalizers' })).allowed) return;
      for (const owner of blocking) {
        const found = await allows(request, finalizersOf(owner, request, objects));
        if (!found.allowed) throw forbidden(request, `${BLOCK}: ${found.why}`);
      }
    },
  };
}

const ANYTHING: ResourceAttributes = {
  kind: 'resource',
  verb: '',
  group: '*',
  version: '*',
  resource: '*',
  subresource: '',
  namespace: '',
  name: '*',
};

function newlyBlocking(owners: readonly JsonObject[], before: readonly JsonObject[]): readonly JsonObject[] {
  const blocks = (owner: JsonObject | undefined): boolean => boolAt(owner?.['blockOwnerDeletion']);
  const earlier = new Map(before.map((owner) => [textAt(owner, 'uid'), owner]));
  return owners.filter((owner) => blocks(owner) && !blocks(earlier.get(textAt(owner, 'uid'))));
}

function finalizersOf(
  owner: JsonObject,
  request: AdmissionRequest,
  objects: StoredObjects,
): Partial<ResourceAttributes> {
  const [apiVersion, kind] = [textAt(owner, 'apiVersion'), textAt(owner, 'kind')];
  const gv = parseApiVersion(apiVersion);
  const found = gv === undefined ? undefined : objects.resourceOf({ ...gv, kind });
  if (gv === undefined || found === undefined) {
    const why = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
    throw forbidden(
      request,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${why}`,
    );
  }
  return {
    verb: 'update',
    group: found.group,
    version: gv.version,
    resource: found.resource,
    subresource: 'finalizers',
    namespace: found.namespaced ? request.namespace : '',
    name: textAt(owner, 'name'),
  };
}
