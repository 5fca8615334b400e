import { describe, expect, it } from 'vitest';
import { readCbor } from '../codec/index.js';
import { InFlightLimiter } from './inflight.js';
import { PATHS } from './paths.js';
import { createRouter } from './router.js';
import { CATALOGUE_WITH_DEPLOYMENTS, testServices, testWorld } from './testing.js';

const nobody = { user: () => undefined };
const jane = { user: () => ({ name: 'jane', groups: ['system:authenticated'] }) };

function app(options: Parameters<typeof testServices>[1] = {}) {
  const services = testServices(testWorld, options);
  return { services, router: createRouter(services) };
}

const cm = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
const CMS = '/api/v1/namespaces/n/configmaps';

describe('the pipeline', () => {
  it('calls the verb', async () => {
    const { router } = app();
    const made = await router.inject({ method: 'POST', url: CMS, payload: cm, headers: { 'user-agent': 'kubectl/1' } });
    expect(made.statusCode).toBe(201);
    expect(made.json()).toEqual(cm);
    expect(made.headers['warning']).toEqual(['299 - "by \\"kubectl\\""']);
    expect(made.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.headers['cache-control']).toBe('no-cache, private');
    const got = await router.inject({ url: `${CMS}/a` });
    expect([got.statusCode, got.headers['content-type'], got.json()]).toEqual([200, 'application/json', cm]);
    const gone = await router.inject({ method: 'DELETE', url: `${CMS}/a` });
    expect([gone.statusCode, gone.json().status]).toEqual([200, 'Success']);
    const none = await router.inject({ url: `${CMS}/a` });
    expect([none.statusCode, none.json().reason]).toEqual([404, 'NotFound']);
  });

  it('keeps a valid audit id of the client', async () => {
    const { router } = app();
    expect((await router.inject({ url: CMS, headers: { 'audit-id': 'mine' } })).headers['audit-id']).toBe('mine');
    expect((await router.inject({ url: CMS, headers: { 'audit-id': 'x y' } })).headers['audit-id']).not.toBe('x y');
  });

  it('rejects unauthenticated requests', async () => {
    const { router } = app(nobody);
    const r = await router.inject({ method: 'POST', url: CMS, payload: '{' });
    expect([r.statusCode, r.json()]).toEqual([
      401,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Unauthorized',
        reason: 'Unauthorized',
        code: 401,
      },
    ]);
  });

  it('rejects unauthorized requests before parsing', async () => {
    const { router } = app(jane);
    for (const [method, url, verb] of [
      ['POST', `${CMS}?dryRun=bad`, 'create'],
      ['GET', `${CMS}?limit=abc`, 'list'],
      ['GET', `${CMS}?watch=1`, 'watch'],
    ] as const) {
      const r = await router.inject({ method, url, ...(method === 'POST' ? { payload: '{' } : {}) });
      expect([r.statusCode, r.json().message]).toEqual([
        403,
        `configmaps is forbidden: User "jane" cannot ${verb} resource "configmaps" in API group "" in the namespace "n"`,
      ]);
    }
    const path = await router.inject({ url: '/metrics' });
    expect([path.statusCode, path.json().message]).toEqual([403, 'forbidden: User "jane" cannot get path "/metrics"']);
    expect(path.headers['x-content-type-options']).toBe('nosniff');
    expect((await router.inject({ url: '/api/v1' })).statusCode).toBe(200);
  });

  it('lets an administrator impersonate a user', async () => {
    const { router } = app();
    const r = await router.inject({ url: CMS, headers: { 'impersonate-user': 'jane' } });
    expect([r.statusCode, r.json().message]).toEqual([
      403,
      'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "n"',
    ]);
    // Node.js reads the bytes of headers as Latin-1.
    const name = Buffer.from('jos\u00e9').toString('latin1');
    const wide = await router.inject({ url: CMS, headers: { 'impersonate-user': name } });
    expect(wide.json().message).toContain('User "jos\u00e9" cannot list');
    const denied = await app(jane).router.inject({ url: '/api/v1', headers: { 'impersonate-user': 'bob' } });
    expect(denied.headers['x-content-type-options']).toBe('nosniff');
    expect(denied.json().message).toBe('forbidden: User "jane" cannot impersonate-on:user-info:get path "/api/v1"');
  });

  it('reports an internal error only by the id under which it is logged', async () => {
    const { router, services } = app();
    services.registry.before = () => {
      throw new TypeError('secret thing');
    };
    const r = await router.inject({ url: CMS });
    expect([r.statusCode, r.json().reason]).toEqual([500, 'InternalError']);
    expect(r.body).not.toContain('secret thing');
    expect(r.body).toContain(String(r.headers['audit-id']));
  });
});

