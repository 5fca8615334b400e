import type { JsonArray } from '../../api/index.js';
import { finish } from '../../base/index.js';
import { difference, hasPath, isEmptySet, setOfPath } from './field-set.js';
import { decodeOwners, encodeOwners, type Owners } from './managed.js';

const scaleVersion = 'autoscaling/v1';
const scaleReplicas = ['f:spec', 'f:replicas'];

/** The path of the replicas for each apiVersion of a kind: `{'apps/v1': ['spec', 'replicas']}`. */
export type ReplicasPaths = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the managed fields of the Scale of an object: the owners of the replicas only. Throws an Error if the entries are invalid.
 */
export function entriesOfScale(parent: JsonArray | undefined, replicas: ReplicasPaths): JsonArray | undefined {
  const out: Owners = new Map();
  for (const [key, owner] of decodeOwners(parent)) {
    const path = replicas[owner.apiVersion];
    if (path === undefined || !hasPath(owner.set, elements(path))) continue;
    out.set(key, { ...owner, apiVersion: scaleVersion, set: setOfPath(scaleReplicas) });
  }
  return finish(encodeOwners(out));
}

/**
 * Returns the entries of an object after a write of its scale: owners of the scale's replicas own the object's, others
 * lose them. The identity of an Update entry includes its version, so the entry of the scale is never that of the object: even an
 * owner that keeps the replicas has a second entry for them, without a time. Of two entries with one identity the next write keeps the
 * last, as in kube-apiserver.
 * @param parent the object's entries before
 * @param scale the entries of the written scale
 * @param apiVersion the version of the object
 */
export function entriesAfterScale(
  parent: JsonArray | undefined,
  scale: JsonArray | undefined,
  apiVersion: string,
  replicas: ReplicasPaths,
): JsonArray | undefined {
  const before = decodeOwners(parent);
  const scaled = decodeOwners(scale);
  const out: Owners = new Map();
  for (const [key, owner] of before) {
    const path = replicas[owner.apiVersion];
    if (path === undefined) continue;
    if (!hasPath(owner.set, elements(path)) || scaled.delete(key)) out.set(key, owner);
    else {
      const set = difference(owner.set, setOfPath(elements(path)));
      if (!isEmptySet(set)) out.set(key, { ...owner, set });
    }
  }
  const own = replicas[apiVersion];
  for (const [key, owner] of scaled) {
    if (own === undefined || !hasPath(owner.set, scaleReplicas)) continue;
    out.set(key, { ...owner, apiVersion, set: setOfPath(elements(own)), time: before.get(key)?.time });
  }
  return finish(encodeOwners(out));
}

function elements(path: readonly string[]): string[] {
  return path.map((name) => `f:${name}`);
}
