import { ApiError, errors } from '../api/index.js';
import type { Revision } from '../base/index.js';
import type { StoredObject, UnreadableObject } from '../cache/index.js';
import type { Txn } from '../storage/index.js';
import { commit } from './commit.js';
import { type Core, conflict, exists, find, fresh, keyOf } from './core.js';
import { limits } from './limits.js';
import type { RequestContext, Target } from './requests.js';

/** The outcome of one decision about one state of an object. */
export type Decision<T> =
  /** Nothing to write: a dry run, or no change. */
  | { readonly kind: 'answer'; readonly value: T }
  /** The decision was committed. */
  | { readonly kind: 'done'; readonly value: T }
  /** A transaction. It must compare the key of the object with the revision that the decision is based on. */
  | Proposal<T>
  /** The decision was to create the object, but another request created it meanwhile. */
  | { readonly kind: 'taken'; readonly error: ApiError };

export interface Proposal<T> {
  readonly kind: 'propose';
  readonly txn: Txn;
  readonly committed: (revision: Revision) => T;
  /** Called once, with any outcome of the proposal. */
  readonly settled?: () => void;
}

export interface Optimistic {
  readonly target: Target;
  readonly context: RequestContext;
  /** The number of retries if the object changes concurrently. Then the request fails with 409. */
  readonly retries: number;
  /** The error for an object that cannot be read; absent: the error of writes. */
  readonly failure?: (o: UnreadableObject) => ApiError;
}

/**
 * The optimistic update: reads an object from the cache, calls `decide`, commits the decision if the object has not
 * changed, and otherwise retries. The cache is nearly always current, so the first decision uses no consistent read. A
 * refusal, or a response without a write, counts only if a consistent read confirms the state; otherwise the decision
 * is repeated on the new state.
 */
export async function optimisticUpdate<T>(
  core: Core,
  { target, context, retries, failure }: Optimistic,
  decide: (stored: StoredObject | undefined) => Promise<Decision<T>>,
): Promise<T> {
  const { resource, name } = target;
  const key = keyOf(resource, target.namespace, name);
  let current = false;
  /** Makes the cache current; returns true if the object changed. */
  const moved = async (seen: StoredObject | undefined): Promise<boolean> => {
    if (current) return false;
    await fresh(core, context);
    current = true;
    return find(core, target, name, failure) !== seen;
  };
  for (let conflicts = 0, contentions = 0; ; ) {
    let stored: StoredObject | undefined;
    try {
      stored = find(core, target, name, failure);
    } catch (e) {
      // Another peer may have removed or rewritten it.
      if (current) throw e;
      await fresh(core, context);
      current = true;
      continue;
    }
    let decision: Decision<T>;
    try {
      decision = await decide(stored);
    } catch (e) {
      if (!(e instanceof ApiError) || e.status.code >= 500 || !(await moved(stored))) throw e;
      continue;
    }
    switch (decision.kind) {
      case 'answer':
        if (await moved(stored)) continue;
        return decision.value;
      case 'done':
        return decision.value;
      case 'taken':
        if (!exists(core, target, name) || ++conflicts > retries + 1) throw decision.error;
        continue;
      case 'propose': {
        const result = await propose(core, decision);
        if (result.kind === 'committed') return decision.committed(result.revision);
        current = true;
        if (result.key !== key) {
          // The object has not changed, only something that the write depends on (an allocation, a quota).
          if (++contentions < limits.contentionRetries) continue;
          throw contended();
        }
        // Decide again if the object was deleted concurrently: the response is then 404, not 409.
        if (++conflicts > retries && exists(core, target, name)) throw conflict(resource.groupResource, name);
      }
    }
  }
}

/** Commits a proposal and settles it. */
export async function propose<T>(core: Core, { txn, settled }: Proposal<T>): ReturnType<typeof commit> {
  try {
    return await commit(core, txn.compares, txn.ops);
  } finally {
    settled?.();
  }
}

export const contended = (): ApiError =>
  errors.tooManyRequests('the request was retried too often: other requests took what it needs; try again', 1);
