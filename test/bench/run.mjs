#!/usr/bin/env node
// The benchmark: one peer from dist/, client processes on the same machine, and each figure next to its baseline, or the
// same work without the tested feature, from the same run. Prints a table and writes bench.json. Bounded in count and time; uses
// only loopback.
//   run.mjs [--only REGEX] [--json FILE] [--quick] [--flags "--flag-of-the-server=..."]
//
//   floors.mjs, floor.mjs   baselines of the machine
//   rows/                   measurements, by subject
//   clients/                client processes
//   bench.mjs               the server, its memory and CPU time, the table
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Bench, here, sleep } from './bench.mjs';
import { floors } from './floors.mjs';
import * as blocking from './rows/blocking.mjs';
import * as custom from './rows/custom.mjs';
import * as definitions from './rows/definitions.mjs';
import * as large from './rows/large.mjs';
import * as lists from './rows/lists.mjs';
import * as recorded from './rows/recorded.mjs';
import * as requests from './rows/requests.mjs';
import * as tenants from './rows/tenants.mjs';
import * as watches from './rows/watches.mjs';
import * as writes from './rows/writes.mjs';

const SUBJECTS = [requests, writes, lists, watches, large, blocking, recorded, tenants, custom, definitions];

const { values: o } = parseArgs({
  options: {
    only: { type: 'string' },
    json: { type: 'string', default: join(here, '..', '..', 'bench.json') },
    quick: { type: 'boolean' },
    flags: { type: 'string', default: '' },
  },
});
const bench = new Bench({ only: o.only && new RegExp(o.only), quick: o.quick, flags: o.flags.split(' ').filter((f) => f !== '') });
try {
  const begun = performance.now();
  await bench.start();
  bench.row('start of an empty server to ready', { milliseconds: Math.round(performance.now() - begun), rss: bench.rss() });
  await sleep(1000);
  bench.row('idle', { rss: bench.rss() });
  const wanted = SUBJECTS.filter(({ names }) => names.some((name) => bench.wanted(name)));
  if (wanted.includes(requests) || wanted.includes(lists)) await floors(bench);
  for (const { run } of wanted) await run(bench);
} finally {
  await bench.close();
}
writeFileSync(o.json, `${JSON.stringify({ machine: `${cpus().length} x ${cpus()[0]?.model}, Node ${process.versions.node}`, rows: bench.rows }, null, 1)}\n`);
