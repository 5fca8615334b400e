import type { JsonObject } from '../../../api/index.js';
import { RBAC_GROUP } from '../bindings.js';

/** A bootstrap role. Texts are lists separated by spaces; `core` is the group ''. */
export interface RoleSpec {
  readonly name: string;
  readonly namespace?: string;
  /** The role whose rules include the rules of this one: `admin`, `edit` or `view`. */
  readonly aggregateTo?: string;
  /** The aggregates that make up this role. The aggregation controller sets its own rules. */
  readonly aggregates?: string;
  readonly rules: readonly RuleSpec[];
}

export type RuleSpec =
  | { readonly verbs: string; readonly groups: string; readonly resources: string; readonly names?: string }
  | { readonly verbs: string; readonly urls: string };

/** A bootstrap binding. `subjects`: `User NAME`, `Group NAME`, `ServiceAccount NAMESPACE NAME`. */
export interface BindingSpec {
  readonly name: string;
  readonly namespace?: string;
  /** Default `ClusterRole`. */
  readonly role?: string;
  /** Default: the name of the binding. */
  readonly roleName?: string;
  readonly subjects: readonly string[];
}

export const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const BOOTSTRAPPING = 'kubernetes.io/bootstrapping';
const AGGREGATE_TO = 'rbac.authorization.k8s.io/aggregate-to-';
const API_VERSION = `${RBAC_GROUP}/v1`;

export function roleObject(spec: RoleSpec): JsonObject {
  const { name, namespace, aggregateTo, aggregates, rules } = spec;
  return {
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    apiVersion: API_VERSION,
    metadata: metadata(name, namespace, aggregateTo === undefined ? {} : { [`${AGGREGATE_TO}${aggregateTo}`]: 'true' }),
    rules: aggregates === undefined ? rules.map(ruleObject) : null,
    ...(aggregates === undefined
      ? {}
      : {
          aggregationRule: {
            clusterRoleSelectors: words(aggregates).map((to) => ({
              matchLabels: { [`${AGGREGATE_TO}${to}`]: 'true' },
            })),
          },
        }),
  };
}

export function bindingObject({ name, namespace, role, roleName, subjects }: BindingSpec): JsonObject {
  return {
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    apiVersion: API_VERSION,
    metadata: metadata(name, namespace, {}),
    subjects: subjects.map(subjectObject),
    roleRef: { apiGroup: RBAC_GROUP, kind: role ?? 'ClusterRole', name: roleName ?? name },
  };
}

function metadata(name: string, namespace: string | undefined, labels: Readonly<Record<string, string>>): JsonObject {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { [BOOTSTRAPPING]: 'rbac-defaults', ...labels },
    annotations: { [AUTOUPDATE]: 'true' },
  };
}

function ruleObject(rule: RuleSpec): JsonObject {
  if ('urls' in rule) return { verbs: words(rule.verbs), nonResourceURLs: words(rule.urls) };
  return {
    verbs: words(rule.verbs),
    apiGroups: words(rule.groups).map((group) => (group === 'core' ? '' : group)),
    resources: words(rule.resources),
    ...(rule.names === undefined ? {} : { resourceNames: words(rule.names) }),
  };
}

function subjectObject(text: string): JsonObject {
  const [kind = '', first = '', second = ''] = text.split(' ');
  return kind === 'ServiceAccount'
    ? { kind, name: second, namespace: first }
    : { kind, apiGroup: RBAC_GROUP, name: first };
}

const words = (text: string): string[] => text.split(' ');
