import {
  type ApiError,
  compareText,
  equalJson,
  errors,
  isPathSegmentName,
  type JsonObject,
  listAt,
  nameOf,
  objectAt,
  textAt,
} from '../../api/index.js';
import type { ResourceAttributes } from '../attributes.js';
import type { Authorizer } from '../authz/authorizer.js';
import { MASTERS, type UserInfo } from '../user.js';
import { aggregate } from './authorizer.js';
import { RBAC_GROUP, type RbacIndex, type RoleReference } from './bindings.js';
import { compactRules, coverageOf, listText, ruleText } from './covers.js';
import { type PolicyRule, rulesOf } from './rules.js';

/** A write of a role or binding, after mutation and before validation. */
export interface GrantingWrite {
  readonly user: UserInfo;
  /** `roles`, `clusterroles`, `rolebindings` or `clusterrolebindings`. */
  readonly resource: string;
  /** '' for cluster-scoped resources. */
  readonly namespace: string;
  /** The name in the path; '' for a create. */
  readonly requestName: string;
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
}

/**
 * Refuses writes of roles and bindings that grant more permissions than the user has. The verb `escalate` on a role, or
 * `bind` on the role that a binding refers to, disables the check; members of `system:masters` are not checked.
 */
export class EscalationCheck {
  readonly #index: RbacIndex;
  readonly #authorizer: Authorizer;

  constructor(index: RbacIndex, authorizer: Authorizer) {
    this.#index = index;
    this.#authorizer = authorizer;
  }

  /** Throws 403 (or 404 if a binding refers to a role that does not exist). */
  async check(write: GrantingWrite): Promise<void> {
    if (write.user.groups.includes(MASTERS)) return;
    if (write.resource === 'roles' || write.resource === 'clusterroles') await this.#checkRole(write);
    else await this.#checkBinding(write);
  }

  async #checkRole(write: GrantingWrite): Promise<void> {
    const { object, old } = write;
    const { resource, requestName: name } = write;
    if (await this.#may(write, 'escalate', { group: RBAC_GROUP, resource, name })) return;
    if (old !== undefined && changesOnlyOwnership(object, old)) return;
    this.#refuseMissing(write, rulesOf(object));
    if (write.resource !== 'clusterroles' || !(aggregates(object) || aggregates(old))) return;
    if (this.#missing(write, EVERYTHING) !== undefined)
      throw refused(write, 'must have cluster-admin privileges to use the aggregationRule');
  }

  async #checkBinding(write: GrantingWrite): Promise<void> {
    const { object, old, namespace } = write;
    if (old !== undefined && changesOnlyOwnership(object, old)) return;
    const ref = objectAt(object, 'roleRef');
    const kind = textAt(ref, 'kind');
    const name = textAt(ref, 'name');
    const isRole = kind === 'Role';
    if (!isRole && kind !== 'ClusterRole')
      throw errors.unexpected(`unsupported role reference kind: ${JSON.stringify(kind)}`);
    // The group is what the reference says, also if validation will refuse it.
    const group = textAt(ref, 'apiGroup');
    if (await this.#may(write, 'bind', { group, resource: isRole ? 'roles' : 'clusterroles', name })) return;
    if (isRole && namespace === '') throw errors.badRequest('Namespace parameter required.');
    if (name === '') throw errors.badRequest('Name parameter required.');
    const [unusable] = isPathSegmentName(name);
    if (unusable !== undefined) throw errors.badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${unusable}`);
    const role: RoleReference = { kind: isRole ? 'Role' : 'ClusterRole', namespace: isRole ? namespace : '', name };
    const rules = this.#index.rules(role);
    if (rules === undefined)
      // As in kube-apiserver, the error names the resource of the request.
      throw errors.notFound({ group: RBAC_GROUP, resource: write.resource }, name);
    this.#refuseMissing(write, rules);
  }

  async #may(
    write: GrantingWrite,
    verb: string,
    role: Pick<ResourceAttributes, 'group' | 'resource' | 'name'>,
  ): Promise<boolean> {
    const decision = await this.#authorizer.authorize(write.user, {
      kind: 'resource',
      verb,
      version: '*',
      subresource: '',
      namespace: write.namespace,
      ...role,
    });
    return decision.kind === 'allow';
  }

  #refuseMissing(write: GrantingWrite, rules: readonly PolicyRule[]): void {
    const why = this.#missing(write, rules);
    if (why !== undefined) throw refused(write, why);
  }

  #missing({ user, namespace, resource }: GrantingWrite, wanted: readonly PolicyRule[]): string | undefined {
    const grants = this.#index.grants(user, namespace);
    const coverage = coverageOf(
      grants.flatMap((g) => g.rules),
      wanted,
    );
    if (coverage.kind === 'covered') return undefined;
    const start = `user ${JSON.stringify(user.name)} (groups=${listText(user.groups)}) is attempting to grant RBAC permissions not currently held:`;
    if (coverage.kind === 'tooMany') return `${start}\nthe rules have too many permissions to compare`;
    const lines = [...new Set(compactRules(coverage.rules).map(ruleText))].sort();
    // In the order in which kube-apiserver lists bindings: those of the cluster, then those of the namespace, by name.
    const lost = grants
      .filter((g) => g.problem !== undefined)
      .sort((a, b) => compareText(a.namespace, b.namespace) || compareText(a.binding, b.binding));
    const problems = [...new Set(lost.map((g) => JSON.stringify(g.role.name)))].map(
      (name) => `${resource}.${RBAC_GROUP} ${name} not found`,
    );
    const suffix = problems.length === 0 ? '' : `; resolution errors: [${aggregate(problems)}]`;
    return `${start}\n${lines.join('\n')}${suffix}`;
  }
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

function refused({ resource, object }: GrantingWrite, why: string): ApiError {
  return errors.forbidden({ group: RBAC_GROUP, resource }, nameOf(object), why);
}

const aggregates = (role: JsonObject | undefined): boolean =>
  listAt(role, 'aggregationRule', 'clusterRoleSelectors').length > 0;

/** Fields of metadata that the garbage collector changes. */
const OWNERSHIP_FIELDS: readonly string[] = ['ownerReferences', 'finalizers', 'selfLink', 'managedFields'];

function changesOnlyOwnership(object: JsonObject, old: JsonObject): boolean {
  return equalJson(withoutOwnership(object), withoutOwnership(old));
}

function withoutOwnership(o: JsonObject): JsonObject {
  const metadata = Object.fromEntries(
    Object.entries(objectAt(o, 'metadata')).filter(([field]) => !OWNERSHIP_FIELDS.includes(field)),
  );
  return { ...o, metadata };
}
