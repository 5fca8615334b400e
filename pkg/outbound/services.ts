import { ApiError, at, type JsonObject, listAt, objectsAt, type StoredObjects, textAt } from '../api/index.js';
import type { Random } from '../base/index.js';
import type { Address } from './target.js';

/** A reference to a Service, as in webhook configurations and APIServices. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The name in the certificate of a service. */
export const serviceName = ({ namespace, name }: ServiceReference): string => `${name}.${namespace}.svc`;

/** Resolves a service to an address; throws if that cannot be done now. */
export type ServiceResolver = (service: ServiceReference) => Address;

export interface ResolverParts {
  readonly objects: StoredObjects;
  readonly random: Random;
  /** Connect to the endpoints of a service instead of its cluster IP. */
  readonly toEndpoints: boolean;
}

/** The resolver of kube-apiserver, with and without `--enable-aggregator-routing`. */
export function serviceResolver({ objects, random, toEndpoints }: ResolverParts): ServiceResolver {
  return ({ namespace, name, port }) => {
    if (name === 'kubernetes' && namespace === 'default')
      return clusterAddress(serviceOf(objects, namespace, name), port);
    const service = serviceOf(objects, namespace, name);
    return toEndpoints ? endpointOf(objects, random, service, port) : clusterAddress(service, port);
  };
}

function serviceOf(objects: StoredObjects, namespace: string, name: string): JsonObject {
  const service = objects.cached({ group: '', resource: 'services' }, namespace, name);
  if (service === undefined) throw new Error(`service "${name}" not found`);
  return service;
}

const unavailable = (message: string): ApiError => new ApiError(503, 'ServiceUnavailable', message);

const ROUTED: ReadonlySet<string> = new Set(['ClusterIP', 'LoadBalancer', 'NodePort']);

function portOf(service: JsonObject, port: number): JsonObject {
  const found = objectsAt(service, 'spec', 'ports').find((p) => p['port'] === port);
  const name = textAt(service, 'metadata', 'name');
  if (found === undefined) throw unavailable(`no service port ${port} found for service "${name}"`);
  return found;
}

function clusterAddress(service: JsonObject, port: number): Address {
  const type = textAt(service, 'spec', 'type');
  const ip = textAt(service, 'spec', 'clusterIP');
  if (type === 'ExternalName') return { host: textAt(service, 'spec', 'externalName'), port };
  if (!ROUTED.has(type)) throw new Error(`unsupported service type "${type}"`);
  if (type === 'ClusterIP' && ip === 'None') throw new Error('cannot route to service with ClusterIP "None"');
  portOf(service, port);
  return { host: ip, port };
}

function endpointOf(objects: StoredObjects, random: Random, service: JsonObject, port: number): Address {
  const type = textAt(service, 'spec', 'type');
  if (!ROUTED.has(type)) throw new Error(`unsupported service type "${type}"`);
  const [name, namespace] = [textAt(service, 'metadata', 'name'), textAt(service, 'metadata', 'namespace')];
  const portName = textAt(portOf(service, port), 'name');
  const family = String(listAt(service, 'spec', 'ipFamilies')[0] ?? '');
  const slices = objects
    .list({ group: 'discovery.k8s.io', resource: 'endpointslices' }, namespace)
    .filter((s) => textAt(s, 'metadata', 'labels', 'kubernetes.io/service-name') === name)
    .map((slice) => ({ slice, order: random.float() + (textAt(slice, 'addressType') === family ? 0 : 1) }))
    .sort((a, b) => a.order - b.order);
  for (const { slice } of slices) {
    const found = objectsAt(slice, 'ports').find(
      (p) => textAt(p, 'name') === portName && typeof p['port'] === 'number',
    );
    const ready = objectsAt(slice, 'endpoints').filter((e) => at(e, 'conditions', 'ready') !== false);
    const chosen = ready[Math.floor(random.float() * ready.length)];
    if (found !== undefined && chosen !== undefined)
      return { host: String(listAt(chosen, 'addresses')[0]), port: Number(found['port']) };
  }
  throw unavailable(`no endpoints available for service "${name}"`);
}
