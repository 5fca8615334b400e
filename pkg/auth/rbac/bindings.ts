import { type JsonObject, objectAt, objectsAt, textAt } from '../../api/index.js';
import type { AuthObjects, FollowedChange } from '../objects.js';
import type { UserInfo } from '../user.js';
import { type PolicyRule, rulesOf } from './rules.js';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

const ROLES = { group: RBAC_GROUP, resource: 'roles' } as const;
const CLUSTER_ROLES = { group: RBAC_GROUP, resource: 'clusterroles' } as const;
const ROLE_BINDINGS = { group: RBAC_GROUP, resource: 'rolebindings' } as const;
const CLUSTER_ROLE_BINDINGS = { group: RBAC_GROUP, resource: 'clusterrolebindings' } as const;

/** A binding that applies to a user, with the rules of its role. */
export interface Grant {
  /** '' for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly binding: string;
  readonly role: RoleReference;
  /** The subject by which the binding applies: `User "jane"`. */
  readonly subject: string;
  readonly rules: readonly PolicyRule[];
  /** Why there are no rules: the role does not exist. */
  readonly problem: string | undefined;
  /** Returns the reason of a decision that the grant allows. */
  readonly reason: string;
}

export interface RoleReference {
  readonly kind: 'Role' | 'ClusterRole';
  /** '' for a ClusterRole. */
  readonly namespace: string;
  readonly name: string;
}

interface Binding {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly role: RoleReference;
  readonly subjects: readonly Subject[];
}

interface Subject {
  /** The key of a subject: the name of a user or a group. */
  readonly of: 'users' | 'groups';
  readonly name: string;
  readonly text: string;
}

/** The subjects of the bindings of one namespace, or of the cluster, by name. */
interface Scope {
  readonly users: Map<string, SubjectGrants>;
  readonly groups: Map<string, SubjectGrants>;
}

/** The grants of one subject in one scope. */
class SubjectGrants {
  /** By key of the binding. */
  readonly bindings = new Map<string, { readonly binding: Binding; readonly subject: Subject }>();
  /** Computed from the bindings and their roles on first use; dropped when any of them changes. */
  grants: readonly Grant[] | undefined;
  /** The rules of `grants` by their resources, including `*`. */
  byResource: ReadonlyMap<string, readonly GrantedRule[]> | undefined;
  problems: readonly string[] = [];
}

export interface GrantedRule {
  readonly grant: Grant;
  readonly rule: PolicyRule;
}

/**
 * Roles and bindings, indexed by subject: a decision examines only the bindings of the user and the user's groups, in
 * the whole cluster and in one namespace. The index is updated as this peer applies changes, and caches nothing else.
 */
export class RbacIndex {
  /** By namespace; '' for the cluster. */
  readonly #scopes = new Map<string, Scope>();
  readonly #bindings = new Map<string, Binding>();
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  /** Role key -> keys of the bindings that refer to it. */
  readonly #references = new Map<string, Set<string>>();
  readonly #stop: () => void;

