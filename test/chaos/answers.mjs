// Plays hostile answers on a running server: those of admission and conversion webhooks, aggregated servers, and webhooks for tokens and
// authorization. See play.mjs for what it reports and for its arguments. FOLDER gets the certificate and the kubeconfig of the hostile
// server, which listens on 127.0.0.1, port HOSTILE_PORT:
//   node test/chaos/answers.mjs prepare FOLDER
//   ... dist/cmd/apiserver/main.js --authorization-mode=RBAC,Webhook --authorization-webhook-config-file=FOLDER/hostile.yaml \
//         --authentication-token-webhook-config-file=FOLDER/hostile.yaml &
//   HOSTILE=FOLDER node test/chaos/answers.mjs PORT PKI_FOLDER [PID [TURNS_FILE [PART_OF_A_NAME]]]
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const hostilePort = Number(process.env.HOSTILE_PORT ?? 26_900);
const origin = `https://127.0.0.1:${hostilePort}`;

if (process.argv[2] === 'prepare') {
  const folder = process.argv[3];
  mkdirSync(folder, { recursive: true });
  const names = 'subjectAltName=IP:127.0.0.1,DNS:hostile.default.svc';
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-subj', '/CN=hostile', '-addext', names, ...files], { stdio: 'ignore' });
  const ca = readFileSync(`${folder}/cert.pem`).toString('base64');
  const cluster = `{name: hostile, cluster: {server: "${origin}/review", certificate-authority-data: ${ca}}}`;
  const rest = 'users: [{name: x, user: {}}]\ncontexts: [{name: x, context: {cluster: hostile, user: x}}]\ncurrent-context: x\n';
  writeFileSync(`${folder}/hostile.yaml`, `apiVersion: v1\nkind: Config\nclusters: [${cluster}]\n${rest}`);
  process.exit(0);
}

const { agent, play, request } = await import('./play.mjs');
const folder = process.env.HOSTILE;
const [cert, key] = ['cert', 'key'].map((name) => readFileSync(`${folder}/${name}.pem`));
const caBundle = cert.toString('base64');
const mine = agent();
const many = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const repeated = (n, text) => many(n, () => text);
const MB = 1024 * 1024;
const MAPS = '/api/v1/namespaces/default/configmaps';

/** How the hostile server answers: from the path and the JSON of a request to a body, or to a function that answers by itself. */
let answer = () => undefined;
let calls = 0;
/** What it answers to reviews of tokens and access unless an attack is about them. */
const plain = (path, review) => {
  if (review?.kind === 'TokenReview') return { ...review, status: { authenticated: false } };
  if (review?.kind === 'SubjectAccessReview') return { ...review, status: { allowed: false } };
  return undefined;
};
const server = https.createServer({ cert, key }, (incoming, outgoing) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    const review = text.startsWith('{') ? JSON.parse(text) : undefined;
    const found = answer(incoming.url, review) ?? plain(incoming.url, review);
    calls++;
    if (typeof found === 'function') return found(outgoing);
    if (found === undefined) return outgoing.writeHead(404).end();
    outgoing.writeHead(200, { 'content-type': 'application/json' });
    outgoing.end(typeof found === 'string' || Buffer.isBuffer(found) ? found : JSON.stringify(found));
  });
});
await new Promise((resolve) => server.listen(hostilePort, '127.0.0.1', resolve));

const ok = (review, more) => ({ apiVersion: review.apiVersion, kind: review.kind, response: { uid: review.request.uid, allowed: true, ...more } });
const patched = (review, patch) => ok(review, { patchType: 'JSONPatch', patch: Buffer.from(typeof patch === 'string' ? patch : JSON.stringify(patch)).toString('base64') });
const endless = (outgoing) => {
  outgoing.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const more = () => {
    while (!outgoing.destroyed && outgoing.write(chunk));
    if (!outgoing.destroyed) outgoing.once('drain', more);
  };
  outgoing.on('error', () => {});
  more();
};
const dribble = (outgoing) => {
  outgoing.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => (outgoing.destroyed ? clearInterval(timer) : outgoing.write(' ')), 1);
  outgoing.on('error', () => {});
};

