// A follower is down while 100,000 entries are written. Measures how long it takes to catch up, and the latency of the leader's clients meanwhile
// (an offered rate of 500 writes per second). Once with default settings, where the log was truncated and it gets a snapshot; once with
// `snapshotCount` large enough to keep all entries in the log. BENCH_ENTRIES: the number of entries.
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { Group } from './group.mjs';
import { quantile, row, sorted, wait } from './measure.mjs';

const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 100_000);
const LOAD = { rate: 500, bytes: 512, milliseconds: 1000 };

async function counter(child, name) {
  return (await child.ask('metrics')).find((family) => family.name === name).values[0].value;
}

async function during(leader, ended) {
  const seen = { latencies: [], elapsed: 0 };
  do {
    const { latencies, elapsed } = await leader.ask('puts', LOAD);
    for (const latency of latencies) seen.latencies.push(latency);
    seen.elapsed += elapsed;
  } while (!ended());
  return { latencies: sorted(seen.latencies), elapsed: seen.elapsed };
}

async function round(folder, name, over) {
  mkdirSync(folder, { recursive: true });
  const group = new Group(folder);
  try {
    await group.start(over);
    const at = await group.leader();
    const leader = group.children[at];
    const down = (at + 1) % 3;
    await leader.ask('entries', { count: 5000, bytes: 512 });
    await group.children[down].kill();
    const writing = performance.now();
    const last = await leader.ask('entries', { count: ENTRIES, bytes: 512 });
    const rate = Math.round(ENTRIES / ((performance.now() - writing) / 1000));
    await wait(2000);
    const until = performance.now() + 5000;
    const before = await during(leader, () => performance.now() > until);
    const sent = await counter(leader, 'etcd_network_snapshot_send_success');
    const started = performance.now();
    let elapsed;
    const caughtUp = (async () => {
      await group.open(down);
      while ((await group.children[down].ask('status')).applied < last) await wait(20);
      elapsed = (performance.now() - started) / 1000;
    })();
    const meanwhile = await during(leader, () => elapsed !== undefined);
    await caughtUp;
    const snapshots = (await counter(leader, 'etcd_network_snapshot_send_success')) - sent;
    process.stdout.write(
      `catch-up, ${name}: ${ENTRIES} entries written at ${rate}/s while a follower was down; from its start until it has them ${elapsed.toFixed(1)} s, by ${snapshots > 0 ? 'a snapshot' : 'the log'}\n`,
    );
    row('leader: before', '500/s offered', before);
    row('leader: meanwhile', '500/s offered', meanwhile);
    process.stdout.write(`  p99 grew ${(quantile(meanwhile.latencies, 0.99) / quantile(before.latencies, 0.99)).toFixed(2)} times\n`);
  } finally {
    await group.stop();
  }
}

export async function catchup(folder) {
  await round(join(folder, 'defaults'), 'defaults', {});
  await round(join(folder, 'long'), 'snapshotCount 300,000', { snapshotCount: 300_000 });
}
