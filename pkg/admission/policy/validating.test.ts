import { describe, expect, it } from 'vitest';
import { type AdmissionRequest, ApiError, type JsonObject } from '../../api/index.js';
import type { Pace } from '../../cel/index.js';
import { admissionRequest, storedObjects } from '../testing.js';
import { PolicyMetrics } from './metrics.js';
import { validatingPolicyStep } from './validating.js';

/** A budget that never interrupts. */
const UNHURRIED: Pace = { spent: () => false, yield: () => Promise.resolve() };

const GROUP = 'admissionregistration.k8s.io';

const matchConstraints: JsonObject = {
  matchPolicy: 'Equivalent',
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'], scope: '*' },
  ],
};

const policy = (name: string, spec: JsonObject): JsonObject => ({
  metadata: { name, uid: name, resourceVersion: '1' },
  spec: { failurePolicy: 'Fail', matchConstraints, ...spec },
});

const binding = (policyName: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: `${policyName}-binding` },
  spec: { policyName, validationActions: ['Deny'], ...spec },
});

const NAMESPACE: JsonObject = { metadata: { name: 'default', labels: { tier: 'gold' } } };

function request(data: JsonObject = {}): AdmissionRequest & { readonly annotations: ReadonlyMap<string, string> } {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data };
  return admissionRequest('configmaps', { name: 'a', namespace: 'default', object });
}

interface Stored {
  readonly policies: readonly JsonObject[];
  readonly bindings?: readonly JsonObject[];
  readonly others?: Readonly<Record<string, readonly JsonObject[]>>;
}

/** A clock that moves one millisecond at each reading. */
function ticking() {
  let now = 0;
  return { monotonic: () => now++ };
}

async function decide(
  { policies, bindings, others }: Stored,
  asked: AdmissionRequest,
  metrics = new PolicyMetrics(ticking()),
): Promise<string> {
  const objects = storedObjects({
    [`${GROUP}/validatingadmissionpolicies`]: policies,
    [`${GROUP}/validatingadmissionpolicybindings`]:
      bindings ?? policies.map((p) => binding((p['metadata'] as JsonObject)['name'] as string)),
    namespaces: [NAMESPACE],
    ...others,
  });
  const authorize = async (user: { readonly name: string }) => ({
    allowed: user.name === 'root',
    reason: '',
    error: undefined,
  });
  const step = validatingPolicyStep({ objects, pace: UNHURRIED, authorize }, metrics);
  try {
    await step.validate?.(asked);
    return 'admitted';
  } catch (error) {
    if (error instanceof ApiError) return `${error.status.code} ${error.message.split('denied request: ')[1]}`;
    throw error;
  }
}

const one = (validation: JsonObject, spec: JsonObject = {}) => ({
  policies: [policy('p', { validations: [validation], ...spec })],
});

describe('a validating policy', () => {
  it('denies a request that fails a validation, with the result of messageExpression', async () => {
    const stored = one({ expression: "object.data.a != '1'", messageExpression: "'a is ' + object.data.a" });
    expect(await decide(stored, request({ a: '1' }))).toBe('422 a is 1');
    expect(await decide(stored, request({ a: '2' }))).toBe('admitted');
  });

  it('falls back to the message, and from it to the expression', async () => {
    const validation = { expression: ' false ', messageExpression: 'object.data.nope' };
    expect(await decide(one({ ...validation, message: ' static ' }), request())).toBe('422 static');
    expect(await decide(one(validation), request())).toBe('422 failed expression: false');
  });

  it('denies on an error only with failurePolicy Fail', async () => {
    const validation = { expression: 'object.data.nope == 1' };
    expect(await decide(one(validation), request())).toContain('resulted in error: no such key: nope');
    expect(await decide(one(validation, { failurePolicy: 'Ignore' }), request())).toBe('admitted');
  });

  it('evaluates variables when they are read', async () => {
    const variables = [
      { name: 'bad', expression: 'object.data.nope' },
      { name: 'n', expression: 'int(object.data.a)' },
    ];
    const stored = one({ expression: "variables.n < 3 || variables.bad == ''" }, { variables });
    expect(await decide(stored, request({ a: '2' }))).toBe('admitted');
    expect(await decide(stored, request({ a: '4' }))).toContain('composited variable "bad" fails to evaluate');
  });

  it('reads its parameters, and denies if they are missing', async () => {
    const stored = {
      ...one(
        { expression: 'int(object.data.n) <= int(params.data.max)' },
        { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
      ),
      bindings: [binding('p', { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } })],
    };
    expect(await decide(stored, request({ n: '1' }))).toContain('failed to find resource referenced by paramKind');
  });

  it('matches namespaces by their labels', async () => {
    const constraints = (tier: string) => ({
      matchConstraints: { ...matchConstraints, namespaceSelector: { matchLabels: { tier } } },
    });
    expect(await decide(one({ expression: 'false' }, constraints('gold')), request())).toContain('422');
    expect(await decide(one({ expression: 'false' }, constraints('iron')), request())).toBe('admitted');
  });

  it('calls the authorizer for the user', async () => {
    const stored = one({ expression: "authorizer.group('').resource('secrets').check('get').allowed()" });
    expect(await decide(stored, { ...request(), user: { name: 'root', groups: [] } })).toBe('admitted');
    expect(await decide(stored, { ...request(), user: { name: 'jane', groups: [] } })).toContain('422');
  });

  it('does nothing without a binding', async () => {
    expect(await decide({ ...one({ expression: 'false' }), bindings: [] }, request())).toBe('admitted');
  });

  it('records audited failures and annotations', async () => {
    const asked = request({ a: '1' });
    const stored = {
      ...one(
        { expression: 'false', message: 'no' },
        { auditAnnotations: [{ key: 'k', valueExpression: "'v ' + object.data.a" }] },
      ),
      bindings: [binding('p', { validationActions: ['Audit'] })],
    };
    expect(await decide(stored, asked)).toBe('admitted');
    expect(asked.annotations.get('p/k')).toBe('v 1');
    expect(JSON.parse(asked.annotations.get('validation.policy.admission.k8s.io/validation_failure')!)).toEqual([
      { message: 'no', policy: 'p', binding: 'p-binding', expressionIndex: 0, validationActions: ['Audit'] },
    ]);
  });

  it('stops at its budget', async () => {
    const ten = '[0,1,2,3,4,5,6,7,8,9]';
    const loop = `${ten}.all(a, ${ten}.all(b, ${ten}.all(c, ${ten}.all(d, ${ten}.all(e, ${ten}.all(f, a + b >= 0))))))`;
    expect(await decide(one({ expression: loop }), request())).toContain('actual cost limit exceeded');
  });
});

