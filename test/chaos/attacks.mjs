// Plays hostile clients against a running server; see play.mjs for what it reports and for its arguments:
//   TURNS_FILE=f node --import ./test/chaos/turns.mjs dist/cmd/apiserver/main.js ... &
//   node test/chaos/attacks.mjs PORT PKI_FOLDER [PID [TURNS_FILE [PART_OF_A_NAME]]]
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { http2Flood, http2Floods, slowHeaders } from './floods.mjs';
import { agent, credentials, open, play, request } from './play.mjs';

const { host, port } = open;

/**
 * Sends `bytes` on `count` connections without credentials, all at once, and waits up to two seconds until they are
 * closed.
 */
async function flood(count, bytes) {
  const sockets = [];
  for (let i = 0; i < count; i++) {
    const socket = tls.connect({ ...open, ALPNProtocols: ['http/1.1'] });
    socket.on('error', () => {});
    sockets.push(new Promise((resolve) => socket.once('secureConnect', () => resolve(socket)).once('close', () => resolve(undefined))));
  }
  const connected = (await Promise.all(sockets)).filter((s) => s !== undefined);
  await sleep(300);
  for (const socket of connected) {
    socket.resume();
    socket.write(bytes);
  }
  await sleep(2000);
  for (const socket of connected) socket.destroy();
}

async function streams(sessions, perSession, each) {
  const opened = [];
  for (let i = 0; i < sessions; i++) {
    const session = http2.connect(`https://${host}:${port}`, { rejectUnauthorized: false });
    session.on('error', () => {});
    opened.push(session);
  }
  await sleep(500);
  for (const session of opened)
    for (let i = 0; i < perSession && !session.destroyed; i++) {
      const stream = session.request({ ':path': `/api/v1/pods?n=${i}`, ':method': 'GET' });
      stream.on('error', () => {});
      stream.resume();
      each(stream);
    }
  await sleep(2000);
  for (const session of opened) session.destroy();
}

const pod = (spec) => JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec });
const container = { name: 'c', image: 'i' };
const PODS = '/api/v1/namespaces/default/pods?dryRun=All';
const MAPS = '/api/v1/namespaces/default/configmaps';
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 20);
const many = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const mine = agent();

/** A Pod in protobuf whose spec has containers (field 2) of two bytes each. */
function emptyMessages() {
  const framed = (field, bytes) => {
    const length = [];
    for (let n = bytes.length; ; n = Math.floor(n / 128)) {
      length.push(n > 127 ? (n % 128) + 128 : n);
      if (n <= 127) break;
    }
    return Buffer.concat([Buffer.from([field * 8 + 2, ...length]), bytes]);
  };
  const spec = framed(2, Buffer.concat(many(1_000_000, () => Buffer.from([18, 0]))));
  const type = framed(1, Buffer.concat([framed(1, Buffer.from('v1')), framed(2, Buffer.from('Pod'))]));
  return Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), type, framed(2, spec)]);
}

/** A definition with one rule for its spec. */
function definition(rule) {
  const spec = { type: 'object', properties: { a: { type: 'integer' } }, 'x-kubernetes-validations': [{ rule }] };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const names = { plural: 'attacks', singular: 'attack', kind: 'Attack', listKind: 'AttackList' };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const metadata = { name: 'attacks.example.com' };
  const apiVersion = 'apiextensions.k8s.io/v1';
  return JSON.stringify({ apiVersion, kind: 'CustomResourceDefinition', metadata, spec: { group: 'example.com', scope: 'Namespaced', names, versions } });
}

