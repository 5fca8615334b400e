import { errors, isObject, type JsonObject, type JsonValue } from '../api/index.js';
import type { Body } from '../registry/index.js';
import type { DeleteWish } from './options.js';

/** The DeleteOptions in a request's body. */
export function deleteWishOfBody(body: Body): DeleteWish {
  const o = decode(body);
  const preconditions = o['preconditions'];
  const dryRun = o['dryRun'];
  const uid = isObject(preconditions) ? text(preconditions['uid']) : undefined;
  const resourceVersion = isObject(preconditions) ? text(preconditions['resourceVersion']) : undefined;
  const grace = o['gracePeriodSeconds'];
  return {
    dryRun: Array.isArray(dryRun) ? dryRun.map(String) : [],
    gracePeriodSeconds: typeof grace === 'number' || typeof grace === 'bigint' ? Number(grace) : undefined,
    preconditions: {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    propagationPolicy: text(o['propagationPolicy']),
    orphanDependents: typeof o['orphanDependents'] === 'boolean' ? o['orphanDependents'] : undefined,
    ignoreStoreReadError: o['ignoreStoreReadErrorWithClusterBreakingPotential'] === true,
  };
}

function text(v: JsonValue | undefined): string | undefined {
  return typeof v === 'string' ? v : undefined;
}

function decode(body: Body): JsonObject {
  const value = JSON.parse(body.bytes.toString()) as JsonValue;
  if (value === null) return {};
  if (!isObject(value)) throw errors.badRequest('not an object');
  return value;
}
