import { ApiError, errors, type GroupResourceName, type JsonObject } from '../api/index.js';
import { encodeStored } from '../codec/index.js';
import type { ServedResource } from './catalogue.js';
import { commit, putOp } from './commit.js';
import { type Core, conflict, find, fresh, notFound } from './core.js';
import { limits } from './limits.js';
import { storedObjects } from './lookup.js';
import type { RequestContext, Target } from './requests.js';
import type { ActionObjects } from './resource.js';

/** What actions do to objects, as the server itself: no rules of the kind and no owner of fields stand in between. */
export function actionObjects(core: Core, context: RequestContext, dryRun: boolean): ActionObjects {
  const { get, list } = storedObjects(() => core);
  return {
    get,
    list,
    change: async (of, namespace, name, f) => {
      const target = targetOf(core, of, namespace);
      for (let conflicts = 0; conflicts <= limits.unconditionalRetries; conflicts++) {
        const changed = await changeOnce(core, { target, name, f, context, dryRun, current: conflicts > 0 });
        if (changed !== undefined) return changed;
      }
      throw conflict(of, name);
    },
    remove: async (of, namespace, name, options) => {
      const target = targetOf(core, of, namespace);
      await core.remove(
        { target, name, options: { ...options, ignoreStoreReadError: false, dryRun: dryRun || options.dryRun } },
        context,
      );
    },
  };
}

function targetOf(core: Core, of: GroupResourceName, namespace: string): Target {
  const resource = served(core, of);
  if (resource === undefined) throw errors.noSuchPath();
  return { resource, namespace, subresource: '' };
}

function served(core: Core, { group, resource }: GroupResourceName): ServedResource | undefined {
  for (const g of core.catalogue().groups) {
    if (g.group !== group) continue;
    for (const v of g.versions) {
      const found = v.resources.find((r) => r.resource === resource);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

interface Attempt {
  readonly target: Target;
  readonly name: string;
  readonly f: (o: JsonObject) => void;
  readonly context: RequestContext;
  readonly dryRun: boolean;
  /** The cache has been made sure of. */
  readonly current: boolean;
}

/** Undefined: somebody was quicker, or what was seen was old. */
async function changeOnce(core: Core, attempt: Attempt): Promise<JsonObject | undefined> {
  const { target, name, f, context } = attempt;
  const stored = find(core, target, name);
  try {
    if (stored === undefined) throw notFound(target, name);
    const o = stored.parse();
    f(o);
    if (attempt.dryRun) return o;
    const { key } = stored;
    const value = encodeStored(target.resource.storage.schema, o);
    const compares = [{ key, modRevision: stored.revision }];
    const result = await commit(core, compares, [putOp(core, target.resource, key, value)]);
    if (result.kind === 'committed') return o;
  } catch (e) {
    if (attempt.current || !(e instanceof ApiError) || e.status.code >= 500) throw e;
    // Decided against what this peer has, which may be behind.
    await fresh(core, context);
    if (find(core, target, name) === stored) throw e;
    return undefined;
  }
  await fresh(core, context);
  return undefined;
}
