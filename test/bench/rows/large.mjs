// Very large reads beside small requests: what they add to the server's memory, and how long the others wait meanwhile.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { here, sleep } from '../bench.mjs';

const PODS = 150_000;
/** A read that is over sooner is done again, so that there is enough to take a p99 of. */
const SECONDS = 3;
const PROTOBUF = { Accept: 'application/vnd.kubernetes.protobuf' };
const TABLE = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const GZIP = { 'Accept-Encoding': 'gzip' };
const path = '/api/v1/namespaces/many/pods';

const JOBS = {
  'JSON, whole': {},
  'JSON, chunks of 500': { chunks: 500 },
  'JSON, streaming list': { watch: true },
  'protobuf, whole': { headers: PROTOBUF },
  'protobuf, whole, again': { headers: PROTOBUF },
  'protobuf, chunks of 500': { chunks: 500, headers: PROTOBUF },
  'protobuf, streaming list': { watch: true, headers: PROTOBUF },
  'Table, whole': { headers: TABLE },
  'Table, chunks of 500': { chunks: 500, headers: TABLE },
  'gzip, whole': { headers: GZIP },
  'gzip, chunks of 500': { chunks: 500, headers: GZIP },
};

const ALONE = 'gets and creates, alone';
/** What runs on the same connection as the others, where that makes a difference. */
const shared = Object.keys(JOBS).filter((job) => JOBS[job].chunks === undefined);

export const names = [...Object.keys(JOBS).map((job) => `150,000 pods, ${job}`), ...shared.map((job) => `150,000 pods, ${job}, one HTTP/2`)];

export async function run(bench) {
  await bench.restart();
  await fill(bench, bench.n(PODS));
  await bench.settled();
  const alone = bench.open('others.mjs', {});
  await alone.ready;
  await sleep(5000 * bench.scale);
  const { get, create, failures } = await alone.end();
  bench.row(ALONE, { others: { get, create }, failures });
  for (const [job, options] of Object.entries(JOBS)) {
    const name = `150,000 pods, ${job}`;
    if (bench.wanted(name)) await beside(bench, name, options);
    if (shared.includes(job) && bench.wanted(`${name}, one HTTP/2`)) await beside(bench, `${name}, one HTTP/2`, options, true);
  }
}

/** A list in a process of its own beside the others, or on the same connection as they. */
async function beside(bench, name, options, h2 = false) {
  await bench.settled();
  const job = { path, seconds: SECONDS * bench.scale, ...options };
  const before = bench.rss();
  bench.forgetPeak();
  const spent = bench.cpu();
  const others = bench.open('others.mjs', { h2, ...(h2 ? { job } : {}) });
  await others.ready;
  const read = h2 ? await others.done : await bench.client('heavy.mjs', { job });
  const { get, create, failures } = h2 ? read : await others.end();
  bench.row(name, { seconds: read.seconds / read.times, megabytesPerSecond: read.bytes / 1e6 / read.seconds, added: bench.peak() - before, cpuSeconds: bench.cpu() - spent, others: { get, create }, failures });
}

async function fill(bench, count) {
  const pod = await bench.client('sample.mjs', { namespace: 'many' });
  await bench.stop();
  execFileSync(process.execPath, [join(here, 'fill.mjs'), JSON.stringify({ folder: bench.folder, dist: join(here, '..', '..', 'dist'), pod: pod.stored, count })], { stdio: 'inherit' });
  await bench.start();
}
