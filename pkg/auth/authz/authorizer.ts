import type { Attributes } from '../attributes.js';
import { MASTERS, type UserInfo } from '../user.js';

export type Decision =
  | { readonly kind: 'allow'; readonly reason: string }
  | { readonly kind: 'deny'; readonly reason: string; readonly error?: string }
  /**
   * The next authorizer decides. If none is left, the request is denied. `error`: the authorizer could not decide; the
   * response is then an internal error, not a 403.
   */
  | { readonly kind: 'noOpinion'; readonly reason: string; readonly error?: string };

/** Decides whether a user may do something. Synchronous if the result is in memory. */
export interface Authorizer {
  authorize(user: UserInfo, attributes: Attributes): Decision | Promise<Decision>;
}

/** An authorizer with its name in reasons: `rbac`, `node`, the name of a webhook. */
export interface NamedAuthorizer {
  readonly name: string;
  readonly authorizer: Authorizer;
}

const ALLOW: Decision = { kind: 'allow', reason: '' };
const NO_OPINION: Undecided = { kind: 'noOpinion', reason: '' };
const EVERYTHING_ALLOWED: Decision = ALLOW;
const EVERYTHING_FORBIDDEN: Decision = { kind: 'noOpinion', reason: 'Everything is forbidden.' };

/** Members of `system:masters` may do everything. */
export const mastersAuthorizer: Authorizer = {
  authorize: (user) => (user.groups.includes(MASTERS) ? ALLOW : NO_OPINION),
};

/** Mode `AlwaysAllow`. */
export const alwaysAllow: Authorizer = { authorize: () => EVERYTHING_ALLOWED };

/** Mode `AlwaysDeny`: it has no opinion, so that members of `system:masters` still pass. */
export const alwaysDeny: Authorizer = { authorize: () => EVERYTHING_FORBIDDEN };

/**
 * Allows `system:masters` first, then calls each authorizer in order. The first that allows or denies decides. If none
 * does, the reasons of all are joined, each after the name of its authorizer.
 */
export function authorizerChain(chain: readonly NamedAuthorizer[]): Authorizer {
  return {
    authorize: (user, attributes) =>
      user.groups.includes(MASTERS) ? ALLOW : decide(chain, { user, attributes }, 0, NO_OPINION),
  };
}

interface Question {
  readonly user: UserInfo;
  readonly attributes: Attributes;
}

type Undecided = Extract<Decision, { readonly kind: 'noOpinion' }>;

function decide(
  chain: readonly NamedAuthorizer[],
  question: Question,
  start: number,
  before: Undecided,
): Decision | Promise<Decision> {
  let undecided = before;
  for (let i = start; i < chain.length; i++) {
    const { name, authorizer } = chain[i]!;
    const decision = authorizer.authorize(question.user, question.attributes);
    if (decision instanceof Promise) {
      const soFar = undecided;
      return decision.then((d) =>
        d.kind === 'noOpinion' ? decide(chain, question, i + 1, joined(soFar, name, d)) : d,
      );
    }
    if (decision.kind !== 'noOpinion') return decision;
    undecided = joined(undecided, name, decision);
  }
  return undecided;
}

function joined(before: Undecided, name: string, { reason, error }: Undecided): Undecided {
  if (reason === '' && error === undefined) return before;
  const line = reason === '' ? '' : `${name}: ${reason}`;
  const failures = [before.error, error].filter((e) => e !== undefined);
  return {
    kind: 'noOpinion',
    reason: before.reason === '' || line === '' ? before.reason + line : `${before.reason}\n${line}`,
    ...(failures.length === 0 ? {} : { error: failures.join(', ') }),
  };
}
