// The client side of the benchmark, a process of its own: keep-alive TLS connections that send requests built beforehand and read
// no more of the answers than it takes to find their ends. Prints one line of JSON.
//   client.mjs '{"mode":"get|create|patch|list|watch","h2":false,...}'
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import tls from 'node:tls';

const o = JSON.parse(process.argv[2]);
const credentials = { cert: readFileSync(o.cert), key: readFileSync(o.key), rejectUnauthorized: false };
const latencies = [];
const END = Buffer.from('0\r\n\r\n');
const filler = 'x'.repeat(o.size);

const object = (name) => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { payload: filler } });
const collection = '/api/v1/namespaces/default/configmaps';

/** What the i-th operation asks. */
function request(i) {
  switch (o.mode) {
    case 'create':
      return { method: 'POST', path: collection, type: 'application/json', body: object(`${o.prefix}${i}`) };
    case 'patch':
      return { method: 'PATCH', path: `${collection}/${o.prefix}${i % o.objects}`, type: 'application/merge-patch+json', body: `{"data":{"n":"${i}"}}` };
    case 'get':
      return { method: 'GET', path: `${collection}/${o.prefix}${i % o.objects}${o.query ?? ''}` };
    case 'list':
      return { method: 'GET', path: `${collection}${o.query ?? ''}` };
    case 'raw':
      return { method: 'GET', path: '/' };
    default:
      throw new Error(`no such mode: ${o.mode}`);
  }
}

let issued = 0;
let bytes = 0;
let failures = 0;
const deadline = Date.now() + (o.seconds ?? 60) * 1000;
const more = () => issued < o.n && Date.now() < deadline;

const started = process.hrtime.bigint();
if (o.mode === 'watch') await watchers();
else if (o.h2) await overHttp2();
else await Promise.all(Array.from({ length: o.connections }, () => connection()));
if (o.mode !== 'watch') report();

function report(extra = {}) {
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  latencies.sort((a, b) => a - b);
  const at = (q) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? 0;
  console.log(JSON.stringify({ operations: latencies.length, failures, seconds, perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99), megabytesPerSecond: bytes / 1e6 / seconds, ...extra }));
}

