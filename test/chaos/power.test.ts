import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isBuilt } from './cluster.js';
import type { Fault } from './nemesis.js';
import { PowerSupply, type UpperFileSystem, whyNoPowerCuts } from './power.js';
import { type Moment, powerCut } from './powercuts.js';
import { type ChaosResult, runChaos } from './run.js';

const whyNot = isBuilt ? whyNoPowerCuts() : 'dist/ is missing (npm run build)';
if (whyNot !== undefined) console.warn(`power cuts skipped: ${whyNot}`);
const whyNoXfs = whyNot ?? whyNoPowerCuts('xfs');
if (whyNoXfs !== undefined) console.warn(`power cuts of xfs skipped: ${whyNoXfs}`);
const compiles = spawnSync('cc', ['--version']).status === 0;
if (whyNot === undefined && !compiles) console.warn('power cuts of a disk that ignores syncs skipped: there is no cc');

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

function powerSupply(fileSystem: UpperFileSystem = 'ext4'): PowerSupply {
  const supply = new PowerSupply(fileSystem === 'xfs' ? 400 : 320, fileSystem);
  cleanups.push(() => supply.close());
  return supply;
}

function room(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-power-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Cuts {
  readonly seed: number;
  readonly names: readonly string[];
  readonly moments: readonly Moment[];
  readonly fileSystem?: UpperFileSystem;
}

/** Runs writers, readers and watchers while all peers lose power at each of these moments. */
function underCuts({ seed, names, moments, fileSystem }: Cuts): Promise<ChaosResult> {
  const supply = powerSupply(fileSystem);
  return runChaos({
    seed,
    faults: moments.map((moment) => powerCut(supply, moment)),
    cluster: { names, disks: supply, args: ['--snapshot-count=60'] },
    padding: 20_000,
    note: (line) => process.stdout.write(`  ${line}\n`),
  });
}

function expectAllKept(result: ChaosResult, cuts: number): void {
  expect(result.judgement.violations).toEqual([]);
  expect(result.deaths).toEqual([]);
  expect(result.struck.length).toBe(cuts);
  expect(result.struck.filter(({ hit }) => hit.includes('the moment of the power cut did not occur'))).toEqual([]);
  expect(result.acknowledged).toBeGreaterThan(5 * cuts);
}

const ONE: readonly Moment[] = ['at any time', 'when the log begins a segment', 'when the peers start'];
const THREE: readonly Moment[] = ['when a snapshot is installed', 'at any time'];

describe.skipIf(whyNot !== undefined)('a disk with power cuts', () => {
  it('keeps only flushed data', async () => {
    const supply = powerSupply();
    const folder = join(room(), 'disk');
    supply.attach(folder);
    const file = join(folder, 'file');
    writeFileSync(file, 'as it was');
    const fd = openSync(file, 'r+');
    fdatasyncSync(fd);
    execFileSync('sync', ['-f', folder]);
    writeSync(fd, 'changed..', 0);
    writeFileSync(join(folder, 'another'), 'new');
    await supply.cut([folder]);
    expect(() => fdatasyncSync(fd)).toThrow(/EIO|EROFS/);
    closeSync(fd);
    supply.restore(folder);
    expect(readFileSync(file, 'utf8')).toBe('as it was');
    expect(() => readFileSync(join(folder, 'another'))).toThrow(/ENOENT/);
    supply.detach(folder);
  });
});

describe.skipIf(whyNot !== undefined).sequential('a power cut', () => {
  it('of a single peer loses no acknowledged write', async () => {
    expectAllKept(await underCuts({ seed: 1, names: ['a'], moments: ONE }), ONE.length);
  });

  it('of all three peers at once loses no acknowledged write', async () => {
    expectAllKept(await underCuts({ seed: 2, names: ['a', 'b', 'c'], moments: THREE }), THREE.length);
  });

  it.skipIf(!compiles)('loses writes if the peer does not sync', async () => {
    const supply = powerSupply();
    const lying = syncsThatDoNothing(room());
    // The state before the first write is kept: a peer that cannot start at all would prove nothing.
    const settle: Fault = {
      name: 'sync everything',
      stands: [300, 300],
      async strike(cluster) {
        for (const name of cluster.names) execFileSync('sync', ['-f', cluster.dataDir(name)]);
        return { hit: cluster.names.join(), undo: async () => {} };
      },
    };
    const result = await runChaos({
      seed: 3,
      faults: [settle, powerCut(supply, 'at any time')],
      cluster: { names: ['a'], disks: supply, env: () => ({ LD_PRELOAD: lying }) },
    });
    expect(result.acknowledged).toBeGreaterThan(10);
    expect(result.judgement.violations.join('\n')).toMatch(/not linearizable|was seen, and later|missed revision/);
  });
});

describe.skipIf(whyNoXfs !== undefined)('a power cut of xfs', () => {
  it('loses no acknowledged write', async () => {
    expectAllKept(await underCuts({ seed: 4, names: ['a'], moments: ONE, fileSystem: 'xfs' }), ONE.length);
  });
});

/** Compiles a library in which every sync does nothing and reports success, and no file is opened with O_DSYNC or O_SYNC. */
function syncsThatDoNothing(folder: string): string {
  const [source, library] = [join(folder, 'nosync.c'), join(folder, 'nosync.so')];
  const nothing = (signature: string): string => `int ${signature} { return 0; }\n`;
  const unsynced = (name: string): string =>
    `int ${name}(const char *path, int flags, ...) {
       va_list more; va_start(more, flags); int mode = va_arg(more, int); va_end(more);
       return syscall(SYS_openat, AT_FDCWD, path, flags & ~O_SYNC, mode);
     }\n`;
  const headers = ['fcntl.h', 'stdarg.h', 'sys/syscall.h', 'unistd.h'].map((name) => `#include <${name}>\n`);
  const syncs = ['fsync(int fd)', 'fdatasync(int fd)', 'sync_file_range(int fd, off_t o, off_t n, unsigned f)'].map(
    nothing,
  );
  writeFileSync(source, ['#define _GNU_SOURCE\n', ...headers, ...syncs, ...['open', 'open64'].map(unsynced)].join(''));
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source]);
  return library;
}
