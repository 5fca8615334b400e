/**
 * Measures the storage on RocksDB: applying, reading, watching history, compaction, snapshots, loading.
 * Prints one line for each measurement, and removes its folder at the end.
 *
 *     npx tsc -p tsconfig.json && node --expose-gc dist/test/bench/storage.js [keys]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Revision, revision } from '../../pkg/base/index.js';
import {
  encodeEntry,
  installSnapshot,
  openStateMachine,
  rocksHome,
  type StateMachine,
} from '../../pkg/storage/index.js';
import { rowKinds } from '../../pkg/storage/mvcc/row.js';
import { Versions } from '../../pkg/storage/mvcc/versions.js';

const total = Number(process.argv[2] ?? 100_000);
const all = { start: '/', end: '0' };
const root = await mkdtemp(join(tmpdir(), 'trireme-bench-'));
const gc = (globalThis as { readonly gc?: () => void }).gc ?? (() => {});
const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

const key = (n: number): string => `/registry/configmaps/namespace-${n % 50}/configmap-${String(n).padStart(8, '0')}`;

/** Random text that is about as compressible as JSON. */
function value(bytes: number, n: number): Buffer {
  const text = `{"metadata":{"name":"configmap-${n}","uid":"${Math.imul(n, 2654435761)}"},"data":{`;
  const filler = Array.from({ length: Math.ceil(bytes / 16) }, (_, i) => `"k${i}":"${(n * 31 + i * 17) % 9973}"`);
  return Buffer.from((text + filler.join(',')).slice(0, bytes).padEnd(bytes, ' '));
}

function put(n: number, bytes: number): Buffer {
  const op = { kind: 'put' as const, key: key(n), value: value(bytes, n) };
  return encodeEntry({ kind: 'txn', txn: { compares: [], ops: [op] } });
}

interface Measured {
  readonly ms: number;
  /** CPU milliseconds of all threads of the process. */
  readonly cpu: number;
  /** The longest time that this thread was blocked, in milliseconds. */
  readonly longest: number;
}

async function watched<T>(run: () => Promise<T>): Promise<Measured & { readonly result: T }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  const start = performance.now();
  const result = await run();
  const ms = performance.now() - start;
  const used = process.cpuUsage(cpu);
  delay.disable();
  return { result, ms, cpu: (used.user + used.system) / 1000, longest: Math.max(0, delay.max / 1e6 - 1) };
}

function print(what: string, n: number, unit: string, m: Measured): void {
  const rate = `${Math.round((n / m.ms) * 1000).toLocaleString('en')} ${unit}/s`;
  const cpu = `${((m.cpu * 1000) / n).toFixed(1)} us CPU each`;
  const longest = `, thread held ${m.longest.toFixed(1)} ms at most`;
  process.stdout.write(`${what.padEnd(58)} ${rate.padStart(22)}, ${cpu}${longest}\n`);
}

const percentile = (list: number[], p: number): number => list.sort((a, b) => a - b)[Math.floor(list.length * p)] ?? 0;

async function open(folder: string): Promise<StateMachine> {
  const home = rocksHome(folder);
  return openStateMachine({ engine: await home.open(), name: folder, onFailure: (error) => console.error(error) });
}

async function benchApply(): Promise<void> {
  for (const bytes of [512, 4096]) {
    for (const size of [1, 16, 64]) {
      for (const sync of [false, true]) {
        const machine = await open(join(root, `apply-${bytes}-${size}-${sync}`));
        const n = sync ? 2000 * Math.min(size, 16) : 40_000;
        const entries = Array.from({ length: n }, (_, i) => ({ index: i + 1, data: put(i % 10_000, bytes) }));
        const times: number[] = [];
        const m = await watched(async () => {
          for (let i = 0; i < n; i += size) {
            const start = performance.now();
            const applied = machine.apply(entries.slice(i, i + size));
            if (sync) await machine.barrier();
            await applied;
            times.push(performance.now() - start);
          }
        });
        const p99 = percentile(times, 0.99).toFixed(2);
        print(`apply ${size} x ${bytes} B a call${sync ? ', synced' : ''}, p99 ${p99} ms`, n, 'txns', m);
        await machine.close();
      }
    }
  }
}

