#!/usr/bin/env node
// Sends every single change of `single.mjs` to two servers, as a create, an update and a write of the status and scale (dry run), and reports
// where their responses differ, grouped by kind, field and difference. Pods have many changes: a share of them is enough at a time.
//
//   sweep.mjs --reference https://127.0.0.1:6500 --reference-cert FILE --reference-key FILE [--kinds REGEX] [--fields REGEX]
//     [--ways REGEX]                          only create, update, status or scale
//     [--server URL --cert FILE --key FILE]   default: a server of this build, started for the run
//     [--share 0.1] [--from 0]                ask only this share of the changes, the same in each run, from this place on
//     [--jobs 3] [--report FILE]
//
// Without a reference it prints a message and exits. The exit code is 0 if nothing differs.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client, canonical, firstDifference } from '../../golden/lib.mjs';
import { recordedText } from '../../golden/recordings.mjs';
import { startServer } from '../../golden/server.mjs';
import { OBJECTS } from './objects.mjs';
import { hasOtherRule } from './otherrules.mjs';
import { answersTo, withPlace } from './place.mjs';
import { singleChanges } from './single.mjs';
import { statusOf } from './statuses.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const env = process.env;
const text = (value = '') => ({ type: 'string', default: value });
const { values: o } = parseArgs({
  options: {
    reference: text(env.REFERENCE),
    'reference-cert': text(env.REFERENCE_CERT),
    'reference-key': text(env.REFERENCE_KEY),
    server: { type: 'string' },
    cert: text(),
    key: text(),
    kinds: text(env.KINDS),
    fields: text(env.FIELDS),
    ways: text(),
    share: text('1'),
    from: text('0'),
    jobs: text('3'),
    report: text(),
  },
});
if (o.reference === '') {
  console.log('sweep: skipped, no reference server is given (REFERENCE=https://..., REFERENCE_CERT=FILE, REFERENCE_KEY=FILE)');
  process.exit(0);
}
const { kindSchema } = await import(join(root, 'dist', 'pkg', 'schema', 'index.js'));
const bases = Object.entries({ ...JSON.parse(recordedText('validation/bases.json')), ...OBJECTS }).filter(([id]) => new RegExp(o.kinds).test(id));
/** How many bases of a kind are asked the same change. */
const REPEATS = 2;
/** How many questions about one object are asked at a time. */
const LANES = 3;
const writable = (field) => !['kind', 'apiVersion'].includes(field);
const isStatus = (field) => field === 'status';
const notStatus = (field) => writable(field) && !isStatus(field);

const askedBefore = new Map();
const found = new Map();
let asked = 0;

const own = o.server === undefined ? await startServer(['--runtime-config', 'api/all=true']) : undefined;
const clients = [
  new Client({ server: o.reference, cert: readFileSync(o['reference-cert']), key: readFileSync(o['reference-key']), prefix: '' }),
  new Client({ server: o.server ?? own.url, cert: readFileSync(own?.cert ?? o.cert), key: readFileSync(own?.key ?? o.key), prefix: '' }),
];
if (o.report !== '') writeFileSync(o.report, '');
try {
  const waiting = [...bases];
  await Promise.all(Array.from({ length: Number(o.jobs) }, work.bind(undefined, waiting)));
} finally {
  await own?.stop();
}
for (const { id, on, ops, at, times } of found.values()) console.log(`${id} ${on} ${JSON.stringify(ops).slice(0, 400)}\n    ${at} (${times} times)`);
console.log(`sweep: ${asked} questions, ${found.size} differences`);
process.exit(found.size > 0 ? 1 : 0);

async function work(waiting) {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [id, base] = next;
    await sweep(id, base).catch((e) => console.error(`sweep: ${id}: ${e.message}`));
  }
}

