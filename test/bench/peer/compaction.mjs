// Writes while 200,000 old revisions are compacted at once (by default it compacts a thirtieth of the revisions of five minutes every ten
// seconds), compared with the same load before: 20 clients in a closed loop, then an offered rate of 500 per second. Compaction ends on
// the leader when the bytes in use no longer decrease.
import { Group } from './group.mjs';
import { quantile, row, sorted, wait } from './measure.mjs';

const REVISIONS = Number(process.env.BENCH_REVISIONS ?? 200_000);
const LOADS = [
  { load: { clients: 20, bytes: 512, milliseconds: 500 }, label: '20 clients' },
  { load: { rate: 500, bytes: 512, milliseconds: 500 }, label: '500/s offered' },
];

async function inUse(child) {
  return (await child.ask('metrics')).find(({ name }) => name === 'etcd_mvcc_db_total_size_in_use_in_bytes').values[0].value;
}

async function measured(leader, load, ended) {
  const seen = { latencies: [], elapsed: 0 };
  do {
    const { latencies, elapsed } = await leader.ask('puts', load);
    for (const latency of latencies) seen.latencies.push(latency);
    seen.elapsed += elapsed;
  } while (!(await ended()));
  return { latencies: sorted(seen.latencies), elapsed: seen.elapsed };
}

export async function compaction(folder) {
  const group = new Group(folder);
  try {
    await group.start({ compactionRetentionMs: 0 });
    const leader = group.children[await group.leader()];
    for (const { load, label } of LOADS) {
      const last = await leader.ask('entries', { count: REVISIONS, bytes: 512 });
      await wait(3000);
      await measured(leader, { ...load, milliseconds: 2000 }, () => true);
      const until = performance.now() + 6000;
      const before = await measured(leader, load, () => performance.now() > until);
      let size = await inUse(leader);
      const most = size;
      const started = performance.now();
      await leader.ask('compact', { at: last });
      const meanwhile = await measured(leader, load, async () => {
        const now = await inUse(leader);
        const over = now >= size;
        size = now;
        return over;
      });
      row('leader: before', label, before);
      row('leader: compacting', label, meanwhile);
      process.stdout.write(
        `compaction: ${REVISIONS} revisions in ${((performance.now() - started) / 1000).toFixed(1)} s, in use ${Math.round(most / 2 ** 20)} -> ${Math.round(size / 2 ** 20)} MiB; p99 grew ${(quantile(meanwhile.latencies, 0.99) / quantile(before.latencies, 0.99)).toFixed(2)} times\n`,
      );
    }
  } finally {
    await group.stop();
  }
}
