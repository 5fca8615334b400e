import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isPathSegmentName,
  type Shaped,
  subdomainName,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, listAt, objectAt, objectsAt, textAt } from '../access.js';
import { isInvalidSelector, labelSelector, sentences, shown } from '../rules.js';

/** Validation of roles and role bindings. */

const GROUP = 'rbac.authorization.k8s.io';

export function validateRole(o: Shaped<shapes.RbacV1Role>, errors: FieldErrors): void {
  policyRules(o, true, errors);
}

/** Validates a cluster role. `old` is the one that an update replaces. */
export function validateClusterRole(
  o: Shaped<shapes.RbacV1ClusterRole>,
  errors: FieldErrors,
  old?: Shaped<shapes.RbacV1ClusterRole>,
): void {
  policyRules(o, false, errors);
  const aggregation = at(o, 'aggregationRule');
  if (aggregation === undefined) return;
  const path = FieldPath.in<shapes.RbacV1ClusterRole>().child('aggregationRule', 'clusterRoleSelectors');
  const selectors = objectsAt(aggregation, 'clusterRoleSelectors');
  if (selectors.length === 0)
    errors.required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil');
  const checkValues = !objectsAt(old, 'aggregationRule', 'clusterRoleSelectors').some(isInvalidSelector);
  errors.each(selectors, (selector, i) => {
    errors.judge(
      () => labelSelector(selector, path.index(i), errors, checkValues),
      (invalid) => {
        if (invalid) errors.invalid(path.index(i), null, 'invalid label selector.');
      },
    );
  });
}

function policyRules(
  o: Shaped<shapes.RbacV1ClusterRole | shapes.RbacV1Role>,
  namespaced: boolean,
  errors: FieldErrors,
): void {
  const path = FieldPath.in<shapes.RbacV1ClusterRole | shapes.RbacV1Role>().child('rules');
  errors.each(objectsAt(o, 'rules'), (rule, i) => policyRule(rule, namespaced, path.index(i), errors));
}

function policyRule(
  rule: Shaped<shapes.RbacV1PolicyRule>,
  namespaced: boolean,
  path: FieldPath<shapes.RbacV1PolicyRule>,
  errors: FieldErrors,
): void {
  if (listAt(rule, 'verbs').length === 0) errors.required(path.child('verbs'), 'verbs must contain at least one value');
  const urls = listAt(rule, 'nonResourceURLs');
  if (urls.length > 0) {
    const here = path.child('nonResourceURLs');
    if (namespaced) errors.invalid(here, urls, 'namespaced rules cannot apply to non-resource URLs');
    if ((['apiGroups', 'resources', 'resourceNames'] as const).some((f) => listAt(rule, f).length > 0))
      errors.invalid(here, urls, 'rules cannot apply to both regular resources and non-resource URLs');
    return;
  }
  if (listAt(rule, 'apiGroups').length === 0)
    errors.required(path.child('apiGroups'), 'resource rules must supply at least one api group');
  if (listAt(rule, 'resources').length === 0)
    errors.required(path.child('resources'), 'resource rules must supply at least one resource');
}

/** `roles` lists the kinds of role that may be bound. */
export function validateBinding(
  roles: readonly string[],
  namespaced: boolean,
): (o: Shaped<shapes.RbacV1ClusterRoleBinding | shapes.RbacV1RoleBinding>, errors: FieldErrors) => void {
  return (o, errors) => {
    const path = FieldPath.of('roleRef');
    const ref = objectAt(o, 'roleRef');
    const group = textAt(ref, 'apiGroup');
    if (group !== GROUP) errors.notSupportedText(path.child('apiGroup'), group, [GROUP]);
    const kind = textAt(ref, 'kind');
    if (!roles.includes(kind)) errors.notSupportedText(path.child('kind'), kind, roles);
    const name = textAt(ref, 'name');
    if (name === '') errors.required(path.child('name'));
    else sentences(name, isPathSegmentName, path.child('name'), errors);
    errors.each(objectsAt(o, 'subjects'), (s, i) => subject(s, namespaced, FieldPath.of('subjects').index(i), errors));
  };
}

function subject(s: Shaped<shapes.RbacV1Subject>, namespaced: boolean, path: FieldPath, errors: FieldErrors): void {
  const name = textAt(s, 'name');
  const group = textAt(s, 'apiGroup');
  if (name === '') errors.required(path.child('name'));
  switch (textAt(s, 'kind')) {
    case 'ServiceAccount':
      if (name !== '') for (const text of subdomainName(name, false)) errors.invalid(path.child('name'), name, text);
      if (group !== '') errors.notSupportedText(path.child('apiGroup'), group, ['']);
      if (!namespaced && textAt(s, 'namespace') === '') errors.required(path.child('namespace'));
      break;
    case 'User':
    case 'Group':
      if (group !== GROUP) errors.notSupportedText(path.child('apiGroup'), group, [GROUP]);
      break;
    default:
      errors.notSupportedText(path.child('kind'), textAt(s, 'kind'), ['ServiceAccount', 'User', 'Group']);
  }
}

/** The role reference of a binding is immutable. */
export function sameRole(
  o: Shaped<shapes.RbacV1ClusterRoleBinding | shapes.RbacV1RoleBinding>,
  old: Shaped<shapes.RbacV1ClusterRoleBinding | shapes.RbacV1RoleBinding>,
  errors: FieldErrors,
): void {
  if (!equalJson(at(o, 'roleRef') ?? null, at(old, 'roleRef') ?? null))
    errors.invalid(
      FieldPath.in<shapes.RbacV1ClusterRoleBinding | shapes.RbacV1RoleBinding>().child('roleRef'),
      shown('rbac/v1.RoleRef', objectAt(o, 'roleRef')),
      'field is immutable',
    );
}
