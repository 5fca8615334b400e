import type { JsonObject } from '../../../pkg/api/index.js';
import { bases, type Changes, changed } from '../resourceobjects.js';
import { post, type Sequence, type Step, sequence, soon } from './sequence.js';

/** What IngressClasses, RuntimeClasses and RoleBindings do to other requests. */

const DEFAULT = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
const ingressClass = (name: string, annotations: JsonObject): Step =>
  post(bases.ingressclass.path, { ...bases.ingressclass.object, metadata: { name, annotations } });
const inSpec = (fields: JsonObject): Changes =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`spec.${name}`, value]));
const ingress = (spec: JsonObject, shown: string | undefined): Step =>
  post(`${bases.ingress.path}?dryRun=All`, changed(bases.ingress.object, inSpec(spec)), {
    shows: { 'spec.ingressClassName': shown },
  });

const runtimeClass = (more: JsonObject): Step =>
  post(bases.runtimeclass.path, { ...bases.runtimeclass.object, ...more });
const pod = (spec: JsonObject, more: Partial<Step> = {}): Step =>
  post(`${bases.pod.path}?dryRun=All`, changed(bases.pod.object, inSpec(spec)), more);
const classed = (spec: JsonObject, more: Partial<Step> = {}): Step =>
  soon(pod({ runtimeClassName: 'rule', ...spec }, more));
const TOLERATION = { key: 'a', operator: 'Exists' };
const DEFAULTS = ['not-ready', 'unreachable'].map((condition) => ({
  key: `node.kubernetes.io/${condition}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

const ROLES = '/apis/rbac.authorization.k8s.io/v1';
const clusterRole: Step = post(`${ROLES}/clusterroles`, {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'rule' },
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
});
const role: Step = post(`${ROLES}/namespaces/rules/roles`, {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'r' },
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
});
const bound: Step = post(bases.rolebinding.path, bases.rolebinding.object);
const review = (attributes: JsonObject, shows: NonNullable<Step['shows']>, subject: JsonObject = { user: 'u' }): Step =>
  post(
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        ...subject,
        resourceAttributes: { namespace: 'rules', verb: 'get', resource: 'configmaps', ...attributes },
      },
    },
    { shows },
  );
const group: JsonObject = { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'g' };

export const clusterBehaviour: readonly Sequence[] = [
  sequence(
    'IngressClass',
    'the default class is assigned to an Ingress that names none',
    ingressClass('rule', DEFAULT),
    soon(ingress({}, 'rule')),
  ),
  sequence(
    'IngressClass',
    'a named class is kept',
    ingressClass('rule', DEFAULT),
    soon(ingress({}, 'rule')),
    ingress({ ingressClassName: 'other' }, 'other'),
  ),
  sequence(
    'IngressClass',
    'a class is the default only if the annotation is true',
    ingressClass('rule', DEFAULT),
    soon(ingress({}, 'rule')),
    ingressClass('other', { 'ingressclass.kubernetes.io/is-default-class': 'yes' }),
    ingress({}, 'rule'),
  ),
  sequence(
    'RuntimeClass',
    'a pod of a class that does not exist is rejected',
    classed({}, { code: 403, message: 'RuntimeClass "rule" not found' }),
  ),
  sequence(
    'RuntimeClass',
    'the overhead of the class is that of its pods',
    runtimeClass({ overhead: { podFixed: { cpu: '250m' } } }),
    classed({}, { shows: { 'spec.overhead': { cpu: '250m' } } }),
    classed({ overhead: { cpu: '1' } }, { code: 403 }),
  ),
  sequence(
    'RuntimeClass',
    'the node selector is merged with that of the pod',
    runtimeClass({ scheduling: { nodeSelector: { a: 'b' } } }),
    classed({ nodeSelector: { c: 'd' } }, { shows: { 'spec.nodeSelector': { a: 'b', c: 'd' } } }),
    classed({ nodeSelector: { a: 'b' } }, { shows: { 'spec.nodeSelector': { a: 'b' } } }),
  ),
  sequence(
    'RuntimeClass',
    'a conflict of node selectors is rejected',
    runtimeClass({ scheduling: { nodeSelector: { a: 'b' } } }),
    classed({ nodeSelector: { a: 'c' } }, { code: 403, message: 'conflict' }),
  ),
  sequence(
    'RuntimeClass',
    'tolerations are appended, each once',
    runtimeClass({ scheduling: { tolerations: [TOLERATION, { key: 'b', operator: 'Exists' }] } }),
    classed(
      { tolerations: [TOLERATION] },
      { shows: { 'spec.tolerations': [TOLERATION, ...DEFAULTS, { key: 'b', operator: 'Exists' }] } },
    ),
  ),
  sequence(
    'RuntimeClass',
    'a class without scheduling changes no pod',
    runtimeClass({}),
    classed(
      {},
      { shows: { 'spec.nodeSelector': undefined, 'spec.tolerations': DEFAULTS, 'spec.overhead': undefined } },
    ),
  ),
  sequence(
    'RoleBinding',
    'grants the role in its namespace',
    role,
    bound,
    soon(review({}, { 'status.allowed': true })),
  ),
  sequence(
    'RoleBinding',
    'has no effect in other namespaces or in the cluster',
    role,
    bound,
    soon(review({}, { 'status.allowed': true })),
    review({ namespace: 'other' }, { 'status.allowed': false }),
    review({ namespace: '' }, { 'status.allowed': false }),
    review({ verb: 'update' }, { 'status.allowed': false }),
  ),
  sequence(
    'RoleBinding',
    'a role that is not found is an error of the authorizer',
    bound,
    soon(
      review(
        {},
        { 'status.allowed': false, 'status.reason': 'rbac: RBAC: role.rbac.authorization.k8s.io "r" not found' },
      ),
    ),
  ),
  sequence(
    'RoleBinding',
    'grants a role of the cluster in its namespace',
    clusterRole,
    post(bases.rolebinding.path, {
      ...bases.rolebinding.object,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'rule' },
    }),
    soon(review({}, { 'status.allowed': true })),
    review({ namespace: 'other' }, { 'status.allowed': false }),
  ),
  sequence(
    'RoleBinding',
    'the subject may be a group',
    role,
    post(bases.rolebinding.path, { ...bases.rolebinding.object, subjects: [group] }),
    soon(review({}, { 'status.allowed': true }, { user: 'x', groups: ['g'] })),
    review({}, { 'status.allowed': false }, { user: 'g' }),
  ),
];
