import type { JsonObject } from '../../api/index.js';
import type { UserInfo } from '../user.js';
import { aggregate } from './authorizer.js';
import type { RbacIndex } from './bindings.js';
import type { PolicyRule } from './rules.js';

/** The rules that apply to a user in a namespace, as SelfSubjectRulesReview shows them. */
export interface UserRules {
  readonly resourceRules: readonly JsonObject[];
  readonly nonResourceRules: readonly JsonObject[];
  /** '' if every role was found. */
  readonly evaluationError: string;
}

export function rulesFor(index: RbacIndex, user: UserInfo, namespace: string): UserRules {
  const grants = index.grants(user, namespace);
  const rules = grants.flatMap((grant) => grant.rules);
  const problems = [...new Set(grants.flatMap((grant) => grant.problem ?? []))];
  return {
    resourceRules: rules.filter((rule) => rule.resources.length > 0).map(resourceRule),
    nonResourceRules: rules
      .filter((rule) => rule.nonResourceURLs.length > 0)
      .map((rule) => ({ verbs: [...rule.verbs], nonResourceURLs: [...rule.nonResourceURLs] })),
    evaluationError: problems.length === 0 ? '' : aggregate(problems),
  };
}

function resourceRule(rule: PolicyRule): JsonObject {
  return {
    verbs: [...rule.verbs],
    ...(rule.apiGroups.length === 0 ? {} : { apiGroups: [...rule.apiGroups] }),
    resources: [...rule.resources],
    ...(rule.resourceNames.length === 0 ? {} : { resourceNames: [...rule.resourceNames] }),
  };
}