const REGISTRATIONS = '/apis/admissionregistration.k8s.io/v1';
async function withWebhook(mutating, act) {
  const plural = mutating ? 'mutatingwebhookconfigurations' : 'validatingwebhookconfigurations';
  const kind = mutating ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration';
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'], scope: '*' }];
  const webhook = { name: 'a.hostile.example.com', clientConfig: { url: `${origin}/hook`, caBundle }, rules, sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 5 };
  const configuration = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'hostile' }, webhooks: [webhook] };
  await request(mine, 'POST', `${REGISTRATIONS}/${plural}`, JSON.stringify(configuration));
  await sleep(200);
  try {
    return await act();
  } finally {
    await request(mine, 'DELETE', `${REGISTRATIONS}/${plural}/hostile`);
  }
}
const map = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'x' }, data: { a: 'b'.repeat(1000) } });
const create = () => request(mine, 'POST', `${MAPS}?dryRun=All`, map);
const admission = (mutating, respond, times = 3) => () =>
  withWebhook(mutating, async () => {
    answer = (path, review) => (path.startsWith('/hook') ? respond(review) : undefined);
    const found = [];
    for (let i = 0; i < times; i++) found.push(await create());
    return found;
  });

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
async function withConversion(act) {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema }));
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url: `${origin}/convert`, caBundle } };
  const spec = { group: 'hostile.io', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions, conversion: { strategy: 'Webhook', webhook } };
  await request(mine, 'POST', DEFINITIONS, JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'things.hostile.io' }, spec }));
  await sleep(1500);
  try {
    return await act('/apis/hostile.io/v1/namespaces/default/things', '/apis/hostile.io/v2/namespaces/default/things');
  } finally {
    await request(mine, 'DELETE', DEFINITIONS + '/things.hostile.io');
    await sleep(1000);
  }
}
const thing = (i) => JSON.stringify({ apiVersion: 'hostile.io/v1', kind: 'Thing', metadata: { name: `t${i}` }, spec: { a: 'x'.repeat(200) } });
const conversion = (count, change, path = (v2) => v2) => () =>
  withConversion(async (v1, v2) => {
    const over = agent(20);
    await Promise.all(many(count, (i) => request(over, 'POST', v1, thing(i))));
    const first = many(1, change)[0];
    answer = (at, review) => {
      if (!at.startsWith('/convert')) return undefined;
      const { uid, objects, desiredAPIVersion } = review.request;
      if (typeof first === 'function') return first;
      const text = JSON.stringify({ ...first, metadata: null }).slice(1, -1).replace('"metadata":null', '');
      const converted = objects.map((o) => `{"apiVersion":"${desiredAPIVersion}","kind":"Thing","metadata":${JSON.stringify(o.metadata)}${text === '' ? '' : `,${text.replace(/,$/, '')}`}}`);
      return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"${uid}","result":{"status":"Success"},"convertedObjects":[${converted.join(',')}]}}`;
    };
    return [await request(mine, 'GET', path(v2)), await request(mine, 'GET', path(v2)), await request(mine, 'DELETE', v1)];
  });

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
/** An aggregated server behind a Service with hand-made endpoints on loopback cannot be registered: it is named by its port of a node. */
async function withAggregated(respond, act = () => sleep(8000)) {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'hostile' }, spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: hostilePort }] } };
  await request(mine, 'POST', '/api/v1/namespaces/default/services', JSON.stringify(service));
  answer = (path) => (path.startsWith('/apis') || path.startsWith('/openapi') ? respond(path) : undefined);
  const before = calls;
  const spec = { group: 'far.io', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, insecureSkipTLSVerify: true, service: { namespace: 'default', name: 'hostile', port: hostilePort } };
  const status = await request(mine, 'POST', SERVICES, JSON.stringify({ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: 'v1.far.io' }, spec }));
  try {
    return [status, await act(), `${calls - before} calls`].filter((x) => x !== undefined);
  } finally {
    await request(mine, 'DELETE', `${SERVICES}/v1.far.io`);
    await request(mine, 'DELETE', '/api/v1/namespaces/default/services/hostile');
  }
}
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const resourceList = (n) => ({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'far.io/v1', resources: many(n, (i) => ({ name: `things${i}`, singularName: '', namespaced: true, kind: `Thing${i}`, verbs: VERBS })) });
const discovery = (path, list) => (path.startsWith('/apis/far.io/v1') && !path.includes('things') ? list : undefined);

/** A token is asked about without the client certificate, which would come first. */
const tokens = (respond) => async () => {
  answer = (path, review) => (review?.kind === 'TokenReview' ? respond(review) : undefined);
  const before = calls;
  const over = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  const found = [];
  for (let i = 0; i < 3; i++) found.push(await request(over, 'GET', MAPS, undefined, undefined, { authorization: `Bearer t${Math.random()}` }));
  return [...found, `${calls - before} calls`];
};
const access = (respond) => async () => {
  answer = (path, review) => {
    if (review?.kind === 'TokenReview') return { ...review, status: { authenticated: true, user: { username: `u${Math.random()}` } } };
    return review?.kind === 'SubjectAccessReview' ? respond(review) : undefined;
  };
  const before = calls;
  const over = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  const found = [];
  for (let i = 0; i < 3; i++) found.push(await request(over, 'GET', MAPS, undefined, undefined, { authorization: `Bearer s${Math.random()}` }));
  return [...found, `${calls - before} calls`];
};

const lists = (n) => Object.fromEntries(many(n, (i) => [`a${i}`, repeated(10_000, 'text')]));
const keys = (n) => Object.fromEntries(many(n, (i) => [`k${i}`, '']));
const nested = (n, open, close) => open.repeat(n) + close.repeat(n);

/** A CBOR item of each: an array or map of many one-byte items, and one that is nested. */
const cbor = {
  head: Buffer.from('d9d9f7', 'hex'),
  sized(major, n) {
    const head = Buffer.alloc(5);
    head[0] = (major << 5) | 26;
    head.writeUInt32BE(n, 1);
    return head;
  },
  text: (s) => Buffer.concat([Buffer.from([0x60 | s.length]), Buffer.from(s)]),
  pod(spec) {
    const { text } = cbor;
    return Buffer.concat([cbor.head, Buffer.from([0xa4]), text('apiVersion'), text('v1'), text('kind'), text('Pod'), text('metadata'), Buffer.from([0xa1]), text('name'), text('x'), text('spec'), spec]);
  },
};
const PODS = '/api/v1/namespaces/default/pods?dryRun=All';
const sendCbor = (spec) => request(mine, 'POST', PODS, cbor.pod(spec), 'application/cbor');
const containers = (items) => Buffer.concat([Buffer.from([0xa1]), cbor.text('containers'), items]);

await play({
  'nothing': () => sleep(1500),
  'a million containers in CBOR': () => sendCbor(containers(Buffer.concat([cbor.sized(4, 1_000_000), Buffer.alloc(1_000_000, 0xa0)]))),
  'an object of 400,000 keys in CBOR': () => sendCbor(Buffer.concat([cbor.sized(5, 400_000), ...many(400_000, (i) => Buffer.concat([cbor.text(i.toString(36)), Buffer.from([0xf6])]))])),
  'lists nested 2,900,000 deep in CBOR': () => sendCbor(containers(Buffer.alloc(2_900_000, 0x81))),
  'CBOR that promises four thousand million items': () => sendCbor(containers(cbor.sized(4, 4_000_000_000))),
  'a mutating webhook: a patch with 9,999 labels': admission(true, (r) => patched(r, [{ op: 'add', path: '/metadata/labels', value: keys(9_999) }])),
  'a mutating webhook: a patch with 200,000 labels': admission(true, (r) => patched(r, [{ op: 'add', path: '/metadata/labels', value: keys(200_000) }])),
  'a mutating webhook: a patch of 24,000 operations': admission(true, (r) => patched(r, many(24_000, (i) => ({ op: 'add', path: `/data/k${i}`, value: '' })))),
  'a mutating webhook: a patch of 24,000 tests of the whole': admission(true, (r) => patched(r, repeated(24_000, { op: 'test', path: '/data', value: {} }))),
  'a mutating webhook: copies of copies': admission(true, (r) => patched(r, many(40, (i) => ({ op: 'copy', from: '/data', path: `/data/k${i}` })))),
  'a mutating webhook: moves in a list of 9,999': admission(true, (r) => patched(r, [{ op: 'add', path: '/metadata/finalizers', value: many(9_999, (i) => `a.b/c${i}`) }, ...repeated(9_000, { op: 'move', from: '/metadata/finalizers/0', path: '/metadata/finalizers/9998' })])),
  'a mutating webhook: a patch of a million values': admission(true, (r) => patched(r, `[{"op":"add","path":"/x","value":[${repeated(1_000_000, '0').join(',')}]}]`)),
  'a mutating webhook: one value of 5 MB': admission(true, (r) => patched(r, [{ op: 'add', path: '/data/x', value: 'x'.repeat(5 * MB) }])),
  'a mutating webhook: a review with 900,000 keys': admission(true, (r) => ok(r, { auditAnnotations: keys(900_000) })),
  'a validating webhook: 90,000 warnings': admission(false, (r) => ok(r, { warnings: many(90_000, (i) => `warning ${i}`) })),
  'a validating webhook: 18,000 audit annotations': admission(false, (r) => ok(r, { auditAnnotations: keys(18_000) })),
  'a validating webhook: a message of 7 MB': admission(false, (r) => ok(r, { allowed: false, status: { message: 'no '.repeat(2 * MB) } })),
  'a validating webhook: 7 MB of brackets': admission(false, () => nested(3.5 * MB, '[', ']')),
  'a validating webhook: 7 MB of objects in objects': admission(false, () => nested(MB, '{"a":', '}')),
  'a validating webhook: 15 MB of garbage': admission(false, () => 'x'.repeat(15 * MB)),
  'a validating webhook: 7 MB of escapes': admission(false, (r) => `{"a":"${'\\u0041'.repeat(MB)}","response":{"uid":"${r.request.uid}"}}`),
  'a validating webhook: 7 MB of digits': admission(false, () => `{"a":${'9'.repeat(7 * MB)}}`),
  'a validating webhook: an answer without an end': admission(false, () => endless, 1),
  'a validating webhook: a byte each millisecond': admission(false, () => dribble, 1),
  'a conversion webhook: an object of a million keys': conversion(1, () => ({ spec: keys(1_000_000) }), (v2) => `${v2}/t0`),
  'a conversion webhook: an object of 19,000 keys': conversion(1, () => ({ spec: keys(19_000) }), (v2) => `${v2}/t0`),
  'a conversion webhook: an object of 90,000 values': conversion(1, () => ({ spec: lists(9) }), (v2) => `${v2}/t0`),
  'a conversion webhook: a list of 1,000 objects with 1,900 values each': conversion(1_000, () => ({ spec: { a: repeated(1_900, 1) } })),
  'a conversion webhook: a list of 2,000 objects': conversion(2_000, () => ({ spec: { a: 'x' } })),
  'a conversion webhook: an answer without an end': conversion(1, () => endless, (v2) => `${v2}/t0`),
  'an aggregated server: 9,000 resources': () => withAggregated((path) => discovery(path, resourceList(9_000))),
  'an aggregated server: 100,000 resources': () => withAggregated((path) => discovery(path, JSON.stringify(resourceList(100_000)).slice(0, 15 * MB))),
  'an aggregated server: OpenAPI of 15 MB': () =>
    withAggregated((path) => {
      if (path.startsWith('/openapi/v3/')) return { openapi: '3.0.0', paths: keys(900_000) };
      if (path.startsWith('/openapi/v3')) return { paths: { 'apis/far.io/v1': { serverRelativeURL: '/openapi/v3/apis/far.io/v1?hash=1' } } };
      if (path.startsWith('/openapi/v2')) return { swagger: '2.0', paths: {}, definitions: Object.fromEntries(many(120_000, (i) => [`d${i}`, { type: 'object' }])) };
      return discovery(path, resourceList(3));
    }, async () => {
      await sleep(4000);
      return [await request(mine, 'GET', '/openapi/v3/apis/far.io/v1'), await request(mine, 'GET', '/openapi/v2')].join(' ');
    }),
  'an aggregated server: lists of 190,000 objects': () => {
    const items = JSON.stringify({ kind: 'PartialObjectMetadataList', metadata: {}, items: many(190_000, (i) => ({ metadata: { name: `o${i}`, uid: `u${i}` } })) });
    return withAggregated((path) => (path.includes('things') ? items : discovery(path, resourceList(1))), () => sleep(25_000));
  },
  'an aggregated server: lists that always continue': () =>
    withAggregated((path) => (path.includes('things') ? { metadata: { continue: 'x' }, items: [] } : discovery(path, resourceList(1))), () => sleep(20_000)),
  'an aggregated server: a proxied answer of 100 MB': () => {
    const piece = Buffer.alloc(100 * MB, ' ');
    return withAggregated((path) => (path.includes('things') ? piece : discovery(path, resourceList(1))), () => sleep(2500).then(() => request(mine, 'GET', '/apis/far.io/v1/things')));
  },
  'a token webhook: a user in 90,000 groups': tokens((r) => ({ ...r, status: { authenticated: true, user: { username: 'u', groups: many(90_000, (i) => `g${i}`) } } })),
  'a token webhook: 19,000 extra fields': tokens((r) => ({ ...r, status: { authenticated: true, user: { username: 'u', extra: Object.fromEntries(many(19_000, (i) => [`e${i}`, ['x']])) } } })),
  'a token webhook: 900 kB of brackets': tokens(() => nested(450_000, '[', ']')),
  'a token webhook: 300,000 numbers': tokens((r) => ({ ...r, status: { audiences: repeated(300_000, 1) } })),
  'a token webhook: an answer without an end': tokens(() => endless),
  'an authorization webhook: a reason of 900 kB': access((r) => ({ ...r, status: { allowed: false, denied: true, reason: 'x'.repeat(900_000) } })),
  'an authorization webhook: 300,000 numbers': access((r) => ({ ...r, status: { allowed: false, x: repeated(300_000, 1) } })),
  'an authorization webhook: 18,000 keys': access((r) => ({ ...r, status: { allowed: true, ...keys(18_000) } })),
});
