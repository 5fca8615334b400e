import { afterEach, expect, it } from 'vitest';
import { startWithFlags, type TestApiServer } from '../../pkg/server/library.js';
import { type Answer, call } from './client.js';

const SECRETS = '/api/v1/namespaces/kube-system/secrets';
const REVIEWS = '/apis/authentication.k8s.io/v1';
const TOKEN = 'abcdef.0123456789abcdef';

let server: TestApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(...flags: string[]): Promise<void> {
  server = await startWithFlags(['--controllers=', ...flags]);
  const created = await admin(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'bootstrap.kubernetes.io/token',
    metadata: { name: 'bootstrap-token-abcdef' },
    stringData: {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:workers',
    },
  });
  expect(created.status).toBe(201);
}

const admin = (path: string, body?: unknown, method = 'POST'): Promise<Answer> =>
  call({ url: server!.url, path, method, cert: server!.cert, key: server!.key, body });

const whoAmI = (token = TOKEN): Promise<Answer> =>
  call({
    url: server!.url,
    path: `${REVIEWS}/selfsubjectreviews`,
    method: 'POST',
    token,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });

const review = (audiences?: readonly string[]): Promise<Answer> =>
  admin(`${REVIEWS}/tokenreviews`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: TOKEN, ...(audiences === undefined ? {} : { audiences }) },
  });

const USER = {
  username: 'system:bootstrap:abcdef',
  groups: ['system:bootstrappers', 'system:bootstrappers:workers', 'system:authenticated'],
};

it('a bootstrap token authenticates as long as its Secret is there', async () => {
  await start('--enable-bootstrap-token-auth');
  const found = await whoAmI();
  expect(found.status).toBe(201);
  expect(found.json.status.userInfo).toEqual(USER);
  expect((await whoAmI('abcdef.0123456789abcdeg')).status).toBe(401);
  const { status } = (await review()).json;
  expect(status).toEqual({ authenticated: true, user: USER, audiences: ['https://kubernetes.default.svc'] });
  expect((await review(['other'])).json.status.authenticated ?? false).toBe(false);

  expect((await admin(`${SECRETS}/bootstrap-token-abcdef`, undefined, 'DELETE')).status).toBe(200);
  expect((await whoAmI()).status).toBe(401);
});

it('bootstrap tokens do not authenticate without the flag', async () => {
  await start();
  expect((await whoAmI()).status).toBe(401);
  expect((await review()).json.status.authenticated ?? false).toBe(false);
});
