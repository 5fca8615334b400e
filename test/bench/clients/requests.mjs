// A closed loop of requests over several connections. `mode`: get, create, patch, list, raw; for an
// object that the bench provides: post, merge, put, apply.
import { asker1, asker2, connect1, connect2, finish, o, quantiles } from './common.mjs';

const kind = o.kind ?? 'ConfigMap';
const namespace = o.namespace ?? 'default';
const collection = o.collection ?? `/api/v1/namespaces/${namespace}/${kind.toLowerCase()}s`;
const filler = 'x'.repeat(o.size ?? 0);
const object = (name, data) => JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, namespace }, data });
const named = (i) => `${o.prefix}${i % o.objects}`;

/** The request of the i-th operation. */
const REQUESTS = {
  create: (i) => ({ method: 'POST', path: collection, type: 'application/json', body: object(`${o.prefix}${i}`, { payload: filler }) }),
  patch: (i) => ({ method: 'PATCH', path: `${collection}/${named(i)}`, type: 'application/merge-patch+json', body: `{"data":{"n":"${i}"}}` }),
  get: (i) => ({ method: 'GET', path: `${collection}/${named(i)}${o.query ?? ''}` }),
  list: () => ({ method: 'GET', path: `${o.path ?? collection}${o.query ?? ''}`, headers: o.headers }),
  raw: () => ({ method: 'GET', path: '/' }),
  ...(o.samples === undefined
    ? {}
    : {
        post: (i) => ({ method: 'POST', path: o.path, type: 'application/json', body: sample(i) }),
        merge: (i) => ({ method: 'PATCH', path: `${o.path}/${named(i)}?fieldManager=bench`, type: 'application/merge-patch+json', body: sample(i) }),
        put: (i) => ({ method: 'PUT', path: `${o.path}/${named(i)}?fieldManager=bench`, type: 'application/json', body: sample(i) }),
        apply: (i) => ({ method: 'PATCH', path: `${o.path}/${named(i)}?fieldManager=bench&force=true`, type: 'application/apply-patch+yaml', body: sample(i) }),
      }),
};

/** The object that the bench provides, with a new value each time. */
function sample(i) {
  return o.samples.text.replaceAll(o.samples.name, named(i)).replaceAll(o.samples.value, `v${i}`);
}

const request = REQUESTS[o.mode];
const latencies = [];
let issued = 0;
let bytes = 0;
let failures = 0;
const see = (piece) => {
  bytes += piece.length;
};
const deadline = Date.now() + (o.seconds ?? 60) * 1000;

const askers = [];
if (o.h2) {
  const sessions = await Promise.all(Array.from({ length: o.sessions ?? 8 }, () => connect2()));
  for (let i = 0; i < o.connections; i++) askers.push(asker2(sessions[i % sessions.length], see));
} else for (const socket of await Promise.all(Array.from({ length: o.connections }, () => connect1()))) askers.push(asker1(socket, see));

const started = performance.now();
await Promise.all(
  askers.map(async (ask) => {
    while (issued < o.n && Date.now() < deadline) {
      const r = request(issued++);
      const sent = performance.now();
      const code = await ask(r);
      latencies.push(performance.now() - sent);
      if (code < 200 || code >= 300) failures++;
    }
  }),
);
const seconds = (performance.now() - started) / 1000;
finish({ operations: latencies.length, failures, seconds, perSecond: latencies.length / seconds, ...quantiles(latencies), megabytesPerSecond: bytes / 1e6 / seconds });
