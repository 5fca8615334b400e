import { apiVersionOf, errors, listAt, objectsAt, textAt } from '../api/index.js';
import type { RemoteOwners } from '../controllers/index.js';
import { askRemote, type RemoteServer } from './remoteserver.js';

/** A server that cannot make partial objects returns the whole one. */
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

/** Owners at aggregated servers, read as the service account of the garbage collector. */
export function remoteOwners(servers: () => readonly RemoteServer[]): RemoteOwners {
  const find = (apiVersion: string): RemoteServer | undefined => servers().find((s) => apiVersionOf(s) === apiVersion);
  return {
    serves: (apiVersion) => find(apiVersion) !== undefined,
    async read({ apiVersion, kind, name }, namespace) {
      const server = find(apiVersion);
      if (server === undefined) return 'unserved';
      if (!server.isAvailable || server.discovery === undefined)
        throw errors.internal(`the server of ${apiVersion} is not available`);
      const resource = objectsAt(server.discovery.document, 'resources').find(
        (r) => textAt(r, 'responseKind', 'kind') === kind && listAt(r, 'verbs').includes('get'),
      );
      if (resource === undefined) return 'unserved';
      const isNamespaced = textAt(resource, 'scope') === 'Namespaced';
      if (isNamespaced && namespace === '') return 'unserved';
      // No object has such a name, and the path would be another.
      if (name === '.' || name === '..') return undefined;
      const place = isNamespaced ? `namespaces/${namespace}/` : '';
      const path = `/apis/${apiVersion}/${place}${textAt(resource, 'resource')}/${encodeURIComponent(name)}`;
      return askRemote(server, { method: 'GET', path, accept: METADATA, account: 'generic-garbage-collector' });
    },
  };
}
