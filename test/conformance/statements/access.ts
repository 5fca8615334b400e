import { rows, type Statement } from './statement.js';

export const roleBinding: readonly Statement[] = [
  ...rows(
    'RoleBinding',
    'rolebinding',
    'create',
    ['is valid with a role', {}, 201],
    ['the name of the role is required', { 'roleRef.name': undefined }, 'roleRef.name'],
    ['the role is a Role or a ClusterRole', { 'roleRef.kind': 'Odd' }, 'roleRef.kind'],
    ['may refer to a role of the cluster', { 'roleRef.kind': 'ClusterRole' }, 201],
    ['subjects are optional', { subjects: undefined }, 201],
    ['a subject has a name', { subjects: [{ kind: 'User', name: '' }] }, 'subjects[0].name'],
  ),
  ...rows(
    'RoleBinding',
    'rolebinding',
    'update',
    ['the role does not change', { 'roleRef.name': 'other' }, 'roleRef'],
    ['the subjects may change', { subjects: [] }, 200],
  ),
];

const VAPB = 'ValidatingAdmissionPolicyBinding';
export const policyBinding: readonly Statement[] = rows(
  VAPB,
  'policybinding',
  'create',
  ['the policy is required', { 'spec.policyName': undefined }, 'spec.policyName'],
  ['actions are required', { 'spec.validationActions': [] }, 'spec.validationActions'],
  ['actions are Deny, Warn and Audit', { 'spec.validationActions': ['Odd'] }, 'spec.validationActions[0]'],
  ['Warn and Audit may be combined', { 'spec.validationActions': ['Audit', 'Warn'] }, 201],
  ['Deny and Warn are not combined', { 'spec.validationActions': ['Deny', 'Warn'] }, 'spec.validationActions'],
  ['an action is named once', { 'spec.validationActions': ['Audit', 'Audit'] }, 'spec.validationActions[1]'],
  ['match resources need no rules', { 'spec.matchResources': { namespaceSelector: { matchLabels: { a: 'b' } } } }, 201],
  ['a parameter has a name or a selector', { 'spec.paramRef': { parameterNotFoundAction: 'Deny' } }, 'spec.paramRef'],
  ['a parameter by name is valid', { 'spec.paramRef': { name: 'p', parameterNotFoundAction: 'Deny' } }, 201],
);
