#!/usr/bin/env node
// Run directly, prints a table and the failures. The recorded outcomes of the end-to-end tests (results.json): by spec, the state on trireme, and where it did not pass, the
// state on kube-apiserver with the same nodes beside it. A spec that fails on both needs something that the nodes do not have.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const FILE = join(here, 'results.json');
const STATES = ['passed', 'failed', 'not applicable', 'not run'];
/** The reasons why specs cannot pass with nodes that run no containers, by a pattern of their names. The first that fits counts. */
const RULES = Object.entries(JSON.parse(readFileSync(join(here, 'notapplicable.json'), 'utf8'))).map(([pattern, reason]) => [new RegExp(pattern), reason]);

/** Options of the run without which specs cannot pass, by a pattern of their names. */
const OPTIONS = [
  [/\[Feature:(OffByDefault|StorageVersionAPI)\]/, 'gates'],
  [/\[Feature:IPv6DualStack\]/, 'dual-stack'],
];

export const reasonOf = (name) => RULES.find(([pattern]) => pattern.test(name))?.[1];

/** Returns the option that a spec needs and the run does not have. */
export const optionMissing = (name, options) => OPTIONS.find(([pattern, option]) => pattern.test(name) && !options[option])?.[1];

/** The recorded outcomes: `{ [spec]: { [server]: { state, reason? } } }`. */
export function recorded() {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}

/** Adds the outcomes of a run to the record. Specs that did not run, also those that a rule excludes, keep what is recorded. */
export function add(server, outcomes) {
  const all = recorded();
  for (const [name, outcome] of outcomes) if (outcome.state !== 'not run' && !outcome.byRule) all[name] = { ...all[name], [server]: outcome };
  const sorted = Object.keys(all).sort().map((name) => `${JSON.stringify(name)}: ${JSON.stringify(all[name])}`);
  writeFileSync(FILE, `{\n${sorted.join(',\n')}\n}\n`);
}

/**
 * Outcomes in which a spec that failed is not applicable if it failed on kube-apiserver too, or if a rule says why it cannot pass. A spec that
 * passed on trireme before is applicable whatever rule fits it: its failure is a regression. `before` is the record without these outcomes.
 */
export function judged(server, outcomes, before = recorded()) {
  const judge = (name, outcome) => {
    if (server !== 'trireme' || outcome.state !== 'failed' || before[name]?.trireme?.state === 'passed') return outcome;
    const other = before[name]?.['kube-apiserver'];
    if (other?.state === 'failed') return { state: 'not applicable', reason: `fails on kube-apiserver with the same nodes: ${other.reason}` };
    const reason = other === undefined ? reasonOf(name) : undefined;
    return reason === undefined ? outcome : { state: 'not applicable', reason };
  };
  return new Map([...outcomes].map(([name, outcome]) => [name, judge(name, outcome)]));
}

/** What is known of the named specs on trireme: the recorded outcomes, and the rules for the others. */
export function known(names) {
  const all = recorded();
  const outcomeOf = (name) => {
    const reason = reasonOf(name);
    return all[name]?.trireme ?? (reason === undefined ? { state: 'not run' } : { state: 'not applicable', reason });
  };
  return judged('trireme', new Map(names.map((name) => [name, outcomeOf(name)])));
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

/** Prints the table, and the specs that have failed. */
export function report(outcomes) {
  console.log(tableOf(outcomes));
  for (const [name, { state, reason }] of outcomes) if (state === 'failed') console.log(`\n${name}\n    ${reason}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(known(Object.keys(recorded())));
