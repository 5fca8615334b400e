// Plays hostile clients against a running server, with a probe every 20 ms, and reports for each attack the longest answer time of the
// probe, the memory of the server, and the longest turn of its event loop if it was started with turns.mjs.
//   TURNS_FILE=f node --import ./test/chaos/turns.mjs dist/cmd/apiserver/main.js ... &
//   node test/chaos/attacks.mjs PORT PKI_FOLDER [PID [TURNS_FILE [PART_OF_A_NAME]]]
// PKI_FOLDER holds admin.crt and admin.key; loopback only. The probe has a thread of its own, because the attacks keep this one busy.
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const [port, pki, pid, turns, only = ''] = isMainThread ? [Number(process.argv[2]), ...process.argv.slice(3)] : workerData;
const host = '127.0.0.1';
const credentials = { cert: readFileSync(`${pki}/admin.crt`), key: readFileSync(`${pki}/admin.key`) };
const open = { host, port, rejectUnauthorized: false };
const agent = () => new https.Agent({ keepAlive: true, maxSockets: 4, ...credentials, rejectUnauthorized: false });

function request(over, method, path, body, type = 'application/json') {
  return new Promise((resolve) => {
    const headers = body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
    const sent = https.request({ ...open, agent: over, method, path, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
      response.on('error', () => resolve('cut'));
    });
    sent.on('error', (error) => resolve(error.code ?? error.message));
    sent.setTimeout(30_000, () => sent.destroy());
    sent.end(body);
  });
}

/** Sends `bytes` on `count` connections without credentials, all at once, and waits until they are closed or two seconds. */
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
const many = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const mine = agent();

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
  '3 MB of YAML': () => request(mine, 'POST', MAPS, `a: [${'x,'.repeat(1_400_000)}]`, 'application/yaml'),
  '400 idle connections': async () => {
    const sockets = many(400, () => net.connect(port, host).on('error', () => {}));
    await sleep(2000);
    for (const socket of sockets) socket.destroy();
  },
  '200 connections with 478 requests each, without credentials': () => flood(200, 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(478)),
  '20 sessions with 1,000 streams each, without credentials': () => streams(20, 1000, () => {}),
  '20 sessions, 1,000 streams each reset at once': () => streams(20, 1000, (stream) => stream.close(http2.constants.NGHTTP2_CANCEL)),
  '60 bodies of 3 MB at once': () => {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { x: 'y'.repeat(2_900_000) } });
    const over = new https.Agent({ keepAlive: true, maxSockets: 60, ...credentials, rejectUnauthorized: false });
    return Promise.all(many(60, () => request(over, 'POST', `${MAPS}?dryRun=All`, body)));
  },
};

/** Asks for /livez every 20 ms, and answers each message with the longest time and the number of failures since the message before. */
async function probe() {
  let [worst, failed] = [0, 0];
  parentPort.on('message', () => {
    parentPort.postMessage([worst, failed]);
    [worst, failed] = [0, 0];
  });
  const over = agent();
  for (;;) {
    const began = performance.now();
    const status = await request(over, 'GET', '/livez');
    if (status !== 200) failed++;
    worst = Math.max(worst, performance.now() - began);
    await sleep(20);
  }
}

const memory = () => (pid === undefined ? '?' : Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024));

/** The longest turn that the server reported after `since`, in milliseconds. */
function longestTurn(since) {
  if (turns === undefined) return '?';
  const lines = readFileSync(turns, 'utf8').trimEnd().split('\n').map((line) => line.split(' ').map(Number));
  return Math.round(Math.max(0, ...lines.filter(([at]) => at > since).map(([, longest]) => longest)));
}

async function play() {
  const prober = new Worker(new URL(import.meta.url), { workerData: [port, pki] });
  const probed = () =>
    new Promise((resolve) => {
      prober.once('message', resolve);
      prober.postMessage('report');
    });
  await sleep(1500);
  console.log(' probe ms  turn ms  memory MB');
  for (const [name, attack] of Object.entries(attacks)) {
    if (!name.includes(only)) continue;
    await probed();
    const since = Date.now();
    const outcome = await attack();
    await sleep(500);
    const [worst, failed] = await probed();
    const answers = Array.isArray(outcome) ? [...new Set(outcome)].join(' ') : (outcome ?? '');
    const figures = [Math.round(worst), longestTurn(since), memory()].map((figure) => String(figure).padStart(9)).join('');
    console.log(`${figures}  ${failed > 0 ? `${failed} probes failed  ` : ''}${name}  ${answers}`);
  }
  process.exit(0);
}

if (isMainThread) await play();
else await probe();
