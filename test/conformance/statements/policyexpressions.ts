import { binding, create, inForce, NOT_BAD, ofPolicy, policy } from './policies.js';
import type { Sequence } from './sequence.js';

/** The variables and the authorizer of expressions in admission policies (specification document 3). */

const POLICY = 'Policy expressions';
/** The expression is true for a create that the policy does not refuse otherwise. */
const holds = (text: string, expression: string): Sequence =>
  ofPolicy(
    POLICY,
    text,
    policy({ failurePolicy: 'Fail', validations: [NOT_BAD, { expression }] }),
    binding(['Deny']),
    inForce(),
    create('good'),
  );
/** The expression is false for such a create; an error would be ignored. */
const fails = (text: string, expression: string): Sequence =>
  ofPolicy(
    POLICY,
    text,
    policy({ failurePolicy: 'Ignore', validations: [NOT_BAD, { expression, message: 'it is not so' }] }),
    binding(['Deny']),
    inForce(),
    create('good', { code: 422, message: 'it is not so' }),
  );
const refused = (text: string, expression: string): Sequence =>
  ofPolicy(POLICY, text, {
    ...policy({ validations: [{ expression }] }),
    code: 422,
    field: 'spec.validations[0].expression',
  });

const MAPS = "group('').resource('configmaps')";
const NOBODY = "authorizer.serviceAccount('rules', 'nobody')";

export const policyExpressions: readonly Sequence[] = [
  holds('a check of a resource', `authorizer.${MAPS}.check('create').allowed()`),
  holds(
    'a check of a subresource, a namespace and a name',
    `authorizer.${MAPS}.subresource('status').namespace('rules').name('rule').check('update').allowed()`,
  ),
  holds('a decision has a reason', `authorizer.${MAPS}.check('create').reason() == ''`),
  holds('a check of a path', "authorizer.path('/healthz').check('get').allowed()"),
  holds('a check of the resource of the request', "authorizer.requestResource.check('create').allowed()"),
  fails('a check of a service account', `${NOBODY}.${MAPS}.namespace('rules').check('create').allowed()`),
  fails('a check of a path for a service account', `${NOBODY}.path('/metrics').check('get').allowed()`),
  fails(
    'a check with selectors',
    `${NOBODY}.group('').resource('pods').fieldSelector('spec.nodeName=n').labelSelector('a=b').check('list').allowed()`,
  ),
  holds(
    'the request is typed',
    "request.operation == 'CREATE' && request.resource.resource == 'configmaps' && request.namespace == 'rules' && request.dryRun",
  ),
  refused('a field that the request does not have', "request.odd == 'x'"),
  holds('the object is dynamic, and has guards its fields', "!has(object.spec) && object.kind == 'ConfigMap'"),
  holds('there is no old object of a create', 'oldObject == null'),
  holds('the namespace of the object', "namespaceObject.metadata.name == 'rules'"),
  refused('parameters of a policy that has none', "params.data['a'] == 'b'"),
  refused('self is of custom resources', "self.data['a'] == 'b'"),
  refused('an expression is boolean', "'a'"),
  ofPolicy(
    POLICY,
    'variables are evaluated before the validations',
    policy({
      failurePolicy: 'Fail',
      variables: [
        { name: 'given', expression: "object.data['case']" },
        { name: 'bad', expression: "variables.given == 'bad'" },
      ],
      validations: [{ expression: '!variables.bad', messageExpression: "'not ' + variables.given" }],
    }),
    binding(['Deny']),
    inForce({ code: 422, message: 'not bad' }),
    create('good'),
  ),
];
