// Measures the time from SIGKILL of the leader to the next acknowledged write, 20 times, with default timing.
import { Group } from './group.mjs';

export async function failover(folder) {
  const group = new Group(folder);
  const times = [];
  try {
    await group.start();
    for (let round = 0; round < 20; round++) {
      const i = await group.leader();
      const killed = performance.now();
      void group.children[i].kill();
      await group.children[(i + 1) % 3].ask('once');
      times.push(performance.now() - killed);
      await group.open(i);
    }
  } finally {
    await group.stop();
  }
  times.sort((a, b) => a - b);
  process.stdout.write(`failover: median ${Math.round(times[10])} ms, longest ${Math.round(times[19])} ms (20 times)\n`);
}
