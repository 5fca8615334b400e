// Who sends a request: what a token and RBAC cost beside a certificate of `system:masters`, and what one tenant that floods the server
// costs another.
import { sleep } from '../bench.mjs';

const TOKEN = 'get by token and RBAC, beside system:masters';
const FLOOD = 'a tenant beside one that floods';
export const names = [TOKEN, FLOOD];

/** The two sides alternate: the difference of neighbours varies less than the CPU time of either. */
const ROUNDS = 12;

export async function run(bench) {
  if (bench.wanted(TOKEN)) await byToken(bench);
  if (bench.wanted(FLOOD)) await flooded(bench);
}

/** Makes a service account that may do everything with ConfigMaps in its namespace, and returns its token. */
async function tenant(bench, namespace) {
  const group = 'rbac.authorization.k8s.io';
  const rbac = `/apis/${group}/v1/namespaces/${namespace}`;
  const { answers } = await bench.client('setup.mjs', {
    requests: [
      { path: '/api/v1/namespaces', body: { metadata: { name: namespace } } },
      { path: `/api/v1/namespaces/${namespace}/serviceaccounts`, body: { metadata: { name: 'user' } } },
      { path: `${rbac}/roles`, body: { metadata: { name: 'user' }, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }] } },
      { path: `${rbac}/rolebindings`, body: { metadata: { name: 'user' }, roleRef: { apiGroup: group, kind: 'Role', name: 'user' }, subjects: [{ kind: 'ServiceAccount', name: 'user', namespace }] } },
      { path: `/api/v1/namespaces/${namespace}/serviceaccounts/user/token`, body: { spec: { expirationSeconds: 3600 } } },
    ],
  });
  return answers.at(-1).status.token;
}

async function byToken(bench) {
  await bench.restart();
  const namespace = 'tenant';
  const token = await tenant(bench, namespace);
  const common = { namespace, prefix: 'g', objects: 500, connections: 16 };
  await bench.client('requests.mjs', { ...common, mode: 'create', n: 500, size: 1024 });
  await bench.settled();
  const differences = [];
  const spent = { masters: [], token: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const now = {};
    for (const side of round % 2 === 0 ? ['masters', 'token'] : ['token', 'masters']) {
      const before = bench.cpu();
      const out = await bench.client('requests.mjs', { ...common, ...(side === 'token' ? { token } : {}), mode: 'get', n: bench.n(15000) });
      if (out.failures > 0) throw new Error(`${out.failures} requests failed`);
      now[side] = ((bench.cpu() - before) * 1e6) / out.operations;
    }
    // The first round warms up: code is slow until it is compiled.
    if (round === 0) continue;
    spent.masters.push(now.masters);
    spent.token.push(now.token);
    differences.push(now.token - now.masters);
  }
  const note = `${median(differences).toFixed(1)} us more than system:masters (${median(spent.masters).toFixed(1)} us)`;
  bench.row(TOKEN, { cpuMicroseconds: median(spent.token), note });
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/** The sides of the row of floods: where the flood goes while another tenant sends small requests. */
const SIDES = ['alone', 'beside', 'apart'];

/**
 * 64 connections of creates, and four that list 20 MB again and again, of one service account; another one sends small requests. The floor
 * is the same flood on a server of its own: what the machine's cores are worth to the other tenant if the two share nothing else.
 */
async function flooded(bench) {
  await bench.restart();
  const apart = bench.another();
  try {
    await apart.restart();
    const noisy = { beside: await noise(bench), apart: await noise(apart) };
    const quiet = await tenant(bench, 'quiet');
    await bench.settled();
    await apart.settled();
    const seconds = 10 * bench.scale;
    const sides = Object.fromEntries(SIDES.map((side) => [side, []]));
    for (let round = 0; round < 3; round++) {
      for (const side of SIDES) {
        const floods = (noisy[side] ?? (() => []))(round, seconds + 2);
        if (floods.length > 0) await sleep(1000);
        const others = bench.open('others.mjs', { token: quiet, namespace: 'quiet' });
        await others.ready;
        await sleep(seconds * 1000);
        sides[side].push(await others.end());
        await Promise.all(floods);
      }
    }
    const at = (side, verb, q) => median(sides[side].map((out) => out[verb][q]));
    const figures = (side) => Object.fromEntries(['get', 'create'].map((verb) => [verb, { p50: at(side, verb, 'p50'), p99: at(side, verb, 'p99'), max: at(side, verb, 'max') }]));
    const times = (verb, of) => (at('beside', verb, 'p99') / at(of, verb, 'p99')).toFixed(2);
    bench.row(`${FLOOD}: alone`, { others: figures('alone') });
    bench.row(`${FLOOD}: floor, the flood on another server`, { others: figures('apart') });
    bench.row(FLOOD, {
      others: figures('beside'),
      failures: sides.beside.reduce((sum, out) => sum + out.failures, 0),
      note: `p99 ${times('get', 'alone')} x (get), ${times('create', 'alone')} x (create) of alone, ${times('get', 'apart')} x, ${times('create', 'apart')} x of the floor`,
    });
  } finally {
    await apart.close();
  }
}

/** Prepares a tenant that floods `bench`; returns a function that starts the flood of one round for a number of seconds. */
async function noise(bench) {
  const token = await tenant(bench, 'noisy');
  await bench.client('requests.mjs', { namespace: 'noisy', prefix: 'l', mode: 'create', n: 5000, connections: 32, size: 4096 });
  return (round, seconds) =>
    [
      { mode: 'create', prefix: `f${round}x`, n: 1e9, connections: 64, size: 1024 },
      { mode: 'list', n: 1e9, connections: 4, query: '?resourceVersion=0' },
    ].map((flood) => bench.client('requests.mjs', { token, namespace: 'noisy', ...flood, seconds, tolerant: true }));
}