/** One HTTP/1.1 connection: ask, read the answer to its end, ask again. */
function connection() {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: '127.0.0.1', port: o.port, ...credentials, ALPNProtocols: ['http/1.1'] });
    socket.setNoDelay(true);
    let sent = 0n;
    let left = -1;
    let chunked = false;
    let head = Buffer.alloc(0);
    const ask = () => {
      if (!more()) {
        socket.end();
        resolve();
        return;
      }
      const r = request(issued++);
      const body = r.body === undefined ? '' : r.body;
      const headers = r.body === undefined ? '' : `Content-Type: ${r.type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
      sent = process.hrtime.bigint();
      socket.write(`${r.method} ${r.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench/1\r\nAccept: application/json\r\n${headers}\r\n${body}`);
    };
    const finish = () => {
      latencies.push(Number(process.hrtime.bigint() - sent) / 1e6);
      left = -1;
      head = Buffer.alloc(0);
      ask();
    };
    socket.once('secureConnect', ask);
    socket.on('error', reject);
    socket.on('close', resolve);
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (left < 0) {
        head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        const text = head.toString('latin1', 0, end);
        if (!/^HTTP\/1\.1 2/.test(text)) failures++;
        const length = /content-length: (\d+)/i.exec(text);
        chunked = length === null;
        const rest = head.subarray(end + 4);
        if (!chunked) {
          left = Number(length[1]) - rest.length;
          if (left <= 0) finish();
          return;
        }
        left = 1;
        if (rest.subarray(-5).equals(END)) finish();
        return;
      }
      if (!chunked) {
        left -= chunk.length;
        if (left <= 0) finish();
      } else if (chunk.subarray(-5).equals(END)) finish();
    });
  });
}

/** Several HTTP/2 sessions, several streams on each. */
async function overHttp2() {
  const sessions = Array.from({ length: o.sessions ?? 8 }, () => http2.connect(`https://127.0.0.1:${o.port}`, credentials));
  await Promise.all(sessions.map((s) => new Promise((resolve, reject) => s.once('connect', resolve).once('error', reject))));
  const worker = async (session) => {
    while (more()) {
      const r = request(issued++);
      const sent = process.hrtime.bigint();
      await new Promise((resolve, reject) => {
        const stream = session.request({ ':method': r.method, ':path': r.path, accept: 'application/json', 'user-agent': 'bench/1', ...(r.body === undefined ? {} : { 'content-type': r.type }) });
        stream.on('response', (h) => {
          if (h[':status'] >= 300) failures++;
        });
        stream.on('data', (c) => {
          bytes += c.length;
        });
        stream.on('end', resolve);
        stream.on('error', reject);
        stream.end(r.body);
      });
      latencies.push(Number(process.hrtime.bigint() - sent) / 1e6);
    }
  };
  const perSession = Math.ceil(o.connections / sessions.length);
  await Promise.all(sessions.flatMap((s) => Array.from({ length: perSession }, () => worker(s))));
  for (const s of sessions) s.close();
}

/** Watchers of one collection, on a connection each or as streams of a few; a few writers change one object each, with the time in it. */
async function watchers() {
  let events = 0;
  const mark = Buffer.from('"at":"');
  /** Of one stream: a mark may lie across two chunks. */
  const counter = () => {
    let tail = Buffer.alloc(0);
    return (chunk) => {
      bytes += chunk.length;
      const now = Date.now();
      const text = tail.length === 0 ? chunk : Buffer.concat([tail, chunk]);
      let from = 0;
      for (let at = text.indexOf(mark); at >= 0 && at + mark.length + 13 <= text.length; at = text.indexOf(mark, from)) {
        from = at + mark.length + 13;
        events++;
        latencies.push(now - Number(text.latin1Slice(at + mark.length, from)));
      }
      tail = text.subarray(Math.max(from, text.length - mark.length - 13));
    };
  };
  const path = `${collection}?watch=true&resourceVersion=0&labelSelector=bench%3Dwatch`;
  const open = [];
  if (o.h2) {
    for (let i = 0; i < o.sessions; i++) {
      const session = http2.connect(`https://127.0.0.1:${o.port}`, { ...credentials, settings: { initialWindowSize: 4 * 1024 * 1024 } });
      await new Promise((resolve, reject) => session.once('connect', resolve).once('error', reject));
      session.setLocalWindowSize(64 * 1024 * 1024);
      for (let j = 0; j < o.watchers / o.sessions; j++) {
        const stream = session.request({ ':path': path, accept: 'application/json' });
        stream.on('data', counter());
        stream.end();
      }
      open.push(() => session.destroy());
    }
  } else {
    for (let i = 0; i < o.watchers; i++) {
      const socket = tls.connect({ host: '127.0.0.1', port: o.port, ...credentials, ALPNProtocols: ['http/1.1'] });
      await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n`);
      socket.on('data', counter());
      open.push(() => socket.destroy());
    }
  }
  await new Promise((r) => setTimeout(r, 1500));
  events = 0;
  latencies.length = 0;
  const session = http2.connect(`https://127.0.0.1:${o.port}`, credentials);
  await new Promise((resolve) => session.once('connect', resolve));
  const send = (method, url, type, body) =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ':method': method, ':path': url, 'content-type': type });
      stream.on('response', (h) => {
        if (h[':status'] >= 300 && h[':status'] !== 409) failures++;
      });
      stream.resume();
      stream.on('end', resolve);
      stream.on('error', reject);
      stream.end(body);
    });
  const pad = 'x'.repeat(o.size);
  for (let w = 0; w < o.writers; w++) {
    await send('POST', collection, 'application/json', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `watched${w}`, labels: { bench: 'watch' } }, data: { pad } }));
  }
  await new Promise((r) => setTimeout(r, 500));
  events = 0;
  latencies.length = 0;
  const from = process.hrtime.bigint();
  const until = Date.now() + o.seconds * 1000;
  let writes = 0;
  const writer = async (w) => {
    for (let i = 0; Date.now() < until; i++) {
      await send('PATCH', `${collection}/watched${w}`, 'application/merge-patch+json', `{"data":{"at":"${Date.now()}"}}`);
      writes++;
      const due = from + BigInt(Math.round(((i + 1) * 1e9 * o.writers) / o.rate));
      const wait = Number(due - process.hrtime.bigint()) / 1e6;
      if (wait > 1) await new Promise((r) => setTimeout(r, wait));
    }
  };
  await Promise.all(Array.from({ length: o.writers }, (_, w) => writer(w)));
  const wanted = writes * o.watchers;
  for (let i = 0; i < 100 && events < wanted; i++) await new Promise((r) => setTimeout(r, 50));
  const seconds = Number(process.hrtime.bigint() - from) / 1e9;
  for (const close of open) close();
  session.destroy();
  latencies.sort((a, b) => a - b);
  const at = (q) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? 0;
  console.log(JSON.stringify({ operations: events, missing: wanted - events, writes, failures, seconds, perSecond: events / seconds, p50: at(0.5), p99: at(0.99), megabytesPerSecond: bytes / 1e6 / seconds }));
}
