// The third peer joins late and receives the whole state. Measures the leader's writes meanwhile, compared with the same load before; the time
// until the peer serves; and the growth of the leader's RSS. BENCH_MB: the size of the state.
//
// Two loads alternate, 2.5 s each, in the same way before, during and after (pending compactions of newly
// written state would otherwise affect only the first phase): 20 clients in a closed loop, and an offered rate of 500 writes per second
// (each measured from when it was due). All three peers and the load share this machine's
// cores and disk, so the work of the new peer slows the leader too.
import { Group } from './group.mjs';
import { histogramOf } from './histogram.mjs';
import { cpuOf, cpuOfMachine, ownCpu, quantile, row, rssOf, sorted, wait } from './measure.mjs';

const LOADS = [
  { name: 'closed', load: { clients: 20, bytes: 512, milliseconds: 2500 }, label: '20 clients' },
  { name: 'offered', load: { rate: 500, bytes: 512, milliseconds: 2500 }, label: '500/s offered' },
];

/** Alternates the loads until it is stopped, at least `rounds` times each. */
async function loaded(leader, rounds, ended) {
  const seen = LOADS.map(() => ({ latencies: [], elapsed: 0 }));
  for (let round = 0; round < rounds || !ended(); round++) {
    for (const [i, { load }] of LOADS.entries()) {
      if (round >= rounds && ended()) break;
      const { latencies, elapsed } = await leader.ask('puts', load);
      for (const latency of latencies) seen[i].latencies.push(latency);
      seen[i].elapsed += elapsed;
      if (process.env.BENCH_NOTES) process.stderr.write(`  ${LOADS[i].name} ${latencies.length} p99 ${quantile(sorted(latencies), 0.99).toFixed(1)}\n`);
    }
  }
  return seen.map(({ latencies, elapsed }) => ({ latencies: sorted(latencies), elapsed }));
}

const syncsOf = (child) => histogramOf(child, 'etcd_disk_wal_fsync_duration_seconds');

/** The CPU share that other processes and the host took since the last call. */
function othersOf(group) {
  const look = () => ({
    at: performance.now() / 1000,
    ...cpuOfMachine(),
    own: ownCpu() + group.children.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
  });
  let last = look();
  return () => {
    const now = look();
    const share = (seconds) => `${Math.round((Math.max(0, seconds) / (now.at - last.at)) * 100)} %`;
    const text = `${share(now.busy - last.busy - (now.own - last.own))} of one core (stolen ${share(now.stolen - last.stolen)})`;
    last = now;
    return text;
  };
}

export async function snapshot(folder) {
  const megabytes = Number(process.env.BENCH_MB ?? 1024);
  const group = new Group(folder);
  try {
    await group.start({ quotaBytes: 64 * 2 ** 30 }, 2);
    const leader = group.children[await group.leader()];
    const filling = performance.now();
    await leader.ask('fill', { megabytes });
    process.stdout.write(`snapshot: ${megabytes} MB in keys of 8 KiB written in ${((performance.now() - filling) / 1000).toFixed(1)} s\n`);
    await wait(8000);
    await loaded(leader, 2, () => true);
    const syncs = await syncsOf(leader);
    let peak = 0;
    const watching = setInterval(() => {
      peak = Math.max(peak, rssOf(leader.pid));
    }, 100);
    const others = othersOf(group);
    const before = await loaded(leader, 3, () => true);
    const rss = peak;
    const syncsBefore = (await syncsOf(leader)).since(syncs);
    const syncsStart = await syncsOf(leader);
    const started = performance.now();
    const cpuBefore = cpuOf(leader.pid);
    let elapsed;
    const opening = group.open(2).then(() => {
      elapsed = (performance.now() - started) / 1000;
    });
    const othersBefore = others();
    const during = await loaded(leader, 1, () => elapsed !== undefined);
    await opening;
    clearInterval(watching);
    const cpu = ((cpuOf(leader.pid) - cpuBefore) / ((performance.now() - started) / 1000)) * 100;
    const syncsMeanwhile = (await syncsOf(leader)).since(syncsStart);
    const newcomer = (cpuOf(group.children[2].pid) / elapsed) * 100;
    const othersMeanwhile = others();
    await wait(3000);
    const after = await loaded(leader, 3, () => true);
    process.stdout.write(`snapshot: CPU used by other processes: before ${othersBefore}, during ${othersMeanwhile}, after ${others()}\n`);
    for (const [i, { name, label }] of LOADS.entries()) {
      row(`leader, ${name}: before`, label, before[i]);
      row(`leader, ${name}: meanwhile`, label, during[i]);
      row(`leader, ${name}: after`, label, after[i]);
      const without = sorted([...before[i].latencies, ...after[i].latencies]);
      process.stdout.write(`  p99 grew ${(quantile(during[i].latencies, 0.99) / quantile(without, 0.99)).toFixed(2)} times (of before and after together)\n`);
    }
    process.stdout.write(`leader, sync of its log: before ${syncsBefore}, during ${syncsMeanwhile}\n`);
    process.stdout.write(
      `snapshot: ${elapsed.toFixed(1)} s until the peer serves; RSS of the leader at most ${rss} MiB before, at most ${peak} MiB during it (+${peak - rss}); CPU of leader ${cpu.toFixed(0)} %, of the new peer ${newcomer.toFixed(0)} %\n`,
    );
  } finally {
    await group.stop();
  }
}
