import { errors, type GroupVersionKind, isObject, type JsonValue } from '../api/index.js';
import { decodeBody } from '../codec/index.js';
import type { Body } from '../registry/index.js';
import { type KindSchema, kindSchema, machinery } from '../schema/index.js';
import type { DeleteWish } from './options.js';

/** Reads the DeleteOptions from the body of a request, in any version and encoding. Throws 400 for any other body. */
export function deleteWishOfBody(body: Body): DeleteWish {
  const decoded = decodeBody(body, machinery.deleteOptions, { otherVersions: true, kindOf });
  if (!decoded.ok) throw errors.badRequest(decoded.cause);
  const o = decoded.object;
  const preconditions = o['preconditions'];
  const dryRun = o['dryRun'];
  const uid = isObject(preconditions) ? text(preconditions['uid']) : undefined;
  const resourceVersion = isObject(preconditions) ? text(preconditions['resourceVersion']) : undefined;
  const grace = o['gracePeriodSeconds'];
  const orphan = o['orphanDependents'];
  return {
    dryRun: Array.isArray(dryRun) ? dryRun.map(String) : [],
    gracePeriodSeconds: typeof grace === 'number' || typeof grace === 'bigint' ? Number(grace) : undefined,
    preconditions: isObject(preconditions)
      ? {
          ...(uid === undefined ? {} : { uid }),
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        }
      : undefined,
    propagationPolicy: text(o['propagationPolicy']),
    orphanDependents: typeof orphan === 'boolean' ? orphan : undefined,
    ignoreStoreReadError: o['ignoreStoreReadErrorWithClusterBreakingPotential'] === true,
  };
}

/** Other kinds are not known here, whether they are served or not. */
const kindOf = (gvk: GroupVersionKind): KindSchema | undefined =>
  gvk.kind === machinery.deleteOptions.info.kind ? kindSchema(gvk) : undefined;

function text(v: JsonValue | undefined): string | undefined {
  return typeof v === 'string' ? v : undefined;
}
