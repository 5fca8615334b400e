import { errors } from '../api/index.js';
import { resolveTarget, type ServedResource, type ServedResources, type Target, type Verb } from '../registry/index.js';
import { isCustom } from '../schema/index.js';
import type { Call } from './call.js';
import { customActionOf } from './customactions.js';
import { nothingThere } from './pagenotfound.js';
import type { ResourceInfo } from './requestinfo.js';

/** A resolved resource request, as verb files need it. */
export interface ResourceRequest {
  readonly call: Call;
  readonly info: ResourceInfo;
  readonly target: Target;
  readonly served: ServedResource;
  readonly action: Verb;
}

/**
 * Resolves the resource of a path and checks the method. Throws 404 for a path without a resource, whatever the method,
 * and 405 for a method that the resource does not support.
 */
export function resolve(servedResources: ServedResources, call: Call, info: ResourceInfo): ResourceRequest {
  const served = servedResources.find(info.group, info.version, info.resource);
  if (served === undefined || info.verb === 'proxy' || !scopeFits(served, info))
    throw nothingThere(servedResources, info.group);
  const isCustomResource = isCustom(served.type);
  if (!isCustomResource && !subresourceFits(served, info)) throw errors.noSuchPath();
  const action = isCustomResource
    ? customActionOf(servedResources, served, info, call)
    : actionOf(served, info, call.exchange.method);
  if (info.name === '.' || info.name === '..' || info.name.includes('%')) throw badName(info.name);
  // In `/namespaces/x`, x is the name of the object, not its namespace.
  const namespace = served.namespaced ? info.namespace : '';
  const { subresource } = info;
  // POST to an object of a custom resource creates the object that the body names.
  const name = action === 'create' && isCustomResource ? '' : info.name;
  const target = resolveTarget(served, { namespace, name, subresource });
  if (target === undefined) throw errors.noSuchPath();
  return { call, info, target, served, action };
}

function scopeFits(served: ServedResource, info: ResourceInfo): boolean {
  if (served.namespaced) return info.namespace !== '' || info.name === '';
  return info.namespace === '' || (info.resource === 'namespaces' && info.namespace === info.name);
}

function subresourceFits(served: ServedResource, info: ResourceInfo): boolean {
  if (info.subresource === '') return info.rest.length === 0;
  if (info.legacyWatch || !Object.hasOwn(served.subresources, info.subresource)) return false;
  return info.rest.length === 0 || info.subresource === 'proxy';
}

const ITEM_VERBS: ReadonlySet<Verb> = new Set(['get', 'update', 'patch', 'delete']);

function actionOf(served: ServedResource, info: ResourceInfo, method: string): Verb {
  const verbs = info.subresource === '' ? served.verbs : served.subresources[info.subresource]!.verbs;
  if (info.legacyWatch) {
    if (!verbs.includes('watch')) throw errors.noSuchPath();
    if (method !== 'GET') throw errors.methodNotAllowed();
    return 'watch';
  }
  const action = info.verb as Verb | '';
  // A proxied server may support HEAD and OPTIONS; resources do not.
  if (info.subresource === 'proxy' && method === 'OPTIONS') return 'get';
  if (method === 'HEAD' && info.subresource !== 'proxy') throw errors.methodNotAllowed();
  if (action === '') throw errors.methodNotAllowed();
  if (action === 'watch') {
    // The verb itself checks whether the list or object can be watched.
    if (!verbs.includes(info.name === '' ? 'list' : 'get')) throw errors.methodNotAllowed();
    return 'watch';
  }
  // POST to an item is not supported; neither are POST and DELETE across all namespaces.
  const onItem = info.name !== '';
  // A resource that can only be created, such as a review, has no paths for its objects.
  if (onItem && info.subresource === '' && !verbs.some((verb) => ITEM_VERBS.has(verb))) throw errors.noSuchPath();
  if (action === 'create' && onItem && info.subresource === '') throw errors.methodNotAllowed();
  const everywhere = served.namespaced && info.namespace === '' && !onItem;
  if (everywhere && action !== 'list' && !(action === 'create' && served.declaration.virtual !== undefined))
    throw errors.methodNotAllowed();
  if ((action === 'update' || action === 'patch') && !onItem) throw errors.methodNotAllowed();
  if (!verbs.includes(action)) throw errors.methodNotAllowed();
  return action;
}

/** Whether a request names a served resource. Only then may parts of its path become metric labels. */
export function knownResource(servedResources: ServedResources, info: ResourceInfo): boolean {
  const served = servedResources.find(info.group, info.version, info.resource);
  return served !== undefined && (info.subresource === '' || Object.hasOwn(served.subresources, info.subresource));
}

/** Names that cannot occur in a path. They are rejected before any lookup. */
function badName(name: string): Error {
  const why = name.includes('%') ? "may not contain '%'" : `may not be '${name}'`;
  return errors.badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
}
