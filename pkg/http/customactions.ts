import { errors } from '../api/index.js';
import type { ServedResource, ServedResources, Verb } from '../registry/index.js';
import type { Call } from './call.js';
import { nothingThere } from './pagenotfound.js';
import type { ResourceInfo } from './requestinfo.js';

const ACROSS_NAMESPACES: ReadonlySet<string> = new Set(['list', 'watch']);

/**
 * Returns the action of a request for a custom resource. kube-apiserver has no routes for custom resources: one handler decides by
 * the verb of the request. So an unknown subresource is an object that is not found, HEAD is a get, and the name is checked by the verb.
 * The handler warns of a deprecated version first, also if it then refuses the request.
 */
export function customActionOf(
  resources: ServedResources,
  served: ServedResource,
  info: ResourceInfo,
  call: Call,
): Verb {
  const { verb, subresource } = info;
  if (served.namespaced && info.namespace === '' && !ACROSS_NAMESPACES.has(verb))
    throw nothingThere(resources, info.group);
  if (served.deprecation !== undefined) call.warn(served.deprecation);
  const known = subresource === '' ? served : served.subresources[subresource];
  if (known === undefined || (subresource !== '' && !Object.hasOwn(served.subresources, subresource)))
    throw errors.notFound(served.groupResource, info.name);
  const verbs: readonly string[] = known.verbs;
  if (verb === '' || !verbs.includes(verb)) throw errors.methodNotSupported(served.groupResource, verb);
  return verb as Verb;
}

/** Refuses an update or patch of a collection. */
export function requireName(info: ResourceInfo): void {
  if (info.name === '') throw errors.badRequest('name must be provided');
}
