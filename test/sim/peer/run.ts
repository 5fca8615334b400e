// make simpeer: runs many seeds of production peers, or one with a trace.
//
//   node dist/test/sim/peer/run.js --seeds 10000 [--from 1]     every seed from 1 on; stops at the first that fails
//   node dist/test/sim/peer/run.js --seeds 10000 --go-on        the same, and lists every seed that fails
//   node dist/test/sim/peer/run.js --seed 4711 [--trace]        repeats one seed

import { parseArgs } from 'node:util';
import { replayPeerCommand, runPeerSeeds } from './seeds.js';
import { simulatePeers } from './simulate.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
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
  const found = await runPeerSeeds({
    from: Number(values.from),
    count: Number(values.seeds),
    goOn: values['go-on'],
  });
  const { failed, ...totals } = found;
  console.log(`${((performance.now() - started) / 1000).toFixed(1)} s:`, totals);
  for (const { seed, failure } of failed) {
    console.log(`seed ${seed}: ${failure?.message}\n repeat with: ${replayPeerCommand(seed)}`);
    process.exitCode = 1;
  }
}
