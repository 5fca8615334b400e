import type { StoredObject } from '../cache/index.js';
import type { ServedResource, ServedResources } from '../registry/index.js';
import type { Cluster, Observer, Place } from './cluster.js';

export type ChangeHandler = (before: StoredObject | undefined, after: StoredObject | undefined) => void;

/** An observer of some resources, by their names such as `endpointslices.discovery.k8s.io`. */
export function observing(handlers: Readonly<Record<string, ChangeHandler>>): Observer {
  const handler = (resource: ServedResource): ChangeHandler | undefined => {
    const name = groupResourceOf(resource);
    return Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  };
  return {
    of: (resource) => handler(resource) !== undefined,
    changed: (resource, before, after) => handler(resource)!(before, after),
  };
}

/** Every controller asks for the name with every change. */
const names = new WeakMap<ServedResource, string>();

export function groupResourceOf(served: ServedResource): string {
  const known = names.get(served);
  if (known !== undefined) return known;
  const { group, resource } = served;
  const name = group === '' ? resource : `${resource}.${group}`;
  names.set(served, name);
  return name;
}

/**
 * A served resource by its name, such as `endpointslices.discovery.k8s.io`, in its preferred version; undefined if it
 * is not served.
 */
export function servedResource(servedResources: ServedResources, name: string): ServedResource | undefined {
  const dot = name.indexOf('.');
  const [resource, group] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
  return servedResources.kind(group, resource)?.served[0];
}

/** The key of an object. Undefined if its resource is not served. */
export function placeOf(cluster: Cluster, resource: string, key: string): Place | undefined {
  const served = servedResource(cluster.servedResources(), resource);
  if (served === undefined) return undefined;
  const { namespace, name } = splitKey(key);
  return { resource: served, namespace, name };
}

export const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  namespace === '' ? name : `${namespace}/${name}`;

export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
