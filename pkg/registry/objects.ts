import { cloneJson, errors } from '../api/index.js';
import { prefixEnd } from '../storage/index.js';
import type { ServedResource } from './catalogue.js';
import { type Core, collectionOf, find, fresh } from './core.js';
import { checkPreconditions, remove } from './delete.js';
import { limits } from './limits.js';
import type { RequestContext, Target, WriteOptions } from './requests.js';
import type { ObjectPlace, Objects } from './resource.js';
import { modify } from './write.js';

/** Stored objects for the actions of one request. */
export function objectsFor(core: Core, context: RequestContext): Objects {
  const targetOf = (at: Omit<ObjectPlace, 'name'>, subresource = ''): Target => {
    const resource = resourceOf(core, at.group, at.resource);
    return { resource, namespace: resource.namespaced ? at.namespace : '', subresource };
  };
  return {
    get: async (at) => {
      await fresh(core, context);
      return find(core, targetOf(at), at.name)?.parse();
    },
    list: (at) => {
      const { resource, namespace } = targetOf(at);
      const prefix = namespace === '' ? resource.storage.prefix : `${resource.storage.prefix}${namespace}/`;
      const { objects } = collectionOf(core, resource).snapshot();
      return [...objects.range(prefix, prefixEnd(prefix))].map((o) => o.parse());
    },
    change: async (at, how) => {
      const options: WriteOptions = { dryRun: how.dryRun, fieldManager: '', fieldValidation: 'Ignore' };
      const target = targetOf(at, how.subresource);
      const written = await modify(
        core,
        { target, name: at.name, options, context },
        {
          retries: limits.unconditionalRetries,
          tracked: true,
          absent: undefined,
          ...(how.strategy === undefined ? {} : { strategy: how.strategy }),
          make: (stored, old) => {
            checkPreconditions(target, stored, how);
            const o = cloneJson(old);
            how.edit(o);
            return o;
          },
        },
      );
      return written.object.kind === 'stored' ? written.object.stored.parse() : written.object.value;
    },
    remove: async (at, { dryRun, gracePeriodSeconds, preconditions }) => {
      const options = {
        dryRun,
        ignoreStoreReadError: false,
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        ...(preconditions === undefined ? {} : { preconditions }),
      };
      await remove(core, { target: targetOf(at), name: at.name, options }, context);
    },
  };
}

/** In its storage version where that is served, because objects are handed over in it; else in any version. */
function resourceOf(core: Core, group: string, plural: string): ServedResource {
  const served = core.catalogue().kind(group, plural)?.served ?? [];
  const found = served.find((r) => r.conversion === undefined) ?? served[0];
  if (found === undefined) throw errors.internal(`${plural} of ${group === '' ? 'core' : group} are not served`);
  return found;
}
