#!/usr/bin/env node
// Sends the same requests to two servers and reports where their responses differ. Recorded objects of every kind are changed at random
// according to their schemas, created, updated, patched, applied, and their status and scale written, always as a dry run. Each difference is minimized
// before it is reported.
//
//   run.mjs --reference https://127.0.0.1:6500 --reference-cert FILE --reference-key FILE
//     [--server URL --cert FILE --key FILE]   default: a server of this build, started for the run
//     [--seconds 60] [--seed N] [--kinds REGEX] [--report FILE]
//     [--flags 'FLAG ...']                    further flags of the server that is started
//
// Without a reference it prints a message and exits. The exit code is 0 if nothing differs.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client, canonical, firstDifference, normalise, remove, warningsOf } from '../../golden/lib.mjs';
import { recordedText } from '../../golden/recordings.mjs';
import { draw, drawChange, drawCopy, drawIdentity, drawMembers, drawRepeat, randomFrom } from './draw.mjs';
import { OBJECTS } from './objects.mjs';
import { DIRECTIVES, requestOf, WAYS } from './ways.mjs';

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
    flags: { type: 'string', default: env.FLAGS ?? '' },
  },
});
if (o.reference === '') {
  console.log('difffuzz: skipped, no reference server is given (REFERENCE=https://..., REFERENCE_CERT=FILE, REFERENCE_KEY=FILE)');
  process.exit(0);
}

const { kindSchema } = await import(join(root, 'dist', 'pkg', 'schema', 'index.js'));
const bases = Object.entries({ ...JSON.parse(recordedText('validation/bases.json')), ...OBJECTS }).filter(([id]) => new RegExp(o.kinds).test(id));
/** Fields that differ from run to run, and one that kube-apiserver drops when it stores an object. */
const UNSTORED = ['uid', 'resourceVersion', 'creationTimestamp', 'selfLink'];
/** The controllers that run beside the reference, too; others would change the objects of one server only. */
const CONTROLLERS = ['--controllers', ['namespace', 'serviceaccount', 'root-ca-certificate-publisher', 'garbage-collector', 'clusterrole-aggregation'].map((c) => `${c}-controller`).join(',')];
const random = randomFrom(Number(o.seed));
const own = o.server === undefined ? await startServer() : undefined;
const clients = [
  new Client({ server: o.reference, cert: readFileSync(o['reference-cert']), key: readFileSync(o['reference-key']), prefix: '' }),
  new Client({ server: o.server ?? own.url, cert: readFileSync(o.cert ?? own.cert), key: readFileSync(o.key ?? own.key), prefix: '' }),
];
const found = new Map();
if (o.report !== undefined) writeFileSync(o.report, '');
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
    const ways = [...WAYS];
    if ((await has('status')).every(Boolean)) ways.push('status', 'status', 'statusMerge', 'statusApply');
    if ((await has('scale')).every(Boolean)) ways.push('scale');
    for (let i = 0; i < times && Date.now() < ends; i++) await tryOnce(id, random.pick(ways), place, schema);
  } finally {
    for (const c of clients) {
      if (stored.length > 0) await remove(c, `${path}/${stored[0].metadata.name}`).catch(() => {});
      if (path !== base.path) await c.request('DELETE', `/api/v1/namespaces/${ns}`).catch(() => {});
    }
  }
}

async function tryOnce(id, on, base, schema) {
  const place = { ...base, createName: `${base.name}-new`, directive: random.pick(DIRECTIVES), force: random.chance(0.5) };
  const query = random.pick(['', '', '', '&fieldValidation=Strict', '&fieldValidation=Ignore', '&fieldManager=fuzz']);
  const ops = drawOps(on, place, schema);
  if (ops.length === 0) return;
  const difference = await compareAnswers(on, place, ops, query);
  if (difference === undefined) return;
  let [small, at] = [ops, difference];
  // Fewer operations, as long as a difference remains.
  for (let i = small.length - 1; i >= 0 && small.length > 1; i--) {
    const fewer = small.filter((_, j) => j !== i);
    const still = await compareAnswers(on, place, fewer, query);
    if (still !== undefined) [small, at] = [fewer, still];
  }
  const signature = `${id.split('/')[0]} ${on} ${at.replace(/\d+/g, 'N').slice(0, 90)} ${small.map((op) => op.path.replace(/\d+/g, 'N')).join(' ')}`;
  const known = found.get(signature);
  if (known === undefined) {
    const one = { id, on, ops: small, at, times: 1, ...(query !== '' && { query }), ...(on === 'strategic' && { directive: place.directive }) };
    found.set(signature, one);
    if (o.report !== undefined) appendFileSync(o.report, `${JSON.stringify(one)}\n`);
  } else known.times++;
}