async function benchReads(): Promise<void> {
  const folder = join(root, 'reads');
  let machine = await open(folder);
  let index = 0;
  const write = async (n: number, bytes: number): Promise<void> => {
    const entries = Array.from({ length: Math.min(64, total - n) }, (_, i) => ({
      index: ++index,
      data: put(n + i, bytes),
    }));
    await machine.apply(entries);
  };
  for (let i = 0; i < total; i += 64) await write(i, 1024);
  const first = machine.applied;
  let m = await watched(() => machine.range(all));
  print(`range of all ${total} keys, 1 KiB`, total, 'keys', m);
  // A tenth of the keys change, ten times each.
  for (let round = 0; round < 10; round++) for (let i = 0; i < total / 10; i += 64) await write(i, 1024);
  m = await watched(() => machine.range({ ...all, revision: first }));
  print(`range of them at a revision ${machine.applied - first} changes ago`, total, 'keys', m);
  m = await watched(() => machine.range({ ...all, limit: 500 }));
  process.stdout.write(`page of 500: ${m.ms.toFixed(2)} ms\n`);
  for (const previous of [false, true]) {
    const watch = await watched(async () => {
      let events = 0;
      for await (const page of machine.changes(all, revision(0), previous)) events += page.events.length;
      return events;
    });
    print(`history of ${watch.result} events${previous ? ' with previous values' : ''}`, watch.result, 'events', watch);
  }
  await benchCompaction(machine, () => ++index);
  await machine.close();
  const load = await watched(() => open(folder));
  machine = load.result;
  print('opening, every row checked', machine.counts.keys, 'rows', load);
  await benchSnapshot(machine);
  await machine.close();
}

/** Write latency with and without a concurrent compaction. */
async function benchCompaction(machine: StateMachine, next: () => number): Promise<void> {
  const writes = async (until: () => boolean): Promise<number[]> => {
    const times: number[] = [];
    for (let i = 0; !until(); i++) {
      const start = performance.now();
      await machine.apply(
        Array.from({ length: 8 }, (_, j) => ({ index: next(), data: put((i * 8 + j) % total, 1024) })),
      );
      times.push(performance.now() - start);
    }
    return times;
  };
  let rounds = 0;
  const quiet = await writes(() => rounds++ > 2000);
  const changes = machine.counts.changes;
  const data = encodeEntry({ kind: 'compact', revision: machine.applied as Revision });
  const m = await watched(async () => {
    await machine.apply([{ index: next(), data }]);
    return writes(() => !machine.counts.sweeping);
  });
  print(`compaction of ${changes} changes under write load`, changes, 'changes', m);
  process.stdout.write(
    `write of 8, p50 and p99: ${percentile(quiet, 0.5).toFixed(2)} and ${percentile(quiet, 0.99).toFixed(2)} ms without, ` +
      `${percentile(m.result, 0.5).toFixed(2)} and ${percentile(m.result, 0.99).toFixed(2)} ms with compaction\n`,
  );
}

async function benchSnapshot(machine: StateMachine): Promise<void> {
  gc();
  const before = process.memoryUsage().rss;
  let bytes = 0;
  let most = 0;
  const home = rocksHome(join(root, 'installed'));
  await (await home.open()).close();
  const snapshot = await machine.openSnapshot();
  const counted = async function* (): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of snapshot.chunks()) {
      bytes += chunk.length;
      most = Math.max(most, process.memoryUsage().rss);
      yield chunk;
    }
  };
  const m = await watched(async () => {
    const { engine } = await installSnapshot({ home, chunks: counted() });
    await engine.close();
  });
  const rate = `${((bytes / m.ms / 1048.576) | 0).toString()} MiB/s`;
  process.stdout.write(
    `snapshot of ${mib(bytes)} streamed and installed: ${rate}, thread blocked ${m.longest.toFixed(1)} ms at most, ` +
      `RSS grew by ${mib(most - before)}\n`,
  );
}

function benchIndex(): void {
  gc();
  const before = process.memoryUsage();
  const versions = new Versions();
  const n = 1_000_000;
  const start = performance.now();
  for (let i = 0; i < n; i++) {
    const k = Buffer.from(key((i * 7919) % n)).toString('latin1');
    const row = { kind: rowKinds.put, key: k, createRevision: i + 1, expiresAt: 0, crc: i };
    if (!versions.load({ revision: i + 1, sequence: 0 }, row, 1000)) throw new Error('a key came twice');
  }
  const made = performance.now() - start;
  gc();
  const after = process.memoryUsage();
  const bytes = after.heapUsed + after.external - before.heapUsed - before.external;
  const lookups = performance.now();
  let sum = 0;
  for (let i = 0; i < n; i++) sum += versions.modRevision(key((i * 104_729) % n));
  const looked = performance.now() - lookups;
  if (sum === 0) throw new Error('no row was found');
  process.stdout.write(
    `index of 1,000,000 keys of ${key(0).length} bytes: ${(bytes / n).toFixed(0)} bytes a key, ` +
      `${((made * 1000) / n).toFixed(2)} us to add one, ${((looked * 1000) / n).toFixed(2)} us to find one\n`,
  );
}

async function benchEmpty(): Promise<void> {
  const before = process.memoryUsage().rss;
  const machine = await open(join(root, 'empty'));
  const after = process.memoryUsage().rss;
  process.stdout.write(`RSS ${mib(before)} before and ${mib(after)} after opening an empty store\n`);
  await machine.close();
}

try {
  await benchEmpty();
  await benchApply();
  await benchReads();
  benchIndex();
} finally {
  await rm(root, { recursive: true, force: true });
}
