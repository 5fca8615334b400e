import { apiVersionOf, errors, type JsonObject, listAt, objectsAt, textAt } from '../api/index.js';
import type { Collected, RemoteCollection, RemoteCollections, RemoteObjects } from '../controllers/index.js';
import { askRemote, type RemoteRequest, type RemoteServer } from './remoteserver.js';

/** Servers that cannot make partial objects return whole ones. */
const LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const OBJECT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
/** Objects of one page. A server may ignore it. */
const PAGE = 500;
/** Pages of one list. A server that always continues is not listed to its end. */
const PAGES_MAX = 20_000;
/** kube-controller-manager collects only what it can also watch. */
const VERBS = ['delete', 'list', 'watch'];

/** The objects of aggregated servers, read and written as the service account of the garbage collector; each in the first of its versions. */
export function remoteObjects(servers: () => readonly RemoteServer[]): RemoteObjects {
  return {
    servers: () => {
      const found = new Map<string, RemoteCollections>();
      const taken = new Set<string>();
      for (const server of servers()) {
        const apiVersion = apiVersionOf(server);
        if (!server.isAvailable || server.discovery === undefined) {
          found.set(apiVersion, undefined);
          continue;
        }
        const resources = objectsAt(server.discovery.document, 'resources').filter((resource) => {
          const name = `${textAt(resource, 'resource')}.${server.group}`;
          if (taken.has(name) || !VERBS.every((verb) => listAt(resource, 'verbs').includes(verb))) return false;
          taken.add(name);
          return true;
        });
        found.set(
          apiVersion,
          resources.map((resource) => collectionOf(server, resource)),
        );
      }
      return found;
    },
  };
}

function collectionOf(server: RemoteServer, document: JsonObject): RemoteCollection {
  const resource = textAt(document, 'resource');
  const ask = (request: Omit<RemoteRequest, 'account'>) =>
    askRemote(server, { ...request, account: 'generic-garbage-collector' });
  const root = `/apis/${apiVersionOf(server)}`;
  return {
    resource,
    async *pages() {
      let next = '';
      for (let page = 0; page === 0 || next !== ''; page++) {
        if (page === PAGES_MAX) throw errors.internal(`${root}/${resource}: the list does not end`);
        const more = next === '' ? '' : `&continue=${encodeURIComponent(next)}`;
        // A collection that is not found has no objects.
        const list = await ask({ method: 'GET', path: `${root}/${resource}?limit=${PAGE}${more}`, accept: LIST });
        yield objectsAt(list, 'items');
        next = textAt(list, 'metadata', 'continue');
      }
    },
    object: (namespace, name): Collected => {
      const place = namespace === '' ? '' : `namespaces/${encodeURIComponent(namespace)}/`;
      const path = `${root}/${place}${resource}/${encodeURIComponent(name)}`;
      return {
        kind: textAt(document, 'responseKind', 'kind'),
        namespace,
        name,
        get: () => ask({ method: 'GET', path, accept: OBJECT }),
        patch: async (body) => void (await ask({ method: 'PATCH', path, accept: OBJECT, body })),
        delete: async ({ uid, resourceVersion, policy }) => {
          const body: JsonObject = {
            kind: 'DeleteOptions',
            apiVersion: 'v1',
            preconditions: { uid, resourceVersion },
            ...(policy === undefined ? {} : { propagationPolicy: policy }),
          };
          await ask({ method: 'DELETE', path, accept: OBJECT, body });
        },
      };
    },
  };
}