/** The changes of one request. */
function drawOps(on, { created, stored }, schema) {
  if (on === 'scale') {
    const path = random.pick(['/spec', '/spec', '/metadata']);
    const value = path === '/spec' ? random.pick([{}, { replicas: 0 }, { replicas: 3 }, { replicas: -1 }]) : random.pick([{}, { name: 'other' }, { ...stored[0].metadata, uid: 'x' }, { ...stored[0].metadata, labels: { a: 'b' } }]);
    return [{ op: 'add', path, value }];
  }
  const from = on.startsWith('create') || on.startsWith('apply') ? created : stored[0];
  const isStatus = on.startsWith('status');
  const own = schema.fields.map((f) => f.name).filter((n) => !['status', 'kind', 'apiVersion'].includes(n));
  const within = isStatus ? random.pick([['status'], ['status'], ['status'], ['status', 'metadata', 'spec']]) : ['metadata', 'spec', ...own];
  const status = schema.fields.find((f) => f.name === 'status');
  if (isStatus && status !== undefined && random.chance(0.5)) return [{ op: 'add', path: '/status', value: draw(status.schema, random, 5, 0.35) }];
  const one = () =>
    random.pick([
      () => drawChange(from, schema, random, within),
      () => drawChange(from, schema, random, within),
      () => drawMembers(from, schema, random, within),
      () => drawCopy(from, schema, random, within),
      () => drawRepeat(from, schema, random, within),
      () => (random.chance(0.3) ? drawIdentity(random) : drawChange(from, schema, random, within)),
    ])();
  return Array.from({ length: random.pick([1, 1, 2]) }, one).flat().filter((op) => op !== undefined);
}

/** The first difference between the two responses, or undefined. */
async function compareAnswers(on, place, ops, query) {
  let answers = await answersTo(on, place, ops, query);
  // A controller of one server may have changed the object meanwhile.
  if (answers?.some((a) => a.code === 409)) {
    const current = await Promise.all(clients.map((c) => c.request('GET', `${place.path}/${place.name}`)));
    if (current.some((r) => r.status !== 200)) return undefined;
    for (const [i, r] of current.entries()) place.stored[i] = JSON.parse(r.body);
    answers = await answersTo(on, place, ops, query);
  }
  if (answers === undefined) return undefined;
  const [expected, got] = answers;
  if (expected.code === 500) return undefined; // A mistake of the client, which this server answers with 400 or 422.
  return canonical(expected) === canonical(got) ? undefined : firstDifference(expected, got);
}

async function answersTo(on, place, ops, query) {
  const answers = [];
  for (const [i, client] of clients.entries()) {
    const sent = requestOf(on, place, i, ops, query);
    if (sent === undefined) return undefined;
    answers.push(await ask(client, sent, place));
    asked++;
  }
  return answers;
}

async function ask(client, { method, path, headers = {}, body }, { ns }) {
  const res = await client.request(method, path, headers, body);
  const answer = JSON.parse(res.body.toString() || '{}');
  const prefix = typeof body === 'object' ? body.metadata?.generateName : undefined;
  const known = (x) => (prefix && typeof x === 'string' ? x.split(prefix).map((part, i) => (i === 0 ? part : part.replace(/^[a-z0-9]{5}/, '<x>'))).join(prefix) : x);
  const clean = (x) => normalise(known(x), { vars: { ns }, managedFields: method === 'PATCH' });
  const warnings = warningsOf(res)?.map(clean);
  const shown = warnings === undefined ? {} : { warnings };
  if (res.status >= 300) {
    const causes = answer.details?.causes?.map((c) => [c.reason, c.field, clean(c.message)]);
    return { code: res.status, reason: answer.reason, ...shown, ...(causes === undefined ? { message: clean(answer.message ?? '') } : { causes: causes.sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1)) }) };
  }
  const object = clean(answer);
  if (object.metadata?.generateName !== undefined) object.metadata.name = '<generated>';
  for (const field of UNSTORED) delete object.metadata?.[field];
  // The first manager of each object is the client that made it.
  if (object.metadata?.managedFields !== undefined) object.metadata.managedFields = object.metadata.managedFields.map(({ time: _time, ...rest }) => rest);
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
  const flags = ['--secure-port', String(port), '--data-dir', folder, '--log-level', 'error', '--runtime-config', 'api/all=true', '--service-cluster-ip-range', '10.0.0.0/16', ...CONTROLLERS, ...o.flags.split(' ').filter((f) => f !== '')];
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
