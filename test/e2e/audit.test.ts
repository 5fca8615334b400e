import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accessOf } from '../../pkg/client/index.js';
import { testServer } from '../../pkg/outbound/testing/server.js';
import { writeWebhookConfig } from '../access/kubeconfig.js';
import { Client } from './client.js';
import { isBuilt, ServerProcess } from './process.js';

if (!isBuilt) console.warn('audit tests skipped: dist/ is missing (npm run build)');

const folder = mkdtempSync(join(tmpdir(), 'trireme-audit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: events of any kind
type Event = any;

let files = 0;
function policyFile(...rules: object[]): string {
  const file = join(folder, `policy-${++files}.yaml`);
  writeFileSync(file, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  return file;
}

const eventsOf = (file: string): Event[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

async function started(name: string, ...flags: readonly string[]): Promise<readonly [ServerProcess, Client]> {
  const server = await ServerProcess.start(join(folder, name), 0, flags);
  const { ca, cert, key } = accessOf(server.kubeconfig);
  return [server, new Client({ url: server.url, ca, cert, key })];
}

const SLOW_MILLISECONDS = 550;

const P = '/api/v1/namespaces/default';
const json = { 'content-type': 'application/json' };
const cm = (metadata: object, data?: object): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });

interface Ask {
  readonly id?: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: object | string;
  readonly anonymous?: true;
}

/** The requests to which `audit-events.json` has the events of kube-apiserver 1.37.2, by their ids. */
const REQUESTS: Readonly<Record<string, Ask>> = {
  'req-001': { path: `${P}/configmaps`, body: cm({ name: 'a' }, { a: 'b' }) },
  'req-002': { path: `${P}/configmaps/a` },
  'req-004': { method: 'PUT', path: `${P}/configmaps/a`, body: cm({ name: 'a' }, { a: 'c' }) },
  'req-005': {
    method: 'PATCH',
    path: `${P}/configmaps/a`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { data: { x: 'y' } },
  },
  'req-006': {
    method: 'PATCH',
    path: `${P}/configmaps/a2?fieldManager=me`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: cm({ name: 'a2' }, { x: 'y' }),
  },
  'req-007': {
    path: `${P}/configmaps?watch=1&timeoutSeconds=1&resourceVersion=0&fieldSelector=metadata.name=a`,
  },
  'req-009': { path: `${P}/configmaps/a`, headers: { accept: 'application/vnd.kubernetes.protobuf' } },
  'req-010': { path: `${P}/configmaps?dryRun=All`, body: cm({ generateName: 'g-' }) },
  'req-011': { method: 'DELETE', path: `${P}/configmaps/a2` },
  'req-012': { method: 'DELETE', path: `${P}/configmaps/a`, headers: json, body: { propagationPolicy: 'Background' } },
  'req-013': { method: 'DELETE', path: `${P}/configmaps?labelSelector=none%3Dthere` },
  'req-014': { path: `${P}/configmaps/missing` },
  'req-015': { path: `${P}/configmaps`, body: cm({ name: 'Bad_Name' }) },
  'req-016': { method: 'POST', path: `${P}/configmaps`, headers: json, body: '{bad json' },
  'bad-token': { path: `${P}/configmaps`, headers: { authorization: 'Bearer no-such-token' }, anonymous: true },
  anonymous: { path: `${P}/configmaps`, anonymous: true },
  'req-017': {
    path: `${P}/configmaps`,
    headers: { 'impersonate-user': 'jane', 'impersonate-group': 'devs', 'impersonate-extra-a': 'b' },
  },
  'req-018': { path: '/healthz' },
  'req-019': { path: '/version?x=y' },
  'req-020': { path: '/apis/apps/v1' },
  'req-021': { path: '/nope' },
  'req-022': {
    path: '/apis/apps/v1/namespaces/default/deployments',
    body: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    },
  },
  'req-023': { path: '/apis/apps/v1/namespaces/default/deployments/d/scale' },
  'req-024': {
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/default/deployments/d/status',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { status: { replicas: 1 } },
  },
  'req-025': { method: 'DELETE', path: '/apis/apps/v1/namespaces/default/deployments/d' },
  'req-026': { path: `${P}/endpoints`, body: { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'e' } } },
  'req-027': { method: 'DELETE', path: `${P}/endpoints/e` },
  'req-028': {
    path: '/api/v1/namespaces',
    body: {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'ps', labels: { 'pod-security.kubernetes.io/audit': 'restricted' } },
    },
  },
  'service-account': {
    path: '/api/v1/namespaces/ps/serviceaccounts',
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
  },
  'req-030': {
    path: '/api/v1/namespaces/ps/pods',
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false },
    },
  },
  'req-031': {
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { nonResourceAttributes: { path: '/x', verb: 'get' } },
    },
  },
  'req-032': {
    path: `${P}/secrets`,
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'b' } },
  },
  'req-033': { method: 'DELETE', path: `${P}/secrets/s` },
  'req-035': { method: 'DELETE', path: '/api/v1/namespaces/ps/pods/p?gracePeriodSeconds=0' },
  'req-036': { path: '/livez', headers: { 'x-forwarded-for': '10.1.2.3, 10.4.5.6' } },
  'req-037': { method: 'OPTIONS', path: `${P}/configmaps` },
  'req-038': { path: '/api/v1/namespaces/gone/configmaps', body: { apiVersion: 'v1', kind: 'ConfigMap' } },
  'req-039': {
    method: 'PATCH',
    path: `${P}/configmaps/ap`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: cm({ name: 'ap' }),
  },
  'req-040': { path: `${P}/configmaps`, headers: { accept: 'text/x' } },
  'req-041': { path: `${P}/configmaps?timeout=x` },
};

