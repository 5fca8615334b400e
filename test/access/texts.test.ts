// Responses of access, as kube-apiserver 1.37.2 gives them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWithFlags, type TestApiServer } from '../../pkg/server/library.js';
import { type Answer, call, eventually } from './client.js';
import { certificateRequest } from './csr.js';

let server: TestApiServer;

function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const { url, cert, key } = server;
  return call({ url, cert, key, path, method, headers, ...(body === undefined ? {} : { body }) });
}

beforeAll(async () => {
  server = await startWithFlags(['--authorization-mode=RBAC', '--controllers=serviceaccount-controller']);
  await eventually(async () =>
    (await send('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200 ? true : undefined,
  );
});
afterAll(async () => {
  await server?.close();
});

describe('a binding by a user who may not bind', () => {
  const RBAC = '/apis/rbac.authorization.k8s.io/v1';
  const bind = (path: string, roleRef: object): Promise<Answer> =>
    send('POST', `${RBAC}/${path}`, { metadata: { name: 'b' }, roleRef }, { 'impersonate-user': 'binder' });

  beforeAll(async () => {
    const resources = ['rolebindings', 'clusterrolebindings'];
    const rules = [{ apiGroups: ['rbac.authorization.k8s.io'], resources, verbs: ['create'] }];
    await send('POST', `${RBAC}/clusterroles`, { metadata: { name: 'binder' }, rules });
    await send('POST', `${RBAC}/clusterrolebindings`, {
      metadata: { name: 'binder' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'binder' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'binder' }],
    });
  });

  it.each([
    ['rolebindings', { kind: 'Robot', name: 'x' }, 500, 'unsupported role reference kind: "Robot"'],
    ['clusterrolebindings', { kind: 'Role', name: 'x' }, 400, 'Namespace parameter required.'],
    ['rolebindings', { kind: 'ClusterRole', name: '' }, 400, 'Name parameter required.'],
    ['rolebindings', { kind: 'ClusterRole', name: 'a/b' }, 400, 'Name parameter invalid: "a/b": may not contain \'/\''],
  ])('in %s to %j gets %d %s', async (resource, roleRef, status, message) => {
    const path = resource === 'rolebindings' ? `namespaces/default/${resource}` : resource;
    const answer = await bind(path, roleRef);
    expect([answer.status, answer.json.message]).toEqual([status, message]);
    if (status === 500) expect(answer.json).not.toHaveProperty('reason');
  });
});

describe('a token request', () => {
  const PATH = '/api/v1/namespaces/default/serviceaccounts/default/token';
  const WEBHOOK = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', name: 'w' };
  const GROUPS = 'spec.attestations[admissionReviewAPIGroups]';

  it.each([
    [
      {},
      'spec.attestations: Invalid value: null: webhook bound requests require exactly one admissionReviewAPIGroups attestation',
    ],
    [
      { other: ['x'] },
      'spec.attestations[other]: Unsupported value: "other": supported values: "admissionReviewAPIGroups"',
    ],
    [{ admissionReviewAPIGroups: [] }, `${GROUPS}: Invalid value: `],
    [{ admissionReviewAPIGroups: [''] }, `${GROUPS}[0]: Invalid value: "": may not be an empty string`],
    [{ admissionReviewAPIGroups: ['A'] }, `${GROUPS}[0]: Invalid value: "A": must specify a valid API Group: `],
  ])('for a webhook with attestations %j is refused', async (attestations, message) => {
    const answer = await send('POST', PATH, { spec: { boundObjectRef: WEBHOOK, attestations } });
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain(message);
  });

  it('for a webhook needs a gate', async () => {
    const attestations = { admissionReviewAPIGroups: ['*'] };
    const answer = await send('POST', PATH, { spec: { boundObjectRef: WEBHOOK, attestations } });
    expect([answer.status, answer.json.message]).toEqual([
      400,
      'cannot bind token to object of type admissionregistration.k8s.io/v1, Kind=ValidatingWebhookConfiguration (feature gate APIServerWebhookAuthenticationToken is disabled)',
    ]);
  });

  it('without a webhook has no attestations', async () => {
    const answer = await send('POST', PATH, { spec: { attestations: { a: ['b'] }, expirationSeconds: 1 } });
    expect(answer.json.details.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: {"a":["b"]}: attestations may only be specified with a webhook bound object reference',
        field: 'spec.attestations',
      },
    ]);
  });
});

it('metadata in a review of a namespace is refused, except for the namespace', async () => {
  const spec = { user: 'x', resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } };
  const path = '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews';
  const answer = await send('POST', path, { metadata: { labels: { a: 'b' }, name: 'n' }, spec });
  expect(answer.status).toBe(422);
  const [cause] = answer.json.details.causes;
  expect(cause.message).toMatch(
    /^Invalid value: \{"name":"n","namespace":"default","labels":\{"a":"b"\},"managedFields"/,
  );
  expect(cause.message).toMatch(/: must be empty except for namespace$/);
});

it('a signing request is approved or denied, which is checked last', async () => {
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const request = await certificateRequest('jane');
  await send('POST', path, {
    metadata: { name: 'c' },
    spec: { request, signerName: 'example.com/x', usages: ['client auth'] },
  });
  const conditions = (...types: string[]) => ({
    status: { conditions: types.map((type) => ({ type, status: 'True' })) },
  });
  const patch = (sub: string, body: object): Promise<Answer> =>
    send('PATCH', `${path}/c/${sub}`, body, { 'content-type': 'application/merge-patch+json' });
  expect((await patch('status', conditions('Failed'))).status).toBe(200);
  const answer = await patch('status', conditions('Denied', 'Approved'));
  expect(answer.json.details.causes.map((cause: { message: string }) => cause.message)).toEqual([
    'Forbidden: updates may not remove a condition of type "Failed"',
    'Forbidden: updates may not add a condition of type "Approved"',
    'Forbidden: updates may not add a condition of type "Denied"',
    'Invalid value: "{conditions[{\\"type\\": \\"Approved\\"}], conditions[{\\"type\\": \\"Denied\\"}]}": must specify at most one of: `conditions[{"type": "Approved"}]`, `conditions[{"type": "Denied"}]`',
  ]);
});