  constructor(objects: AuthObjects) {
    this.#stop = objects.follow([ROLES, CLUSTER_ROLES, ROLE_BINDINGS, CLUSTER_ROLE_BINDINGS], (change) =>
      this.#changed(change),
    );
  }

  close(): void {
    this.#stop();
  }

  /** Returns the grants of the user in a scope, cluster-wide ones first. `namespace` '' returns only those. */
  subjects(user: UserInfo, namespace: string): readonly SubjectView[] {
    const found: SubjectView[] = [];
    this.#collect(user, '', found);
    if (namespace !== '') this.#collect(user, namespace, found);
    return found;
  }

  #collect({ name, groups }: UserInfo, namespace: string, found: SubjectView[]): void {
    const scope = this.#scopes.get(namespace);
    if (scope === undefined) return;
    const own = scope.users.get(name);
    if (own !== undefined) found.push(this.#viewOf(own));
    for (const group of groups) {
      const of = scope.groups.get(group);
      if (of !== undefined) found.push(this.#viewOf(of));
    }
  }

  /** The grants of the user in the order in which kube-apiserver visits them, each binding once. */
  grants(user: UserInfo, namespace: string): readonly Grant[] {
    const seen = new Set<string>();
    const found: Grant[] = [];
    for (const { grants } of this.subjects(user, namespace))
      for (const grant of grants) {
        const key = bindingKey(grant.namespace, grant.binding);
        if (seen.has(key)) continue;
        seen.add(key);
        found.push(grant);
      }
    return found;
  }

  /** The rules of a role; undefined when it does not exist. */
  rules(role: RoleReference): readonly PolicyRule[] | undefined {
    return this.#roles.get(roleKey(role));
  }

  #viewOf(subject: SubjectGrants): SubjectView {
    if (subject.grants === undefined || subject.byResource === undefined) {
      const grants = [...subject.bindings.values()].map(({ binding, subject: s }) => this.#grantOf(binding, s));
      subject.grants = grants;
      subject.byResource = rulesByResource(grants);
      subject.problems = [...new Set(grants.flatMap(({ problem }) => problem ?? []))];
    }
    return subject as SubjectView;
  }

  #grantOf(binding: Binding, subject: Subject): Grant {
    const { namespace, name, role } = binding;
    const rules = this.rules(role);
    return {
      namespace,
      binding: name,
      role,
      subject: subject.text,
      reason: `RBAC: allowed by ${describe(binding, subject.text)}`,
      rules: rules ?? [],
      problem:
        rules === undefined
          ? `${role.kind.toLowerCase()}.${RBAC_GROUP} ${JSON.stringify(role.name)} not found`
          : undefined,
    };
  }

  #changed({ resource, namespace, name, object }: FollowedChange): void {
    switch (resource.resource) {
      case 'roles':
      case 'clusterroles':
        this.#roleChanged({ kind: resource.resource === 'roles' ? 'Role' : 'ClusterRole', namespace, name }, object);
        break;
      default:
        this.#bindingChanged(namespace, name, object);
    }
  }

  #roleChanged(role: RoleReference, object: JsonObject | undefined): void {
    const key = roleKey(role);
    if (object === undefined) this.#roles.delete(key);
    else this.#roles.set(key, rulesOf(object));
    for (const bound of this.#references.get(key) ?? []) {
      const binding = this.#bindings.get(bound);
      if (binding !== undefined) this.#forgetGrants(binding);
    }
  }

  #bindingChanged(namespace: string, name: string, object: JsonObject | undefined): void {
    const key = bindingKey(namespace, name);
    const old = this.#bindings.get(key);
    if (old !== undefined) this.#remove(old);
    if (object !== undefined) this.#add(bindingOf(namespace, name, object));
  }

  #add(binding: Binding): void {
    this.#bindings.set(binding.key, binding);
    const role = roleKey(binding.role);
    const references = this.#references.get(role);
    if (references === undefined) this.#references.set(role, new Set([binding.key]));
    else references.add(binding.key);
    let scope = this.#scopes.get(binding.namespace);
    if (scope === undefined) {
      scope = { users: new Map(), groups: new Map() };
      this.#scopes.set(binding.namespace, scope);
    }
    for (const subject of binding.subjects) {
      let of = scope[subject.of].get(subject.name);
      if (of === undefined) {
        of = new SubjectGrants();
        scope[subject.of].set(subject.name, of);
      }
      if (!of.bindings.has(binding.key)) of.bindings.set(binding.key, { binding, subject });
      of.grants = undefined;
      of.byResource = undefined;
    }
  }

  #remove(binding: Binding): void {
    this.#bindings.delete(binding.key);
    const role = roleKey(binding.role);
    const references = this.#references.get(role);
    references?.delete(binding.key);
    if (references?.size === 0) this.#references.delete(role);
    const scope = this.#scopes.get(binding.namespace);
    for (const subject of binding.subjects) {
      const of = scope?.[subject.of].get(subject.name);
      if (of === undefined) continue;
      of.bindings.delete(binding.key);
      of.grants = undefined;
      of.byResource = undefined;
      if (of.bindings.size === 0) scope?.[subject.of].delete(subject.name);
    }
    if (scope?.users.size === 0 && scope.groups.size === 0) this.#scopes.delete(binding.namespace);
  }

  #forgetGrants(binding: Binding): void {
    const scope = this.#scopes.get(binding.namespace);
    for (const subject of binding.subjects) {
      const of = scope?.[subject.of].get(subject.name);
      if (of === undefined) continue;
      of.grants = undefined;
      of.byResource = undefined;
    }
  }
}

/** The grants of one subject in one scope. */
export interface SubjectView {
  readonly grants: readonly Grant[];
  readonly byResource: ReadonlyMap<string, readonly GrantedRule[]>;
  /** Roles in bindings that do not exist, without duplicates. */
  readonly problems: readonly string[];
}

/** The key of rules for non-resource URLs, which is not the name of a resource. */
export const PATHS_KEY = '/';

function rulesByResource(grants: readonly Grant[]): ReadonlyMap<string, readonly GrantedRule[]> {
  const found = new Map<string, GrantedRule[]>();
  const add = (key: string, of: GrantedRule): void => {
    const list = found.get(key);
    if (list === undefined) found.set(key, [of]);
    else list.push(of);
  };
  for (const grant of grants)
    for (const rule of grant.rules) {
      for (const resource of new Set(rule.resources)) add(resource, { grant, rule });
      if (rule.nonResourceURLs.length > 0) add(PATHS_KEY, { grant, rule });
    }
  return found;
}

const bindingKey = (namespace: string, name: string): string => `${namespace}/${name}`;
const roleKey = ({ kind, namespace, name }: RoleReference): string => `${kind}/${namespace}/${name}`;

function bindingOf(namespace: string, name: string, object: JsonObject): Binding {
  const ref = objectAt(object, 'roleRef');
  const kind = textAt(ref, 'kind') === 'Role' ? 'Role' : 'ClusterRole';
  return {
    key: bindingKey(namespace, name),
    namespace,
    name,
    role: { kind, namespace: kind === 'Role' ? namespace : '', name: textAt(ref, 'name') },
    subjects: objectsAt(object, 'subjects').flatMap((s) => subjectOf(s, namespace)),
  };
}

function subjectOf(subject: JsonObject, bindingNamespace: string): readonly Subject[] {
  const kind = textAt(subject, 'kind');
  const name = textAt(subject, 'name');
  switch (kind) {
    case 'User':
      return [{ of: 'users', name, text: `${kind} ${JSON.stringify(name)}` }];
    case 'Group':
      return [{ of: 'groups', name, text: `${kind} ${JSON.stringify(name)}` }];
    case 'ServiceAccount': {
      const own = textAt(subject, 'namespace');
      const namespace = own === '' ? bindingNamespace : own;
      if (namespace === '') return [];
      return [
        {
          of: 'users',
          name: `system:serviceaccount:${namespace}:${name}`,
          text: `${kind} ${JSON.stringify(`${name}/${namespace}`)}`,
        },
      ];
    }
    default:
      return [];
  }
}

/** Names of a binding, its role and the subject by which it applies. */
function describe({ namespace, name, role }: Binding, subject: string): string {
  const bound =
    namespace === ''
      ? `ClusterRoleBinding ${JSON.stringify(name)}`
      : `RoleBinding ${JSON.stringify(`${name}/${namespace}`)}`;
  return `${bound} of ${role.kind} ${JSON.stringify(role.name)} to ${subject}`;
}
