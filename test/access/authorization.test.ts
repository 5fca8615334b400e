import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../pkg/outbound/testing/server.js';
import { startWithFlags, type TestApiServer } from '../../pkg/server/library.js';
import { type Answer, call, eventually } from './client.js';
import { writeWebhookConfig } from './kubeconfig.js';

interface Review {
  readonly apiVersion: string;
  readonly spec: {
    readonly user: string;
    readonly groups?: string[];
    readonly group?: string[];
    readonly resourceAttributes?: Record<string, unknown>;
    readonly nonResourceAttributes?: Record<string, unknown>;
  };
}

let folder: string;
let hook: TestServer;
let server: TestApiServer | undefined;
let reviews: Review[];
let decide: (review: Review) => object | number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-authz-'));
  writeFileSync(join(folder, 'tokens'), 'jane-token,jane,1,"dev"\njoe-token,joe,2\n');
  hook = await testServer((body, _request, response) => {
    const review = JSON.parse(body) as Review;
    expect(body).toMatch(/^\{"kind":"SubjectAccessReview","apiVersion":"[^"]*","metadata":\{\},"spec":\{.*\}\}\n$/);
    reviews.push(review);
    const status = decide(review);
    if (typeof status === 'number') {
      response.statusCode = status;
      response.end('no');
    } else response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: 'SubjectAccessReview', status }));
  });
});
afterAll(async () => {
  await hook?.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  reviews = [];
  decide = () => ({ allowed: false });
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const start = async (...flags: string[]): Promise<void> => {
  server = await startWithFlags(['--controllers=', `--token-auth-file=${join(folder, 'tokens')}`, ...flags]);
};
const kubeconfig = (): string => writeWebhookConfig(join(folder, 'hook'), hook);
const get = (path: string, who = 'jane'): Promise<Answer> => call({ url: server!.url, path, token: `${who}-token` });
const PODS = '/api/v1/namespaces/default/pods';

const configFile = (...authorizers: object[]): string => {
  const path = join(folder, 'authorization');
  writeFileSync(
    path,
    JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers }),
  );
  return path;
};
const webhook = (more: object = {}, name = 'out.side'): object => ({
  type: 'Webhook',
  name,
  webhook: {
    timeout: '3s',
    subjectAccessReviewVersion: 'v1',
    matchConditionSubjectAccessReviewVersion: 'v1',
    failurePolicy: 'NoOpinion',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: kubeconfig() },
    ...more,
  },
});
const RBAC = { type: 'RBAC', name: 'rbac' };

async function metric(prefix: string): Promise<number> {
  const { body } = await call({ url: server!.url, path: '/metrics', cert: server!.cert, key: server!.key });
  const line = body.split('\n').find((l) => l.startsWith(prefix));
  return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ')));
}

describe('mode Webhook by flags', () => {
  it('sends a review, applies the decision and caches it', async () => {
    decide = ({ spec }) =>
      spec.resourceAttributes?.['resource'] === 'pods' ? { allowed: true, reason: 'because' } : { allowed: false };
    await start('--authorization-mode=Webhook', `--authorization-webhook-config-file=${kubeconfig()}`);
    expect((await get(`${PODS}?fieldSelector=spec.nodeName%3Dn&labelSelector=a%20in%20(b)`)).status).toBe(200);
    expect((await get('/api/v1/namespaces/default/secrets')).status).toBe(403);
    for (let i = 0; i < 3; i++) expect((await get(PODS)).status).toBe(200);
    expect(reviews.map((r) => r.spec)).toEqual([
      {
        resourceAttributes: {
          namespace: 'default',
          verb: 'list',
          version: 'v1',
          resource: 'pods',
          fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n'] }] },
          labelSelector: { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] },
        },
        user: 'jane',
        group: ['dev', 'system:authenticated'],
        uid: '1',
      },
      {
        resourceAttributes: { namespace: 'default', verb: 'list', version: 'v1', resource: 'secrets' },
        user: 'jane',
        group: ['dev', 'system:authenticated'],
        uid: '1',
      },
      {
        resourceAttributes: { namespace: 'default', verb: 'list', version: 'v1', resource: 'pods' },
        user: 'jane',
        group: ['dev', 'system:authenticated'],
        uid: '1',
      },
    ]);
    expect(reviews[0]?.apiVersion).toBe('authorization.k8s.io/v1beta1');
  });

  it('responds with 500 if the service fails, because no authorizer decided', async () => {
    decide = () => 404;
    await start('--authorization-mode=Webhook', `--authorization-webhook-config-file=${kubeconfig()}`);
    const { status, headers, body } = await get(`${PODS}?limit=1&a=b`);
    expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([
      500,
      'text/plain; charset=utf-8',
      'nosniff',
    ]);
    expect(body).toBe(
      `Internal Server Error: "${PODS}?limit=1&amp;a=b": the server could not find the requested resource\n`,
    );
    expect(
      await metric('apiserver_authorization_webhook_evaluations_fail_open_total{name="default",result="error"'),
    ).toBe(1);
  });

  it.each([
    [['--authorization-mode=Webhook'], "authorization-mode Webhook's authorization config file not passed"],
    [['--authorization-mode=ABAC'], "authorization-mode ABAC's authorization policy file not passed"],
    [['--authorization-policy-file=/x'], 'cannot specify --authorization-policy-file without mode ABAC'],
    [
      ['--authorization-webhook-config-file=/x'],
      'cannot specify --authorization-webhook-config-file without mode Webhook',
    ],
    [['--authorization-config=/x', '--authorization-mode=RBAC'], '--authorization-config can not be specified when'],
    [['--authorization-mode='], 'at least one authorization-mode must be passed'],
  ])('%j is refused', async (flags, message) => {
    await expect(startWithFlags(flags)).rejects.toThrow(message);
  });
});

