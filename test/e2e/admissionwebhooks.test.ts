import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closedPort, type TestServer, tcpServer, testServer } from '../../pkg/outbound/testing/server.js';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Cluster, isBuilt } from '../chaos/cluster.js';
import { Client, type Reply } from './client.js';

/** Admission webhooks with a real HTTPS server on loopback. The texts of errors are those of kube-apiserver 1.37. */

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const CMS = '/api/v1/namespaces/default/configmaps';
const NAME = 'hook.example.com';

interface Review {
  readonly apiVersion: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any request
  readonly request: any;
}

/** What the webhook at a path responds: the response of the review, a raw body, or nothing for a call that hangs. */
type Answer = (review: Review) => object | string | undefined;

let webhook: TestServer;
const answers = new Map<string, Answer>();
let calls: Review[] = [];
/** The paths of calls that were aborted before their response. */
let aborted: string[] = [];

beforeAll(async () => {
  webhook = await testServer((body, request, response) => {
    const review = JSON.parse(body) as Review;
    calls.push(review);
    const { pathname } = new URL(request.url ?? '', 'https://x');
    response.once('close', () => response.writableEnded || aborted.push(pathname));
    const answer = answers.get(pathname)?.(review);
    if (answer === undefined) return;
    if (answer === RESET) return void request.socket.destroy();
    if (answer === STATUS_500) return void response.writeHead(500).end('boom');
    response.setHeader('content-type', 'application/json');
    response.end(typeof answer === 'string' ? answer : JSON.stringify(reviewOf(review, answer)));
  });
});
afterAll(() => webhook.close());
beforeEach(() => {
  calls = [];
  aborted = [];
});

const FINALLY = { timeout: 60_000 };
const RESET = 'reset';
const STATUS_500 = 'status 500';

const reviewOf = ({ apiVersion, request }: Review, response: object): object => ({
  apiVersion,
  kind: 'AdmissionReview',
  response: { uid: request.uid, allowed: true, ...response },
});

const patch = (...operations: object[]): object => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

/** Serves a response, and returns the client configuration for it. */
function at(path: string, answer: Answer): object {
  answers.set(path, answer);
  return { url: webhook.origin + path, caBundle: Buffer.from(webhook.ca).toString('base64') };
}

const rule = (fields: object = {}): object => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
  operations: ['CREATE'],
  ...fields,
});

const hook = (clientConfig: object, fields: object = {}): object => ({
  name: NAME,
  clientConfig,
  rules: [rule()],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...fields,
});

/** Several megabytes of JSON with more than 100,000 values. */
const manyEntries = (): object =>
  Object.fromEntries(
    Array.from({ length: 11 }, (_, k) => [`a${k}`, Array.from({ length: 10_000 }, () => 'a text of some length')]),
  );

const failed = (why: string): string => `Internal error occurred: failed calling webhook "${NAME}": ${why}`;

let server: TestApiServer | undefined;
let client: Client;
let n = 0;

async function install(kind: 'mutating' | 'validating', ...webhooks: object[]): Promise<void> {
  const kindName = `${kind === 'mutating' ? 'Mutating' : 'Validating'}WebhookConfiguration`;
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: kindName,
    metadata: { name: `w${++n}` },
    webhooks,
  };
  const { status, body: text } = await client.ask(`${GROUP}/${kind}webhookconfigurations`, { body });
  expect(status, text.toString()).toBe(201);
}

