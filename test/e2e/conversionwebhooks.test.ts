import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../pkg/outbound/testing/server.js';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Cluster, isBuilt } from '../chaos/cluster.js';
import { Client, type Reply } from './client.js';

/** Conversion webhooks with a real HTTPS server on loopback. The texts of errors are those of kube-apiserver 1.37. */

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const HOSTS = (version: string): string => `/apis/conv.io/${version}/namespaces/default/hosts`;
const MERGE = { 'content-type': 'application/merge-patch+json' };
const WAIT_MS = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: the test converts any object
type Any = any;

/** v1 has `host: a:1`, v2 has `name: a` and `port: '1'`. */
function convert(o: Any, apiVersion: string): Any {
  const { spec, ...rest } = o;
  const [name, port] = 'host' in spec ? spec.host.split(':') : [spec.name, spec.port];
  return { ...rest, apiVersion, spec: apiVersion === 'conv.io/v1' ? { host: `${name}:${port}` } : { name, port } };
}

let webhook: TestServer;
let calls: number[] = [];
/** Changes the response of the webhook. */
let spoil: ((response: Any) => Any) | undefined;

beforeAll(async () => {
  webhook = await testServer((body, _, response) => {
    const { apiVersion, request } = JSON.parse(body) as Any;
    calls.push(request.objects.length);
    const converted = request.objects.map((o: Any) => convert(o, request.desiredAPIVersion));
    const answer = { uid: request.uid, result: { status: 'Success' }, convertedObjects: converted };
    const given = spoil === undefined ? answer : spoil(answer);
    if (given === undefined) return void response.socket?.destroy();
    response.setHeader('content-type', 'application/json');
    response.end(
      typeof given === 'string' ? given : JSON.stringify({ apiVersion, kind: 'ConversionReview', response: given }),
    );
  });
});
afterAll(() => webhook.close());
beforeEach(() => {
  calls = [];
  spoil = undefined;
});

const version = (name: string, storage: boolean, fields: readonly string[]): object => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: Object.fromEntries(fields.map((f) => [f, { type: 'string' }])) },
        status: { type: 'object', properties: { up: { type: 'boolean' } } },
      },
    },
  },
});

const definition = (): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'hosts.conv.io' },
  spec: {
    group: 'conv.io',
    scope: 'Namespaced',
    names: { plural: 'hosts', kind: 'Host' },
    versions: [version('v1', true, ['host']), version('v2', false, ['name', 'port'])],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { url: `${webhook.origin}/convert`, caBundle: Buffer.from(webhook.ca).toString('base64') },
      },
    },
  },
});

const host = (name: string, spec: object = { host: 'a:1' }, v = 'v1'): object => ({
  apiVersion: `conv.io/${v}`,
  kind: 'Host',
  metadata: { name },
  spec,
});

const manyValues = (): object =>
  Object.fromEntries(Array.from({ length: 101 }, (_, k) => [`a${k}`, Array.from({ length: 10_000 }, () => 'text')]));

async function served(client: Client): Promise<void> {
  const end = performance.now() + WAIT_MS;
  while ((await client.ask(HOSTS('v2'))).status !== 200)
    if (performance.now() > end) throw new Error('the definition was never served');
}

