import type { JsonObject, JsonValue } from '../../../pkg/api/index.js';
import { bases } from '../resourceobjects.js';
import { type Expected, get, post, type Sequence, type Step, sequence, soon } from './sequence.js';

/** What a ValidatingAdmissionPolicyBinding does to requests. */

const VAPB = 'ValidatingAdmissionPolicyBinding';
const GROUP = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/rules/configmaps';
/**
 * Stands for the name of the config maps of one statement: its policy takes effect soon, and the one before it may still be in
 * force.
 */
const NAME = 'name-of-the-statement';
const map = (data: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: NAME },
  data,
});

/** A policy of the config maps of the statement: nothing else in the cluster is affected. */
export const policy = (spec: JsonObject, name = 'rule'): Step =>
  post(`${GROUP}/validatingadmissionpolicies`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
      matchConditions: [{ name: 'case', expression: `object.metadata.name == '${NAME}'` }],
      ...spec,
    },
  });
export const binding = (actions: readonly string[], spec: JsonObject = {}, name = 'rule'): Step =>
  post(`${GROUP}/validatingadmissionpolicybindings`, {
    ...bases.policybinding.object,
    metadata: { name },
    spec: { policyName: 'rule', validationActions: [...actions], ...spec },
  });

export const create = (value: string, expected: Partial<Expected> = {}): Step =>
  post(`${MAPS}?dryRun=All`, map({ case: value }), expected);
/** The request that shows that the policy is in force. */
export const inForce = (expected: Partial<Expected> = { code: 422 }): Step => soon(create('bad', expected));

export const NOT_BAD = { expression: "object.data['case'] != 'bad'", message: 'it is bad' };
const FAILING = { expression: "object.data['case'] == 'bad' || object.data['absent'] == 'x'" };
/** Refuses what is bad, and fails for everything else. */
const FAILS: JsonValue[] = [NOT_BAD, FAILING];
const REFUSED = "ValidatingAdmissionPolicy 'rule' with binding 'rule' denied request: it is bad";
const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
const byParam: JsonObject = {
  paramKind,
  validations: [{ expression: "object.data['case'] != params.data['refused']", message: 'it is refused' }],
};

/** A statement with its own config maps. */
export function ofPolicy(section: string, text: string, ...steps: readonly Step[]): Sequence {
  const name = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return sequence(
    section,
    text,
    ...steps.map((step) => JSON.parse(JSON.stringify(step).replaceAll(NAME, name)) as Step),
  );
}

/**
 * A parameter. Its kind is that of one statement only: kube-apiserver finds no parameters of a kind again after all policies with
 * that kind were deleted.
 */
const account = (name: string, refused: string): Step =>
  post('/api/v1/namespaces/rules/serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, labels: { param: 'yes' }, annotations: { refused } },
  });

