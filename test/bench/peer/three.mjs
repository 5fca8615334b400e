// Three peer processes: puts of 512 bytes from clients that are spread over them.
import { Group } from './group.mjs';
import { cpuOf, row, seconds, sorted } from './measure.mjs';

export async function three(folder) {
  const group = new Group(folder);
  try {
    await group.start();
    const { children } = group;
    // The first two runs warm up, as `warmUp` does.
    const runs = [['puts', 100, 512], ['puts', 3, 512], ['puts', 3, 512], ['puts', 100, 512], ['puts', 300, 512], ['reads', 100, 0]];
    for (const [i, [call, count, bytes]] of runs.entries()) {
      const before = children.map(({ pid }) => cpuOf(pid));
      const start = performance.now();
      const answers = await Promise.all(
        children.map((child, at) => child.ask(call, { clients: Math.ceil((count - at) / 3), bytes, milliseconds: seconds * 1000 })),
      );
      const latencies = sorted(answers.flatMap((answer) => answer.latencies));
      const cpu = children.reduce((sum, { pid }, at) => sum + cpuOf(pid) - before[at], 0);
      const name = i < 2 ? 'three peers: warming up' : `three peers: ${call}${bytes > 0 ? ` ${bytes} B` : ''}`;
      row(name, count, { latencies, elapsed: (performance.now() - start) / 1000 }, cpu);
    }
    const late = await Promise.all(children.map((child) => lateTicks(child)));
    process.stdout.write(`three peers: ticks (heartbeats) late by more than 64 ms: ${late.join(', ')}\n`);
  } finally {
    await group.stop();
  }
}

async function lateTicks(child) {
  const lines = (await child.ask('metrics')).find(({ name }) => name === 'trireme_peer_tick_lateness_seconds').values;
  const at = (le) => lines.find(({ labels }) => labels.le === le).value;
  return `${at('+Inf') - at(0.064)} of ${at('+Inf')}`;
}
