// Load generation and measurement: closed loops, offered rates, rows of figures, and process statistics.
import { readFileSync } from 'node:fs';

export const seconds = Number(process.env.BENCH_SECONDS ?? 3);
export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export const quantile = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0;
export const sorted = (numbers) => Float64Array.from(numbers).sort();

/** Closed loop: `count` clients, each with one `operation` at a time, for a duration; latencies in milliseconds. */
export async function clients(count, milliseconds, operation) {
  const latencies = [];
  const start = performance.now();
  const end = start + milliseconds;
  let n = 0;
  await Promise.all(
    Array.from({ length: count }, async () => {
      while (performance.now() < end) {
        const before = performance.now();
        await operation(n++);
        latencies.push(performance.now() - before);
      }
    }),
  );
  return { latencies: sorted(latencies), elapsed: (performance.now() - start) / 1000 };
}

/** Warms up: code is compiled after a few thousand runs, and few clients use other code paths than many. */
export async function warmUp(operation) {
  for (const count of [100, 3]) await clients(count, seconds * 1000, operation);
}

/**
 * Open loop: `rate` operations per second, evenly spaced, even if earlier ones have not finished. Each is measured from the time
 * when it was due, so that a stall counts for all operations that were due during it.
 */
export async function offered(rate, milliseconds, operation) {
  const latencies = [];
  const start = performance.now();
  const total = Math.floor((rate * milliseconds) / 1000);
  const under = new Set();
  let n = 0;
  while (n < total) {
    const due = Math.min(total, Math.floor(((performance.now() - start) * rate) / 1000) + 1);
    for (; n < due; n++) {
      const at = start + (n * 1000) / rate;
      const one = operation(n).then(() => {
        latencies.push(performance.now() - at);
        under.delete(one);
      });
      under.add(one);
    }
    await wait(1);
  }
  await Promise.all(under);
  return { latencies: sorted(latencies), elapsed: (performance.now() - start) / 1000 };
}

export function row(name, load, { latencies, elapsed }, cpuSeconds) {
  const rate = latencies.length / elapsed;
  const cpu = cpuSeconds === undefined ? '' : `  ${Math.round((cpuSeconds * 1e6) / latencies.length)} us CPU each`;
  const [p50, p99, most] = [0.5, 0.99, 1].map((p) => quantile(latencies, p));
  const what = typeof load === 'number' ? `${load} clients` : load;
  process.stdout.write(
    `${name.padEnd(34)} ${what.padStart(14)} ${String(Math.round(rate)).padStart(8)}/s  p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms  most ${most.toFixed(0)} ms${cpu}\n`,
  );
  return { name, load, rate, p50, p99 };
}

export const ownCpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Total CPU seconds of a process, all threads. */
export function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Total busy and stolen CPU seconds of the machine. */
export function cpuOfMachine() {
  const [user, nice, system, , , irq, softirq, stolen] = readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/ +/).slice(1).map(Number);
  return { busy: (user + nice + system + irq + softirq) / 100, stolen: stolen / 100 };
}

/** Resident memory of a process in MiB. */
export function rssOf(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
}
