// Watchers of one collection, each on its own connection or on shared HTTP/2 connections. Each writer changes one object that holds the time.
// `accepts`: Accept headers, used in turn. `stalled`: the number of extra watchers that never read. `rate`: changes per second of all writers.
// `collection`, `object`, `holder`: other objects than ConfigMaps of `size` bytes: their path, one of them, and its field that gets the time.
import net from 'node:net';
import { Duplex } from 'node:stream';
import { connect1, connect2, finish, o, quantiles, requestText, sleep } from './common.mjs';

const configMap = () => ({ apiVersion: 'v1', kind: 'ConfigMap', data: { pad: 'x'.repeat(o.size) } });
const { collection = '/api/v1/namespaces/default/configmaps', object = configMap(), holder = 'data' } = o;
const path = `${collection}?watch=true&resourceVersion=0&labelSelector=bench%3Dwatch`;
const accepts = o.accepts ?? ['application/json'];
const latencies = [];
let events = 0;
/** Results of the watchers that read, by Accept header. */
const got = new Map(accepts.map((accept) => [accept, { watchers: 0, bytes: 0 }]));
let failures = 0;
let ended = 0;

/** The time of a change follows this mark: in JSON, or as a string of 13 bytes in protobuf. */
const MARKS = { json: Buffer.from('"at":"'), protobuf: Buffer.from('\x0a\x02at\x12\x0d', 'latin1') };
const DIGITS = 13;

/** Parses one stream. A mark may span two chunks. */
function counter(accept) {
  const mark = accept.includes('protobuf') ? MARKS.protobuf : MARKS.json;
  const mine = got.get(accept);
  mine.watchers++;
  let tail = Buffer.alloc(0);
  return (chunk) => {
    mine.bytes += chunk.length;
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

const sinkBuffer = Buffer.alloc(256 * 1024);
const window = 4 * 1024 * 1024;
async function overHttp2() {
  for (let i = 0; i < o.sessions; i++) {
    const session = await connect2({ initialWindowSize: window }, 16 * window);
    const mine = o.watchers / o.sessions + (i === 0 ? (o.stalled ?? 0) : 0);
    for (let j = 0; j < mine; j++) {
      const accept = accepts[j % accepts.length];
      const stream = session.request({ ':path': path, accept });
      stream.on('close', () => ended++);
      // Never read: the client grants only the initial flow-control window.
      if (j < o.watchers / o.sessions) stream.on('data', counter(accept));
      stream.end();
    }
  }
}

/**
 * Decrypting the events of a thousand watchers takes more CPU than sending them. With `sampled` only every n-th watcher
 * decrypts and parses; for the others the bytes are read from the socket and counted.
 */
const sampled = o.sampled ?? 1;
const sinks = [];

async function overHttp1() {
  for (let i = 0; i < o.watchers + (o.stalled ?? 0); i++) {
    const accept = accepts[i % accepts.length];
    const request = requestText({ method: 'GET', path, headers: { Accept: accept } });
    if (i < o.watchers && i % sampled !== 0) {
      sinks.push(await sink(request, accept));
      continue;
    }
    const socket = await connect1();
    socket.write(request);
    socket.on('close', () => ended++);
    if (i < o.watchers) socket.on('data', counter(accept));
    else socket.pause();
  }
}

/** A connection that uses TLS until the request is sent. From then on `bytes` counts the received bytes. */
async function sink(request, accept) {
  const counted = { accept, bytes: 0 };
  let reading = true;
  const raw = net.connect({
    host: '127.0.0.1',
    port: o.port,
    noDelay: true,
    onread: {
      buffer: sinkBuffer,
      callback: (n, buffer) => {
        if (reading) through.push(Buffer.from(buffer.subarray(0, n)));
        else counted.bytes += n;
        return true;
      },
    },
  });
  const through = new Duplex({ read() {}, write: (piece, _encoding, done) => raw.write(piece, done) });
  raw.on('close', () => ended++);
  const socket = await connect1({ socket: through });
  await new Promise((resolve) => socket.write(request, resolve));
  await sleep(1);
  reading = false;
  return counted;
}

/** Estimates lost events of watchers that only count bytes, from the event sizes that the other watchers saw. */
function missingOfSinks(eventsOfOne) {
  let missing = 0;
  for (const { accept, bytes } of sinks) {
    const whole = got.get(accept).bytes / got.get(accept).watchers;
    if (bytes < whole) missing += Math.ceil(eventsOfOne * (1 - bytes / whole));
  }
  return missing;
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
for (let w = 0; w < o.writers; w++)
  await send('POST', collection, 'application/json', JSON.stringify({ ...object, metadata: { name: `watched${w}`, labels: { bench: 'watch' } } }));
await sleep(500);
events = 0;
latencies.length = 0;
for (const s of [...sinks, ...got.values()]) s.bytes = 0;

console.log('ready');
const from = performance.now();
const until = Date.now() + o.seconds * 1000;
let writes = 0;
async function writer(w) {
  for (let i = 0; Date.now() < until; i++) {
    await send('PATCH', `${collection}/watched${w}`, 'application/merge-patch+json', `{"${holder}":{"at":"${Date.now()}"}}`);
    writes++;
    const wait = from + ((i + 1) * 1000 * o.writers) / o.rate - performance.now();
    if (wait > 1) await sleep(wait);
  }
}
await Promise.all(Array.from({ length: o.writers }, (_, w) => writer(w)));
const read = o.watchers - sinks.length;
for (let i = 0; i < 100 && events < writes * read; i++) await sleep(50);
const missing = writes * read - events + missingOfSinks(writes);
const seconds = (performance.now() - from) / 1000;
const operations = writes * o.watchers - missing;
let bytes = 0;
for (const s of [...sinks, ...got.values()]) bytes += s.bytes;
finish({ operations, missing, writes, failures, ended, seconds, perSecond: operations / seconds, ...quantiles(latencies), megabytesPerSecond: bytes / 1e6 / seconds });
