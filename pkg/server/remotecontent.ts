import { errors, type JsonObject, listAt, objectsAt, textAt } from '../api/index.js';
import type { RemoteContent, RemoteResource } from '../controllers/index.js';
import { askRemote, type RemoteServer } from './remoteserver.js';

/** Servers that cannot make partial objects return whole ones. */
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/**
 * The content of aggregated servers for the deletion of namespaces. Each resource is asked for in the first of its versions. A server
 * that is not available keeps the namespaces from being finalized, because its objects in them are unknown.
 */
export function remoteContent(servers: () => readonly RemoteServer[]): RemoteContent {
  return {
    resources: () => {
      const known = new Map<string, RemoteResource>();
      const unknown: string[] = [];
      for (const server of servers()) {
        if (!server.isAvailable || server.discovery === undefined) {
          unknown.push(`${server.group}/${server.version}`);
          continue;
        }
        for (const resource of objectsAt(server.discovery.document, 'resources')) {
          const name = `${textAt(resource, 'resource')}.${server.group}`;
          const verbs = listAt(resource, 'verbs');
          const isContent = textAt(resource, 'scope') === 'Namespaced' && verbs.includes('list');
          if (isContent && verbs.includes('deletecollection') && !known.has(name))
            known.set(name, resourceOf(server, name, textAt(resource, 'resource')));
        }
      }
      return { known: [...known.values()], unknown };
    },
  };
}

function resourceOf(server: RemoteServer, name: string, plural: string): RemoteResource {
  const ask = async (method: 'GET' | 'DELETE', namespace: string): Promise<JsonObject> => {
    const path = `/apis/${server.group}/${server.version}/namespaces/${namespace}/${plural}`;
    const answer = await askRemote(server, { method, path, accept: METADATA, account: 'namespace-controller' });
    if (answer === undefined) throw errors.internal(`${method} ${path}: status 404`);
    return answer;
  };
  return {
    name,
    finalizers: async (namespace) =>
      objectsAt(await ask('GET', namespace), 'items').map((item) => listAt(item, 'metadata', 'finalizers').map(String)),
    deleteAll: async (namespace) => void (await ask('DELETE', namespace)),
  };
}
