import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueAuthority, issueLeaf, type KeyPair } from '../../pkg/server/issue.js';
import { Client } from './client.js';
import { isBuilt, ServerProcess } from './process.js';

if (!isBuilt) console.warn('access tests skipped: dist/ is missing (npm run build)');

describe.skipIf(!isBuilt)('client certificates', () => {
  const DAY = 86_400_000;
  const CMS = '/api/v1/namespaces/default/configmaps';
  let data: string;
  let server: ServerProcess;
  let ca: KeyPair;

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'trireme-data-'));
    server = await ServerProcess.start(data);
    const read = (name: string): string => readFileSync(join(data, 'pki', name), 'utf8');
    ca = { cert: read('ca.crt'), key: read('ca.key') };
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(data, { recursive: true, force: true });
  });

  const client = async (
    subject: Parameters<typeof issueLeaf>[1]['subject'],
    of: KeyPair = ca,
    now = Date.now(),
    http2 = false,
  ): Promise<Client> => {
    const pair = await issueLeaf(of, { subject, use: 'client', days: 30 }, now);
    return new Client({ url: server.url, ca: ca.cert, ...pair }, { http2 });
  };

  it.each([false, true])('let masters do everything (HTTP/2: %s)', async (http2) => {
    const c = await client({ commonName: 'root', organizations: ['a', 'system:masters'] }, ca, Date.now(), http2);
    expect((await c.ask(CMS)).status).toBe(200);
    const review = await c.ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(review.json().status.userInfo).toMatchObject({
      username: 'root',
      groups: ['a', 'system:masters', 'system:authenticated'],
    });
    c.close();
  });

  it('create access reviews, which are answered but not stored', async () => {
    const c = await client({ commonName: 'root', organizations: ['system:masters'] });
    for (const [group, resource, kind, spec] of [
      ['authentication.k8s.io', 'selfsubjectreviews', 'SelfSubjectReview', undefined],
      [
        'authorization.k8s.io',
        'selfsubjectaccessreviews',
        'SelfSubjectAccessReview',
        {
          resourceAttributes: { verb: 'get', resource: 'pods' },
        },
      ],
    ] as const) {
      const path = `/apis/${group}/v1/${resource}`;
      const body = { apiVersion: `${group}/v1`, kind, ...(spec === undefined ? {} : { spec }) };
      for (const time of ['first', 'again']) {
        const r = await c.ask(path, { body });
        expect([time, r.status, r.json().kind, r.json().metadata.resourceVersion]).toEqual([
          time,
          201,
          kind,
          undefined,
        ]);
      }
      for (const read of [path, `${path}?watch=true`]) expect((await c.ask(read)).status).toBe(405);
      // Objects that are not stored have no path.
      expect((await c.ask(`${path}/same`)).status).toBe(404);
    }
    c.close();
  });

  it.each([false, true])('deny all other users access to objects (HTTP/2: %s)', async (http2) => {
    const c = await client({ commonName: 'jane', organizations: ['devs'] }, ca, Date.now(), http2);
    const r = await c.ask(CMS);
    expect([r.status, r.json().message]).toEqual([
      403,
      'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default"',
    ]);
    expect((await c.ask(CMS, { body: { metadata: { name: 'x' } } })).status).toBe(403);
    expect((await c.ask('/apis')).status).toBe(200);
    expect((await c.ask('/metrics')).status).toBe(403);
    c.close();
  });

  it('do not create a group from a line break in a name', async () => {
    const c = await client({ commonName: 'eve\nO=system:masters' });
    expect((await c.ask(CMS)).status).toBe(403);
    c.close();
  });

  it.each(['of another authority', 'that expired'])('%s are rejected on all paths', async (what) => {
    const c =
      what === 'that expired'
        ? await client({ commonName: 'root', organizations: ['system:masters'] }, ca, Date.now() - 60 * DAY)
        : await client(
            { commonName: 'root', organizations: ['system:masters'] },
            await issueAuthority('kubernetes-ca', Date.now(), 10),
          );
    for (const path of [CMS, '/livez']) {
      const r = await c.ask(path);
      expect([path, r.status, r.json().message]).toEqual([path, 401, 'Unauthorized']);
    }
    c.close();
  });
});