describe('an error response', () => {
  it.each<[accept: string, type: string, code?: number]>([
    ['application/cbor', 'application/cbor'],
    ['application/json;q=0.9,application/cbor;q=1', 'application/cbor'],
    ['application/vnd.kubernetes.protobuf', 'application/vnd.kubernetes.protobuf'],
    ['application/json', 'application/json'],
    ['text/html', 'application/json', 406],
  ])('has the encoding that the client accepts: %s', async (accept, type, code = 404) => {
    const { router } = app({ cbor: true });
    const r = await router.inject({ url: `${CMS}/none`, headers: { accept } });
    expect([r.statusCode, r.headers['content-type']]).toEqual([code, type]);
    const plain = await app().router.inject({ url: `${CMS}/none`, headers: { accept } });
    expect(plain.headers['content-type']).toBe(type === 'application/cbor' ? 'application/json' : type);
  });

  it('in CBOR is a complete Status', async () => {
    const { router } = app({ cbor: true });
    const r = await router.inject({ url: `${CMS}/none`, headers: { accept: 'application/cbor' } });
    const read = readCbor(r.rawPayload);
    expect(read.ok && read.value).toMatchObject({
      kind: 'Status',
      reason: 'NotFound',
      code: 404,
      details: { name: 'none' },
    });
  });
});

