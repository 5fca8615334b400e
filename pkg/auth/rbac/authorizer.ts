import type { Attributes } from '../attributes.js';
import type { Authorizer, Decision } from '../authz/authorizer.js';
import type { AuthObjects } from '../objects.js';
import type { UserInfo } from '../user.js';
import { type Grant, type GrantedRule, PATHS_KEY, type RbacIndex, type SubjectView } from './bindings.js';
import { ALL, ruleAllows } from './rules.js';

const NO_OPINION: Decision = { kind: 'noOpinion', reason: '' };

/**
 * Mode `RBAC`: allows a request if a rule allows it in a role that is bound to the user or to one of the user's groups.
 */
export function rbacAuthorizer(index: RbacIndex, objects: AuthObjects): Authorizer {
  return {
    authorize(user, attributes) {
      const wait = objects.current();
      return wait === undefined ? decide(index, user, attributes) : wait.then(() => decide(index, user, attributes));
    },
  };
}

function decide(index: RbacIndex, user: UserInfo, attributes: Attributes): Decision {
  const scope = attributes.kind === 'resource' ? attributes.namespace : '';
  const keys = lookupKeys(attributes);
  let problems: readonly string[] = [];
  for (const subject of index.subjects(user, scope)) {
    const allowed = firstAllowing(subject, keys, attributes);
    if (allowed !== undefined) return { kind: 'allow', reason: allowed.reason };
    if (subject.problems.length > 0) problems = [...new Set([...problems, ...subject.problems])];
  }
  if (problems.length === 0) return NO_OPINION;
  return { kind: 'noOpinion', reason: `RBAC: ${aggregate(problems)}` };
}

/** The names of the requested resource in rules. */
function lookupKeys(a: Attributes): readonly string[] {
  if (a.kind === 'path') return [PATHS_KEY];
  return a.subresource === '' ? [a.resource, ALL] : [`${a.resource}/${a.subresource}`, ALL, `*/${a.subresource}`];
}

function firstAllowing(subject: SubjectView, keys: readonly string[], attributes: Attributes): Grant | undefined {
  for (const key of keys) {
    const rules: readonly GrantedRule[] | undefined = subject.byResource.get(key);
    if (rules === undefined) continue;
    for (const { grant, rule } of rules) if (ruleAllows(rule, attributes)) return grant;
  }
  return undefined;
}

/** Joins several messages as Go's aggregate of errors does. */
export function aggregate(messages: readonly string[]): string {
  return messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`;
}
