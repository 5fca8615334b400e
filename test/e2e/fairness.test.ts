import { once } from 'node:events';
import https from 'node:https';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client, type Reply } from './client.js';

const FLOW = '/apis/flowcontrol.apiserver.k8s.io/v1';
const CMS = '/api/v1/namespaces/default/configmaps';
const PATIENCE = { timeout: 30_000 };

describe('priority and fairness', () => {
  let server: TestApiServer;
  let admin: Client;
  beforeAll(async () => {
    server = await startApiServer();
    admin = new Client(server);
  });
  afterAll(async () => {
    admin?.close();
    await server?.close();
  });

  const create = async (resource: string, name: string, spec: object): Promise<Reply> => {
    const reply = await admin.ask(`${FLOW}/${resource}`, { body: { metadata: { name }, spec } });
    expect([reply.status, reply.body.toString()]).toEqual([201, expect.any(String)]);
    return reply;
  };
  const as = (user: string) => ({ headers: { 'impersonate-user': user } });
  const levelOf = (reply: Reply) => reply.headers['x-kubernetes-pf-prioritylevel-uid'];

  /** Requests of `user` go to a level with one seat. */
  const tinyLevel = async (name: string, user: string, limitResponse: object): Promise<void> => {
    await admin.ask('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      body: {
        metadata: { name: user },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
      },
    });
    await create('prioritylevelconfigurations', name, {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 0, borrowingLimitPercent: 0, limitResponse },
    });
    await create('flowschemas', name, {
      priorityLevelConfiguration: { name },
      matchingPrecedence: 50,
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: user } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
        },
      ],
    });
  };

  /** A request whose body does not arrive: it keeps its seat until `end` is called. */
  const slowRequest = async (user: string): Promise<() => Promise<void>> => {
    const { ca, cert, key } = server;
    const headers = { 'content-type': 'application/json', 'content-length': 100, ...as(user).headers };
    const request = https.request(`${server.url}${CMS}`, { method: 'POST', ca, cert, key, headers, agent: false });
    request.on('error', () => {});
    request.flushHeaders();
    await once(request, 'socket');
    await vi.waitUntil(async () => {
      const dump = (await admin.ask('/debug/api_priority_and_fairness/dump_requests')).body.toString();
      return dump.split('\n').some((line) => line.startsWith(user));
    }, PATIENCE);
    return async () => {
      const closed = new Promise((resolve) => request.once('close', resolve));
      request.destroy();
      await closed;
    };
  };

  it('starts with the bootstrap objects, and reports that their levels exist', async () => {
    const names = async (resource: string): Promise<string[]> =>
      (await admin.ask(`${FLOW}/${resource}`)).json().items.map((o: { metadata: { name: string } }) => o.metadata.name);
    expect(await names('prioritylevelconfigurations')).toHaveLength(8);
    expect(await names('flowschemas')).toHaveLength(11);
    await vi.waitUntil(async () => {
      const { status } = (await admin.ask(`${FLOW}/flowschemas/probes`)).json();
      return status?.conditions?.[0]?.status === 'False';
    }, PATIENCE);
  });

  it('names the schema and the level of every response', async () => {
    const uid = async (resource: string, name: string) =>
      (await admin.ask(`${FLOW}/${resource}/${name}`)).json().metadata.uid;
    const own = await admin.ask(CMS);
    expect(levelOf(own)).toBe(await uid('prioritylevelconfigurations', 'exempt'));
    const others = await admin.ask(CMS, as('somebody'));
    expect(others.status).toBe(403);
    expect(levelOf(others)).toBe(await uid('prioritylevelconfigurations', 'global-default'));
    expect(others.headers['x-kubernetes-pf-flowschema-uid']).toBe(await uid('flowschemas', 'global-default'));
    for (const path of ['/livez', '/readyz', '/healthz']) {
      const health = await admin.ask(path, as('somebody'));
      expect(health.headers['x-kubernetes-pf-flowschema-uid']).toBe(await uid('flowschemas', 'probes'));
    }
    const one = await admin.ask('/livez/ping', as('somebody'));
    expect(one.headers['x-kubernetes-pf-flowschema-uid']).toBe(await uid('flowschemas', 'global-default'));
  });

  it('rejects requests beyond the seats of a level with 429, and serves all others', async () => {
    await tinyLevel('rejecting', 'rejecting', { type: 'Reject' });
    expect((await admin.ask(CMS, as('rejecting'))).status).toBe(200);
    const end = await slowRequest('rejecting');
    const refused = await admin.ask(CMS, as('rejecting'));
    expect([refused.status, refused.headers['retry-after'], refused.json().reason]).toEqual([
      429,
      '1',
      'TooManyRequests',
    ]);
    expect((await admin.ask(CMS)).status).toBe(200);
    const metrics = (await admin.ask('/metrics')).body.toString();
    expect(metrics).toMatch(
      /apiserver_flowcontrol_rejected_requests_total\{priority_level="rejecting",flow_schema="rejecting",reason="concurrency-limit"\} 1/,
    );
    // The slow request, and a scrape, which is exempt from queues and counted.
    expect(metrics).toMatch(/apiserver_current_inflight_requests\{request_kind="mutating"\} 1\n/);
    expect(metrics).toMatch(/apiserver_current_inflight_requests\{request_kind="readOnly"\} 1\n/);
    expect(metrics).toMatch(/apiserver_request_terminations_total\{[^}]*code="429"[^}]*\} 1\n/);
    await end();
    await vi.waitUntil(async () => (await admin.ask(CMS, as('rejecting'))).status === 200, PATIENCE);
  });

  it('queues requests until a seat is free', async () => {
    await tinyLevel('queuing', 'queuing', {
      type: 'Queue',
      queuing: { queues: 4, handSize: 2, queueLengthLimit: 10 },
    });
    const end = await slowRequest('queuing');
    const queued = admin.ask(CMS, as('queuing'));
    await vi.waitUntil(async () => {
      const dump = (await admin.ask('/debug/api_priority_and_fairness/dump_priority_levels')).body.toString();
      const line = dump.split('\n').find((l) => l.startsWith('queuing'))!;
      return Number(line.split(',')[4]) === 1;
    }, PATIENCE);
    await end();
    expect((await queued).status).toBe(200);
  });

  it('releases the seat of a watch after its initial objects', async () => {
    await tinyLevel('watching', 'kubernetes-watcher', { type: 'Reject' });
    const { ca, cert, key } = server;
    const request = https.get(`${server.url}${CMS}?watch=1`, {
      ca,
      cert,
      key,
      agent: false,
      ...as('kubernetes-watcher'),
    });
    request.on('error', () => {});
    await once(request, 'response');
    await vi.waitUntil(async () => (await admin.ask(CMS, as('kubernetes-watcher'))).status === 200, PATIENCE);
    request.destroy();
  });

  it('reports when the level of a schema is deleted, and classifies by the next schema', async () => {
    await tinyLevel('dangling', 'dangling', { type: 'Reject' });
    const before = levelOf(await admin.ask(CMS, as('dangling')));
    await admin.ask(`${FLOW}/prioritylevelconfigurations/dangling`, { method: 'DELETE' });
    await vi.waitUntil(async () => {
      const { status } = (await admin.ask(`${FLOW}/flowschemas/dangling`)).json();
      return status?.conditions?.[0]?.status === 'True';
    }, PATIENCE);
    const after = levelOf(await admin.ask(CMS, as('dangling')));
    expect(after).not.toBe(before);
    expect(after).toBeTypeOf('string');
  });

  it('restores the suggested configuration if the annotation allows it', async () => {
    const path = `${FLOW}/prioritylevelconfigurations/system`;
    const patch = (body: object) =>
      admin.ask(path, { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body });
    expect((await patch({ spec: { limited: { nominalConcurrencyShares: 77 } } })).status).toBe(200);
    await server.reset();
    expect((await admin.ask(path)).json().spec.limited.nominalConcurrencyShares).toBe(30);
  });
});