describe('conversion webhooks on one peer', () => {
  let server: TestApiServer;
  let client: Client;
  const json = async (reply: Promise<Reply>, status = 200): Promise<Any> => {
    const { status: found, body } = await reply;
    expect(found, body.toString()).toBe(status);
    return JSON.parse(body.toString());
  };

  beforeAll(async () => {
    server = await startApiServer({ controllers: [] });
    client = new Client(server);
    await json(client.ask(DEFINITIONS, { body: definition() }), 201);
    await served(client);
  });
  afterAll(() => server.close());

  it('read and write both versions', async () => {
    const first = await json(client.ask(HOSTS('v1'), { body: host('one') }), 201);
    const two = await json(client.ask(HOSTS('v2'), { body: host('two', { name: 'b', port: '2' }, 'v2') }), 201);
    expect(two).toMatchObject({ apiVersion: 'conv.io/v2', spec: { name: 'b', port: '2' } });
    expect(await json(client.ask(`${HOSTS('v2')}/one`))).toMatchObject({
      apiVersion: 'conv.io/v2',
      spec: { name: 'a', port: '1' },
      metadata: { uid: first.metadata.uid },
    });
    expect(await json(client.ask(`${HOSTS('v1')}/two`))).toMatchObject({ spec: { host: 'b:2' } });
    const patched = client.ask(`${HOSTS('v2')}/one`, {
      method: 'PATCH',
      headers: MERGE,
      body: { spec: { port: '9' } },
    });
    expect(await json(patched)).toMatchObject({ spec: { name: 'a', port: '9' }, metadata: { generation: 2 } });
    const applied = await json(
      client.ask(`${HOSTS('v2')}/two?fieldManager=me&force=true`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: host('two', { name: 'z' }, 'v2'),
      }),
    );
    expect(applied.spec).toEqual({ name: 'z', port: '2' });
    const status = client.ask(`${HOSTS('v2')}/two/status`, {
      method: 'PATCH',
      headers: MERGE,
      body: { status: { up: true } },
    });
    expect(await json(status)).toMatchObject({ spec: { name: 'z' }, status: { up: true } });
    const list = await json(client.ask(HOSTS('v1')));
    expect(list.items.map((o: Any) => o.spec.host)).toEqual(['a:9', 'z:2']);
  });

  it('are called once for a list, and not again for what they converted', async () => {
    for (let i = 0; i < 5; i++) await json(client.ask(HOSTS('v1'), { body: host(`many-${i}`) }), 201);
    calls = [];
    const list = await json(client.ask(HOSTS('v2')));
    expect(list.items.every((o: Any) => o.apiVersion === 'conv.io/v2' && o.spec.port !== undefined)).toBe(true);
    expect(calls.length).toBe(1);
    await json(client.ask(HOSTS('v2')));
    await json(client.ask(`${HOSTS('v2')}/many-1`));
    expect(calls.length).toBe(1);
  });

  it('convert the events of all watchers with one call', async () => {
    const { resourceVersion } = (await json(client.ask(HOSTS('v1')))).metadata;
    const query = `?watch=true&timeoutSeconds=2&resourceVersion=${resourceVersion}`;
    const watches = [1, 2, 3].map(() => client.ask(HOSTS('v2') + query));
    calls = [];
    await json(client.ask(HOSTS('v1'), { body: host('watched', { host: 'w:7' }) }), 201);
    for (const reply of await Promise.all(watches)) {
      const event = JSON.parse(reply.body.toString().split('\n')[0]!) as Any;
      expect(event).toMatchObject({
        type: 'ADDED',
        object: { apiVersion: 'conv.io/v2', spec: { name: 'w', port: '7' } },
      });
    }
    expect(calls).toEqual([1]);
  });

  it('change nothing but labels and annotations of the metadata', async () => {
    await json(client.ask(HOSTS('v1'), { body: host('meta') }), 201);
    spoil = (r) => {
      for (const o of r.convertedObjects) {
        o.metadata = { ...o.metadata, generation: 77, finalizers: ['a.b/c'], labels: { by: 'webhook' } };
        o.spec.unknown = 'x';
      }
      return r;
    };
    const { metadata, spec } = await json(client.ask(`${HOSTS('v2')}/meta`));
    expect(metadata).toMatchObject({ generation: 1, labels: { by: 'webhook' } });
    expect(metadata.finalizers).toBeUndefined();
    expect(spec).toEqual({ name: 'a', port: '1' });
  });

  it.each<[string, (r: Any) => Any, string]>([
    ['fail', (r) => ({ ...r, result: { status: 'Failure', message: 'cannot' } }), 'failed: cannot'],
    ['do not say why', (r) => ({ ...r, result: {} }), "failed: response.result.status was '', not 'Success'"],
    ['answer another uid', (r) => ({ ...r, uid: 'x' }), 'failed: expected response.uid='],
    ['lose objects', (r) => ({ ...r, convertedObjects: [] }), 'returned 0 objects, expected 1'],
    [
      'rename',
      (r) => ({ ...r, convertedObjects: r.convertedObjects.map((o: Any) => ({ ...o, metadata: { name: 'zz' } })) }),
      'returned invalid object: must have the same name: bad != zz',
    ],
    [
      'keep the version',
      (r) => ({ ...r, convertedObjects: r.convertedObjects.map((o: Any) => ({ ...o, apiVersion: 'conv.io/v3' })) }),
      'returned invalid object at index 0: invalid groupVersion (expected conv.io/v2, received conv.io/v3)',
    ],
    ['answer garbage', () => 'garbage', "failed: couldn't get version/kind; json parse error"],
    [
      'answer with more values than the body of a request may have',
      (r) => ({ ...r, convertedObjects: r.convertedObjects.map((o: Any) => ({ ...o, spec: manyValues() })) }),
      "failed: couldn't get version/kind; json parse error: the body has more than 100000 values",
    ],
    ['answer nothing', () => '', 'failed: 0-length response with status code: 200'],
    ['break the connection', () => undefined, `EOF`],
  ])('that %s lose nothing', async (_, change, text) => {
    await client.ask(`${HOSTS('v1')}/bad`, { method: 'DELETE' });
    await json(client.ask(HOSTS('v1'), { body: host('bad') }), 201);
    spoil = change;
    const got = await json(client.ask(`${HOSTS('v2')}/bad`), 500);
    expect(got.message).toContain(
      'Key: /conv.io/hosts/default/bad, ResourceVersion: 0, AdditionalErrorMsg: object not',
    );
    expect(got.message).toContain(text);
    const listed = await json(client.ask(HOSTS('v2')), 500);
    expect(listed.message).toContain('failed to read one or more hosts.conv.io from the storage');
    const patched = await json(
      client.ask(`${HOSTS('v2')}/bad`, { method: 'PATCH', headers: MERGE, body: { spec: { port: '3' } } }),
      500,
    );
    expect(patched.message).toMatch(/^object not decodable revision=\d+: /);
    expect((await json(client.ask(`${HOSTS('v1')}/bad`))).spec).toEqual({ host: 'a:1' });
    spoil = undefined;
    expect((await json(client.ask(`${HOSTS('v2')}/bad`))).spec).toEqual({ name: 'a', port: '1' });
  });

  describe('that refuse some objects', () => {
    const refusing = (r: Any): Any => {
      const bad = r.convertedObjects.find((o: Any) => o.metadata.name.startsWith('refused'));
      return bad === undefined ? r : { uid: r.uid, result: { status: 'Failure', message: `no ${bad.metadata.name}` } };
    };
    const place = (v: string): string => HOSTS(v).replace('default', 'refusals');
    let before = '';

    beforeAll(async () => {
      await json(client.ask('/api/v1/namespaces', { body: { metadata: { name: 'refusals' } } }), 201);
      before = (await json(client.ask(place('v1')))).metadata.resourceVersion;
      for (const name of ['a', 'b', 'c', 'refused-1', 'd', 'refused-2', 'e'])
        await json(client.ask(place('v1'), { body: host(name) }), 201);
    });
    beforeEach(() => {
      spoil = refusing;
    });

    it('fail a list with an error that names these only', async () => {
      const { message, details } = await json(client.ask(place('v2')), 500);
      expect(message).toMatch(/failed: no refused-1 \(and 1 more\)$/);
      const key = '/registry/conv.io/hosts/refusals/';
      expect(details.causes.map((c: Any) => c.field)).toEqual([`${key}refused-1`, `${key}refused-2`]);
      expect(details.causes[1].message).toMatch(/failed: no refused-2$/);
      calls = [];
      await json(client.ask(`${place('v2')}/e`));
      expect(calls).toEqual([]);
    });

    it('fail a list with an error that names a hundred of them and says that there are more', async () => {
      const many = (v: string): string => HOSTS(v).replace('default', 'many-refusals');
      await json(client.ask('/api/v1/namespaces', { body: { metadata: { name: 'many-refusals' } } }), 201);
      for (let i = 0; i < 101; i++) await json(client.ask(many('v1'), { body: host(`refused-${i}`) }), 201);
      const { message, details } = await json(client.ask(many('v2')), 500);
      expect(message).toMatch(/ \(and 99 more\)$/);
      expect(details.causes).toHaveLength(101);
      expect(details.causes[100]).toEqual({
        reason: 'FieldValueTooMany',
        message: 'too many errors, the list is truncated',
      });
    });

    it('end a watch only at the first of them', async () => {
      const watch = client.watch(`${place('v2')}?watch=true&resourceVersion=${before}`);
      await watch.until((w) => w.ended);
      const names = watch.events.map((e) => e.object.metadata.name ?? e.object.message);
      expect(names.slice(0, 3)).toEqual(['a', 'b', 'c']);
      expect(names[3]).toMatch(/failed: no refused-1$/);
      expect(names).toHaveLength(4);
    });

    it('do not prevent a deletion', async () => {
      await json(client.ask(place('v2'), { method: 'DELETE' }), 500);
      expect((await json(client.ask(place('v1')))).items).toHaveLength(7);
      const finalizers = { metadata: { finalizers: ['a.b/c'] } };
      const path = `${place('v1')}/refused-1`;
      await json(client.ask(path, { method: 'PATCH', headers: MERGE, body: finalizers }));
      const pending = await json(client.ask(`${place('v2')}/refused-1`, { method: 'DELETE' }));
      expect(pending).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'refused-1' } });
      expect((await json(client.ask(path))).metadata.deletionTimestamp).toBeDefined();
      await json(client.ask(`${place('v2')}/refused-2`, { method: 'DELETE' }));
      await json(client.ask(`${place('v1')}/refused-2`), 404);
    });
  });

  it.each<[string, ((r: Any) => Any) | undefined, string]>([
    ['succeed', undefined, 'failure_type="",result="success"'],
    ['break the connection', () => undefined, 'failure_type="conversion_webhook_call_failure",result="failure"'],
    ['answer garbage', () => 'garbage', 'failure_type="conversion_webhook_call_failure",result="failure"'],
    [
      'fail',
      (r) => ({ ...r, result: { status: 'Failure' } }),
      'failure_type="conversion_webhook_malformed_response_failure",result="failure"',
    ],
    [
      'lose objects',
      (r) => ({ ...r, convertedObjects: [] }),
      'failure_type="conversion_webhook_partial_response_failure",result="failure"',
    ],
    [
      'return no objects',
      (r) => ({ ...r, convertedObjects: [null] }),
      'failure_type="conversion_webhook_invalid_converted_object_failure",result="failure"',
    ],
  ])('that %s are counted', async (_, change, labels) => {
    const succeeded = change === undefined;
    const byDefinition = `crd_name="hosts.conv.io",from_version="v1",to_version="v2",succeeded="${succeeded}"`;
    const counted = async (name: string, labelled: string): Promise<number> => {
      const lines = (await client.ask('/metrics')).body.toString().split('\n');
      const prefix = `${name}{`;
      const words = labelled.split(',');
      const line = lines.find((l) => l.startsWith(prefix) && words.every((word) => l.includes(word)));
      return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ')));
    };
    await client.ask(`${HOSTS('v1')}/counted`, { method: 'DELETE' });
    await json(client.ask(HOSTS('v1'), { body: host('counted') }), 201);
    const both = async (): Promise<readonly number[]> => [
      await counted('apiserver_conversion_webhook_request_total', labels),
      await counted('apiserver_crd_conversion_webhook_duration_seconds_count', byDefinition),
    ];
    const before = await both();
    spoil = change;
    await client.ask(`${HOSTS('v2')}/counted`);
    for (const [i, n] of (await both()).entries()) expect(n).toBeGreaterThan(before[i]!);
  });

  const rule = { apiGroups: ['conv.io'], apiVersions: ['v2'], operations: ['CREATE'], resources: ['hosts'] };
  const byWebhook = {
    webhooks: [
      {
        name: 'a.conv.io',
        sideEffects: 'None',
        failurePolicy: 'Ignore',
        admissionReviewVersions: ['v1'],
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [rule],
      },
    ],
  };
  const conditional = {
    webhooks: [{ ...byWebhook.webhooks[0], matchConditions: [{ name: 'm', expression: 'true' }] }],
  };
  const byPolicy = (failurePolicy: string, spec: object): object => ({
    spec: { failurePolicy, matchConstraints: { resourceRules: [rule] }, ...spec },
  });
  const validations = { validations: [{ expression: 'true' }] };
  const mutations = {
    reinvocationPolicy: 'Never',
    mutations: [
      { patchType: 'JSONPatch', jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/spec/name', value: 'x'}]" } },
    ],
  };
  const WHY = 'conversion webhook for conv.io/v1, Kind=Host failed: Post ';
  it.each([
    ['validatingwebhookconfigurations', byWebhook, 500, `Internal error occurred: ${WHY}`],
    ['validatingwebhookconfigurations', conditional, 500, `Internal error occurred: ${WHY}`],
    ['mutatingwebhookconfigurations', byWebhook, 500, `Internal error occurred: Internal error occurred: ${WHY}`],
    [
      'validatingadmissionpolicies',
      byPolicy('Fail', validations),
      422,
      `hosts.conv.io "seen" is forbidden: ValidatingAdmissionPolicy 'conv' with binding 'conv' denied request: failed to configure binding: failed to convert object version: ${WHY}`,
    ],
    ['validatingadmissionpolicies', byPolicy('Ignore', validations), 201, ''],
    [
      'mutatingadmissionpolicies',
      byPolicy('Fail', mutations),
      403,
      `policy "conv" denied request: failed to configure policy: ${WHY}`,
    ],
    ['mutatingadmissionpolicies', byPolicy('Ignore', mutations), 201, ''],
  ])('that fail while %s decide about a request in another version', async (resource, given, status, message) => {
    const path = `/apis/admissionregistration.k8s.io/v1/${resource}`;
    const bindings = path.replace(/policies$/, 'policybindings');
    await json(client.ask(path, { body: { metadata: { name: 'conv' }, ...given } }), 201);
    if (bindings !== path) {
      const actions = resource.startsWith('validating') ? { validationActions: ['Deny'] } : {};
      await json(
        client.ask(bindings, { body: { metadata: { name: 'conv' }, spec: { policyName: 'conv', ...actions } } }),
        201,
      );
    }
    try {
      spoil = () => undefined;
      const answer = await json(client.ask(HOSTS('v1'), { body: host('seen') }), status);
      if (status !== 201) expect(answer.message.startsWith(message), answer.message).toBe(true);
      if (status === 500) expect(answer.reason).toBe('InternalError');
    } finally {
      await client.ask(`${path}/conv`, { method: 'DELETE' });
      await client.ask(`${bindings}/conv`, { method: 'DELETE' });
      await client.ask(`${HOSTS('v1')}/seen`, { method: 'DELETE' });
    }
  });

  it('need certificates that can be read, and keep them', async () => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const unreadable = base64('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const other = structuredClone(definition()) as Any;
    other.metadata.name = 'posts.conv.io';
    other.spec.names = { plural: 'posts', kind: 'Post' };
    other.spec.conversion.webhook.clientConfig.caBundle = unreadable;
    await json(client.ask(DEFINITIONS, { body: other }), 201);
    const established = async (status: string): Promise<Any> => {
      const end = performance.now() + WAIT_MS;
      for (;;) {
        const { conditions } = (await json(client.ask(`${DEFINITIONS}/posts.conv.io`))).status;
        const found = conditions?.find((c: Any) => c.type === 'Established');
        if (found?.status === status) return found;
        if (performance.now() > end) throw new Error(`never so: ${JSON.stringify(conditions)}`);
      }
    };
    expect(await established('False')).toMatchObject({
      reason: 'InvalidCABundle',
      message: 'The conversion webhook CABundle is invalid',
    });
    const patch = (caBundle: string): Promise<Reply> => {
      const body = { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } };
      return client.ask(`${DEFINITIONS}/posts.conv.io`, { method: 'PATCH', headers: MERGE, body });
    };
    await json(patch(base64('also none')));
    await json(patch(base64(webhook.ca)));
    await established('True');
    await json(
      patch(base64(`text before\n${webhook.ca}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`)),
    );
    for (const [bundle, why] of [
      [base64('none'), 'unable to parse bytes as PEM block'],
      [unreadable, 'failed to parse certificate: x509: malformed certificate'],
      [base64(webhook.ca.replaceAll('CERTIFICATE', 'THING')), 'no valid certificate authority data seen'],
    ] as const) {
      const { details } = await json(patch(bundle), 422);
      const cause = {
        reason: 'FieldValueInvalid',
        message: `Invalid value: "${bundle}": unable to load root certificates: ${why}`,
        field: 'spec.conversion.webhookClientConfig.caBundle',
      };
      expect(details.causes).toEqual([cause]);
    }
    await client.ask(`${DEFINITIONS}/posts.conv.io`, { method: 'DELETE' });
  });

  it('convert stored objects when the storage version changes', async () => {
    const path = `${DEFINITIONS}/hosts.conv.io`;
    const versions = [version('v1', false, ['host']), version('v2', true, ['name', 'port'])];
    const changed = await json(client.ask(path, { method: 'PATCH', headers: MERGE, body: { spec: { versions } } }));
    expect(changed.status.storedVersions).toEqual(['v1', 'v2']);
    const end = performance.now() + WAIT_MS;
    for (;;) {
      calls = [];
      await json(client.ask(`${HOSTS('v2')}/one`, { method: 'PATCH', headers: MERGE, body: { spec: { port: '5' } } }));
      const again = await json(client.ask(`${HOSTS('v1')}/one`));
      expect(again.spec.host).toBe('a:5');
      // An object that is stored as v2 needs no conversion to be read as v2.
      calls = [];
      await json(client.ask(`${HOSTS('v2')}/one`));
      if (calls.length === 0) break;
      if (performance.now() > end) throw new Error('the storage version never changed');
    }
    expect((await json(client.ask(`${HOSTS('v2')}/many-1`))).spec).toEqual({ name: 'a', port: '1' });
  });
});

describe.skipIf(!isBuilt)('conversion webhooks on three peers', () => {
  it('convert on every peer', async () => {
    const cluster = await Cluster.start();
    try {
      const { ca, cert, key } = cluster.access;
      const peers = cluster.names.map((name) => new Client({ url: cluster.url(name), ca, cert, key }));
      expect((await peers[0]!.ask(DEFINITIONS, { body: definition() })).status).toBe(201);
      for (const peer of peers) await served(peer);
      expect((await peers[1]!.ask(HOSTS('v2'), { body: host('x', { name: 'n', port: '4' }, 'v2') })).status).toBe(201);
      for (const peer of peers)
        expect((await peer.ask(`${HOSTS('v2')}/x`)).json().spec).toEqual({ name: 'n', port: '4' });
    } finally {
      await cluster.close();
    }
  });
});