it('has the metrics of audit without an audit policy', async () => {
  await start();
  const { body } = await call({ url: server!.url, path: '/metrics', cert: server!.cert, key: server!.key });
  const lines = body.split('\n').filter((line) => line.startsWith('apiserver_audit_'));
  expect(lines).toEqual(['apiserver_audit_event_total 0', 'apiserver_audit_requests_rejected_total 0']);
});

describe('AuthorizationConfiguration', () => {
  it('calls webhooks in order, if their conditions hold', async () => {
    const conditions = [
      { expression: "has(request.resourceAttributes) && request.resourceAttributes.namespace == 'default'" },
      { expression: "!('admins' in request.groups)" },
    ];
    decide = ({ spec }) => (spec.user === 'jane' ? { denied: true, reason: 'not jane' } : { allowed: true });
    await start(`--authorization-config=${configFile(webhook({ matchConditions: conditions }), RBAC)}`);
    const refused = await get(PODS);
    expect([refused.status, refused.json.message]).toEqual([
      403,
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default": not jane',
    ]);
    expect((await get(PODS, 'joe')).status).toBe(200);
    // If the conditions do not hold, RBAC decides.
    expect((await get('/api/v1/namespaces/other/pods', 'joe')).status).toBe(403);
    expect((await get('/version', 'joe')).status).toBe(200);
    expect(reviews.length).toBe(2);
    expect(
      await metric('apiserver_authorization_match_condition_exclusions_total{type="Webhook",name="out.side"}'),
    ).toBe(2);
    expect(
      await metric('apiserver_authorization_decisions_total{type="Webhook",name="out.side",decision="denied"}'),
    ).toBe(1);
    expect(await metric('apiserver_authorization_decisions_total{type="RBAC",name="rbac",decision="allowed"}')).toBe(1);
  });

  it('applies the failure policy, and does not cache decisions if caches are disabled', async () => {
    const off = { cacheAuthorizedRequests: false, cacheUnauthorizedRequests: false };
    decide = () => 404;
    await start(
      `--authorization-config=${configFile(webhook({ failurePolicy: 'Deny' }), { type: 'AlwaysAllow', name: 'alwaysallow' })}`,
    );
    expect((await get(PODS)).status).toBe(500);
    await server?.close();
    await start(`--authorization-config=${configFile(webhook(off), { type: 'AlwaysAllow', name: 'alwaysallow' })}`);
    expect((await get(PODS)).status).toBe(200);
    decide = () => ({ allowed: true });
    reviews = [];
    for (let i = 0; i < 2; i++) expect((await get(PODS)).status).toBe(200);
    expect(reviews.length).toBe(2);
  });

  it('conditions that fail follow the failure policy', async () => {
    const matchConditions = [{ expression: "request.extra['x'][0] == 'y'" }];
    await start(`--authorization-config=${configFile(webhook({ failurePolicy: 'Deny', matchConditions }), RBAC)}`);
    const { status, body } = await get(PODS);
    expect(status).toBe(500);
    expect(body).toContain("expression 'request.extra['x'][0] == 'y'' resulted in error: no such key: x");
  });

  it('is reloaded with the file', async () => {
    await start(`--authorization-config=${configFile(RBAC)}`);
    expect((await get(PODS)).status).toBe(403);
    configFile({ type: 'AlwaysAllow', name: 'alwaysallow' });
    const reloads = 'apiserver_authorization_config_controller_automatic_reloads_total';
    await eventually(async () => ((await metric(`${reloads}{status="failure"`)) > 0 ? true : undefined));
    expect((await get(PODS)).status).toBe(403);
    decide = () => ({ allowed: true });
    configFile(RBAC, webhook());
    await eventually(async () => ((await get(PODS)).status === 200 ? true : undefined));
    expect(await metric(`${reloads}{status="success"`)).toBe(1);
  });

  it.each<[string, () => object[], string]>([
    ['none', () => [], 'authorizers: Required value: at least one authorization mode must be defined'],
    ['no type', () => [{ name: 'a' }], 'authorizers[0].type: Required value'],
    [
      'an unknown type',
      () => [{ type: 'Foo', name: 'foo' }],
      'authorizers[0].type: Unsupported value: "Foo": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"',
    ],
    ['a type twice', () => [RBAC, { ...RBAC, name: 'x' }], 'authorizers[1].type: Duplicate value: "RBAC"'],
    ['a name twice', () => [webhook(), webhook()], 'authorizers[1].name: Duplicate value: "out.side"'],
    ['another name', () => [{ type: 'RBAC', name: 'mine' }], 'expected name rbac for authorizer RBAC instead of mine'],
    [
      'no webhook',
      () => [{ type: 'Webhook', name: 'a' }],
      'authorizers[0].webhook: Required value: required when type=Webhook',
    ],
    [
      'a webhook of RBAC',
      () => [{ ...webhook(), type: 'RBAC', name: 'rbac' }],
      'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
    ],
    [
      'no duration',
      () => [webhook({ timeout: 'x' })],
      'AuthorizationConfiguration from file: time: invalid duration "x"',
    ],
    [
      'an unknown connection',
      () => [webhook({ connectionInfo: { type: 'X' } })],
      'authorizers[0].connectionInfo.type: Unsupported value: {"Type":"X","KubeConfigFile":null}: supported values: "InClusterConfig", "KubeConfigFile"',
    ],
    ['no timeout', () => [webhook({ timeout: '0s' })], 'authorizers[0].timeout: Required value'],
    [
      'a long timeout',
      () => [webhook({ timeout: '90s' })],
      'authorizers[0].timeout: Invalid value: "1m30s": must be > 0s and <= 30s',
    ],
    [
      'a condition that is none',
      () => [webhook({ matchConditions: [{ expression: 'request.user' }] })],
      'authorizers[0].matchConditions[0].expression: Invalid value: "request.user": must evaluate to bool but got string',
    ],
    [
      'a file that is not there',
      () => [webhook({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/not/there' } })],
      'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/not/there": error loading file: stat /not/there: no such file or directory',
    ],
    ['an unknown field', () => [{ ...RBAC, more: 1 }], 'unknown field "authorizers[0].more"'],
  ])('%s is refused', async (_name, authorizers, message) => {
    await expect(startWithFlags([`--authorization-config=${configFile(...authorizers())}`])).rejects.toThrow(message);
  });
});

describe('mode ABAC', () => {
  it('allows what a line allows', async () => {
    const file = join(folder, 'policy');
    const line = (spec: object): string =>
      JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });
    writeFileSync(
      file,
      [
        '# comment',
        '',
        line({ user: 'jane', namespace: 'default', resource: 'pods', apiGroup: '', readonly: true }),
        line({ group: 'dev', nonResourcePath: '/api*', readonly: true }),
        '{"user":"joe"}',
      ].join('\n'),
    );
    await start('--authorization-mode=ABAC', `--authorization-policy-file=${file}`);
    const statuses = async (who: string): Promise<number[]> => [
      (await get(PODS, who)).status,
      (await call({ url: server!.url, path: `${PODS}/x`, method: 'DELETE', token: `${who}-token` })).status,
      (await get('/api/v1/namespaces/other/pods', who)).status,
      (await get('/apis', who)).status,
      (await get('/version', who)).status,
    ];
    expect(await statuses('jane')).toEqual([200, 403, 403, 200, 403]);
    expect(await statuses('joe')).toEqual([200, 404, 200, 200, 200]);
  });

  const V1BETA1 = '"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy"';
  const UNMARSHAL = 'json: cannot unmarshal';

  // The texts of kube-apiserver 1.37.2.
  it.each([
    ['{"user":1}', `${UNMARSHAL} number into Go struct field Policy.user of type string`],
    [`{${V1BETA1},"spec":{"user":1}}`, `${UNMARSHAL} number into Go struct field PolicySpec.spec.user of type string`],
    [
      `{${V1BETA1},"spec":{"readonly":"x"}}`,
      `${UNMARSHAL} string into Go struct field PolicySpec.spec.readonly of type bool`,
    ],
    [`{${V1BETA1},"spec":"x"}`, `${UNMARSHAL} string into Go struct field Policy.spec of type v1beta1.PolicySpec`],
    ['{"user":}', "couldn't get version/kind; json parse error: invalid character '}' looking for beginning of value"],
    [
      'hello',
      `couldn't get version/kind; json parse error: ${UNMARSHAL} string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ],
    [
      '{"apiVersion":"v1","kind":"Pod"}',
      'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ])('refuses the line %s', async (line, why) => {
    const file = join(folder, 'policy');
    writeFileSync(file, `# comment\n${line}\n`);
    await expect(startWithFlags(['--authorization-mode=ABAC', `--authorization-policy-file=${file}`])).rejects.toThrow(
      `invalid authorization config: error reading policy file ${file}, line 2: ${line}: ${why}`,
    );
  });
});
