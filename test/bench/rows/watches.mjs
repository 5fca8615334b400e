// Watchers of one collection: events per second, latency and CPU time.
const EVENT = { writers: 8, size: 1200 };
const JSON_AND_PROTOBUF = ['application/json', 'application/vnd.kubernetes.protobuf;stream=watch'];

const ROWS = {
  '1,000 watchers': { watchers: 1000, sampled: 20, rate: 260, seconds: 10 },
  '1,000 watchers on 20 HTTP/2 connections': { watchers: 1000, sessions: 20, h2: true, rate: 200, seconds: 10 },
  '200 watchers on one HTTP/2 connection': { watchers: 200, sessions: 1, h2: true, rate: 400, seconds: 10 },
  '1,000 watchers, JSON, 150 changes a second': { watchers: 1000, sampled: 21, rate: 150, seconds: 6 },
  '1,000 watchers, protobuf, 150 changes a second': { watchers: 1000, accepts: JSON_AND_PROTOBUF.slice(1), sampled: 21, rate: 150, seconds: 6 },
  '1,000 watchers, half and half, 150 changes a second': { watchers: 1000, accepts: JSON_AND_PROTOBUF, sampled: 21, rate: 150, seconds: 6 },
  '200 watchers': { watchers: 200, rate: 300, seconds: 10 },
  '200 watchers beside one that never reads': { watchers: 200, stalled: 1, rate: 300, seconds: 10 },
  '200 watchers on 4 HTTP/2 connections': { watchers: 200, sessions: 4, h2: true, rate: 300, seconds: 10 },
  '200 on 4 HTTP/2 connections beside one that never reads': { watchers: 200, stalled: 1, sessions: 4, h2: true, rate: 300, seconds: 10 },
};

export const names = Object.keys(ROWS);

export async function run(bench) {
  for (const name of names.filter((n) => bench.wanted(n))) {
    const row = ROWS[name];
    await bench.restart();
    const client = bench.open('watchers.mjs', { ...EVENT, ...row, seconds: row.seconds * bench.scale });
    await client.ready;
    const before = bench.cpu();
    const rss = bench.rss();
    bench.forgetPeak();
    const out = await client.done;
    bench.row(name, { ...out, cpuMicroseconds: ((bench.cpu() - before) * 1e6) / Math.max(1, out.operations), rss: bench.rss(), added: bench.peak() - rss });
  }
}
