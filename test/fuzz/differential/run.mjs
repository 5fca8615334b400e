#!/usr/bin/env node
// Sends the same requests to two servers and reports where their responses differ. Recorded objects of every kind are changed at random
// according to their schemas, created, updated, and their status and scale written, always as a dry run. Each difference is minimized
// before it is reported.
//
//   run.mjs --reference https://127.0.0.1:6500 --reference-cert FILE --reference-key FILE
//     [--server URL --cert FILE --key FILE]   default: a server of this build, started for the run
//     [--seconds 60] [--seed N] [--kinds REGEX] [--report FILE]
//
// Without a reference it prints a message and exits. The exit code is 0 if nothing differs.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { applyOps, Client, canonical, firstDifference, normalise, remove, warningsOf } from '../../golden/lib.mjs';
import { recordedText } from '../../golden/recordings.mjs';
import { drawChange, randomFrom } from './draw.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const env = process.env;
const { values: o } = parseArgs({
  options: {
    reference: { type: 'string', default: env.REFERENCE ?? '' },
    'reference-cert': { type: 'string', default: env.REFERENCE_CERT ?? '' },
    'reference-key': { type: 'string', default: env.REFERENCE_KEY ?? '' },
    server: { type: 'string' },
    cert: { type: 'string' },
    key: { type: 'string' },
    seconds: { type: 'string', default: env.SECONDS_MAX ?? '60' },
    seed: { type: 'string', default: env.SEED || String(Date.now() % 1_000_000) },
    kinds: { type: 'string', default: env.KINDS ?? '' },
    report: { type: 'string' },
  },
});
if (o.reference === '') {
  console.log('difffuzz: skipped, no reference server is given (REFERENCE=https://..., REFERENCE_CERT=FILE, REFERENCE_KEY=FILE)');
  process.exit(0);
}

const { kindSchema } = await import(join(root, 'dist', 'pkg', 'schema', 'index.js'));
const bases = Object.entries(JSON.parse(recordedText('validation/bases.json'))).filter(([id]) => new RegExp(o.kinds).test(id));
const random = randomFrom(Number(o.seed));
const own = o.server === undefined ? await startServer() : undefined;
const clients = [
  new Client({ server: o.reference, cert: readFileSync(o['reference-cert']), key: readFileSync(o['reference-key']), prefix: '' }),
  new Client({ server: o.server ?? own.url, cert: readFileSync(o.cert ?? own.cert), key: readFileSync(o.key ?? own.key), prefix: '' }),
];
const found = new Map();
let asked = 0;
const ends = Date.now() + Number(o.seconds) * 1000;
console.log(`difffuzz: seed ${o.seed}, ${bases.length} objects, ${o.seconds} s`);
try {
  while (Date.now() < ends) {
    const [id, base] = random.pick(bases);
    // A server may close an idle connection during a request: the next object uses new connections.
    await tryBase(id, base, 12).catch((e) => console.error(`difffuzz: ${id}: ${e.message}`));
  }
} finally {
  own?.stop();
}
const differences = [...found.values()].sort((a, b) => b.times - a.times);
for (const d of differences) console.log(`${d.id} ${d.on} ${JSON.stringify(d.ops)}\n    ${d.at} (${d.times} times)`);
if (o.report !== undefined) writeFileSync(o.report, `${JSON.stringify(differences, null, 1)}\n`);
console.log(`difffuzz: ${asked} questions, ${differences.length} differences`);
process.exit(differences.length > 0 ? 1 : 0);

