import { type JsonObject, listAt, objectsAt, textAt } from '../api/index.js';
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
          if (isContent && verbs.includes('delete') && !known.has(name))
            known.set(name, resourceOf(server, name, resource));
        }
      }
      return { known: [...known.values()], unknown };
    },
  };
}

function resourceOf(server: RemoteServer, name: string, resource: JsonObject): RemoteResource {
  const pathIn = (namespace: string): string =>
    `/apis/${server.group}/${server.version}/namespaces/${namespace}/${textAt(resource, 'resource')}`;
  const account = 'namespace-controller';
  /** A collection that is not found has no objects. */
  const list = async (namespace: string): Promise<readonly JsonObject[]> =>
    objectsAt(await askRemote(server, { method: 'GET', path: pathIn(namespace), accept: METADATA, account }), 'items');
  const remove = (path: string, preconditions: JsonObject = {}) =>
    askRemote(server, {
      method: 'DELETE',
      path,
      accept: METADATA,
      account,
      body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', ...preconditions },
    });
  return {
    name,
    finalizers: async (namespace) =>
      (await list(namespace)).map((item) => listAt(item, 'metadata', 'finalizers').map(String)),
    deleteAll: async (namespace) => {
      if (listAt(resource, 'verbs').includes('deletecollection')) return void (await remove(pathIn(namespace)));
      for (const item of await list(namespace)) {
        const path = `${pathIn(namespace)}/${encodeURIComponent(textAt(item, 'metadata', 'name'))}`;
        await remove(path, { preconditions: { uid: textAt(item, 'metadata', 'uid') } });
      }
    },
  };
}
