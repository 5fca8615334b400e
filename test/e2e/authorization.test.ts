import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client } from './client.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ACCOUNT = '/api/v1/namespaces/default/serviceaccounts';
const CMS = '/api/v1/namespaces/default/configmaps';

describe('access with RBAC and service-account tokens', () => {
  let server: TestApiServer;
  let admin: Client;
  let bare: Client;

  beforeAll(async () => {
    server = await startApiServer();
    admin = new Client(server);
    bare = new Client(server, { anonymous: true });
  });
  afterAll(async () => {
    admin?.close();
    bare?.close();
    await server?.close();
  });

  const token = async (name: string): Promise<string> => {
    const r = await admin.ask(`${ACCOUNT}/${name}/token`, { body: {} });
    expect(r.status).toBe(201);
    return r.json().status.token as string;
  };
  const as = (bearer: string) => ({ headers: { authorization: `Bearer ${bearer}` } });
  const account = async (name: string) => {
    const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
    expect((await admin.ask(ACCOUNT, { body })).status).toBe(201);
  };
  const bind = async (name: string, role: string, subject: object) => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role };
    const body = { metadata: { name }, roleRef, subjects: [subject] };
    expect((await admin.ask(`${RBAC}/namespaces/default/rolebindings`, { body })).status).toBe(201);
  };

  it('lets a token do what a role grants, and nothing once the binding is deleted', async () => {
    await account('reader');
    const bearer = await token('reader');
    expect((await bare.ask(CMS, as(bearer))).status).toBe(403);
    await vi.waitUntil(async () => (await admin.ask(`${RBAC}/clusterroles/view`)).json().rules?.length > 0, {
      timeout: 20_000,
    });
    await bind('reader', 'view', { kind: 'ServiceAccount', name: 'reader' });
    expect((await bare.ask(CMS, as(bearer))).status).toBe(200);
    expect((await bare.ask('/api/v1/namespaces/default/secrets', as(bearer))).status).toBe(403);
    await admin.ask(`${RBAC}/namespaces/default/rolebindings/reader`, { method: 'DELETE' });
    expect((await bare.ask(CMS, as(bearer))).status).toBe(403);
  });

  it('rejects a token of a deleted account, even if the account is created again', async () => {
    await account('gone');
    const bearer = await token('gone');
    const review = () => bare.ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: {}, ...as(bearer) });
    expect((await review()).json().status.userInfo.username).toBe('system:serviceaccount:default:gone');
    await admin.ask(`${ACCOUNT}/gone`, { method: 'DELETE' });
    expect((await review()).status).toBe(401);
    await account('gone');
    expect((await review()).status).toBe(401);
  });

  it('issues tokens in Secrets of accounts, and deletes the Secrets with the account', async () => {
    await account('legacy');
    const secrets = '/api/v1/namespaces/default/secrets';
    const annotations = { 'kubernetes.io/service-account.name': 'legacy' };
    const body = { metadata: { name: 'legacy', annotations }, type: 'kubernetes.io/service-account-token' };
    expect((await admin.ask(secrets, { body })).status).toBe(201);
    const data = async () => (await admin.ask(`${secrets}/legacy`)).json().data;
    await vi.waitUntil(async () => (await data())?.token !== undefined, { timeout: 20_000 });
    const { token: encoded, namespace } = await data();
    expect(Buffer.from(namespace, 'base64').toString()).toBe('default');
    const bearer = Buffer.from(encoded, 'base64').toString();
    expect((await bare.ask(CMS, as(bearer))).status).toBe(403);
    await admin.ask(`${ACCOUNT}/legacy`, { method: 'DELETE' });
    expect((await bare.ask(CMS, as(bearer))).status).toBe(401);
    await vi.waitUntil(async () => (await admin.ask(`${secrets}/legacy`)).status === 404, { timeout: 20_000 });
  });

  it('publishes the token keys to subjects of the issuer discovery role', async () => {
    await account('verifier');
    const configuration = await bare.ask('/.well-known/openid-configuration', as(await token('verifier')));
    expect(configuration.json()).toMatchObject({ issuer: 'https://kubernetes.default.svc' });
    const keys = await bare.ask('/openid/v1/jwks', as(await token('verifier')));
    expect([keys.headers['content-type'], keys.json().keys.length]).toEqual(['application/jwk-set+json', 1]);
    expect((await bare.ask('/openid/v1/jwks')).status).toBe(403);
  });

  it('adds the rules of aggregated roles, and removes them again', async () => {
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    const rules = [{ apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] }];
    expect(
      (await admin.ask(`${RBAC}/clusterroles`, { body: { metadata: { name: 'extra', labels }, rules } })).status,
    ).toBe(201);
    const has = async () => (await admin.ask(`${RBAC}/clusterroles/view`)).body.includes('example.com');
    await vi.waitUntil(has, { timeout: 20_000 });
    await admin.ask(`${RBAC}/clusterroles/extra`, { method: 'DELETE' });
    await vi.waitUntil(async () => !(await has()), { timeout: 20_000 });
  });
});