/** Applies changes to one object, which exists on both servers meanwhile. */
async function tryBase(id, base, times) {
  const ns = `f${Date.now().toString(36)}`;
  const path = base.path.replace('{{ns}}', ns);
  const [group, version] = base.object.apiVersion.includes('/') ? base.object.apiVersion.split('/') : ['', base.object.apiVersion];
  const schema = kindSchema({ group, version, kind: base.object.kind })?.schema;
  if (schema === undefined) return;
  if (path !== base.path)
    for (const c of clients) {
      await c.request('POST', '/api/v1/namespaces', {}, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
      await c.request('POST', `/api/v1/namespaces/${ns}/serviceaccounts`, {}, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
    }
  const stored = [];
  try {
    for (const c of clients) {
      const r = await c.request('POST', path, {}, base.object);
      if (r.status >= 300) return;
      stored.push(JSON.parse(r.body));
    }
    if (stored.some((s) => s.metadata?.name === undefined)) return;
    const place = { path, name: stored[0].metadata.name, ns, stored, created: base.object };
    const has = (part) => Promise.all(clients.map((c) => c.request('GET', `${path}/${place.name}/${part}`).then((r) => r.status === 200)));
    const ways = ['create', 'update', 'update'];
    if ((await has('status')).every(Boolean)) ways.push('status');
    if ((await has('scale')).every(Boolean)) ways.push('scale');
    for (let i = 0; i < times && Date.now() < ends; i++) await tryOnce(id, random.pick(ways), place, schema);
  } finally {
    for (const c of clients) {
      if (stored.length > 0) await remove(c, `${path}/${stored[0].metadata.name}`).catch(() => {});
      if (path !== base.path) await c.request('DELETE', `/api/v1/namespaces/${ns}`).catch(() => {});
    }
  }
}

async function tryOnce(id, on, place, schema) {
  const from = on === 'create' ? place.created : place.stored[0];
  let ops;
  if (on === 'scale') ops = [{ op: 'add', path: '/spec', value: random.pick([{}, { replicas: 0 }, { replicas: 3 }, { replicas: -1 }]) }];
  else {
    const within = on === 'status' ? ['status'] : ['metadata', 'spec', ...schema.fields.map((f) => f.name).filter((n) => !['status', 'kind', 'apiVersion'].includes(n))];
    ops = Array.from({ length: random.pick([1, 1, 2]) }, () => drawChange(from, schema, random, within)).filter((op) => op !== undefined);
  }
  if (ops.length === 0) return;
  const difference = await compareAnswers(on, place, ops);
  if (difference === undefined) return;
  let [small, at] = [ops, difference];
  for (const op of ops.length > 1 ? ops : []) {
    const alone = await compareAnswers(on, place, [op]);
    if (alone !== undefined) [small, at] = [[op], alone];
  }
  const signature = `${id.split('/')[0]} ${on} ${at.replace(/\d+/g, 'N').slice(0, 90)} ${small.map((op) => op.path.replace(/\d+/g, 'N')).join(' ')}`;
  const known = found.get(signature);
  if (known === undefined) found.set(signature, { id, on, ops: small, at, times: 1 });
  else known.times++;
}

/** A difference that occurs only in dry runs of kube-apiserver: it drops a self link when it stores the object. */
const UNSTORED = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'selfLink'];

/** The first difference between the two responses, or undefined. */
async function compareAnswers(on, place, ops) {
  const answers = [];
  for (const [i, client] of clients.entries()) {
    const sent = changed(on, place, i, ops);
    if (sent === undefined) return undefined;
    answers.push(await ask(client, on, place, sent));
    asked++;
  }
  const [expected, got] = answers;
  return canonical(expected) === canonical(got) ? undefined : firstDifference(expected, got);
}

function changed(on, place, i, ops) {
  const { name, ns } = place;
  const from = on === 'create' ? place.created : on === 'scale' ? { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name, namespace: ns } } : place.stored[i];
  try {
    return applyOps(from, ops);
  } catch {
    return undefined; // The second change does not apply after the first one.
  }
}

async function ask(client, on, { path, name, ns }, sent) {
  const at = on === 'create' ? path : on === 'update' ? `${path}/${name}` : `${path}/${name}/${on}`;
  const method = on === 'create' ? 'POST' : 'PUT';
  const body = on === 'create' ? { ...sent, metadata: { ...sent.metadata, name: `${name}-new` } } : sent;
  const res = await client.request(method, `${at}?dryRun=All`, {}, body);
  const answer = JSON.parse(res.body.toString() || '{}');
  const clean = (x) => normalise(x, { vars: { ns } });
  const warnings = warningsOf(res)?.map(clean);
  const shown = warnings === undefined ? {} : { warnings };
  if (res.status >= 300) {
    const causes = answer.details?.causes?.map((c) => [c.reason, c.field, clean(c.message)]);
    return { code: res.status, reason: answer.reason, ...shown, ...(causes === undefined ? { message: clean(answer.message ?? '') } : { causes: causes.sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1)) }) };
  }
  const object = clean(answer);
  for (const field of UNSTORED) delete object.metadata?.[field];
  return { code: res.status, ...shown, object };
}

async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-difffuzz-'));
  const port = await new Promise((resolve) => {
    const s = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = s.address();
      s.close(() => resolve(free));
    });
  });
  const flags = ['--secure-port', String(port), '--data-dir', folder, '--log-level', 'error', '--runtime-config', 'api/all=true', '--service-cluster-ip-range', '10.0.0.0/16'];
  const child = spawn(process.execPath, [join(root, 'dist', 'cmd', 'apiserver', 'main.js'), ...flags], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [cert, key] = ['admin.crt', 'admin.key'].map((f) => join(folder, 'pki', f));
  const url = `https://127.0.0.1:${port}`;
  for (let i = 0; i < 200; i++) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`);
    try {
      const probe = new Client({ server: url, cert: readFileSync(cert), key: readFileSync(key), prefix: '' });
      if ((await probe.request('GET', '/readyz')).status === 200) break;
    } catch {
      // The server is not ready yet.
    }
    await new Promise((r) => setTimeout(r, 100));
  }
  return {
    url,
    cert,
    key,
    stop: () => {
      child.kill('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