describe('metrics of checks', () => {
  const ERROR = 'int(object.metadata.name) > 0';
  const ANNOTATED = { auditAnnotations: [{ key: 'k', valueExpression: 'string(int(object.metadata.name))' }] };
  it.each<readonly [expressions: readonly string[], spec: JsonObject, actions: string[], counts: JsonObject]>([
    [['true'], {}, ['Deny'], {}],
    [['false', 'true', 'false'], {}, ['Deny'], { 'invalid_error deny': 2 }],
    [['false'], {}, ['Warn', 'Audit'], { 'invalid_error warn': 1, 'invalid_error audit': 1 }],
    [[ERROR], {}, ['Deny'], { 'invalid_error deny': 1 }],
    [[ERROR], { failurePolicy: 'Ignore' }, ['Deny'], { 'invalid_error allow': 1 }],
    [['nonsense'], {}, ['Deny'], { 'compile_error deny': 1 }],
    [['true'], ANNOTATED, ['Deny'], { 'invalid_error deny': 1 }],
    [['true'], { ...ANNOTATED, failurePolicy: 'Ignore' }, ['Deny'], {}],
  ])('count those that failed: %j %j %j', async (expressions, spec, validationActions, counts) => {
    const validations = expressions.map((expression) => ({ expression }));
    const metrics = new PolicyMetrics(ticking());
    const stored = {
      policies: [policy('p', { validations, ...spec })],
      bindings: [binding('p', { validationActions })],
    };
    await decide(stored, request(), metrics);
    const [total, durations] = metrics.families;
    const labelled = ({ values }: ReturnType<NonNullable<typeof total>['get']>, name?: string) =>
      Object.fromEntries(
        values
          .filter(({ metricName }) => metricName === name)
          .map(({ labels, value }) => [`${labels['error_type']} ${labels['enforcement_action']}`, value]),
      );
    expect(labelled(total!.get())).toEqual(counts);
    const check = 'apiserver_validating_admission_policy_check_duration_seconds';
    expect(labelled(durations!.get(), `${check}_count`)).toEqual(counts);
    // One reading of the clock passes in each check.
    const sums = Object.fromEntries(Object.entries(counts).map(([key, n]) => [key, (n as number) / 1000]));
    expect(labelled(durations!.get(), `${check}_sum`)).toEqual(sums);
  });
});

it('metrics of match conditions have their time, and the number of errors', async () => {
  const metrics = new PolicyMetrics(ticking());
  const conditions = (...expressions: string[]) => ({
    matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
  });
  const ERROR = 'int(object.metadata.name) > 0';
  const policies = [
    policy('none', { validations: [{ expression: 'true' }] }),
    policy('true', { validations: [], ...conditions('true') }),
    policy('false', { validations: [], ...conditions('false') }),
    policy('errors', { validations: [], failurePolicy: 'Ignore', ...conditions(ERROR, 'true', ERROR) }),
  ];
  await decide({ policies }, request(), metrics);
  const [errors, times] = metrics.conditions.families.map((family) => family.get());
  const shown = (found: typeof errors, suffix: string) =>
    found!.values
      .filter(({ metricName = found!.name }) => metricName === found!.name + suffix)
      .map(({ labels, value }) => `${Object.values(labels).join(' ')} ${value}`);
  expect(shown(times, '_count')).toEqual(['true', 'false', 'errors'].map((name) => `policy ${name} CREATE validate 1`));
  expect(shown(errors, '')).toEqual(['policy errors CREATE validate 2']);
});
