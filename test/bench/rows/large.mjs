// Very large reads next to small requests: their memory, and the latency of the small requests meanwhile.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { here, sleep } from '../bench.mjs';

const PODS = 150_000;
/** Short reads are repeated for this long, so that there are enough samples for a p99. */
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
/** Reads that run on the same connection as the small requests. */
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

/** A list in its own process, or on the same connection as the small requests. */
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
