import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client, readAll, WatchLines } from './client.js';

let server: TestApiServer;
beforeAll(async () => {
  // Controllers are off, because the tests count events.
  server = await startApiServer({ controllers: [] });
});
afterAll(async () => {
  await server?.close();
});

const CMS = '/api/v1/namespaces/default/configmaps';
const cm = (name: string, data: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

describe.each([
  { http2: false, name: 'HTTP/1.1' },
  { http2: true, name: 'HTTP/2' },
])('$name', ({ http2, name }) => {
  let client: Client;
  const prefix = http2 ? 'two' : 'one';
  beforeAll(() => {
    client = new Client(server, { http2 });
  });
  afterAll(() => client?.close());

  it('writes and reads', async () => {
    const made = await client.ask(CMS, { body: cm(`${prefix}-a`, { k: 'é' }) });
    expect(made.status).toBe(201);
    expect(made.headers['content-type']).toBe('application/json');
    const got = await client.ask(`${CMS}/${prefix}-a`);
    expect([got.status, got.json().data, Number(got.headers['content-length'])]).toEqual([
      200,
      { k: 'é' },
      got.body.length,
    ]);
    expect(got.body.at(-1)).toBe(0x0a);
    expect((await client.ask(`${CMS}/${prefix}-a`, { method: 'DELETE' })).json().status).toBe('Success');
    expect((await client.ask(`${CMS}/${prefix}-a`)).status).toBe(404);
  });

  it('answers requests for a Table of what has none with 406, or with the next type of Accept', async () => {
    const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    const review = { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } };
    const spaces = (await client.ask('/api/v1/namespaces/default')).json();
    for (const [path, method, body, kind] of [
      ['/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'POST', review, 'SelfSubjectAccessReview'],
      ['/apis/authentication.k8s.io/v1/selfsubjectreviews', 'POST', {}, 'SelfSubjectReview'],
      ['/api/v1/namespaces/default/finalize', 'PUT', spaces, 'Namespace'],
    ] as const) {
      const only = await client.ask(path, { method, body, headers: { accept: table } });
      expect([path, only.status, only.json().reason]).toEqual([path, 406, 'NotAcceptable']);
      const other = await client.ask(path, { method, body, headers: { accept: `${table},application/json` } });
      expect([path, other.json().kind]).toEqual([path, kind]);
    }
    const components = await client.ask('/api/v1/componentstatuses', { headers: { accept: table } });
    expect(components.json().kind).toBe('Table');
  });

  it('names the flow schema and the priority level of every request, also outside of resources', async () => {
    for (const path of [CMS, '/version', '/apis']) {
      const { headers } = await client.ask(path);
      expect([path, headers['x-kubernetes-pf-flowschema-uid']]).toEqual([
        path,
        expect.stringMatching(/^[0-9a-f-]{36}$/),
      ]);
      expect(headers['x-kubernetes-pf-prioritylevel-uid']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('answers HEAD with headers only', async () => {
    // Resources do not support HEAD, as in kube-apiserver.
    for (const [path, status] of [
      ['/healthz', 200],
      [CMS, 405],
      [`${CMS}/nope`, 405],
      ['/api/v1/nosuch', 404],
    ] as const) {
      const head = await client.ask(path, { method: 'HEAD' });
      expect([path, head.status, head.body.length]).toEqual([path, status, 0]);
    }
  });

  it('allows anonymous requests only for health and version', async () => {
    const anonymous = new Client(server, { http2, anonymous: true });
    for (const path of ['/livez', '/readyz', '/healthz', '/version'])
      expect((await anonymous.ask(path)).status).toBe(200);
    for (const path of [CMS, '/api', '/metrics', '/openapi/v2', '/nope']) {
      const r = await anonymous.ask(path);
      expect([path, r.status, r.json().message]).toEqual([
        path,
        403,
        expect.stringContaining('User "system:anonymous" cannot '),
      ]);
    }
    anonymous.close();
  });

  it('serves many requests on few connections', async () => {
    const all = await Promise.all(Array.from({ length: 200 }, () => client.ask('/api/v1/namespaces/default')));
    expect(new Set(all.map((r) => r.status))).toEqual(new Set([200]));
  });

  it('watches, in order and without delay', async () => {
    const { metadata } = (await client.ask(CMS)).json();
    const watch = client.watch(`${CMS}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    const n = 20;
    for (let i = 0; i < n; i++) await client.ask(CMS, { body: cm(`${prefix}-w${i}`) });
    await watch.until((w) => w.events.length >= n);
    expect(watch.events.map((e) => `${e.type} ${e.object.metadata.name}`)).toEqual(
      Array.from({ length: n }, (_, i) => `ADDED ${prefix}-w${i}`),
    );
    await client.ask(`${CMS}/${prefix}-w0`, { method: 'DELETE' });
    await watch.until((w) => w.events.at(-1)?.type === 'DELETED');
    watch.close();
    await client.ask(CMS, { method: 'DELETE' });
  });

  it('streams a watch of a collection or one object as one JSON document for each event', async () => {
    await client.ask(CMS, { body: cm(`${prefix}-s1`) });
    await client.ask(CMS, { body: cm(`${prefix}-s2`) });
    const initial = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const asked = await client.ask(`${CMS}?${initial}&timeoutSeconds=1`);
    expect(asked.headers['content-length']).toBeUndefined();
    if (!http2) expect(asked.headers['transfer-encoding']).toBe('chunked');
    const events = asked.body
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const added = events.filter((e) => e.type === 'ADDED' && e.object.metadata.name.startsWith(`${prefix}-s`));
    expect(added.map((e) => Object.keys(e).sort().join())).toEqual(['object,type', 'object,type']);
    const end = events.find((e) => e.type === 'BOOKMARK');
    expect([Object.keys(end.object).sort(), end.object.kind]).toEqual([
      ['apiVersion', 'kind', 'metadata'],
      'ConfigMap',
    ]);
    expect(end.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    expect(Number(end.object.metadata.resourceVersion)).toBeGreaterThan(0);

    const one = client.watch(`/api/v1/watch/namespaces/default/configmaps/${prefix}-s1`);
    await one.until((w) => w.events.length > 0);
    await client.ask(`${CMS}/${prefix}-s2`, { method: 'DELETE' });
    await client.ask(`${CMS}/${prefix}-s1`, { method: 'DELETE' });
    await one.until((w) => w.events.length > 1);
    expect(one.events.map((e) => `${e.type} ${e.object.metadata.name}`)).toEqual([
      `ADDED ${prefix}-s1`,
      `DELETED ${prefix}-s1`,
    ]);
    one.close();
    // A list ignores watch options.
    expect((await client.ask(`${CMS}?allowWatchBookmarks=true`)).json().kind).toBe('ConfigMapList');
  });

  it('creates by PUT if the kind allows it, and replaces existing objects', async () => {
    const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${prefix}-r`;
    const body = (verb: string): object => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: `${prefix}-r` },
      rules: [{ nonResourceURLs: ['/x'], verbs: [verb] }],
    });
    expect((await client.ask(path, { method: 'PUT', body: body('a') })).status).toBe(201);
    const again = await client.ask(path, { method: 'PUT', body: body('b') });
    expect([again.status, again.json().rules[0].verbs]).toEqual([200, ['b']]);
    expect((await client.ask(`${CMS}/${prefix}-none`, { method: 'PUT', body: cm(`${prefix}-none`) })).status).toBe(404);
    await client.ask(path, { method: 'DELETE' });
  });

  it('ends a watch at its timeout', async () => {
    const watch = client.watch(`${CMS}?watch=1&timeoutSeconds=1`);
    await watch.until((w) => w.ended);
    expect(watch.failed).toBe(false);
    const over = client.watch(`${CMS}?watch=1&timeoutSeconds=-1`);
    await over.until((w) => w.ended);
    expect(over.failed).toBe(false);
  });

  it('compresses large responses on request', async () => {
    await client.ask(CMS, { body: cm(`${prefix}-big`, { k: 'x'.repeat(300_000) }) });
    const plain = await client.ask(`${CMS}/${prefix}-big`);
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const path of [`${CMS}/${prefix}-big`, `${CMS}?resourceVersion=0`]) {
      const packed = await client.ask(path, { headers: { 'accept-encoding': 'gzip' } });
      expect([packed.headers['content-encoding'], packed.headers['vary']]).toEqual(['gzip', 'Accept-Encoding']);
      expect(JSON.stringify(JSON.parse(gunzipSync(packed.body).toString()))).toContain('x'.repeat(300_000));
      expect(packed.body.length).toBeLessThan(20_000);
    }
    const small = await client.ask('/api/v1/namespaces/default', { headers: { 'accept-encoding': 'gzip' } });
    expect(small.headers['content-encoding']).toBeUndefined();
  });

  it('rejects a body over the limit, and keeps serving', async () => {
    const r = await client.ask(CMS, { body: cm('huge', { k: 'x'.repeat(4 << 20) }) });
    expect([r.status, r.json().reason]).toEqual([413, 'RequestEntityTooLarge']);
    expect((await client.ask('/livez')).status).toBe(200);
  });

  it(`negotiates ${name} on request`, async () => {
    if (http2) expect(client.session().alpnProtocol).toBe('h2');
    else expect((await client.ask('/livez')).headers[':status']).toBeUndefined();
  });
});

describe('bad input', () => {
  let client: Client;
  beforeAll(() => {
    client = new Client(server);
  });
  afterAll(() => client?.close());

  const post = (body: string | Buffer, type = 'application/json') =>
    client.ask(CMS, { body, headers: { 'content-type': type } });

  it.each([
    ['broken JSON', '{"kind":', 'application/json', 400],
    ['no JSON at all', 'hello', 'application/json', 400],
    ['a list', '[]', 'application/json', 400],
    ['broken YAML', 'a: [b\nc: }', 'application/yaml', 400],
    ['a broken envelope', 'nope', 'application/vnd.kubernetes.protobuf', 400],
    ['JSON 10,000 deep', `{"metadata":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`, 'application/json', 400],
    ['YAML 10,000 deep', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'application/yaml', 400],
    ['another kind', '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}', 'application/json', 400],
    ['another version', '{"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"a"}}', 'application/json', 400],
    [
      'another namespace',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"other"}}',
      'application/json',
      400,
    ],
    [
      'a name that is none',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"../a"}}',
      'application/json',
      422,
    ],
    ['no name', '{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}', 'application/json', 422],
    ['an unknown type', '{}', 'text/plain', 415],
  ])('%s is refused clearly', async (_what, body, type, code) => {
    const r = await post(body, type);
    expect([r.status, r.json().kind, r.json().code]).toEqual([code, 'Status', code]);
    expect(r.json().message.length).toBeLessThan(100_000);
  });

  it('rejects or replaces invalid UTF-8, and keeps serving', async () => {
    const r = await post(
      Buffer.concat([
        Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"utf"},"data":{"k":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}}'),
      ]),
    );
    expect([201, 400]).toContain(r.status);
    expect((await client.ask('/livez')).status).toBe(200);
  });

  it('treats keys that are special in JavaScript as ordinary keys', async () => {
    const body =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"proto","labels":{"constructor":"x"}},"data":{"__proto__":"p","constructor":"c","toString":"t"}}';
    expect((await post(body)).status).toBe(201);
    const text = (await client.ask(`${CMS}/proto`)).body.toString();
    expect(text).toContain('"data":{"__proto__":"p","constructor":"c","toString":"t"}');
    const patch = await client.ask(`${CMS}/proto`, {
      method: 'PATCH',
      body: '{"data":{"__proto__":null,"hasOwnProperty":"h"},"__proto__":{"polluted":"yes"}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(patch.status).toBe(200);
    expect(Object.keys(patch.json().data).sort()).toEqual(['constructor', 'hasOwnProperty', 'toString']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    await client.ask(`${CMS}/proto`, { method: 'DELETE' });
  });

  it('rejects shard selectors if their feature gate is disabled', async () => {
    const shards = encodeURIComponent("shardRange(object.metadata.uid, '0x0', '0x8000000000000000')");
    for (const query of [`shardSelector=${shards}`, `watch=1&shardSelector=${shards}`]) {
      const r = await client.ask(`${CMS}?${query}`);
      expect([r.status, r.json().message]).toEqual([422, expect.stringContaining('ShardedListAndWatch')]);
    }
  });

  it('distinguishes conflicts', async () => {
    const made = (await client.ask(CMS, { body: cm('c') })).json();
    const again = await client.ask(CMS, { body: cm('c') });
    expect([again.status, again.json().reason]).toEqual([409, 'AlreadyExists']);
    await client.ask(`${CMS}/c`, { method: 'PUT', body: { ...made, data: { a: '1' } } });
    const stale = await client.ask(`${CMS}/c`, { method: 'PUT', body: { ...made, data: { a: '2' } } });
    expect([stale.status, stale.json().reason]).toEqual([409, 'Conflict']);
    await client.ask(`${CMS}/c`, { method: 'DELETE' });
  });

  it('closes a connection that sends too many headers', async () => {
    const socket = await client.raw();
    const answer = readAll(socket);
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n');
    const line = `X-Flood: ${'f'.repeat(8000)}\r\n`;
    for (let sent = 0; sent < 100 << 20 && socket.writable; sent += line.length * 100) {
      if (!socket.write(line.repeat(100))) await new Promise((r) => socket.once('drain', r).once('close', r));
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 431 /);
    expect((await client.ask('/livez')).status).toBe(200);
  });

  it('rejects an unknown method', async () => {
    const socket = await client.raw();
    const answer = readAll(socket);
    socket.write('FROB /api/v1/pods HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 405 .*"reason":"MethodNotAllowed"/s);
  });

  it('accepts absolute-form request targets, and rejects requests without a host', async () => {
    for (const [target, code] of [
      ['https://anywhere:1/api/v1/namespaces/default', 200],
      ['HTTP://anywhere', 200],
      ['http://anywhere/livez?verbose', 200],
      ['https://anywhere/api/v1/none', 404],
    ] as const) {
      const socket = await client.raw();
      const answer = readAll(socket);
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(await answer).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
    }
    const socket = await client.raw();
    const answer = readAll(socket);
    socket.write('GET /livez HTTP/1.1\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('rejects input that is not HTTP', async () => {
    const socket = await client.raw();
    const answer = readAll(socket);
    socket.write('hello there\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 40[05] /);
  });

  it('closes the connection of a rejected client that does not close it', async () => {
    const socket = await client.raw({ allowHalfOpen: true });
    socket.write('hello there\r\n\r\n');
    let answer = '';
    socket.on('data', (piece: Buffer) => {
      answer += piece.toString();
    });
    const cut = new Promise((resolve) => socket.once('close', resolve).once('error', resolve));
    // Only a write detects that the peer has closed the connection.
    const writing = setInterval(() => socket.write('still here'), 100);
    await cut;
    clearInterval(writing);
    expect(answer).toMatch(/^HTTP\/1\.1 40[05] /);
    socket.destroy();
  });

  it('treats dot segments in a path as names', async () => {
    for (const [path, code] of [
      ['/api/v1/../v1', 404],
      ['/api/./v1', 404],
      [`${CMS}/../secrets`, 404],
      [`${CMS}/..`, 400],
    ] as const) {
      const socket = await client.raw();
      const answer = readAll(socket);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(`${path} ${(await answer).slice(0, 12)}`).toBe(`${path} HTTP/1.1 ${code}`);
    }
  });

  it('sends 100 Continue to an authorized client that expects it', async () => {
    const socket = await client.raw();
    const body = JSON.stringify(cm('asked'));
    let text = '';
    socket.on('data', (piece: Buffer) => {
      text += piece.toString();
      if (/^HTTP\/1\.1 100 /.test(text) && !text.includes('201')) socket.write(body);
    });
    const head = `POST ${CMS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text).toMatch(/^HTTP\/1\.1 100 [\s\S]*HTTP\/1\.1 201 /);

    const two = new Client(server, { http2: true });
    const stream = two.session().request({
      ':path': `${CMS}/asked`,
      ':method': 'PUT',
      'content-type': 'application/json',
      expect: '100-continue',
    });
    const status = await new Promise((resolve, reject) => {
      stream.on('continue', () => stream.end(body));
      stream.on('response', (headers) => resolve(headers[':status']));
      stream.on('error', reject);
    });
    expect(status).toBe(200);
    stream.close();
    two.close();
  });

  it('survives a client that disconnects while it sends its body', async () => {
    for (let i = 0; i < 20; i++) {
      const socket = await client.raw();
      socket.write(
        `POST ${CMS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a":`,
      );
      socket.destroy();
    }
    expect((await client.ask('/livez')).status).toBe(200);
  });

  it('serves other clients while one does not read its list', async () => {
    for (let i = 0; i < 8; i++) await client.ask(CMS, { body: cm(`fat-${i}`, { k: 'y'.repeat(900_000) }) });
    const lazy = await Promise.all(Array.from({ length: 10 }, () => client.raw()));
    for (const socket of lazy) {
      socket.pause();
      socket.write(`GET ${CMS} HTTP/1.1\r\nHost: x\r\n\r\n`);
    }
    for (let i = 0; i < 50; i++) expect((await client.ask(`${CMS}/fat-0`)).status).toBe(200);
    for (const socket of lazy) socket.destroy();
    await client.ask(CMS, { method: 'DELETE' });
  });
});

describe('the server as a library', () => {
  it('resets to its initial state, with increasing resource versions', async () => {
    const client = new Client(server);
    const before = (await client.ask(CMS, { body: cm('left') })).json();
    const watch = WatchLines.over1(server, `${CMS}?watch=1`);
    await watch.until((w) => w.events.length > 0);
    await server.reset();
    await watch.until((w) => w.ended);
    expect((await client.ask(`${CMS}/left`)).status).toBe(404);
    expect(
      (await client.ask('/api/v1/namespaces')).json().items.map((n: { metadata: { name: string } }) => n.metadata.name),
    ).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
    const after = (await client.ask(CMS, { body: cm('new') })).json();
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    client.close();
  });

  it('runs next to other servers in one process', async () => {
    const other = await startApiServer();
    const client = new Client(other);
    await client.ask(CMS, { body: cm('mine') });
    const here = new Client(server);
    expect((await here.ask(`${CMS}/mine`)).status).toBe(404);
    here.close();
    client.close();
    await other.close();
    await other.close();
  });
});

describe('a review', () => {
  it('has no Table form', async () => {
    const client = new Client(server);
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace: 'x' } };
    const ask = (accept: string) =>
      client.ask('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
        body: review,
        headers: { accept, 'content-type': 'application/json' },
      });
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    expect((await ask(table)).status).toBe(406);
    expect((await ask(`${table},application/json`)).json().kind).toBe('SelfSubjectRulesReview');
  });
});

describe('a certificate signing request', () => {
  it('has no managed fields, because its request does not change', async () => {
    const client = new Client(server);
    const request = Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${CSR}\n-----END CERTIFICATE REQUEST-----\n`);
    const body = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'fields' },
      spec: { request: request.toString('base64'), signerName: 'example.com/s', usages: ['client auth'] },
    };
    const made = await client.ask('/apis/certificates.k8s.io/v1/certificatesigningrequests', { body });
    expect(made.status, made.body.toString()).toBe(201);
    expect(made.json().metadata.managedFields).toBeUndefined();
  });
});

const CSR =
  'MIG5MGICAQAwADBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHm5UScv8C4xREvhFVWSOZr+wPJkiJnp0vL7lCVPuABYSjdFCg/ENqodwAz1RYIInNjoDN4ENZLDSiSCLzof+tSgADAKBggqhkjOPQQDAgNHADBEAiBr/rimOWN4PwCq9bKNMmeAGZvOzLMbFSitKCLVjBI0pQIgTgyglqSIGfk0JhvEJIoGMqxYi7C3iI1wEsuPV+KN1po=';
