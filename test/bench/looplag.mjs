// Loaded into the measured server: prints and resets the longest event loop delay at every SIGUSR2. With --expose-gc it also collects
// garbage then, which the next delay does not include.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('SIGUSR2', () => {
    process.stdout.write(`${(delay.max / 1e6).toFixed(1)}\n`);
    globalThis.gc?.();
    setTimeout(() => delay.reset(), 20);
  });
}
