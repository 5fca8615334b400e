// Preloaded into a server (node --import), it reports how much CPU time one turn of the main thread's event loop takes.
// CPU time does not grow with the load of the machine, unlike the answer times of a probe. TURNS_FILE gets a line about
// every 100 ms: the time in milliseconds since the epoch, and the longest turn since the line before it in
// milliseconds. Linux only.
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.TURNS_FILE;
if (isMainThread && file !== undefined) {
  const used = () => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6;
  let before = used();
  let longest = 0;
  let samples = 0;
  // Two timer samples have at least one turn between them, and few if the loop is busy.
  setInterval(() => {
    const now = used();
    longest = Math.max(longest, now - before);
    before = now;
    if (++samples % 50 !== 0 && longest < 20) return;
    appendFileSync(file, `${Date.now()} ${longest.toFixed(1)}\n`);
    longest = 0;
  }, 2).unref();
}
