// Watchers of one collection, on a connection each or as streams of a few; a few writers change one object each, with the time in it.
// `accepts`: what the watchers ask for, in turn. `stalled`: so many more that never read. `rate`: changes a second, all writers together.
import { connect1, connect2, finish, o, quantiles, requestText, sleep } from './common.mjs';

const collection = '/api/v1/namespaces/default/configmaps';
const path = `${collection}?watch=true&resourceVersion=0&labelSelector=bench%3Dwatch`;
const accepts = o.accepts ?? ['application/json'];
const latencies = [];
let events = 0;
let bytes = 0;
let failures = 0;
let ended = 0;

/** The time of a change stands after this: in JSON, or as a string of 13 bytes in protobuf. */
const MARKS = { json: Buffer.from('"at":"'), protobuf: Buffer.from('\x0a\x02at\x12\x0d', 'latin1') };
const DIGITS = 13;

/** Of one stream: a mark may lie across two chunks. */
function counter(accept) {
  const mark = accept.includes('protobuf') ? MARKS.protobuf : MARKS.json;
  let tail = Buffer.alloc(0);
  return (chunk) => {
    bytes += chunk.length;
    const now = Date.now();
    const text = tail.length === 0 ? chunk : Buffer.concat([tail, chunk]);
    let from = 0;
    for (let at = text.indexOf(mark); at >= 0 && at + mark.length + DIGITS <= text.length; at = text.indexOf(mark, from)) {
      from = at + mark.length + DIGITS;
      events++;
      latencies.push(now - Number(text.latin1Slice(at + mark.length, from)));
    }
    tail = text.subarray(Math.max(from, text.length - mark.length - DIGITS));
  };
}

const window = 4 * 1024 * 1024;
async function overHttp2() {
  for (let i = 0; i < o.sessions; i++) {
    const session = await connect2({ initialWindowSize: window }, 16 * window);
    const mine = o.watchers / o.sessions + (i === 0 ? (o.stalled ?? 0) : 0);
    for (let j = 0; j < mine; j++) {
      const accept = accepts[j % accepts.length];
      const stream = session.request({ ':path': path, accept });
      stream.on('close', () => ended++);
      // One that is never read: the client grants it no more than its first window.
      if (j < o.watchers / o.sessions) stream.on('data', counter(accept));
      stream.end();
    }
  }
}

async function overHttp1() {
  for (let i = 0; i < o.watchers + (o.stalled ?? 0); i++) {
    const accept = accepts[i % accepts.length];
    const socket = await connect1();
    socket.write(requestText({ method: 'GET', path, headers: { Accept: accept } }));
    socket.on('close', () => ended++);
    if (i < o.watchers) socket.on('data', counter(accept));
    else socket.pause();
  }
}

await (o.h2 ? overHttp2() : overHttp1());
await sleep(1000);

const writing = await connect2();
const send = (method, url, type, body) =>
  new Promise((resolve, reject) => {
    const stream = writing.request({ ':method': method, ':path': url, 'content-type': type });
    stream.on('response', (h) => {
      if (h[':status'] >= 300 && h[':status'] !== 409) failures++;
    });
    stream.resume();
    stream.on('end', resolve);
    stream.on('error', reject);
    stream.end(body);
  });
const pad = 'x'.repeat(o.size);
for (let w = 0; w < o.writers; w++)
  await send('POST', collection, 'application/json', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `watched${w}`, labels: { bench: 'watch' } }, data: { pad } }));
await sleep(500);
events = 0;
latencies.length = 0;
bytes = 0;

console.log('ready');
const from = performance.now();
const until = Date.now() + o.seconds * 1000;
let writes = 0;
async function writer(w) {
  for (let i = 0; Date.now() < until; i++) {
    await send('PATCH', `${collection}/watched${w}`, 'application/merge-patch+json', `{"data":{"at":"${Date.now()}"}}`);
    writes++;
    const wait = from + ((i + 1) * 1000 * o.writers) / o.rate - performance.now();
    if (wait > 1) await sleep(wait);
  }
}
await Promise.all(Array.from({ length: o.writers }, (_, w) => writer(w)));
const wanted = writes * o.watchers;
for (let i = 0; i < 100 && events < wanted; i++) await sleep(50);
const seconds = (performance.now() - from) / 1000;
finish({ operations: events, missing: wanted - events, writes, failures, ended, seconds, perSecond: events / seconds, ...quantiles(latencies), megabytesPerSecond: bytes / 1e6 / seconds });
