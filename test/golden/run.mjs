#!/usr/bin/env node
// Replays the recorded answers of kube-apiserver (recordings/) against a peer started here, prints a table of the areas, and
// compares it with the counts that were reached before (reached.json).
//   run.mjs            everything: the table and the first differences
//   run.mjs --gate     what CI runs: fails when an area falls below its counts, or a case differs that is listed nowhere
//   run.mjs --slice    with --gate, what the test suite runs: every scenario and document, one in ten of each kind's changes
//   run.mjs --keep     writes the counts to reached.json, and what differs without a reason to pending.json
//   run.mjs FILE...    only these recordings (cases/lists.json, validation/pod.jsonl)
//   --only REGEX       only cases whose area/id matches; --failures N: how many differences to print; --words: differing sentences too
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { recordedPaths, recordedText } from './recordings.mjs';
import { printCounts, replay } from './replay.mjs';
import { startServer } from './server.mjs';
import { compareStructure } from './structure.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const reachedFile = join(here, 'reached.json');
const { values: o, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    gate: { type: 'boolean' },
    keep: { type: 'boolean' },
    slice: { type: 'boolean' },
    words: { type: 'boolean' },
    only: { type: 'string' },
    failures: { type: 'string', default: '20' },
    jobs: { type: 'string', default: '4' },
  },
});

const known = JSON.parse(readFileSync(join(here, 'known.json'), 'utf8'));
/**
 * Areas of `later/`: they wait for policies to take effect, so a slice omits them. The counts of lifecycle depend on
 * timing.
 */
const LATER_FILES = recordedPaths('later/').filter((f) => basename(f, '.json') !== 'lifecycle');
const LATER = new Set(LATER_FILES.map((f) => basename(f, '.json')));
/**
 * Differences that are not fixed yet, by area. The list may only shrink: a difference that is not in it fails the gate.
 */
const pending = JSON.parse(readFileSync(join(here, 'pending.json'), 'utf8'));
const isListed = (f) => known[`${f.area}/${f.id}`] !== undefined || (pending[f.area] ?? []).includes(f.id);
const RETRIES = 2;
/**
 * Alpha and beta versions are served only if enabled, and kube-apiserver had them all enabled. Cases that need them run
 * on a separate server.
 */
