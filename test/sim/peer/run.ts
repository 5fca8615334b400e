// make simpeer: many seeds of production peers, or one with everything that happens.
//
//   node dist/test/sim/peer/run.js --seeds 10000 [--from 1]     every seed from 1 on; stops at the first that fails
//   node dist/test/sim/peer/run.js --seeds 10000 --go-on        the same, and lists every seed that fails
//   node dist/test/sim/peer/run.js --seed 4711 [--trace]        one seed again

import { parseArgs } from 'node:util';
import { simulatePeers } from './simulate.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '100' },
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
  const totals = { runs: 0, failed: 0, events: 0, messages: 0, committed: 0, readsServed: 0, starts: 0, seconds: 0 };
  const from = Number(values.from);
  for (let seed = from; seed < from + Number(values.seeds); seed++) {
    const result = await simulatePeers({ seed });
    totals.runs++;
    totals.events += result.events;
    totals.messages += result.messages;
    totals.committed += result.committed;
    totals.readsServed += result.readsServed;
    totals.starts += result.starts;
    totals.seconds += result.milliseconds / 1000;
    if (result.failure === undefined) continue;
    totals.failed++;
    console.log(`seed ${seed}: ${result.failure.message}`);
    process.exitCode = 1;
    if (!values['go-on']) break;
  }
  console.log(`${((performance.now() - started) / 1000).toFixed(1)} s:`, totals);
}
