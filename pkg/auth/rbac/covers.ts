import { ALL, type PolicyRule, withoutStars } from './rules.js';

/** The maximum number of comparisons of single permissions: the permissions come from a client. */
const COMPARISONS_MAX = 200_000;

export type Coverage =
  | { readonly kind: 'covered' }
  /** Single permissions that no owned rule covers. */
  | { readonly kind: 'missing'; readonly rules: readonly PolicyRule[] }
  /** There are too many permissions to compare. */
  | { readonly kind: 'tooMany' };

/**
 * Whether `owned` covers `wanted`. Each wanted rule is split into single permissions: one verb on one resource of one group (and
 * one name), or one verb on one URL. Each must be covered by a single owned rule. A whole rule that one owned rule covers is not
 * split.
 */
export function coverageOf(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): Coverage {
  const missing: PolicyRule[] = [];
  let comparisons = 0;
  for (const rule of wanted) {
    if (owned.some((o) => ruleCovers(o, rule))) continue;
    for (const single of singlePermissions(rule)) {
      comparisons += owned.length + 1;
      if (comparisons > COMPARISONS_MAX) return { kind: 'tooMany' };
      if (!owned.some((o) => ruleCovers(o, single))) missing.push(single);
    }
  }
  return missing.length === 0 ? { kind: 'covered' } : { kind: 'missing', rules: missing };
}

const NOTHING: readonly string[] = [];

function* singlePermissions(rule: PolicyRule): Iterable<PolicyRule> {
  for (const group of rule.apiGroups)
    for (const resource of rule.resources)
      for (const verb of rule.verbs)
        for (const name of rule.resourceNames.length === 0 ? [undefined] : rule.resourceNames)
          yield {
            verbs: [verb],
            apiGroups: [group],
            resources: [resource],
            resourceNames: name === undefined ? NOTHING : [name],
            nonResourceURLs: NOTHING,
          };
  for (const url of rule.nonResourceURLs)
    for (const verb of rule.verbs)
      yield { verbs: [verb], apiGroups: NOTHING, resources: NOTHING, resourceNames: NOTHING, nonResourceURLs: [url] };
}

function ruleCovers(owner: PolicyRule, rule: PolicyRule): boolean {
  return (
    hasAll(owner.verbs, rule.verbs, isSame) &&
    hasAll(owner.apiGroups, rule.apiGroups, isSame) &&
    hasAll(owner.resources, rule.resources, resourceCovers) &&
    rule.nonResourceURLs.every((url) => owner.nonResourceURLs.some((pattern) => urlCovers(pattern, url))) &&
    (owner.resourceNames.length === 0 ||
      (rule.resourceNames.length > 0 && rule.resourceNames.every((name) => owner.resourceNames.includes(name))))
  );
}

function hasAll(
  set: readonly string[],
  wanted: readonly string[],
  covers: (owned: readonly string[], one: string) => boolean,
): boolean {
  return set.includes(ALL) || wanted.every((one) => covers(set, one));
}

const isSame = (owned: readonly string[], one: string): boolean => owned.includes(one);

/** A subresource is also covered by that subresource of every resource. */
function resourceCovers(owned: readonly string[], one: string): boolean {
  if (owned.includes(one)) return true;
  const slash = one.indexOf('/');
  return slash >= 0 && owned.includes(`*${one.slice(slash)}`);
}

const urlCovers = (pattern: string, url: string): boolean =>
  pattern === url || (pattern.endsWith('*') && url.startsWith(withoutStars(pattern)));

/** Joins single permissions that differ only in their verb. */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const joined = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  const rest: PolicyRule[] = [];
  for (const rule of rules) {
    if (rule.nonResourceURLs.length > 0) {
      rest.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const there = joined.get(key);
    if (there === undefined) joined.set(key, { ...rule, verbs: [...rule.verbs] });
    else there.verbs.push(...rule.verbs);
  }
  return [...rest, ...joined.values()];
}

/** Formats a rule in one line, as in messages: `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`. */
export function ruleText(rule: PolicyRule): string {
  const parts: string[] = [];
  const add = (name: string, list: readonly string[]): void => {
    if (list.length > 0) parts.push(`${name}:${listText(list)}`);
  };
  add('APIGroups', rule.apiGroups);
  add('Resources', rule.resources);
  add('NonResourceURLs', rule.nonResourceURLs);
  add('ResourceNames', rule.resourceNames);
  add('Verbs', rule.verbs);
  return `{${parts.join(', ')}}`;
}

/** Formats texts as Go prints a quoted list: `["a" "b"]`. */
export const listText = (list: readonly string[]): string => `[${list.map((s) => JSON.stringify(s)).join(' ')}]`;
