#!/usr/bin/env node
// Sends the same requests to two servers and reports where their responses differ. Recorded objects of every kind are changed at random
// according to their schemas, created, updated, patched, applied, and their status and scale written, always as a dry run. Each difference is minimized
// before it is reported.
//
//   run.mjs --reference https://127.0.0.1:6500 --reference-cert FILE --reference-key FILE
//     [--server URL --cert FILE --key FILE]   default: a server of this build, started for the run
//     [--seconds 60] [--seed N] [--kinds REGEX] [--report FILE]
//     [--again FILE]                          only the questions of an earlier report
//     [--flags 'FLAG ...']                    further flags of the server that is started
//
// Without a reference it prints a message and exits. The exit code is 0 if nothing differs.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client, canonical, firstDifference } from '../../golden/lib.mjs';
import { recordedText } from '../../golden/recordings.mjs';
import { startServer } from '../../golden/server.mjs';
import { draw, drawChange, drawCopy, drawIdentity, drawMembers, drawRepeat, randomFrom } from './draw.mjs';
import { OBJECTS } from './objects.mjs';
import { hasOtherRule } from './otherrules.mjs';
import { answersTo, withPlace } from './place.mjs';
import { DIRECTIVES, WAYS } from './ways.mjs';

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
    again: { type: 'string' },
    flags: { type: 'string', default: env.FLAGS ?? '' },
  },
});
if (o.reference === '') {
  console.log('difffuzz: skipped, no reference server is given (REFERENCE=https://..., REFERENCE_CERT=FILE, REFERENCE_KEY=FILE)');
  process.exit(0);
}

const { kindSchema } = await import(join(root, 'dist', 'pkg', 'schema', 'index.js'));
const bases = Object.entries({ ...JSON.parse(recordedText('validation/bases.json')), ...OBJECTS }).filter(([id]) => new RegExp(o.kinds).test(id));
const random = randomFrom(Number(o.seed));
const own = o.server === undefined ? await startServer(['--runtime-config', 'api/all=true', ...o.flags.split(' ').filter((f) => f !== '')]) : undefined;
const clients = [
  new Client({ server: o.reference, cert: readFileSync(o['reference-cert']), key: readFileSync(o['reference-key']), prefix: '' }),
  new Client({ server: o.server ?? own.url, cert: readFileSync(o.cert ?? own.cert), key: readFileSync(o.key ?? own.key), prefix: '' }),
];
const found = new Map();
let asked = 0;
const ends = Date.now() + Number(o.seconds) * 1000;
console.log(`difffuzz: seed ${o.seed}, ${bases.length} objects, ${o.seconds} s`);
if (o.again !== undefined) {
  const left = await askAgain(o.again).finally(() => own?.stop());
  process.exit(left > 0 ? 1 : 0);
}
if (o.report !== undefined) writeFileSync(o.report, '');
try {
  while (Date.now() < ends) {
    const [id, base] = random.pick(bases);
    // A server may close an idle connection during a request: the next object uses new connections.
    await tryBase(id, base, 12).catch((e) => console.error(`difffuzz: ${id}: ${e.message}`));
  }
} finally {
  await own?.stop();
}
const differences = [...found.values()].sort((a, b) => b.times - a.times);
for (const d of differences) console.log(`${d.id} ${d.on} ${JSON.stringify(d.ops)}\n    ${d.at} (${d.times} times)`);
console.log(`difffuzz: ${asked} questions, ${differences.length} differences`);
process.exit(differences.length > 0 ? 1 : 0);

/** Applies changes to one object, which exists on both servers meanwhile. */
async function tryBase(id, base, times) {
  const schema = schemaOf(base);
  if (schema === undefined) return;
  await withPlace(clients, base, async (place) => {
    if (place === undefined) return;
    const has = (part) => Promise.all(clients.map((c) => c.request('GET', `${place.path}/${place.name}/${part}`).then((r) => r.status === 200)));
    const ways = [...WAYS];
    if ((await has('status')).every(Boolean)) ways.push('status', 'status', 'statusMerge', 'statusApply');
    if ((await has('scale')).every(Boolean)) ways.push('scale');
    for (let i = 0; i < times && Date.now() < ends; i++) await tryOnce(id, random.pick(ways), place, schema);
  });
}

