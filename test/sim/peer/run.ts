// make simpeer: runs many seeds of production peers, or one with a trace.
//
//   node dist/test/sim/peer/run.js --seeds 10000 [--from 1]     every seed from 1 on; ends soon after the first that fails
//   node dist/test/sim/peer/run.js --seeds 10000 --go-on        the same, and lists every seed that fails
//   node dist/test/sim/peer/run.js --seeds 10000 --jobs 1       in one process; otherwise one for each core
//   node dist/test/sim/peer/run.js --seed 4711 [--trace]        repeats one seed

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { runInProcesses } from './jobs.js';
import { replayPeerCommand } from './seeds.js';
import { simulatePeers } from './simulate.js';

const PROGRESS_EVERY = 1000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
    'go-on': { type: 'boolean', default: false },
  },
});

if (values.seed !== undefined) {
  const trace = values.trace ? { trace: (line: string) => console.log(line) } : {};
  const result = await simulatePeers({ ...trace, seed: Number(values.seed) });
  console.log(result);
  process.exitCode = result.failure === undefined ? 0 : 1;
} else {
  const started = performance.now();
  const seconds = (): string => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  const report = ({ seed, message }: { readonly seed: number; readonly message: string }): void =>
    console.log(`seed ${seed}: ${message}\n repeat with: ${replayPeerCommand(seed)}`);
  let reported = 0;
  const { failed, totals } = await runInProcesses(
    {
      from: Number(values.from),
      count: Number(values.seeds),
      jobs: Number(values.jobs),
      goOn: values['go-on'],
    },
    ({ totals: { runs = 0 }, failed }) => {
      for (const each of failed.slice(reported)) report(each);
      reported = failed.length;
      if (runs % PROGRESS_EVERY === 0) console.log(`${seconds()}: ${runs} runs, ${reported} failed`);
    },
  );
  console.log(`${seconds()}:`, totals);
  if (failed.length > 0) process.exitCode = 1;
}