const create = (by = client, fields: object = {}, query = ''): Promise<Reply> =>
  by.ask(CMS + query, {
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${++n}` }, data: { k: 'v' }, ...fields },
  });

const message = (reply: Reply): unknown => reply.json().message;

describe('admission webhooks on one peer', () => {
  beforeAll(async () => {
    server = await startApiServer({ controllers: [] });
    client = new Client(server);
  });
  afterAll(() => server?.close());
  afterEach(async () => {
    for (const kind of ['mutating', 'validating'])
      await client.ask(`${GROUP}/${kind}webhookconfigurations`, { method: 'DELETE' });
  });

  it('receive the complete request', async () => {
    await install('validating', hook(at('/see', () => ({ warnings: ['careful'] }))));
    const reply = await create(undefined, undefined, '?fieldManager=me');
    expect(reply.status).toBe(201);
    expect(reply.headers['warning']).toBe('299 - "careful"');
    // The server may still be creating its own objects in kube-system.
    const call = calls.find(({ request }) => request.namespace === 'default')!;
    const { uid, object, userInfo, name, ...request } = call.request;
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(name).toBe(object.metadata.name);
    expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { k: 'v' } });
    expect(object.metadata.managedFields[0].manager).toBe('me');
    expect(userInfo).toMatchObject({
      username: 'kubernetes-admin',
      groups: ['system:masters', 'system:authenticated'],
    });
    const v1 = { group: '', version: 'v1' };
    expect(request).toEqual({
      kind: { ...v1, kind: 'ConfigMap' },
      resource: { ...v1, resource: 'configmaps' },
      requestKind: { ...v1, kind: 'ConfigMap' },
      requestResource: { ...v1, resource: 'configmaps' },
      namespace: 'default',
      operation: 'CREATE',
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
    });
  });

  it.each<[string, Answer, number, string]>([
    ['refuse', () => ({ allowed: false }), 400, `admission webhook "${NAME}" denied the request without explanation`],
    [
      'refuse with a status',
      () => ({ allowed: false, status: { message: 'no', reason: 'Forbidden', code: 403 } }),
      403,
      `admission webhook "${NAME}" denied the request: no`,
    ],
    [
      'refuse with a code that HTTP does not have',
      () => ({ allowed: false, status: { message: 'no', code: 99_999 } }),
      500,
      `admission webhook "${NAME}" denied the request: no`,
    ],
    [
      'answer with more values than a body may have',
      () => ({ auditAnnotations: manyEntries() }),
      500,
      failed("failed to call webhook: couldn't get version/kind; json parse error: the body has more than"),
    ],
    ['answer another uid', () => ({ uid: 'x' }), 500, 'received invalid webhook response: expected response.uid='],
    ['answer nothing', () => '', 500, failed('failed to call webhook: 0-length response with status code: 200')],
    ['answer null', () => 'null', 500, failed('received invalid webhook response: webhook response was absent')],
    [
      'answer garbage',
      () => 'garbage',
      500,
      failed("failed to call webhook: couldn't get version/kind; json parse error"),
    ],
    ['answer 500', () => STATUS_500, 500, 'an error on the server ("boom") has prevented the request from succeeding'],
    ['break the connection', () => RESET, 500, 'EOF'],
    [
      'patch',
      () => patch({ op: 'add', path: '/a', value: 1 }),
      500,
      'validating webhook may not return response.patch',
    ],
    ['answer too much', () => 'x'.repeat(20_000_000), 500, 'the response is larger than 8388608 bytes'],
  ])('validating ones may %s', async (_, answer, code, text) => {
    await install('validating', hook(at('/validate', answer)));
    const reply = await create();
    expect(message(reply)).toContain(text);
    expect(reply.status).toBe(code);
    expect(reply.json().code).toBe(code);
  });

  it('that hang fail at their timeout, and delay no other request', async () => {
    const only = { namespaceSelector: { matchLabels: { hung: 'yes' } } };
    await client.ask('/api/v1/namespaces', { body: { metadata: { name: 'hung', labels: { hung: 'yes' } } } });
    await install(
      'validating',
      hook(
        at('/hang', () => undefined),
        { timeoutSeconds: 1, ...only },
      ),
    );
    const hung = client.ask('/api/v1/namespaces/hung/configmaps', { body: { metadata: { name: 'x' } } });
    let ended = false;
    void hung.then(() => {
      ended = true;
    });
    expect((await create()).status).toBe(201);
    expect(ended).toBe(false);
    expect(message(await hung)).toBe(
      failed(`failed to call webhook: Post "${webhook.origin}/hang?timeout=1s": context deadline exceeded`),
    );
  });

  it.each(['mutating', 'validating'] as const)('%s: are not waited for when the client has left', async (kind) => {
    const names = { gone: `gone-${kind}`, stays: `stays-${kind}` };
    const only = {
      // Failures are counted by name.
      name: 'left.example.com',
      timeoutSeconds: 30,
      failurePolicy: 'Ignore',
      matchConditions: [{ name: 'it', expression: `object.metadata.name == '${names.gone}'` }],
    };
    await install(
      kind,
      hook(
        at(`/left-${kind}`, () => undefined),
        only,
      ),
    );
    const leaving = new Client(client.credentials);
    const lost = create(leaving, { metadata: { name: names.gone } }).catch(() => undefined);
    await expect.poll(() => calls.length, FINALLY).toBe(1);
    leaving.close();
    expect(await lost).toBeUndefined();
    await expect.poll(() => aborted, FINALLY).toEqual([`/left-${kind}`]);
    // The failure is ignored, but the request is over: its object is not created, not even later.
    expect((await create(client, { metadata: { name: names.stays } })).status).toBe(201);
    expect((await client.ask(`${CMS}/${names.gone}`)).status).toBe(404);
  });

  it('that cannot be reached fail the request, or are ignored, according to their policy', async () => {
    const port = await closedPort();
    const url = `https://127.0.0.1:${port}/x`;
    await install('validating', hook({ url }));
    const why = `Post "${url}?timeout=10s": dial tcp 127.0.0.1:${port}: connect: connection refused`;
    expect(message(await create())).toBe(failed(`failed to call webhook: ${why}`));
    await client.ask(`${GROUP}/validatingwebhookconfigurations`, { method: 'DELETE' });
    await install('validating', hook({ url }, { failurePolicy: 'Ignore' }));
    await install('mutating', hook({ url }, { failurePolicy: 'Ignore' }));
    expect((await create()).status).toBe(201);
    const metrics = (await client.ask('/metrics')).body.toString();
    for (const type of ['validating', 'admit'])
      expect(metrics).toContain(`apiserver_admission_webhook_fail_open_count{name="${NAME}",type="${type}"} 1`);
    expect(metrics).toContain(
      `apiserver_admission_webhook_rejection_count{name="${NAME}",type="validating",operation="CREATE",error_type="calling_webhook_error",rejection_code="503"}`,
    );
  });

  it('with another authority, or a hung handshake, are not trusted', async () => {
    const hung = await tcpServer(() => {});
    await install('validating', hook({ url: `${webhook.origin}/ok` }));
    expect(message(await create())).toContain('tls: failed to verify certificate: x509: certificate signed by unknown');
    await client.ask(`${GROUP}/validatingwebhookconfigurations`, { method: 'DELETE' });
    await install('validating', hook({ url: hung.origin }, { timeoutSeconds: 1 }));
    expect(message(await create())).toContain(': context deadline exceeded');
    await hung.close();
  });

  it('by reference to a service are called at its address', async () => {
    const service = (port: number) => ({ namespace: 'default', name: 'hooks', path: '/ok', port });
    await install('validating', hook({ service: service(443) }));
    const post = (port: number) => `failed to call webhook: Post "https://hooks.default.svc:${port}/ok?timeout=10s": `;
    expect(message(await create())).toBe(failed(`${post(443)}service "hooks" not found`));
    const spec = { type: 'ExternalName', externalName: '127.0.0.1' };
    await client.ask('/api/v1/namespaces/default/services', { body: { metadata: { name: 'hooks' }, spec } });
    await client.ask(`${GROUP}/validatingwebhookconfigurations`, { method: 'DELETE' });
    const there = await testServer(
      (body, _, response) => {
        response.end(JSON.stringify(reviewOf(JSON.parse(body) as Review, { warnings: ['by service'] })));
      },
      { dnsNames: ['hooks.default.svc'], addresses: [] },
    );
    const caBundle = Buffer.from(there.ca).toString('base64');
    await install('validating', hook({ service: service(there.port), caBundle }));
    expect((await create()).headers['warning']).toBe('299 - "by service"');
    await there.close();
  });

  it('mutate one after the other, and are called again if the object changed', async () => {
    const seen: string[] = [];
    const step = (name: string, reinvocationPolicy = 'Never') =>
      hook(
        at(`/${name}`, ({ request }) => {
          seen.push(`${name}:${Object.keys(request.object.data).join('')}`);
          return name in request.object.data ? {} : patch({ op: 'add', path: `/data/${name}`, value: '1' });
        }),
        { name: `${name}.example.com`, reinvocationPolicy },
      );
    await install('mutating', step('a', 'IfNeeded'), step('b'));
    await install('mutating', step('c'));
    const reply = await create();
    expect(reply.json().data).toEqual({ k: 'v', a: '1', b: '1', c: '1' });
    // As in kube-apiserver, fields that webhooks set on creation have no owner.
    expect(reply.json().metadata.managedFields[0].fieldsV1).toEqual({ 'f:data': { '.': {}, 'f:k': {} } });
    expect(seen).toEqual(['a:k', 'b:ka', 'c:kab', 'a:kabc']);
  });

  it('a patch that makes a map longer than a body may have one is refused', async () => {
    const labels = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`l${i}`, '']));
    await install('mutating', hook(at('/patch', () => patch({ op: 'add', path: '/metadata/labels', value: labels }))));
    const reply = await create();
    expect(message(reply)).toContain('metadata.labels: Too many: 10001: must have at most 10000 items');
    expect(reply.status).toBe(422);
  });

  it.each<[string, object, string]>([
    [
      'does not apply',
      patch({ op: 'remove', path: '/data/x' }),
      "error in remove for path: '/data/x': Unable to remove",
    ],
    [
      'breaks the type',
      patch({ op: 'add', path: '/data/n', value: 5 }),
      'json: cannot unmarshal number into Go struct',
    ],
    [
      'has no type',
      { patch: 'W10=' },
      failed('received invalid webhook response: webhook returned response.patch but not'),
    ],
    ['is of another type', { patch: 'W3t9XQ==', patchType: 'Merge' }, failed('unsupported patch type "Merge"')],
    ['is garbage', { patch: 'eA==', patchType: 'JSONPatch' }, failed('received undecodable patch in webhook response')],
  ])('a patch that %s is an error', async (_, response, text) => {
    await install('mutating', hook(at('/patch', () => response)));
    const reply = await create();
    expect(message(reply)).toContain(text);
    expect(reply.status).toBe(500);
  });

  it('respect dry run, conditions, selectors and the exemption of their own configuration', async () => {
    const deny = at('/deny', () => ({ allowed: false }));
    await install('validating', hook(deny, { sideEffects: 'NoneOnDryRun' }));
    expect((await create(undefined, undefined, '?dryRun=All')).status).toBe(400);
    await client.ask(`${GROUP}/validatingwebhookconfigurations`, { method: 'DELETE' });
    const matchConditions = [{ name: 'a', expression: "object.data.k != 'free'" }];
    await install('validating', hook(deny, { matchConditions, objectSelector: { matchLabels: { look: 'yes' } } }));
    const labels = { metadata: { name: `l${++n}`, labels: { look: 'yes' } } };
    expect((await create()).status).toBe(201);
    expect((await create(undefined, { ...labels, data: { k: 'free' } })).status).toBe(201);
    expect((await create(undefined, { ...labels, metadata: { ...labels.metadata, name: `l${++n}` } })).status).toBe(
      400,
    );
    const nothing = await create(undefined, {
      ...labels,
      metadata: { ...labels.metadata, name: `l${++n}` },
      data: null,
    });
    expect(message(nothing)).toContain("expression 'object.data.k != 'free'' resulted in error: no such key: data");
    expect(nothing.status).toBe(403);
    await client.ask(`${GROUP}/validatingwebhookconfigurations`, { method: 'DELETE' });
    const all = rule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] });
    await install('validating', hook(deny, { rules: [all] }));
    expect((await create()).status).toBe(400);
    const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
    const access = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    expect((await client.ask(access, { body: { apiVersion: 'authorization.k8s.io/v1', ...review } })).status).toBe(201);
    const gone = await client.ask(`${GROUP}/validatingwebhookconfigurations`, { method: 'DELETE' });
    expect(gone.status).toBe(200);
  });

  it('receive equivalent versions, subresources and deletions', async () => {
    const operations = ['*'];
    const v1 = { apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'], operations };
    const sub = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'], operations };
    const eviction = rule({ resources: ['pods/eviction', 'pods/binding'], operations });
    const ok = at('/ok', () => ({}));
    await install('validating', hook(ok, { rules: [v1, sub, eviction, rule({ operations: ['DELETE'] })] }));
    const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } };
    await client.ask('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
      body: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'h' }, spec },
    });
    expect(calls.at(-1)!.request).toMatchObject({
      kind: { version: 'v1' },
      requestKind: { version: 'v2' },
      object: { apiVersion: 'autoscaling/v1' },
    });
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const deployment = { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };
    await client.ask('/apis/apps/v1/namespaces/default/deployments', { body: deployment });
    await client.ask('/apis/apps/v1/namespaces/default/deployments/d/scale', {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { replicas: 3 } },
    });
    expect(calls.at(-1)!.request).toMatchObject({
      subResource: 'scale',
      kind: { group: 'autoscaling', kind: 'Scale' },
      object: { spec: { replicas: 3 } },
      oldObject: { spec: { replicas: 1 } },
      operation: 'UPDATE',
    });
    const { name } = (await create()).json().metadata;
    await client.ask(`${CMS}/${name}`, { method: 'DELETE' });
    expect(calls.at(-1)!.request).toMatchObject({ name, object: null, oldObject: { data: { k: 'v' } } });
    await client.ask('/api/v1/namespaces/default/pods', {
      body: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    });
    await client.ask('/api/v1/namespaces/default/pods/p/binding', {
      body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
    });
    expect(calls.at(-1)!.request).toMatchObject({
      subResource: 'binding',
      kind: { kind: 'Binding' },
      operation: 'CREATE',
    });
    await client.ask('/api/v1/namespaces/default/pods/p/eviction', {
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } },
    });
    expect(calls.at(-1)!.request).toMatchObject({ subResource: 'eviction', kind: { kind: 'Eviction' } });
  });
});

describe.skipIf(!isBuilt)('admission webhooks on three peers', () => {
  it('apply on every peer', async () => {
    const cluster = await Cluster.start();
    try {
      const { ca, cert, key } = cluster.access;
      const peers = cluster.names.map((name) => new Client({ url: cluster.url(name), ca, cert, key }));
      client = peers[0]!;
      await install('mutating', hook(at('/three', () => patch({ op: 'add', path: '/data/three', value: 'yes' }))));
      for (const peer of peers) await mutated(peer);
    } finally {
      await cluster.close();
    }
  });
});

const WAIT_MS = 60_000;

/** Creates objects until the webhook changes one: a peer learns of a configuration shortly after the write. */
async function mutated(peer: Client): Promise<void> {
  const end = performance.now() + WAIT_MS;
  for (;;) {
    const reply = await create(peer);
    expect(reply.status).toBe(201);
    if (reply.json().data.three === 'yes') return;
    if (performance.now() > end) throw new Error('the webhook was never called');
  }
}
