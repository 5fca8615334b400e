import { errors, type JsonObject, listAt, objectsAt, textAt } from '../api/index.js';
import type { RemoteContent, RemoteResource } from '../controllers/index.js';
import type { RemoteVersion } from '../http/index.js';
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../outbound/index.js';

/** Milliseconds. */
const REQUEST_TIME = 30_000;
/** Servers that cannot make partial objects return whole ones. */
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
/** The service account of the controller, as in a kube-controller-manager with `--use-service-account-credentials`. */
const IDENTITY = {
  'x-remote-user': 'system:serviceaccount:kube-system:namespace-controller',
  'x-remote-group': ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
} as const;

/** One version that an aggregated server serves, and how to ask it. */
export interface RemoteServer extends Pick<RemoteVersion, 'group' | 'version' | 'isAvailable' | 'discovery'> {
  send(request: OutboundRequest): Promise<OutboundResponse>;
}

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
    try {
      const { status, body } = await server.send({
        method,
        path,
        headers: { ...IDENTITY, accept: METADATA },
        timeout: REQUEST_TIME,
      });
      if (status >= 200 && status < 300) return JSON.parse(body.toString('utf8')) as JsonObject;
      throw errors.internal(`${method} ${path}: status ${status}`);
    } catch (error) {
      if (!(error instanceof OutboundError) && !(error instanceof SyntaxError)) throw error;
      throw errors.internal(`${method} ${path}: ${error.message}`);
    }
  };
  return {
    name,
    finalizers: async (namespace) =>
      objectsAt(await ask('GET', namespace), 'items').map((item) => listAt(item, 'metadata', 'finalizers').map(String)),
    deleteAll: async (namespace) => void (await ask('DELETE', namespace)),
  };
}