const bases = JSON.parse(recordedText('validation/bases.json'));
const needsAllVersions = (file) => file.endsWith('.jsonl') && Object.entries(bases).some(([id, b]) => id.startsWith(`${basename(file, '.jsonl')}/`) && /\/v\d+(alpha|beta)\d+\//.test(b.path));
const ALL_VERSIONS = ['--runtime-config', 'api/all=true'];
const whole = positionals.length === 0 && !o.only;
const files = positionals.length > 0 ? positionals : [...recordedPaths('cases/'), ...(o.slice ? [] : LATER_FILES), ...recordedPaths('validation/').filter((f) => f.endsWith('.jsonl'))];
/**
 * In a slice the counts of a kind's changes differ from reached.json: only the lists of known differences are checked.
 */
const SLICE_EVERY = 10;
const counted = (area) => !(o.slice && area.startsWith('validation/'));
let reached = {};
for (const [part, flags, structure] of [
  [files.filter((f) => !needsAllVersions(f)), [], { discovery: 'discovery.json', tables: 'tables.json', openapi: true, suffix: '' }],
  [files.filter(needsAllVersions), ALL_VERSIONS, { discovery: 'discovery-all.json', tables: 'tables-all.json', openapi: false, suffix: '-all' }],
]) {
  if (part.length > 0) reached = { ...reached, ...(await withServer(flags, (at) => replayAgain(at, part, whole ? structure : undefined))) };
}
process.exit(judge(reached));

/** Starts a server with these flags, calls `use`, and stops the server. */
async function withServer(flags, use) {
  const server = await startServer(flags);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/**
 * An area fails only if it fails again, one case after the other: a stalled machine can break a case that waits.
 */
async function replayAgain(at, part, structure) {
  let reached = await replayFiles(at, part, structure);
  for (let again = 0; again < RETRIES && o.gate && fallenAreas(reached).length > 0; again++) {
    const fallen = fallenAreas(reached).map(fileOf).filter((f) => files.includes(f));
    console.log(`golden: repeating ${fallenAreas(reached).join(', ')}`);
    if (fallen.length === 0) break;
    reached = better(reached, await replayFiles(at, fallen, undefined, 1));
  }
  return reached;
}

/** Returns the counts by area for these files, and for the structure documents if `structure` is present. */
async function replayFiles({ url: server, cert: certFile, key: keyFile }, files, structure, jobs = Number(o.jobs)) {
  const shown = o.gate ? 5 : Number(o.failures);
  const options = { every: o.slice ? SLICE_EVERY : 1, jobs, words: o.words ?? false };
  const { totals, failures } = await replay({ server, certFile, keyFile, files, ...options, ...(o.only ? { only: new RegExp(o.only) } : {}) });
  printCounts({ totals, failures }, shown);
  for (const [area, t] of Object.entries(totals)) t.failures = failures.filter((f) => f.area === area);
  if (!structure) return totals;
  return { ...totals, ...(await compareStructure({ server, cert: readFileSync(certFile), key: readFileSync(keyFile), failures: shown, ...structure })) };
}

function before() {
  return existsSync(reachedFile) ? JSON.parse(readFileSync(reachedFile, 'utf8')) : {};
}

function fallenAreas(reached) {
  return Object.entries({ ...Object.fromEntries(Object.keys(reached).map((a) => [a, { same: 0, words: 0 }])), ...before() })
    .filter(([area, was]) => reached[area] !== undefined && (hasUnlisted(area, reached[area]) || (counted(area) && (reached[area].same < was.same || reached[area].same + reached[area].words < was.same + was.words))))
    .map(([area]) => area);
}

function hasUnlisted(area, t) {
  return (t.failures ?? []).some((f) => !isListed(f));
}

function fileOf(area) {
  return LATER.has(area) ? `later/${area}.json` : area.startsWith('validation/') ? `${area}.jsonl` : `cases/${area}.json`;
}

function better(first, second) {
  const out = { ...first };
  for (const [area, now] of Object.entries(second)) {
    const was = out[area];
    if (was === undefined || now.same + now.words > was.same + was.words || (now.same + now.words === was.same + was.words && now.same > was.same)) out[area] = now;
  }
  return out;
}

/**
 * The counts of an area may not decrease: neither those of equal responses, nor those that differ at most in messages.
 */
function judge(reached) {
  const kept = before();
  const fallen = fallenAreas(reached);
  for (const area of fallen) if (kept[area] !== undefined) console.log(`golden: ${area}: same ${kept[area].same} -> ${reached[area].same}, words ${kept[area].words} -> ${reached[area].words}`);
  const missing = whole ? Object.keys(kept).filter((area) => reached[area] === undefined && !(o.slice && LATER.has(area))) : [];
  for (const area of missing) console.log(`golden: ${area} was not replayed`);
  const unlisted = Object.entries(reached)
    .flatMap(([, t]) => t.failures ?? [])
    .filter((f) => !isListed(f));
  for (const f of unlisted) console.log(`golden: ${f.area}/${f.id} differs and is neither in known.json nor in pending.json\n    ${f.at}`);
  if (o.keep) {
    const counts = Object.fromEntries(Object.entries(reached).map(([area, { same, words, different }]) => [area, { same, words, different }]));
    const differing = Object.fromEntries(Object.entries(reached).map(([area, t]) => [area, (t.failures ?? []).filter((f) => known[`${area}/${f.id}`] === undefined).map((f) => f.id).sort()]));
    const left = Object.entries({ ...pending, ...differing }).filter(([, ids]) => ids.length > 0).sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(join(here, 'pending.json'), `${JSON.stringify(Object.fromEntries(left), null, 1)}\n`);
    const merged = Object.fromEntries(Object.entries({ ...kept, ...counts }).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(reachedFile, `{\n${Object.entries(merged).map(([k, v]) => `  ${JSON.stringify(k)}: ${JSON.stringify(v)}`).join(',\n')}\n}\n`);
  }
  const sum = Object.values(reached).reduce((s, t) => ({ good: s.good + t.same + t.words, bad: s.bad + t.different }), { good: 0, bad: 0 });
  console.log(`golden: ${sum.good} the same or differing only in messages, ${sum.bad} different`);
  return o.gate && fallen.length + missing.length + unlisted.length > 0 ? 1 : 0;
}