function schemaOf({ object }) {
  const [group, version] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['', object.apiVersion];
  return kindSchema({ group, version, kind: object.kind })?.schema;
}

async function tryOnce(id, on, base, schema) {
  const drawn = { directive: random.pick(DIRECTIVES), force: random.chance(0.5) };
  const place = { ...base, ...drawn };
  const query = random.pick(['', '', '', '&fieldValidation=Strict', '&fieldValidation=Ignore', '&fieldManager=fuzz']);
  const ops = drawOps(on, place, schema);
  if (ops.length === 0 || hasOtherRule(id, ops)) return;
  const difference = await compareAnswers(place, { on, ops, query });
  if (difference === undefined) return;
  let [small, at] = [ops, difference];
  // Fewer operations, as long as a difference remains.
  for (let i = small.length - 1; i >= 0 && small.length > 1; i--) {
    const fewer = small.filter((_, j) => j !== i);
    const still = await compareAnswers(place, { on, ops: fewer, query });
    if (still !== undefined) [small, at] = [fewer, still];
  }
  const signature = `${id.split('/')[0]} ${on} ${at.replace(/\d+/g, 'N').slice(0, 90)} ${small.map((op) => op.path.replace(/\d+/g, 'N')).join(' ')}`;
  const known = found.get(signature);
  if (known === undefined) {
    const one = { id, on, ops: small, at, times: 1, ...(query !== '' && { query }), ...(on === 'strategic' && { directive: drawn.directive }), ...(on.startsWith('apply') && { force: drawn.force }) };
    found.set(signature, one);
    if (o.report !== undefined) appendFileSync(o.report, `${JSON.stringify(one)}\n`);
  } else known.times++;
}

/** Asks the questions of an earlier report again, and prints both responses where they still differ. */
async function askAgain(file) {
  let left = 0;
  const lines = readFileSync(file, 'utf8').split('\n').filter((line) => line !== '');
  for (const { id, on, ops, query, directive, force } of lines.map((line) => JSON.parse(line))) {
    const base = bases.find(([other]) => other === id)?.[1];
    if (base === undefined) continue;
    await withPlace(clients, base, async (place) => {
      if (place === undefined) return;
      const answers = await answersTo(clients, { ...place, directive, force }, { on, ops, query });
      if (answers === undefined || canonical(answers[0]) === canonical(answers[1])) return;
      left++;
      console.log(`${id} ${on} ${query ?? ''} ${JSON.stringify(ops).slice(0, 600)}`);
      for (const difference of differencesOf(...answers)) console.log(`    ${difference}`);
    });
  }
  console.log(`difffuzz: ${left} of ${lines.length} still differ`);
  return left;
}

/** The text of each difference; causes are compared as sets. */
function differencesOf(expected, got) {
  if (expected.causes === undefined || got.causes === undefined) return [firstDifference(expected, got)];
  const [a, b] = [expected, got].map((answer) => answer.causes.map(canonical));
  const causes = [...a.filter((c) => !b.includes(c)).map((c) => `expected ${c}`), ...b.filter((c) => !a.includes(c)).map((c) => `got ${c}`)];
  return causes.length > 0 ? causes : [`expected ${expected.message}`, `got ${got.message}`];
}

/** The changes of one request. */
function drawOps(on, { created, stored }, schema) {
  if (on === 'scale') {
    const path = random.pick(['/spec', '/spec', '/metadata']);
    const value = path === '/spec' ? random.pick([{}, { replicas: 0 }, { replicas: 3 }, { replicas: -1 }]) : random.pick([{}, { name: 'other' }, { name: stored[0].metadata.name, uid: 'x' }, { name: stored[0].metadata.name, labels: { a: 'b' } }]);
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
async function compareAnswers(place, question) {
  asked += clients.length;
  const [expected, got] = (await answersTo(clients, place, question)) ?? [];
  if (expected === undefined || expected.code === 500) return undefined; // 500: a mistake of the client, which this server answers with 400 or 422.
  return canonical(expected) === canonical(got) ? undefined : firstDifference(expected, got);
}