export const policies: readonly Sequence[] = [
  ofPolicy(
    VAPB,
    'Deny denies the request',
    policy({ validations: [NOT_BAD] }),
    binding(['Deny']),
    inForce({ code: 422, message: REFUSED }),
    create('good', { warning: '' }),
  ),
  ofPolicy(
    VAPB,
    'Warn tells the failure in a header of code 299',
    policy({ validations: [NOT_BAD] }),
    binding(['Warn']),
    inForce({
      code: 201,
      warning: "299 - \"Validation failed for ValidatingAdmissionPolicy 'rule' with binding 'rule': it is bad\"",
    }),
    create('good', { warning: '' }),
  ),
  ofPolicy(
    VAPB,
    'Warn tells it with a denied request too',
    policy({ validations: [NOT_BAD] }),
    binding(['Deny'], {}, 'deny'),
    binding(['Warn'], {}, 'warn'),
    inForce({ code: 422, warning: "with binding 'warn': it is bad" }),
  ),
  ofPolicy(
    VAPB,
    'Audit alone does not change the response',
    policy({ validations: [NOT_BAD, { expression: "object.data['case'] != 'marked'" }] }),
    policy({ validations: [{ expression: "object.data['case'] != 'marked'" }] }, 'marker'),
    binding(['Audit']),
    binding(['Deny'], { policyName: 'marker' }, 'marker'),
    soon(create('marked', { code: 422 })),
    create('bad', { warning: '' }),
  ),
  ofPolicy(
    VAPB,
    'an error counts with the failure policy Fail',
    policy({ failurePolicy: 'Fail', validations: FAILS }),
    binding(['Deny']),
    inForce(),
    create('good', {
      code: 422,
      message:
        "expression 'object.data['case'] == 'bad' || object.data['absent'] == 'x'' resulted in error: no such key: absent",
    }),
  ),
  ofPolicy(
    VAPB,
    'an error is ignored with the failure policy Ignore',
    policy({ failurePolicy: 'Ignore', validations: FAILS }),
    binding(['Deny']),
    inForce(),
    create('good', { warning: '' }),
  ),
  ofPolicy(
    VAPB,
    'an error has the actions of the binding',
    policy({ failurePolicy: 'Fail', validations: FAILS }),
    binding(['Warn']),
    inForce({ code: 201, warning: 'it is bad' }),
    create('good', { warning: 'no such key: absent' }),
  ),
  ofPolicy(
    VAPB,
    'a binding without its policy is ignored',
    policy({ validations: [NOT_BAD] }),
    binding(['Deny'], { policyName: 'absent' }, 'absent'),
    binding(['Deny']),
    inForce(),
    create('good', { warning: '' }),
  ),
  ofPolicy(
    VAPB,
    'a missing parameter is a failure of the policy',
    policy({ ...byParam, failurePolicy: 'Fail' }),
    binding(['Deny'], { paramRef: { name: 'absent', parameterNotFoundAction: 'Deny' } }),
    inForce({ code: 422, message: 'no params found for policy binding with `Deny` parameterNotFoundAction' }),
  ),
  ofPolicy(
    VAPB,
    'a missing parameter is ignored with the failure policy Ignore',
    policy({ ...byParam, failurePolicy: 'Ignore' }),
    policy({ validations: [NOT_BAD] }, 'marker'),
    binding(['Deny'], { paramRef: { name: 'absent', parameterNotFoundAction: 'Deny' } }),
    binding(['Deny'], { policyName: 'marker' }, 'marker'),
    inForce(),
    create('good', { warning: '' }),
  ),
  ofPolicy(
    VAPB,
    'a missing parameter may be allowed',
    policy({ ...byParam, failurePolicy: 'Fail' }),
    policy({ validations: [NOT_BAD] }, 'marker'),
    binding(['Deny'], { paramRef: { name: 'absent', parameterNotFoundAction: 'Allow' } }),
    binding(['Deny'], { policyName: 'marker' }, 'marker'),
    inForce(),
    create('good', { warning: '' }),
  ),
  ofPolicy(
    VAPB,
    'a parameter is ignored by a policy without a kind of parameters',
    policy({ validations: [NOT_BAD] }),
    binding(['Deny'], { paramRef: { name: 'absent', parameterNotFoundAction: 'Deny' } }),
    inForce({ code: 422, message: REFUSED }),
    create('good'),
  ),
  ofPolicy(
    VAPB,
    'the policy is evaluated for each parameter that is selected',
    account('one', 'bad'),
    account('two', 'worse'),
    policy({
      paramKind: { apiVersion: 'v1', kind: 'ServiceAccount' },
      validations: [
        { expression: "object.data['case'] != params.metadata.annotations['refused']", message: 'it is refused' },
      ],
    }),
    binding(['Deny'], { paramRef: { selector: { matchLabels: { param: 'yes' } }, parameterNotFoundAction: 'Deny' } }),
    inForce({ code: 422, message: 'it is refused' }),
    soon(create('worse', { code: 422, message: 'it is refused' })),
    soon(create('good')),
  ),
  ofPolicy(
    VAPB,
    'an evaluation over the budget is an error',
    policy({
      failurePolicy: 'Fail',
      validations: [NOT_BAD, { expression: `object.data['case'] == 'bad' || ${costly(8)}` }],
    }),
    binding(['Deny']),
    inForce(),
    create('good', { code: 422, message: 'cost limit exceeded' }),
  ),
  ofPolicy(
    VAPB,
    'its match resources narrow those of the policy',
    policy({ validations: [NOT_BAD] }),
    binding(['Deny'], { matchResources: { objectSelector: { matchLabels: { app: 'web' } } } }),
    soon(
      post(
        `${MAPS}?dryRun=All`,
        { ...map({ case: 'bad' }), metadata: { name: NAME, labels: { app: 'web' } } },
        { code: 422 },
      ),
    ),
    create('bad', { warning: '' }),
  ),
  ofPolicy(
    VAPB,
    // The validation of an object without data would be an error.
    'its match resources do not widen those of the policy',
    policy({ validations: [NOT_BAD] }),
    binding(['Deny'], {
      matchResources: {
        resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
      },
    }),
    inForce(),
    post('/api/v1/namespaces/rules/secrets?dryRun=All', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: NAME },
    }),
  ),
  ofPolicy(
    VAPB,
    'is shown with what was given',
    binding(['Audit', 'Warn'], { paramRef: { name: 'p', parameterNotFoundAction: 'Deny' } }),
    get(`${GROUP}/validatingadmissionpolicybindings/rule`, {
      shows: { 'spec.validationActions': ['Audit', 'Warn'], 'spec.paramRef.name': 'p' },
    }),
  ),
];

/** An expression that is true, and costs about ten to the power of `depth`. */
function costly(depth: number): string {
  const list = '[0,1,2,3,4,5,6,7,8,9]';
  return Array.from({ length: depth }, (_, i) => i).reduce((inner, i) => `${list}.all(v${i}, ${inner})`, 'true');
}