/** Opens watches with a selector of 20,000 values each, creates objects that they compare, and reports the answers and the number of events. */
async function watchMany(count, prefixOf) {
  const over = new https.Agent({ keepAlive: true, maxSockets: count, ...credentials, rejectUnauthorized: false });
  let events = 0;
  const opened = await Promise.all(
    many(count, (i) => {
      const selector = `a in (${many(20_000, (j) => `${prefixOf(i)}${(1000 + j).toString(36)}`).join(',')})`;
      const path = `${MAPS}?watch=1&labelSelector=${encodeURI(selector)}`;
      return new Promise((resolve) => {
        const sent = https.request({ ...open, agent: over, path }, (response) => {
          response.on('data', () => events++);
          response.on('error', () => {});
          resolve({ sent, status: response.statusCode });
        });
        sent.on('error', (error) => resolve({ sent, status: error.code }));
        sent.end();
      });
    }),
  );
  const object = (i) => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'w', labels: { a: `${prefixOf(i)}rs` } } });
  for (let i = 0; i < 100; i++) await request(mine, 'POST', MAPS, object(i));
  await sleep(500);
  for (const { sent } of opened) sent.destroy();
  await request(mine, 'DELETE', MAPS);
  return [...new Set(opened.map(({ status }) => status)), `${events} events`];
}