describe('indented responses', () => {
  const lines = /^\{\n {2}"kind": /;
  const discovery = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

  it.each<[name: string, method: 'GET' | 'PUT' | 'DELETE', path: string, code: number, accept?: string]>([
    ['an error response', 'GET', `${CMS}/none`, 404],
    ['a failure before the verb', 'PUT', CMS, 405],
    ['the end of a deletion', 'DELETE', `${CMS}/a`, 200],
    ['the versions', 'GET', '/api', 200],
    ['the groups', 'GET', '/apis', 200],
    ['a version', 'GET', '/api/v1', 200],
    ['discovery in one document', 'GET', '/api', 200, discovery],
  ])('depend on the query and the user agent: %s', async (_name, method, path, code, accept) => {
    const { router, services } = app();
    const get = async (query: string, userAgent: string) => {
      services.registry.objects.set('a', cm);
      const headers = { 'user-agent': userAgent, ...(accept === undefined ? {} : { accept }) };
      return router.inject({ method, url: `${path}${query}`, headers });
    };
    const plain = await get('', 'kubectl/1');
    expect([plain.statusCode, plain.body.trimEnd().includes('\n')]).toEqual([code, false]);
    for (const [query, userAgent] of [
      ['?pretty=true', 'kubectl/1'],
      ['', 'curl/8.5.0'],
      ['', 'Mozilla/5.0 (X11)'],
    ] as const) {
      const r = await get(query, userAgent);
      expect([r.statusCode, r.json()]).toEqual([code, plain.json()]);
      expect(r.body).toMatch(lines);
    }
    expect((await get('?pretty=false', 'curl/8.5.0')).body).toBe(plain.body);
  });

  it('are errors of requests whose Accept header a Status cannot satisfy', async () => {
    const { router } = app();
    const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    const asked = async (accept: string, url: string): Promise<string> =>
      (await router.inject({ url, headers: { accept } })).body;
    for (const [accept, url] of [
      ['text/html', CMS],
      [table, `${CMS}/none`],
      ['application/yaml;as=Table;g=meta.k8s.io;v=v1', `${CMS}/none`],
    ] as const) {
      const body = await asked(accept, url);
      expect(body).toMatch(lines);
      expect(body.endsWith('}')).toBe(true);
    }
    expect((await asked(`${table},application/json`, `${CMS}/none`)).trimEnd()).not.toContain('\n');
  });

  it('are also sent to unauthenticated clients', async () => {
    const r = await app(nobody).router.inject({ url: CMS, headers: { 'user-agent': 'curl/8.5.0' } });
    expect(r.statusCode).toBe(401);
    expect(r.body).toMatch(lines);
  });

  it('are requested by the Accept header', async () => {
    for (const url of [`${CMS}/none`, '/api/v1']) {
      const r = await app().router.inject({ url, headers: { accept: 'application/json;pretty=1' } });
      expect(r.body).toMatch(lines);
    }
  });
});

describe('a path that names nothing', () => {
  it.each([
    ['GET', '/apis/nope.example.com'],
    ['GET', '/apis/nope.example.com/v1'],
    ['POST', '/apis/nope.example.com/v1/things'],
  ])('%s %s in a group without built-in kinds is a plain 404', async (method, url) => {
    const { router } = app();
    const r = await router.inject({ method: method as 'GET', url });
    expect([r.statusCode, r.body]).toEqual([404, '404 page not found\n']);
  });

  it.each([
    ['GET', '/api/v1/configmaps/a', 404],
    ['GET', '/api/v1/namespaces/n/namespaces', 404],
    ['GET', '/api/V1', 404],
    ['GET', '/api/v1/namespaces/n/configmap', 404],
    ['GET', '/api/v1/watch/componentstatuses', 404],
    ['GET', '/api/v1/namespaces/n/configmaps/a/status', 404],
    ['OPTIONS', CMS, 405],
    ['TRACE', CMS, 405],
    ['POST', `${CMS}/a`, 405],
    ['POST', '/api/v1/configmaps', 405],
    ['DELETE', '/api/v1/configmaps', 405],
    ['PUT', CMS, 405],
    ['POST', '/api', 405],
    ['PUT', '/api/v1', 405],
    ['GET', `${CMS}/a//status`, 404],
    ['POST', '/version', 405],
    ['GET', '/version/x', 404],
    ['POST', '/openid/v1/jwks', 405],
    ['PUT', '/.well-known/openid-configuration/', 405],
    ['GET', '/.well-known/openid-configuration/x', 404],
    ['POST', '/api/v1/watch/namespaces/n/configmaps', 405],
    ['DELETE', '/api/v1/componentstatuses/a', 405],
    ['GET', '/api/v1/componentstatuses?watch=true', 405],
  ])('%s %s is %i', async (method, url, code) => {
    const { router } = app();
    const r = await router.inject({ method: method as 'GET', url });
    expect([r.statusCode, r.json().kind, r.json().code]).toEqual([code, 'Status', code]);
  });

  it('serves the documents of groups to every method, and the roots with a query', async () => {
    const { services, router } = app();
    services.registry.servedResources = CATALOGUE_WITH_DEPLOYMENTS;
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'] as const)
      expect((await router.inject({ method, url: '/apis/apps/' })).json().kind).toBe('APIGroup');
    for (const method of ['HEAD', 'POST'] as const)
      expect((await router.inject({ method, url: '/apis/apps/v1' })).statusCode).toBe(405);
    expect((await router.inject({ url: '/apis/?x=y' })).json().kind).toBe('APIGroupList');
    expect((await router.inject({ url: '/api/?x=y' })).json().kind).toBe('APIVersions');
    expect((await router.inject({ url: '/apis//v1/configmaps' })).body).toBe('404 page not found\n');
    const accept = 'application/json,application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    expect((await router.inject({ url: '/apis/', headers: { accept } })).json().kind).toBe('APIGroupList');
  });

  it('`/` and `/index.html` are the index for every method', async () => {
    const { router } = app();
    for (const url of ['/', '/index.html'])
      for (const method of ['GET', 'POST', 'OPTIONS'] as const)
        expect((await router.inject({ method, url })).json().paths).toContain('/api/v1');
  });

  it.each(['GET', 'HEAD', 'POST'] as const)('serves the OpenAPI documents to %s', async (method) => {
    const { router } = app();
    const asked = async (url: string, accept: string): Promise<readonly unknown[]> => {
      const { statusCode, headers } = await router.inject({ method, url, headers: { accept } });
      return [statusCode, headers['content-type'], headers['vary'], headers['content-length']];
    };
    const index = await asked('/openapi/v3', 'text/html');
    expect(index.slice(0, 3)).toEqual([200, 'text/plain; charset=utf-8', undefined]);
    const empty = method === 'HEAD' ? undefined : '0';
    expect(await asked('/openapi/v2', 'text/html')).toEqual([406, undefined, 'Accept-Encoding, Accept', empty]);
    expect(await asked('/openapi/v3/none', '*/*')).toEqual([404, undefined, undefined, empty]);
  });

  it('is a plain text 400 when it cannot be decoded', async () => {
    const r = await app().router.inject({ url: `${CMS}/%zz` });
    expect([r.statusCode, r.headers['content-type']]).toEqual([400, 'text/plain; charset=utf-8']);
  });
});

describe('media types', () => {
  it.each([
    [
      { accept: 'text/html' },
      'application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    ],
    [
      { accept: 'application/*' },
      'application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    ],
    [
      { accept: '*/json' },
      'application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    ],
  ])('%j is 406', async (headers, types) => {
    const r = await app().router.inject({ url: CMS, headers });
    expect([r.statusCode, r.json().message]).toEqual([
      406,
      `406: Not Acceptable\n\nAvailable representations: ${types}`,
    ]);
  });

  it.each([
    ['/openid/v1/jwks', 'application/json', 'application/jwk-set+json'],
    ['/.well-known/openid-configuration', 'application/*', 'application/json'],
    ['/version', 'text/html', 'application/json'],
  ])('of %s are those of the document', async (url, accept, type) => {
    const { router } = app();
    const refused = await router.inject({ url, headers: { accept } });
    const message = `406: Not Acceptable\n\nAvailable representations: ${type}`;
    expect([refused.statusCode, refused.json().message]).toEqual([406, message]);
    const served = await router.inject({ url, headers: { accept: `text/html, ${type};q=0.1` } });
    expect([served.statusCode, served.headers['content-type']]).toEqual([200, type]);
  });

  it.each([
    ['/api', 415],
    ['/api//', 415],
    ['/api/v1', 415],
    ['/apis/apps/v1', 415],
    ['/version', 415],
    ['/version//', 415],
    ['/apis/apps//', 415],
    // No route of kube-apiserver serves these.
    ['/apis', 200],
    ['/apis/apps', 200],
    ['/openapi/v3', 200],
    ['/.well-known/openid-configuration///', 200],
    [CMS, 200],
  ])('of the body of a request for %s are those of its route', async (url, code) => {
    const { services, router } = app();
    services.registry.servedResources = CATALOGUE_WITH_DEPLOYMENTS;
    const asked = async (contentType: string): Promise<readonly unknown[]> => {
      const r = await router.inject({ url, headers: { 'content-type': contentType } });
      return [r.statusCode, r.statusCode === 200 ? '' : r.json().message];
    };
    expect(await asked('text/html')).toEqual([code, code === 200 ? '' : '415: Unsupported Media Type']);
    expect(await asked('text/html, application/json;a=b')).toEqual([200, '']);
  });

  it('of an OpenAPI document are chosen by quality, after its path', async () => {
    const { router } = app();
    const protobuf = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
    const asked = async (url: string, accept: string): Promise<readonly unknown[]> => {
      const { statusCode, headers } = await router.inject({ url, headers: { accept } });
      return [statusCode, headers['content-type']];
    };
    expect(await asked('/openapi/v3/none', 'text/html')).toEqual([404, undefined]);
    expect(await asked('/openapi/v3/api/v1', 'text/html')).toEqual([406, undefined]);
    expect(await asked('/openapi/v3/api/v1', `application/json;q=0.5, ${protobuf}`)).toEqual([200, protobuf]);
    expect(await asked('/openapi/v3/api/v1', `*/*, ${protobuf};q=0.5`)).toEqual([200, 'application/json']);
  });

  it('of a log are text and objects, but text alone is rejected', async () => {
    const { router } = app();
    const asked = async (accept: string, url: string): Promise<readonly unknown[]> => {
      const r = await router.inject({ method: url.endsWith('exec') ? 'POST' : 'GET', url, headers: { accept } });
      return [r.statusCode, r.payload === '' ? '' : r.json().message];
    };
    const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    expect(await asked('*/*', `${CMS}/a/log`)).toEqual([204, '']);
    expect(await asked('text/html', `${CMS}/a/log`)).toEqual([
      406,
      `406: Not Acceptable\n\nAvailable representations: text/plain, ${types}`,
    ]);
    expect(await asked('text/plain', `${CMS}/a/log`)).toEqual([
      406,
      `only the following media types are accepted: ${types}`,
    ]);
    expect(await asked('text/html', `${CMS}/a/exec`)).toEqual([204, '']);
  });

  it('rejects a body with an unknown media type', async () => {
    const { router } = app();
    for (const type of ['text/plain', 'application/json; charset', '*/*', 'application/cbor']) {
      const r = await router.inject({ method: 'POST', url: CMS, payload: '{}', headers: { 'content-type': type } });
      expect([type, r.statusCode, r.json().reason]).toEqual([type, 415, 'UnsupportedMediaType']);
    }
  });

  it('distinguishes patches by their media type', async () => {
    const { router } = app();
    const patch = (type: string, query = '') =>
      router.inject({ method: 'PATCH', url: `${CMS}/a${query}`, payload: '{}', headers: { 'content-type': type } });
    expect((await patch('application/merge-patch+json')).json()).toEqual({ type: 'merge', force: false });
    expect((await patch('application/strategic-merge-patch+json; charset=utf-8')).json().type).toBe('strategic');
    expect((await patch('application/apply-patch+yaml', '?fieldManager=x&force=1')).json()).toEqual({
      type: 'apply',
      force: true,
    });
    expect((await patch('application/json')).json().message).toBe('415: Unsupported Media Type');
    expect((await patch('application/merge-patch+json ; a=b')).json().message).toContain(
      'accepted media types include: application/json-patch+json,',
    );
  });

  it('rejects a body over the limit', async () => {
    const { router } = app();
    const r = await router.inject({
      method: 'POST',
      url: CMS,
      payload: 'x'.repeat(3 * 1024 * 1024 + 1),
      headers: { 'content-type': 'application/json' },
    });
    expect([r.statusCode, r.json().reason]).toEqual([413, 'RequestEntityTooLarge']);
  });
});

describe('paths that are not resources', () => {
  it('serve health checks', async () => {
    let broken = false;
    const { router } = app({
      readyz: [
        { name: 'ping', check: () => undefined },
        { name: 'store', check: () => (broken ? 'no leader' : undefined) },
      ],
    });
    const get = async (url: string) => {
      const r = await router.inject({ url, headers: { accept: 'text/html' } });
      return [r.statusCode, r.body];
    };
    expect(await get('/readyz')).toEqual([200, 'ok']);
    expect(await get('/readyz/ping')).toEqual([200, 'ok']);
    expect(await get('/readyz?verbose')).toEqual([200, '[+]ping ok\n[+]store ok\nreadyz check passed\n']);
    expect(await get('/readyz?exclude=nope')).toEqual([200, 'ok']);
    broken = true;
    expect(await get('/readyz')).toEqual([500, '[+]ping ok\n[-]store failed: reason withheld\nreadyz check failed\n']);
    expect(await get('/readyz?exclude=store')).toEqual([200, 'ok']);
    expect((await get('/readyz/store'))[0]).toBe(500);
    expect(await get('/livez')).toEqual([200, 'ok']);
    expect((await router.inject({ method: 'POST', url: '/healthz' })).statusCode).toBe(200);
  });

  it('serve the results of health checks', async () => {
    let broken = false;
    const { router } = app({
      readyz: [
        { name: 'ping', check: () => undefined },
        { name: 'store', check: () => (broken ? 'no leader' : undefined) },
      ],
    });
    const samples = async (): Promise<string[]> => {
      const r = await router.inject({ url: '/metrics/slis' });
      expect(r.headers['content-type']).toContain('text/plain; version=0.0.4');
      const lines = r.body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      return lines.sort();
    };
    expect(await samples()).toEqual([]);
    await router.inject({ url: '/livez' });
    await router.inject({ url: '/readyz' });
    broken = true;
    // An excluded check and a single check are not counted.
    await router.inject({ url: '/readyz?exclude=ping' });
    await router.inject({ url: '/readyz/ping' });
    expect(await samples()).toEqual([
      'kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 1',
      'kubernetes_healthchecks_total{name="ping",status="success",type="readyz"} 1',
      'kubernetes_healthchecks_total{name="store",status="error",type="readyz"} 1',
      'kubernetes_healthchecks_total{name="store",status="success",type="readyz"} 1',
      'kubernetes_healthcheck{name="ping",type="livez"} 1',
      'kubernetes_healthcheck{name="ping",type="readyz"} 1',
      'kubernetes_healthcheck{name="store",type="readyz"} 0',
    ]);
    const accept = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';
    const binary = await router.inject({ url: '/metrics/slis', headers: { accept } });
    expect(binary.headers['content-type']).toContain('application/vnd.google.protobuf');
    // The name of the first family is behind the length of its message.
    expect(binary.body).toContain('\n\x16kubernetes_healthcheck\x12');
    expect((await router.inject({ method: 'DELETE', url: '/metrics/slis' })).body).toBe('metrics reset\n');
    expect(await samples()).toEqual([]);
  });

  it('serve the version', async () => {
    const { router } = app();
    const r = await router.inject({ url: '/version' });
    expect(r.json()).toMatchObject({ major: '1', minor: '37', gitVersion: 'v1.37.0' });
  });

  it('reject an invalid timeout', async () => {
    const { router } = app();
    for (const url of ['/version?timeout=abc', '/api/v1/namespaces?timeout=5', '/healthz?timeout=1x']) {
      const r = await router.inject({ url });
      expect(r.statusCode).toBe(400);
      expect(r.json().message).toMatch(/^invalid timeout specified in the request URL - time: /);
    }
    expect((await router.inject({ url: '/version?timeout=1m30s' })).statusCode).toBe(200);
  });

  it('end after a timeout that the client gives', async () => {
    const { router } = app();
    const late = await router.inject({ url: '/version?timeout=1ns' });
    expect(late.statusCode).toBe(504);
    expect(late.json().message).toBe('Timeout: request did not complete within the allotted timeout');
    expect((await router.inject({ url: '/version?timeout=0' })).statusCode).toBe(200);
    expect((await router.inject({ url: '/version?timeout=-1s' })).statusCode).toBe(200);
  });

  it('return 404 in plain text for unknown paths', async () => {
    const { router } = app();
    for (const url of ['/nope', '/API/v1', '/healthz/', '/readyz/nope', '/apis/nope.example.com']) {
      const r = await router.inject({ url });
      expect([url, r.statusCode, r.headers['content-type'], r.body]).toEqual([
        url,
        404,
        'text/plain; charset=utf-8',
        '404 page not found\n',
      ]);
    }
  });

  it('serve discovery', async () => {
    const { router } = app();
    expect((await router.inject({ url: '/api' })).json()).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
    });
    const v1 = (await router.inject({ url: '/api/v1' })).json();
    expect(v1.resources[1]).toEqual({
      name: 'configmaps',
      singularName: 'configmap',
      namespaced: true,
      kind: 'ConfigMap',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      storageVersionHash: 'qFsyl6wFWjQ=',
    });
  });

  it.each([
    ['the groups', '/apis'],
    ['OpenAPI v2', '/openapi/v2'],
    ['OpenAPI v3', '/openapi/v3'],
    ['OpenAPI v3 of a version', '/openapi/v3/apis/apps/v1'],
    ['a group', '/apis/apps'],
    ['a version', '/apis/apps/v1'],
    ['a resource', '/apis/apps/v1/namespaces/n/deployments'],
  ])('serve what a client may have seen through another peer: %s', async (_name, url) => {
    const { services, router } = app({
      kindsCurrent: async () => {
        await Promise.resolve();
        services.registry.servedResources = CATALOGUE_WITH_DEPLOYMENTS;
      },
    });
    const late = await router.inject({ url });
    expect([late.statusCode, late.body]).toEqual([200, (await router.inject({ url })).body]);
  });

  it('serve known kinds without waiting for others', async () => {
    const { services, router } = app({ kindsCurrent: () => Promise.reject(new Error('waits')) });
    services.registry.servedResources = CATALOGUE_WITH_DEPLOYMENTS;
    for (const url of ['/api/v1', '/apis/apps', '/apis/apps/v1', '/apis/apps/v1/deployments', CMS])
      expect((await router.inject({ url })).statusCode).toBe(200);
  });

  it('serve aggregated discovery with an ETag', async () => {
    const { router } = app();
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const first = await router.inject({ url: '/api', headers: { accept: `${accept},application/json` } });
    expect(first.headers['content-type']).toBe(accept);
    expect(first.json().items[0].versions[0].resources[0].resource).toBe('componentstatuses');
    const tag = String(first.headers['etag']);
    const again = await router.inject({ url: '/api', headers: { accept, 'if-none-match': tag } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    for (const more of [{ 'user-agent': 'curl/8' }, { accept: accept.replace('json', 'vnd.kubernetes.protobuf') }]) {
      const form = { accept, ...more };
      expect((await router.inject({ url: '/api', headers: form })).headers['etag']).toBe(tag);
    }
    expect((await router.inject({ url: '/api', headers: { accept, 'if-none-match': '"x"' } })).statusCode).toBe(200);
    const old = accept.replace('v=v2', 'v=v2beta1');
    expect((await router.inject({ url: '/api', headers: { accept: old } })).statusCode).toBe(406);
    expect((await router.inject({ url: '/api', headers: { accept: `${old},application/json` } })).json().kind).toBe(
      'APIVersions',
    );
  });

  it('count requests', async () => {
    const { router } = app();
    await router.inject({ url: `${CMS}/a` });
    await router.inject({ url: '/api/v1/namespaces/n/inventions/a' });
    const text = (await router.inject({ url: '/metrics' })).body;
    expect(text).toContain(
      'apiserver_request_total{verb="GET",dry_run="",group="",version="v1",resource="configmaps",subresource="",scope="resource",component="apiserver",code="404"} 1',
    );
    expect(text).not.toContain('inventions');
  });

  it('have the stages that requests passed, and the sizes of their bodies', async () => {
    const { router } = app();
    await router.inject({ method: 'POST', url: CMS, payload: '{"metadata":{"name":"a"}}' });
    await router.inject({ method: 'DELETE', url: `${CMS}/a` });
    await router.inject({ method: 'DELETE', url: CMS, payload: '{}' });
    await router.inject({ url: `${CMS}/a`, headers: { 'impersonate-user': 'jane' } });
    // The impersonated user may not read it.
    const text = (await router.inject({ url: '/metrics' })).body;
    const stages = [...text.matchAll(/^apiserver_request_filter_duration_seconds_count\{filter="(\w+)"\} (\d+)$/gm)];
    expect(stages.map(([, stage, n]) => `${stage} ${n}`)).toEqual([
      'authentication 5',
      'audit 5',
      'constrainedimpersonation 5',
      'priorityandfairness 5',
      'authorization 4',
    ]);
    const sizes = /^apiserver_request_body_size_bytes_sum\{group="",resource="configmaps",verb="(\w+)"\} (\d+)$/gm;
    expect([...text.matchAll(sizes)].map(([, verb, n]) => `${verb} ${n}`)).toEqual([
      'create 25',
      'delete 0',
      'delete_collection 2',
    ]);
  });

  it('have no stage that refused a request', async () => {
    const { router, services } = app(jane);
    await router.inject({ url: CMS });
    await router.inject({ url: CMS, headers: { 'impersonate-user': 'bob' } });
    const text = (await services.exposition.scrape('text')).toString();
    const stages = [...text.matchAll(/^apiserver_request_filter_duration_seconds_count\{filter="(\w+)"\} (\d+)$/gm)];
    expect(stages.map(([, stage, n]) => `${stage} ${n}`)).toEqual([
      'authentication 2',
      'audit 2',
      'constrainedimpersonation 1',
      'priorityandfairness 1',
      'authorization 0',
    ]);
  });

  it('count by the verbs and scopes of kube-apiserver, with response sizes of reads only', async () => {
    const { router } = app();
    const patch = { method: 'PATCH', url: `${CMS}/a?fieldManager=m`, payload: '{}' } as const;
    await router.inject({ ...patch, headers: { 'content-type': 'application/apply-patch+yaml' } });
    await router.inject({ ...patch, headers: { 'content-type': 'application/merge-patch+json' } });
    await router.inject({ method: 'DELETE', url: CMS });
    await router.inject({ method: 'POST', url: `${CMS}?dryRun=All`, payload: '{}' });
    await router.inject({ method: 'HEAD', url: '/healthz' });
    await router.inject({ url: CMS });
    const text = (await router.inject({ url: '/metrics' })).body;
    const counted = [...text.matchAll(/^apiserver_request_total\{verb="(\w+)".*,resource="(\w*)".*,scope="(\w*)"/gm)];
    expect(counted.map(([, ...labels]) => labels.join(' ')).sort()).toEqual([
      'APPLY configmaps resource',
      'DELETE configmaps namespace',
      'GET  ',
      'LIST configmaps namespace',
      'PATCH configmaps resource',
      'POST configmaps resource',
    ]);
    expect([...text.matchAll(/^apiserver_response_sizes_count\{verb="(\w+)".* 1$/gm)].map((m) => m[1])).toEqual([
      'GET',
      'LIST',
    ]);
    expect(text).not.toMatch(/apiserver_request_sli_duration_seconds_count\{verb="POST".* 1$/m);
  });
});

describe('the path table', () => {
  it('lists its paths, the served groups and versions, and the checks at /', async () => {
    const { router } = app();
    const { paths } = (await router.inject({ url: '/' })).json();
    expect(paths).toEqual([...paths].sort());
    const listed = PATHS.filter((entry) => entry.listed).map((entry) => entry.path);
    expect(listed).toContain('/openid/v1/jwks');
    expect(paths).toEqual(
      expect.arrayContaining([...listed, '/api/v1', '/healthz/ping', '/livez/ping', '/readyz/ping']),
    );
    expect(paths.filter((path: string) => /[/*]$/.test(path))).toEqual(['/apis/', '/openapi/v3/']);
  });

  it.each(PATHS.filter((entry) => entry.methods === 'GET'))('serves GET only at $path', async ({ path, otherwise }) => {
    const { router } = app();
    for (const method of ['HEAD', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND'] as const) {
      const r = await router.inject({ method: method as 'POST', url: path });
      expect([method, r.statusCode]).toEqual([method, otherwise ?? 404]);
    }
  });

  it.each(PATHS.filter((entry) => entry.exempt))('does not count $path as in flight', async ({ path }) => {
    const limiter = new InFlightLimiter(testWorld, 1);
    const { router } = app({ limiter });
    expect(limiter.enter('someone')).toBe(true);
    let counted = 0;
    const waiting = router.inject({ url: '/api' }).then((r) => {
      counted = r.statusCode;
    });
    expect((await router.inject({ url: path.replace('*', 'ping') })).statusCode).toBe(200);
    expect(counted).toBe(0);
    limiter.leave();
    await waiting;
    expect(counted).toBe(200);
  });

  it('serves groups and versions whose slashes are percent-encoded', async () => {
    const { router } = app();
    const plain = await router.inject({ url: '/api/v1' });
    const encoded = await router.inject({ url: '/api%2Fv1' });
    expect([encoded.statusCode, encoded.body]).toEqual([200, plain.body]);
  });
});
