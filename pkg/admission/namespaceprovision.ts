import { type AdmissionStep, ApiError, type StoredObjects } from '../api/index.js';
import { forbidden } from './step.js';

const NAMESPACES = { group: '', resource: 'namespaces' };

/** Creates a namespace as the API server. Throws `ApiError`. */
export type CreateNamespace = (name: string) => Promise<void>;

/** NamespaceAutoProvision: creates the namespace of a new object if it does not exist. */
export function namespaceProvisionStep(objects: StoredObjects, create: CreateNamespace): AdmissionStep {
  return {
    name: 'NamespaceAutoProvision',
    makesNamespaces: true,
    mutate: async (request) => {
      const { operation, dryRun, namespace } = request;
      if (operation !== 'create' || dryRun || namespace === '') return;
      if ((await objects.get(NAMESPACES, '', namespace)) !== undefined) return;
      try {
        await create(namespace);
      } catch (error) {
        // Another request has created it.
        if (error instanceof ApiError && error.status.reason === 'AlreadyExists') return;
        throw forbidden(request, (error as Error).message);
      }
    },
  };
}