const attacks = {
  'nothing': () => sleep(1500),
  'a quantity with an exponent of 18 digits': () =>
    request(mine, 'POST', PODS, pod({ containers: [{ ...container, resources: { limits: { cpu: '1E999999999999999999' } } }] })),
  'a path of 120,000 slashes, without credentials': () =>
    flood(1, `GET /openapi/${'/'.repeat(120_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
  'a million containers': () => request(mine, 'POST', PODS, `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[${'{},'.repeat(999_000)}{}]}}`),
  '8,000 owners': () =>
    request(mine, 'POST', `${MAPS}?dryRun=All`, JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', ownerReferences: many(8000, (i) => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: `u${i}` })) } })),
  '10,000 tolerations': () =>
    request(mine, 'POST', PODS, pod({ containers: [container], tolerations: many(10_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) })),
  '240,000 data keys': () =>
    request(mine, 'POST', `${MAPS}?dryRun=All`, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{${many(240_000, (i) => `"k${i}":""`).join(',')}}}`),
  '20,000 quota scopes': () =>
    request(mine, 'POST', '/api/v1/namespaces/default/resourcequotas?dryRun=All', JSON.stringify({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'x' }, spec: { hard: { pods: '1' }, scopes: many(20_000, (i) => `s${i}`) } })),
  '9,000 quota scopes': () =>
    request(mine, 'POST', '/api/v1/namespaces/default/resourcequotas?dryRun=All', JSON.stringify({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'x' }, spec: { hard: { pods: '1' }, scopes: many(9_000, (i) => `s${i}`) } })),
  '9,999 containers': () => request(mine, 'POST', PODS, pod({ containers: many(9_999, (i) => ({ name: `c${i}`, image: 'i' })) })),
  '9,999 volumes': () => request(mine, 'POST', PODS, pod({ containers: [container], volumes: many(9_999, (i) => ({ name: `v${i}`, emptyDir: {} })) })),
  '100 containers with 240 variables each': () =>
    request(mine, 'POST', PODS, pod({ containers: many(100, (i) => ({ name: `c${i}`, image: 'i', env: many(240, (j) => ({ name: `A${j}`, value: 'b' })) })) })),
  '9,999 ports of a service': () =>
    request(mine, 'POST', '/api/v1/namespaces/default/services?dryRun=All', JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' }, spec: { ports: many(9_999, (i) => ({ name: `p${i}`, port: i + 1 })) } })),
  '9,999 subsets of endpoints': () =>
    request(mine, 'POST', '/api/v1/namespaces/default/endpoints?dryRun=All', JSON.stringify({ apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'x' }, subsets: many(9_999, (i) => ({ addresses: [{ ip: `10.1.${i >> 8}.${i & 255}` }], ports: [{ port: 1 + i }] })) })),
  '24,000 blocks of a network policy': () =>
    request(mine, 'POST', '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies?dryRun=All', JSON.stringify({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'x' }, spec: { podSelector: {}, ingress: many(100, () => ({ from: many(240, (i) => ({ ipBlock: { cidr: `10.0.${i}.0/24` } })) })) } })),
  '9,999 rules of an ingress': () =>
    request(mine, 'POST', '/apis/networking.k8s.io/v1/namespaces/default/ingresses?dryRun=All', JSON.stringify({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'x' }, spec: { rules: many(9_999, (i) => ({ host: `a${i}.b`, http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'a', port: { number: 1 } } } }] } })) } })),
  '9,999 rules of a role': () =>
    request(mine, 'POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles?dryRun=All', JSON.stringify({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'x' }, rules: many(9_999, (i) => ({ apiGroups: [''], resources: [`p${i}`], verbs: ['get'] })) })),
  'apply of 9,999 variables': () =>
    request(mine, 'PATCH', `/api/v1/namespaces/default/pods/x?dryRun=All&fieldManager=a`, pod({ containers: [{ ...container, env: many(9_999, (i) => ({ name: `A${i}`, value: 'b' })) }] }), 'application/apply-patch+yaml'),
  'a JSON patch of 9,990 operations': () =>
    request(mine, 'PATCH', `/api/v1/namespaces/default?dryRun=All`, JSON.stringify(many(9_990, (i) => ({ op: 'add', path: `/metadata/annotations/a${i}`, value: 'x' }))), 'application/json-patch+json'),
  'a JSON patch with a value of a million values': () =>
    request(mine, 'PATCH', `/api/v1/namespaces/default?dryRun=All`, `[{"op":"add","path":"/spec/x","value":[${'{},'.repeat(990_000)}{}]}]`, 'application/json-patch+json'),
  'a merge patch of a million values': () =>
    request(mine, 'PATCH', `/api/v1/namespaces/default?dryRun=All`, `{"spec":{"x":[${'{},'.repeat(990_000)}{}]}}`, 'application/merge-patch+json'),
  'a million empty messages of protobuf': () => request(mine, 'POST', PODS, emptyMessages(), 'application/vnd.kubernetes.protobuf'),
  'a rule of 95,000 characters': () =>
    request(mine, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', definition(many(7_900, () => 'self.a == 1').join('||'))),
  'a rule of 47,000 elements': () =>
    request(mine, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', definition(`[${many(47_000, () => '1').join(',')}].size() > 0`)),
  '3 MB of YAML': () => request(mine, 'POST', MAPS, `a: [${'x,'.repeat(1_400_000)}]`, 'application/yaml'),
  '400 idle connections': async () => {
    const sockets = many(400, () => net.connect(port, host).on('error', () => {}));
    await sleep(2000);
    for (const socket of sockets) socket.destroy();
  },
  '200 connections with 478 requests each, without credentials': () => flood(200, 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(478)),
  '20 sessions with 1,000 streams each, without credentials': () => streams(20, 1000, () => {}),
  '20 sessions, 1,000 streams each reset at once': () => streams(20, 1000, (stream) => stream.close(http2.constants.NGHTTP2_CANCEL)),
  ...Object.fromEntries(
    Object.entries(http2Floods).map(([name, kind]) => [`${CONNECTIONS} connections of ${name}, without credentials`, async () => `${(await http2Flood(open, CONNECTIONS, kind, sleep(2000))).closed} closed`]),
  ),
  '200 connections with slow headers, without credentials': () => slowHeaders(open, 200),
  '300 watches with the same selector of 20,000 values': () => watchMany(300, () => 'x'),
  '300 watches with different selectors of 20,000 values': () => watchMany(300, (i) => String.fromCharCode(97 + (i % 26)) + (i % 10)),
  '60 bodies of 3 MB at once': () => {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { x: 'y'.repeat(2_900_000) } });
    const over = new https.Agent({ keepAlive: true, maxSockets: 60, ...credentials, rejectUnauthorized: false });
    return Promise.all(many(60, () => request(over, 'POST', `${MAPS}?dryRun=All`, body)));
  },
};

await play(attacks);