/** Replaces what differs from run to run. */
function normal(value: Event, field = ''): Event {
  if (Array.isArray(value)) return value.map((v) => normal(v));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, normal(v, k)]));
  if (typeof value !== 'string') return value;
  if (field === 'resourceVersion') return 'RV';
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value)) return 'UID';
  const time = value.replace(/\d/g, '0');
  if (/^0000-00-00T00:00:00(\.0+)?Z$/.test(time)) return time;
  return value.replace(/SHA256=[0-9a-f]+/, 'SHA256=X').replace(/^g-[a-z0-9]{5}$/, 'g-xxxxx');
}

const byRequest = (events: readonly Event[]): Record<string, Event> =>
  Object.fromEntries(
    events.filter((e) => Object.hasOwn(REQUESTS, e.auditID)).map((e) => [`${e.auditID} ${e.stage}`, normal(e)]),
  );

describe.skipIf(!isBuilt)('the audit', () => {
  it('writes the events of kube-apiserver, field by field', async () => {
    const policy = policyFile(
      { level: 'None', users: ['system:apiserver', 'system:kube-controller-manager'] },
      { level: 'RequestResponse', resources: [{ resources: ['configmaps', 'pods', 'pods/status', 'services'] }] },
      { level: 'Request', resources: [{ group: 'apps' }] },
      { level: 'RequestResponse', nonResourceURLs: ['/version*'] },
      { level: 'Metadata' },
    );
    const log = join(folder, 'whole.log');
    const [server, client] = await started('whole', `--audit-policy-file=${policy}`, `--audit-log-path=${log}`);
    const anonymous = new Client(client.credentials, { anonymous: true });
    for (const [id, { path, method, headers, body, anonymous: nobody }] of Object.entries(REQUESTS)) {
      const ask = { headers: { 'audit-id': id, 'user-agent': 'test', ...headers } };
      const reply = await (nobody === true ? anonymous : client).ask(path, {
        ...ask,
        ...(method === undefined ? {} : { method }),
        ...(body === undefined ? {} : { body }),
      });
      expect(reply.headers['audit-id']).toBe(id);
    }
    await server.stop();
    const expected = byRequest(
      JSON.parse(readFileSync(new URL('./audit-events.json', import.meta.url), 'utf8')) as Event[],
    );
    const found = byRequest(eventsOf(log));
    for (const id of Object.keys(found)) if (id.startsWith('service-account')) delete found[id];
    expect(found).toEqual(expected);
    const text = readFileSync(log, 'utf8');
    expect(text).not.toContain('no-such-token');
    // The Secret was recorded at the level Metadata.
    expect(text).not.toContain('stringData');
    client.close();
    anonymous.close();
  });

  it('has no decision of an authorizer that failed', async () => {
    const webhook = await testServer((_body, _request, response) => {
      response.statusCode = 404;
      response.end();
    });
    const log = join(folder, 'undecided.log');
    const [server, client] = await started(
      'undecided',
      `--audit-policy-file=${policyFile({ level: 'Metadata', users: ['system:anonymous'] })}`,
      `--audit-log-path=${log}`,
      '--authorization-mode=Webhook',
      `--authorization-webhook-config-file=${writeWebhookConfig(join(folder, 'undecided-hook'), webhook)}`,
    );
    const anonymous = new Client(client.credentials, { anonymous: true });
    expect((await anonymous.ask('/api/v1/nodes', {})).status).toBe(500);
    await server.stop();
    expect(eventsOf(log).at(-1)).toMatchObject({
      responseStatus: { code: 500 },
      annotations: { 'authorization.k8s.io/reason': 'internal error' },
    });
    expect(readFileSync(log, 'utf8')).not.toContain('authorization.k8s.io/decision');
    client.close();
    anonymous.close();
    await webhook.close();
  });

  it('has the patches of mutating webhooks where it has the objects of requests', async () => {
    const patch = [{ path: '/metadata/annotations', value: { z: '<a&b>', a: '' }, op: 'add' }];
    const webhook = await testServer((body, _, response) => {
      const { uid } = JSON.parse(body).request;
      const verdict = { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
      response.setHeader('content-type', 'application/json');
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
      const answer = JSON.stringify({ ...review, response: { uid, allowed: true, ...verdict } });
      // A request of more than half a second states how long its stages took.
      setTimeout(() => response.end(answer), SLOW_MILLISECONDS);
    });
    const policy = policyFile(
      { level: 'Request', resources: [{ resources: ['configmaps'] }] },
      { level: 'Metadata', resources: [{ resources: ['secrets'] }] },
    );
    const log = join(folder, 'patches.log');
    const [server, client] = await started('patches', `--audit-policy-file=${policy}`, `--audit-log-path=${log}`);
    const hook = {
      name: 'h.example.com',
      clientConfig: { url: `${webhook.origin}/`, caBundle: Buffer.from(webhook.ca).toString('base64') },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'secrets'], operations: ['CREATE'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const configuration = { kind: 'MutatingWebhookConfiguration', metadata: { name: 'w' }, webhooks: [hook] };
    const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
    const body = { apiVersion: 'admissionregistration.k8s.io/v1', ...configuration };
    expect((await client.ask(path, { body })).status).toBe(201);
    for (const resource of ['configmaps', 'secrets'])
      expect((await client.ask(`${P}/${resource}`, { body: { metadata: { name: 'p' } } })).status).toBe(201);
    client.close();
    await server.stop();
    await webhook.close();
    const annotations = (resource: string): Event =>
      eventsOf(log).find(
        (e) => e.stage === 'ResponseComplete' && e.verb === 'create' && e.objectRef.resource === resource,
      ).annotations;
    const mutation = '{"configuration":"w","webhook":"h.example.com","mutated":true}';
    const operation = '{"op":"add","path":"/metadata/annotations","value":{"z":"\\u003ca\\u0026b\\u003e","a":""}}';
    expect(annotations('configmaps')).toMatchObject({
      'mutation.webhook.admission.k8s.io/round_0_index_0': mutation,
      'patch.webhook.admission.k8s.io/round_0_index_0': `{"configuration":"w","webhook":"h.example.com","patch":[${operation}],"patchType":"JSONPatch"}`,
    });
    expect(annotations('secrets')).toHaveProperty(['mutation.webhook.admission.k8s.io/round_0_index_0'], mutation);
    const stages = [
      'authentication',
      'authorization',
      'mutating-webhook',
      'response-write',
      'serialize-response-object',
      'total',
    ];
    expect(Object.keys(annotations('secrets')).filter((key) => key.startsWith('apiserver.latency'))).toEqual(
      stages.map((stage) => `apiserver.latency.k8s.io/${stage}`),
    );
    expect(annotations('secrets')).not.toHaveProperty(['patch.webhook.admission.k8s.io/round_0_index_0']);
  });

  it('rotates its file, keeps the number of files in the flags, and drops nothing', async () => {
    const logs = join(folder, 'logs');
    const log = join(logs, 'audit.log');
    const policy = policyFile({ level: 'RequestResponse', resources: [{ resources: ['configmaps'] }] });
    const [server, client] = await started(
      'rotated',
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${log}`,
      '--audit-log-maxsize=1',
      '--audit-log-maxbackup=2',
      '--audit-log-compress',
    );
    const large = 'x'.repeat(200_000);
    for (let i = 0; i < 12; i++) await client.ask(`${P}/configmaps`, { body: cm({ name: `c${i}` }, { large }) });
    const metrics = (await client.ask('/metrics')).body.toString();
    expect(metrics).toMatch(/^apiserver_audit_level_total\{level="RequestResponse"\} \d+$/m);
    expect(metrics).not.toMatch(/^apiserver_audit_error_total.* [1-9]/m);
    client.close();
    await server.stop();
    const rotated = readdirSync(logs).filter((name) => name !== 'audit.log');
    expect(rotated.length).toBeGreaterThan(0);
    expect(rotated.length).toBeLessThanOrEqual(2);
    for (const name of rotated) expect(name).toMatch(/^audit-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}\.log(\.gz)?$/);
    expect(eventsOf(log).at(-1)).toMatchObject({ stage: 'ResponseComplete', objectRef: { name: 'c11' } });
  });

  // A response with Retry-After is not a failed attempt, after which the backoff would begin.
  it.each([
    [500, '100ms'],
    [429, '10m'],
  ])('sends batches to a webhook, again when it responds with %i', async (code, backoff) => {
    const received: Event[] = [];
    let failures = 1;
    const webhook: Server = createServer((request, response) => {
      expect([request.url, request.headers.accept]).toEqual(['/events?timeout=30s', 'application/json, */*']);
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        response.statusCode = failures-- > 0 ? code : 200;
        if (response.statusCode === 429) response.setHeader('retry-after', '0');
        if (response.statusCode === 200) received.push(...JSON.parse(Buffer.concat(pieces).toString()).items);
        response.end();
      });
    });
    await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
    const { port } = webhook.address() as AddressInfo;
    const kubeconfig = join(folder, 'webhook.kubeconfig');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}/events` } }],
        users: [{ name: 'u', user: {} }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
    const policy = policyFile({ level: 'Metadata', omitStages: ['RequestReceived'], users: ['kubernetes-admin'] });
    const [server, client] = await started(
      `webhook-${code}`,
      `--audit-policy-file=${policy}`,
      `--audit-webhook-config-file=${kubeconfig}`,
      `--audit-webhook-initial-backoff=${backoff}`,
      '--audit-webhook-batch-max-wait=100ms',
    );
    for (let i = 0; i < 5; i++) await client.ask('/version', { headers: { 'audit-id': `v-${i}` } });
    await expect.poll(() => received.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(5);
    const ids = received.map((e) => e.auditID).filter((id: string) => id.startsWith('v-'));
    expect(ids.sort()).toEqual(['v-0', 'v-1', 'v-2', 'v-3', 'v-4']);
    client.close();
    await server.stop();
    webhook.close();
  });

  it('names what only the server knows: the constraint of an impersonation, defaults, the ID of a token, the result of a binding', async () => {
    const file = join(folder, 'details.log');
    const policy = policyFile({ level: 'RequestResponse' });
    const [server, client] = await started('details', `--audit-policy-file=${policy}`, `--audit-log-path=${file}`);
    const ask = (id: string, path: string, headers: Record<string, string> = {}, body?: object) =>
      client.ask(path, { headers: { ...headers, 'audit-id': id }, ...(body === undefined ? {} : { body }) });
    await ask('as-1', '/api/v1/namespaces', { 'impersonate-user': 'jane' });
    await ask('as-2', '/api/v1/namespaces', { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' });
    await ask('profile', '/debug/pprof/');
    await ask('group', '/apis/apps', { accept: 'application/vnd.kubernetes.protobuf' });
    const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
    const { headers } = await ask('aggregated', '/apis', aggregated);
    await ask('unchanged', '/apis', { ...aggregated, 'if-none-match': String(headers['etag']) });
    await ask(
      'account',
      `${P}/serviceaccounts`,
      {},
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'x' } },
    );
    const token = await ask('token', `${P}/serviceaccounts/x/token`, {}, {});
    const spec = { serviceAccountName: 'x', containers: [{ name: 'c', image: 'i' }] };
    await ask('pod', `${P}/pods`, {}, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
    const target = { kind: 'Node', name: 'n' };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target };
    expect((await ask('binding', `${P}/pods/p/binding`, {}, binding)).status).toBe(201);
    client.close();
    await server.stop();
    const of = (id: string, stage = 'ResponseComplete'): Event =>
      eventsOf(file).find((e) => e.auditID === id && e.stage === stage);
    expect(of('as-1').authenticationMetadata).toEqual({ impersonationConstraint: 'impersonate:user-info' });
    expect(of('as-2')).not.toHaveProperty('authenticationMetadata');
    expect(of('profile', 'ResponseStarted').requestURI).toBe('/debug/pprof/');
    expect(of('group').responseObject).toMatchObject({ kind: 'APIGroup', name: 'apps' });
    expect(of('aggregated').responseObject).toMatchObject({ kind: 'APIGroupDiscoveryList' });
    expect(of('unchanged').responseStatus.code).toBe(304);
    expect(of('unchanged')).not.toHaveProperty('responseObject');
    expect(of('binding').responseStatus).toEqual({ metadata: {}, status: 'Success', code: 201 });
    expect(of('token').requestObject.spec.expirationSeconds).toBe(3600);
    const claims = JSON.parse(Buffer.from(token.json().status.token.split('.')[1], 'base64url').toString());
    expect(of('token').annotations['authentication.kubernetes.io/issued-credential-id']).toBe(`JTI=${claims.jti}`);
  });

  it('refuses requests in blocking-strict mode that it cannot record', async () => {
    const policy = policyFile({ level: 'Metadata', nonResourceURLs: ['/version'] });
    const [server, client] = await started(
      'strict',
      `--audit-policy-file=${policy}`,
      '--audit-log-path=/dev/full',
      '--audit-log-mode=blocking-strict',
    );
    const { status, body } = await client.ask('/version');
    expect(status).toBe(500);
    expect(body.toString()).toBe('Internal Server Error: "/version": failed to store audit event\n');
    expect((await client.ask('/healthz')).status).toBe(200);
    const metrics = (await client.ask('/metrics')).body.toString();
    expect(metrics).toMatch(/^apiserver_audit_requests_rejected_total 1$/m);
    expect(metrics).toMatch(/^apiserver_audit_error_total\{plugin="log"\} 1$/m);
    client.close();
    await server.stop();
  });
});