async function sweep(id, base) {
  await withPlace(clients, base, async (place) => {
    if (place === undefined) return console.error(`sweep: ${id}: not created`);
    const { created, stored } = place;
    await askChanges(id, 'create', place, created, notStatus);
    await askChanges(id, 'update', place, stored[0], notStatus);
    await askChanges(id, 'scale', place, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: stored[0].metadata, spec: { replicas: 1 } }, writable);
    await askChanges(id, 'status', place, stored[0], isStatus);
    if (await writeStatus(place)) await askChanges(id, 'status', place, place.stored[0], (field) => field === 'metadata' || isStatus(field));
  });
}

/** Writes a whole status on both servers. Reports whether both accepted it. */
async function writeStatus(place) {
  const status = statusOf(place.created);
  if (status === undefined || !(await has(place, 'status'))) return false;
  const written = await Promise.all(clients.map((c, i) => c.request('PUT', `${place.path}/${place.name}/status`, {}, { ...place.stored[i], status })));
  const refused = written.find((r) => r.status >= 300);
  if (refused !== undefined) console.error(`sweep: ${place.path}: the status was not written: ${refused.body.toString().slice(0, 300)}`);
  else place.stored = written.map((r) => JSON.parse(r.body));
  return refused === undefined;
}

/** Reports whether both servers have a subresource. */
async function has(place, part) {
  const answers = await Promise.all(clients.map((c) => c.request('GET', `${place.path}/${place.name}/${part}`)));
  return answers.every((r) => r.status === 200);
}

/** Asks all single changes of `object` in one way, if both servers have it. */
async function askChanges(id, on, place, object, within) {
  if (!new RegExp(o.ways).test(on) || (['status', 'scale'].includes(on) && !(await has(place, on)))) return;
  const questions = questionsOf(id, object, on, within).values();
  await Promise.all(Array.from({ length: LANES }, () => askAll(id, on, questions, place)));
}

async function askAll(id, on, questions, place) {
  for (const ops of questions) {
    // A server may close an idle connection during a request.
    const ask = () => answersTo(clients, place, { on, ops });
    // kube-apiserver ends the connection of a request that panics.
    const answers = await ask().catch(() => ask()).catch((e) => console.error(`sweep: ${id}: ${on} ${JSON.stringify(ops).slice(0, 400)}: ${e.message}`));
    if (answers === undefined) continue;
    asked++;
    const [expected, got] = answers;
    if (expected.code !== 500 && canonical(expected) !== canonical(got)) report({ id, on, ops, expected, got });
  }
}

function questionsOf(id, object, on, within) {
  const { apiVersion, kind } = object;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const schema = kindSchema({ group, version, kind })?.schema;
  if (schema === undefined) return [];
  const questions = [];
  const fields = schema.fields.map((f) => f.name).filter(within);
  for (const ops of singleChanges(object, schema, fields)) {
    const key = `${id.split('/')[0]} ${on} ${canonical(ops).replace(/\/\d+/g, '/N')}`;
    const place = hash(key) - Number(o.from);
    if (!new RegExp(o.fields).test(ops[0].path) || hasOtherRule(id, ops) || place < 0 || place >= Number(o.share)) continue;
    const before = askedBefore.get(key) ?? 0;
    if (before >= REPEATS) continue;
    askedBefore.set(key, before + 1);
    questions.push(ops);
  }
  return questions;
}

/** A number in [0, 1) that depends only on the text. */
function hash(s) {
  let h = 2166136261;
  for (let i = 0; i < s.length; i++) h = Math.imul(h ^ s.charCodeAt(i), 16777619);
  h = Math.imul(h ^ (h >>> 15), 2246822507);
  return ((h ^ (h >>> 13)) >>> 0) / 4294967296;
}

function report({ id, on, ops, expected, got }) {
  const at = firstDifference(expected, got);
  const key = `${id.split('/')[0]} ${ops[0].path.replace(/\d+/g, 'N')} ${at.replace(/\d+/g, 'N').slice(0, 60)}`;
  const known = found.get(key);
  if (known !== undefined) {
    known.times++;
    return;
  }
  found.set(key, { id, on, ops, at, times: 1 });
  if (o.report !== '') appendFileSync(o.report, `${JSON.stringify({ id, on, ops, at, expected, got })}\n`);
}
