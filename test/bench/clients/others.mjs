// Small requests at a constant rate while something large runs: the latency of each, from when it was due. Runs until its
// input is closed. With `h2` all share one connection, and `jobs` (lists) run on it too.
import { asker1, asker2, connect1, connect2, finish, o, quantiles, sleep, tell, untilEnd } from './common.mjs';

const namespace = `/api/v1/namespaces/${o.namespace ?? 'default'}`;
const KINDS = {
  get: { connections: 8, perSecond: 200, request: () => ({ method: 'GET', path: `${namespace}/configmaps/small` }) },
  create: {
    connections: 4,
    perSecond: 100,
    request: (i) => ({ method: 'POST', path: `${namespace}/configmaps`, type: 'application/json', body: JSON.stringify({ metadata: { generateName: 'o' }, data: { n: String(i) } }) }),
  },
};
const session = o.h2 ? await connect2({ initialWindowSize: 4 * 1024 * 1024 }, 1 << 30) : undefined;
const asker = async () => (session === undefined ? asker1(await connect1()) : asker2(session));

const first = await asker();
await first({ method: 'POST', path: `${namespace}/configmaps`, type: 'application/json', body: JSON.stringify({ metadata: { name: 'small' }, data: { x: 'x'.repeat(500) } }) });

let over = false;
let failures = 0;
const latencies = { get: [], create: [] };

async function worker(name, { connections, perSecond, request }, which) {
  const ask = await asker();
  const interval = (1000 * connections) / perSecond;
  let due = performance.now() + (interval * which) / connections;
  for (let i = 0; !over; i++) {
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    const began = Math.max(due, performance.now() - 2000);
    const code = await ask(request(i));
    if (code >= 300) failures++;
    latencies[name].push(performance.now() - began);
    due = Math.max(due + interval, performance.now() - 2000);
  }
}
const workers = Object.entries(KINDS).flatMap(([name, kind]) => Array.from({ length: kind.connections }, (_, i) => worker(name, kind, i)));
await sleep(300);
for (const name in latencies) latencies[name].length = 0;
console.log('ready');
let extra = {};
if (o.job !== undefined) {
  const { heavy } = await import('./heavy.mjs');
  extra = await heavy(session, o.job);
} else await untilEnd();
over = true;
await Promise.all(workers);
finish({ failures, get: quantiles(latencies.get), create: quantiles(latencies.create), operations: latencies.get.length + latencies.create.length, ...extra });
