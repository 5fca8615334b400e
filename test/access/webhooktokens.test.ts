// Tokens bound to a configuration of webhooks, behind the gate APIServerWebhookAuthenticationToken.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWithFlags, type TestApiServer } from '../../pkg/server/library.js';
import { type Answer, call, eventually } from './client.js';

const HOOKS = '/apis/admissionregistration.k8s.io/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const KUBE = 'https://kubernetes.default.svc';
const URL_AUDIENCE = 'https://hook.example/x';
const TOKEN = '/api/v1/namespaces/default/serviceaccounts/hook/token';

let server: TestApiServer;

function send(method: string, path: string, body?: unknown): Promise<Answer> {
  const { url, cert, key } = server;
  return call({ url, cert, key, path, method, ...(body === undefined ? {} : { body }) });
}

const kindOf = (name: string) => (name === 'm' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration');

const ask = (audience: string, group: string, { name = 'w', uid = '' } = {}): Promise<Answer> =>
  send('POST', TOKEN, {
    spec: {
      audiences: [audience],
      attestations: { admissionReviewAPIGroups: [group] },
      boundObjectRef: { apiVersion: 'admissionregistration.k8s.io/v1', kind: kindOf(name), name, uid },
    },
  });

const review = async (token: string, audience: string) =>
  (await send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences: [audience] } })).json
    .status;

const hook = (name: string, clientConfig: object, apiGroups: readonly string[]) => ({
  name,
  clientConfig,
  rules: [{ apiGroups, apiVersions: ['*'], operations: ['*'], resources: ['zzz'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
});

beforeAll(async () => {
  server = await startWithFlags([
    '--authorization-mode=RBAC',
    '--feature-gates=APIServerWebhookAuthenticationToken=true',
    `--service-account-issuer=${KUBE}`,
  ]);
  await send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'hook' } });
  const service = { name: 's', namespace: 'n', path: '/p' };
  const w = [hook('a.b.c', { url: URL_AUDIENCE }, ['apps']), hook('d.b.c', { service }, ['*'])];
  await send('POST', `${HOOKS}/validatingwebhookconfigurations`, { metadata: { name: 'w' }, webhooks: w });
  const m = [hook('a.b.c', { url: URL_AUDIENCE }, ['x.io'])];
  await send('POST', `${HOOKS}/mutatingwebhookconfigurations`, { metadata: { name: 'm' }, webhooks: m });
});
afterAll(async () => {
  await server?.close();
});

it('needs an account that may attest to the API group', async () => {
  const answer = await ask(URL_AUDIENCE, 'apps');
  expect([answer.status, answer.json.message]).toEqual([
    403,
    'admissionReviewAPIGroups.authentication.k8s.io "apps" is forbidden: User "system:serviceaccount:default:hook" cannot attest resource "admissionReviewAPIGroups" in API group "authentication.k8s.io" at the cluster scope',
  ]);
  const rules = [{ apiGroups: ['authentication.k8s.io'], resources: ['admissionReviewAPIGroups'], verbs: ['attest'] }];
  await send('POST', `${RBAC}/clusterroles`, { metadata: { name: 'attest' }, rules });
  await send('POST', `${RBAC}/clusterrolebindings`, {
    metadata: { name: 'attest' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'attest' },
    subjects: [{ kind: 'ServiceAccount', name: 'hook', namespace: 'default' }],
  });
  await eventually(async () => ((await ask(URL_AUDIENCE, 'apps')).status === 201 ? true : undefined));
});

const DENIED = 'serviceaccounts/token "hook" is forbidden: token request denied';

it.each([
  [KUBE, 'apps', {}, 400, 'api server audiences are invalid for webhook token requests'],
  [URL_AUDIENCE, 'apps', {}, 201, undefined],
  [URL_AUDIENCE, 'batch', {}, 403, DENIED],
  [`${URL_AUDIENCE}/`, 'apps', {}, 403, DENIED],
  ['https://s.n.svc:443/p', 'batch', {}, 201, undefined],
  ['https://s.n.svc/p', 'batch', {}, 403, DENIED],
  ['anything', '*', {}, 201, undefined],
  [URL_AUDIENCE, 'x.io', { name: 'm' }, 201, undefined],
  [URL_AUDIENCE, 'x.io', { name: 'none' }, 403, DENIED],
  [URL_AUDIENCE, 'x.io', { name: '' }, 403, DENIED],
  [
    URL_AUDIENCE,
    'x.io',
    { name: 'm', uid: 'other' },
    409,
    expect.stringMatching(
      /^Operation cannot be fulfilled on MutatingWebhookConfiguration.admissionregistration.k8s.io "m": the UID in the bound object reference \(other\)/,
    ),
  ],
])('a request for audience %s and group %s of %j gets %d', async (audience, group, of, status, message) => {
  const answer = await ask(audience, group, of);
  expect([answer.status, answer.json.message]).toEqual([status, message]);
});

it('lasts ten minutes, names its configuration, and ends with it', async () => {
  const answer = await ask(URL_AUDIENCE, 'x.io', { name: 'm' });
  expect(answer.json.spec.expirationSeconds).toBe(600);
  const { token } = answer.json.status;
  const uid = (await send('GET', `${HOOKS}/mutatingwebhookconfigurations/m`)).json.metadata.uid;
  const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
  expect(claims['kubernetes.io']).toMatchObject({
    attestations: { admissionReviewAPIGroups: ['x.io'] },
    mutatingwebhookconfiguration: { name: 'm', uid },
  });
  const found = await review(token, URL_AUDIENCE);
  expect(found).toMatchObject({ authenticated: true, audiences: [URL_AUDIENCE] });
  expect(found.user.extra).toEqual({
    'attestation.authentication.kubernetes.io/admissionReviewAPIGroups': ['x.io'],
    'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`],
    'authentication.kubernetes.io/mutatingwebhookconfiguration-name': ['m'],
    'authentication.kubernetes.io/mutatingwebhookconfiguration-uid': [uid],
  });
  expect((await review(token, KUBE)).authenticated).toBeUndefined();
  await send('DELETE', `${HOOKS}/mutatingwebhookconfigurations/m`);
  await eventually(async () =>
    (await review(token, URL_AUDIENCE)).error?.includes('service account token has been invalidated')
      ? true
      : undefined,
  );
});
