import { type JsonObject, type JsonValue, listAt, objectsAt } from '../../api/index.js';
import type { Attributes, PathAttributes, ResourceAttributes } from '../attributes.js';

/** A PolicyRule of a role. All lists are present. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export const ALL = '*';

/** Returns the rules of a Role or ClusterRole. */
export function rulesOf(role: JsonObject | undefined): readonly PolicyRule[] {
  return objectsAt(role, 'rules').map(ruleOf);
}

export function ruleOf(rule: JsonObject): PolicyRule {
  const texts = (field: string): readonly string[] => listAt(rule, field).filter(isText);
  return {
    verbs: texts('verbs'),
    apiGroups: texts('apiGroups'),
    resources: texts('resources'),
    resourceNames: texts('resourceNames'),
    nonResourceURLs: texts('nonResourceURLs'),
  };
}

const isText = (v: JsonValue): v is string => typeof v === 'string';

export function ruleAllows(rule: PolicyRule, a: Attributes): boolean {
  return a.kind === 'resource' ? allowsResource(rule, a) : allowsPath(rule, a);
}

function allowsResource(rule: PolicyRule, a: ResourceAttributes): boolean {
  return (
    matches(rule.verbs, a.verb) &&
    matches(rule.apiGroups, a.group) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(a.name)) &&
    matchesResource(rule.resources, a.resource, a.subresource)
  );
}

function allowsPath(rule: PolicyRule, a: PathAttributes): boolean {
  return matches(rule.verbs, a.verb) && rule.nonResourceURLs.some((pattern) => matchesUrl(pattern, a.path));
}

const matches = (list: readonly string[], text: string): boolean => list.includes(text) || list.includes(ALL);

/** `*` covers every resource and subresource; `* / scale` (without spaces) the subresource of every resource. */
function matchesResource(list: readonly string[], resource: string, subresource: string): boolean {
  for (const r of list) {
    if (r === ALL) return true;
    if (subresource === '') {
      if (r === resource) return true;
    } else if (
      r.length > subresource.length &&
      r.endsWith(subresource) &&
      r[r.length - subresource.length - 1] === '/' &&
      (r === `${resource}/${subresource}` || r === `*/${subresource}`)
    )
      return true;
  }
  return false;
}

/** A pattern is exact, or ends in `*` and matches by prefix. */
export function matchesUrl(pattern: string, path: string): boolean {
  return pattern === ALL || pattern === path || (pattern.endsWith('*') && path.startsWith(withoutStars(pattern)));
}

/** A pattern without its final `*`. */
export function withoutStars(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === '*') end--;
  return pattern.slice(0, end);
}
