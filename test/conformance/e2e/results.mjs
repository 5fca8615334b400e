#!/usr/bin/env node
// Run directly, prints a table and the failures. The recorded outcomes of the end-to-end tests (results.json): by spec, the state on trireme, and where it did not pass, the
// state on kube-apiserver with the same nodes beside it. A spec that fails on both needs something that the nodes do not have.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = join(dirname(fileURLToPath(import.meta.url)), 'results.json');
const STATES = ['passed', 'failed', 'not applicable', 'not run'];

/** The recorded outcomes: `{ [spec]: { [server]: { state, reason? } } }`. */
export function recorded() {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}

/** Adds the outcomes of a run to the record. Specs that did not run keep what is recorded. */
export function add(server, outcomes) {
  const all = recorded();
  for (const [name, outcome] of outcomes) if (outcome.state !== 'not run') all[name] = { ...all[name], [server]: outcome };
  const sorted = Object.keys(all).sort().map((name) => `${JSON.stringify(name)}: ${JSON.stringify(all[name])}`);
  writeFileSync(FILE, `{\n${sorted.join(',\n')}\n}\n`);
}

/** Outcomes in which a spec that failed on kube-apiserver too is not applicable. */
export function failedBeside(server, outcomes) {
  const all = recorded();
  const judge = (name, outcome) => {
    const other = all[name]?.['kube-apiserver'];
    if (server !== 'trireme' || outcome.state !== 'failed' || other?.state !== 'failed') return outcome;
    return { state: 'not applicable', reason: `fails on kube-apiserver with the same nodes: ${other.reason}` };
  };
  return new Map([...outcomes].map(([name, outcome]) => [name, judge(name, outcome)]));
}

/** A table of counts by area. */
export function tableOf(outcomes) {
  const rows = new Map();
  for (const [name, { state }] of outcomes) {
    const area = /\[(sig-[a-z-]+)\]/.exec(name)?.[1] ?? 'other';
    const row = rows.get(area) ?? new Map();
    rows.set(area, row.set(state, (row.get(state) ?? 0) + 1));
  }
  const line = (name, cells) => `${name.padEnd(22)} ${cells.map((c) => String(c).padStart(14)).join(' ')}`;
  const areas = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([area, row]) => line(area, STATES.map((s) => row.get(s) ?? 0)));
  return [line('area', STATES), ...areas].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const judged = failedBeside('trireme', new Map(Object.entries(recorded()).filter(([, r]) => r.trireme !== undefined).map(([name, r]) => [name, r.trireme])));
  console.log(tableOf(judged));
  for (const [name, { state, reason }] of judged) if (state === 'failed') console.log(`\n${name}\n    ${reason}`);
}
