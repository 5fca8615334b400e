import { cloneJson, errors } from '../api/index.js';
import { prefixEnd } from '../storage/index.js';
import { type Core, collectionOf, find, fresh, notFound } from './core.js';
import { checkPreconditions, remove } from './delete.js';
import { limits } from './limits.js';
import { storedResource } from './lookup.js';
import type { RequestContext, Target, WriteOptions } from './requests.js';
import type { ObjectPlace, Objects } from './resource.js';
import { resolveTarget } from './target.js';
import { modify } from './update.js';

/** Stored objects for the actions of one request. */
export function objectsFor(core: Core, context: RequestContext): Objects {
  const targetOf = (at: ObjectPlace, subresource = ''): Target => {
    const resource = storedResource(core, at);
    const namespace = resource.namespaced ? at.namespace : '';
    const target = resolveTarget(resource, { namespace, name: at.name, subresource });
    if (target === undefined) throw errors.internal(`${at.resource} have no subresource ${subresource}`);
    return target;
  };
  return {
    get: async (at) => {
      await fresh(core, context);
      return find(core, targetOf(at), at.name)?.value();
    },
    list: (at) => {
      const { resource, namespace } = targetOf({ ...at, name: '' });
      const prefix = namespace === '' ? resource.storage.prefix : `${resource.storage.prefix}${namespace}/`;
      const { objects } = collectionOf(core, resource).snapshot();
      return [...objects.range(prefix, prefixEnd(prefix))].map((o) => o.parse());
    },
    change: async (at, how) => {
      const { dryRun, fieldManager } = how;
      const options: WriteOptions = { dryRun, fieldManager: fieldManager ?? '', fieldValidation: 'Ignore' };
      const target = targetOf(at, how.subresource);
      if (target.kind === 'collection') throw notFound(target);
      if (target.kind !== 'object' && target.kind !== 'status')
        throw errors.internal(`${at.resource}/${target.subresource} is not written as a whole object`);
      const written = await modify(
        core,
        { target, options, context },
        {
          retries: limits.unconditionalRetries,
          tracked: fieldManager === undefined,
          partOfAction: how.ownRequest !== true,
          ...(how.strategy === undefined ? {} : { rules: how.strategy }),
          make: (stored, old) => {
            checkPreconditions(target, stored, how);
            const o = cloneJson(old);
            how.edit(o);
            return o;
          },
        },
      );
      return written.object.kind === 'stored' ? written.object.stored.value() : written.object.value;
    },
    remove: async (at, how) => {
      await remove(
        core,
        { target: targetOf(at), options: { ...how, ignoreStoreReadError: false }, partOfAction: true },
        context,
      );
    },
  };
}
