// make sim: runs many seeds, or one with a trace.
//
//   node dist/test/sim/run.js --seeds 100000 [--from 1]     every seed from 1 on; stops at the first that fails
//   node dist/test/sim/run.js --seed 4711 [--trace]         one seed again
//   ... --mutation 'older terms'                            the same with a broken core, named by a part of its name
//   node dist/test/sim/run.js --mutants [--from 1]          for each broken core: how many seeds it takes, in several tries

import { parseArgs } from 'node:util';
import { MUTATIONS } from './mutations.js';
import { replayCommand, runSeeds } from './seeds.js';
import { simulate } from './simulate.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    mutation: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
  },
});

const { mutation } = values;
const broken = mutation === undefined ? {} : MUTATIONS.find(({ name }) => name.includes(mutation));
if (broken === undefined) throw new Error(`no mutation has '${mutation}' in its name`);

/** Repetitions of `--mutants`, each with different seeds. */
const TRIES = 8;
const TRY_SEEDS = 3000;

if (values.mutants) {
  for (const { name, ...how } of MUTATIONS.filter(({ name }) => name.includes(mutation ?? ''))) {
    const runs: number[] = [];
    const checks = new Set<string>();
    for (let i = 0; i < TRIES; i++) {
      const found = runSeeds({ ...how, from: Number(values.from) + i * 1_000_000, count: TRY_SEEDS });
      runs.push(found.failed === undefined ? Number.POSITIVE_INFINITY : found.runs);
      checks.add(found.failed?.failure?.message.split(':')[0] ?? 'not caught');
    }
    runs.sort((a, b) => a - b);
    console.log(`${name}: ${runs.join(' ')} (${[...checks].join(', ')})`);
  }
} else if (values.seed !== undefined) {
  const trace = values.trace ? { trace: (line: string) => console.log(line) } : {};
  const result = simulate({ ...broken, ...trace, seed: Number(values.seed) });
  console.log(result.failure ?? result);
  process.exitCode = result.failure === undefined ? 0 : 1;
} else {
  const started = performance.now();
  const { failed, ...totals } = runSeeds({ ...broken, from: Number(values.from), count: Number(values.seeds) });
  const seconds = (performance.now() - started) / 1000;
  console.log(`${seconds.toFixed(1)} s:`, totals);
  if (failed !== undefined) {
    console.log(`seed ${failed.seed}: ${failed.failure?.message}`);
    const sameMutation = `node dist/test/sim/run.js --seed ${failed.seed} --mutation '${mutation}'`;
    console.log(`again with: ${mutation === undefined ? replayCommand(failed.seed) : sameMutation}`);
    process.exitCode = 1;
  }
}
