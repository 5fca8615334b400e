import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:https';
import { importPKCS8, SignJWT } from 'jose';
import { call, eventually } from './client.js';

/** A server that is asked: kube-apiserver, or this one. */
export interface Target {
  readonly url: string;
  /** An administrator. */
  readonly cert: string;
  readonly key: string;
  /** The key of service-account tokens, PEM (PKCS #8, RSA). */
  readonly signingKey: string;
}

/** Who asks, in the order in which the codes of a row stand. */
export const ACTORS = ['anonymous', 'stranger', 'reader', 'impersonator', 'expired', 'revoked'] as const;
type Actor = (typeof ACTORS)[number];

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const PATHS = [
  ...['/', '/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/version', '/openapi/v2', '/openapi/v3'],
  ...['/healthz', '/livez', '/readyz', '/livez/ping', '/metrics', '/nothing', '/apis/nothing/v1/things'],
  ...['/.well-known/openid-configuration', '/openid/v1/jwks'],
];

interface Credentials {
  readonly token?: string;
  readonly as?: string;
}

/**
 * Tries every discovered path with every method as each actor. Returns the codes by path: for each method those of the actors. None of them
 * but the reader may read, and none may write, so that the answers do not depend on the order.
 */
export async function probe(target: Target): Promise<Record<string, Record<string, string>>> {
  const actors = await makeActors(target);
  const rows: Record<string, Record<string, string>> = {};
  const agent = new Agent({ keepAlive: true, maxSockets: 8, rejectUnauthorized: false });
  const todo = [...(await discovered(target)), ...PATHS];
  const worker = async (): Promise<void> => {
    for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
      const row: Record<string, string> = {};
      for (const method of METHODS) {
        const codes: number[] = [];
        for (const actor of ACTORS) codes.push(await codeOf(target, agent, { path, method, ...actors[actor] }));
        row[method] = codes.join(' ');
      }
      rows[path] = row;
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  agent.destroy();
  return Object.fromEntries(Object.entries(rows).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function makeActors(target: Target): Promise<Record<Actor, Credentials>> {
  const admin = async (path: string, body: object): Promise<void> => {
    const { status, body: text } = await call({ ...target, path, method: 'POST', body });
    if (status !== 201 && status !== 409) throw new Error(`${path}: ${status} ${text}`);
  };
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  for (const name of ['stranger', 'reader', 'impersonator', 'revoked']) await admin(accounts, { metadata: { name } });
  await admin(`${RBAC}/clusterroles`, {
    metadata: { name: 'impersonator' },
    rules: [{ apiGroups: [''], resources: ['users'], resourceNames: ['jane'], verbs: ['impersonate'] }],
  });
  for (const [name, role] of [
    ['reader', 'view'],
    ['impersonator', 'impersonator'],
  ] as const)
    await admin(`${RBAC}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    });
  const uidOf = async (name: string): Promise<string> =>
    (await call({ ...target, path: `${accounts}/${name}` })).json.metadata.uid;
  const key = await importPKCS8(target.signingKey, 'RS256');
  const token = async (name: string, seconds: number): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const account = { name, uid: await uidOf(name) };
    const claims = { 'kubernetes.io': { namespace: 'default', serviceaccount: account } };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer('https://kubernetes.default.svc')
      .setAudience('https://kubernetes.default.svc')
      .setSubject(`system:serviceaccount:default:${name}`)
      .setJti(randomUUID())
      .setIssuedAt(now - 7200)
      .setNotBefore(now - 7200)
      .setExpirationTime(now + seconds)
      .sign(key);
  };
  const actors = {
    anonymous: {},
    stranger: { token: await token('stranger', 3600) },
    reader: { token: await token('reader', 3600) },
    impersonator: { token: await token('impersonator', 3600), as: 'jane' },
    expired: { token: await token('reader', -3600) },
    revoked: { token: await token('revoked', 3600) },
  };
  await call({ ...target, path: `${accounts}/revoked`, method: 'DELETE' });
  // kube-apiserver learns of changes after a while.
  const seen = async (path: string, { token: bearer = '' }: Credentials, code: number): Promise<void> => {
    await eventually(async () =>
      (await call({ url: target.url, path, token: bearer })).status === code ? true : undefined,
    );
  };
  await seen('/api/v1/pods', actors.reader, 200);
  await seen('/api', actors.revoked, 401);
  return actors;
}

/** The paths of every resource in its collection and as an object, and of the subresources. */
async function discovered(target: Target): Promise<readonly string[]> {
  const get = async (path: string): Promise<Record<string, unknown>> => (await call({ ...target, path })).json;
  type Group = { readonly versions: readonly { readonly groupVersion: string }[] };
  const { groups } = (await get('/apis')) as unknown as { readonly groups: readonly Group[] };
  const roots = ['/api/v1', ...groups.flatMap((g) => g.versions.map((v) => `/apis/${v.groupVersion}`))];
  const paths: string[] = [];
  for (const root of roots) {
    type Resource = { readonly name: string; readonly namespaced: boolean };
    const { resources } = (await get(root)) as unknown as { readonly resources: readonly Resource[] };
    for (const { name, namespaced } of resources) {
      const at = namespaced ? `${root}/namespaces/default` : root;
      const [resource = '', subresource] = name.split('/');
      if (subresource === undefined) paths.push(`${at}/${resource}`, `${at}/${resource}/x`);
      else paths.push(`${at}/${resource}/x/${subresource}`);
    }
  }
  return paths;
}

interface Probe extends Credentials {
  readonly path: string;
  readonly method: string;
}

function codeOf({ url }: Target, agent: Agent, { path, method, token, as }: Probe): Promise<number> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      {
        method,
        agent,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(as === undefined ? {} : { 'impersonate-user': as }),
          ...(hasBody ? { 'content-type': type } : {}),
        },
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(hasBody ? '{}' : undefined);
  });
}
