import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SPACE_LIMITS } from '../../pkg/peer/common/index.js';
import { Cluster, isBuilt } from './cluster.js';
import { canMount, memoryDisks } from './disks.js';
import { Asker, type Outcome } from './http.js';
import { onStore } from './store.js';

const mountable = isBuilt && canMount();
const traceable = isBuilt && spawnSync('strace', ['-f', '-e', 'trace=none', 'true']).status === 0;
if (!isBuilt) console.warn('disk faults skipped: dist/ is missing (npm run build)');
else if (!mountable) console.warn('full disks skipped: this process may not mount');
if (isBuilt && !traceable) console.warn('disk errors skipped: there is no strace, or it may not trace');

const CMS = '/api/v1/namespaces/default/configmaps';
const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const cm = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

let cluster: Cluster;
let asker: Asker;

async function start(options: Parameters<typeof Cluster.start>[0]): Promise<void> {
  cluster = await Cluster.start(options);
  asker = new Asker(cluster.access, cluster.url('a'));
}

afterEach(async () => {
  asker?.close();
  await cluster?.close();
});

const create = (name: string): Promise<Outcome> => asker.ask('POST', CMS, cm(name));

/** Creates objects until a create has this outcome. */
async function until(what: (outcome: Outcome) => boolean, prefix: string): Promise<Outcome> {
  const end = performance.now() + 60_000;
  for (let i = 0; ; i++) {
    const outcome = await create(`${prefix}-${i}`);
    if (what(outcome)) return outcome;
    if (performance.now() > end) throw new Error(`the outcome is still ${JSON.stringify(outcome)}`);
    await wait(50);
  }
}

const made = (o: Outcome): boolean => o.kind === 'answer' && o.status === 201;

describe.skipIf(!mountable)('a full disk', () => {
  it('nearly full: rejects new objects with a reason, accepts deletes, and recovers without help', async () => {
    await start({ names: ['a'], disks: memoryDisks(160) });
    expect(made(await create('before'))).toBe(true);
    const filling = fill(8);
    const refused = await until((o) => o.kind === 'refused', 'into-the-full');
    expect(refused.kind === 'refused' && refused.why).toMatch(/^the disk has \d+ bytes left/);
    const deleted = await asker.insist('DELETE', `${CMS}/before`);
    expect(deleted.kind === 'answer' && deleted.status).toBe(200);
    rmSync(filling);
    await until(made, 'room-again');
    expect(cluster.deaths).toEqual([]);
  });

  it('filled completely under load: rejects writes, accepts deletes, and recovers without help', async () => {
    await start({ names: ['a'], disks: memoryDisks(200) });
    const doomed = await createAll('doomed', 20);
    const writers = [0, 1, 2, 3].map((i) => writing(`w${i}`));
    await wait(700);
    const pid = cluster.pid('a');
    await ballastMade();
    const filling = await fillAtOnce();
    const refused = await until((o) => o.kind === 'refused', 'into-the-full');
    expect(refused.kind === 'refused' && refused.why).toMatch(/^the disk /);
    // It runs for several seconds, so that log and state both fill up.
    for (const name of doomed) {
      const deleted = await asker.insist('DELETE', `${CMS}/${name}`);
      expect(deleted.kind === 'answer' && deleted.status).toBe(200);
      await wait(150);
    }
    expect((await names()).size).toBeGreaterThan(0);
    rmSync(filling);
    await until(made, 'room-again');
    const acknowledged = (await Promise.all(writers.map((w) => w.stop()))).flat();
    await expectKept(acknowledged, pid);
  });

  it('kept full by another process: rejects all writes with a reason, and recovers without help', async () => {
    await start({ names: ['a'], disks: memoryDisks(200) });
    const doomed = await createAll('doomed', 100);
    const writers = [0, 1, 2, 3].map((i) => writing(`w${i}`));
    await wait(700);
    const pid = cluster.pid('a');
    const file = join(cluster.dataDir('a'), 'greedy');
    const greedy = spawn('sh', ['-c', `while :; do head -c 1G /dev/zero >> "${file}" 2> /dev/null; sleep 0.02; done`]);
    const everything = (o: Outcome): boolean => o.kind === 'refused' && o.why.includes('completely full');
    // Deletes succeed while bytes are left. How many is not deterministic, because other processes use the disk as well.
    let outcome: Outcome | undefined;
    for (let i = 0; i < 400 && !(outcome !== undefined && everything(outcome)); i++) {
      const name = doomed[i];
      outcome = await (name === undefined ? create(`late-${i}`) : asker.ask('DELETE', `${CMS}/${name}`));
      await wait(50);
    }
    expect(outcome).toMatchObject({ kind: 'refused', why: expect.stringContaining('completely full') });
    const put = await create('into-the-full');
    expect(everything(put)).toBe(true);
    // Existing objects can still be read.
    expect(await asker.insist('GET', `${CMS}/w0-0?resourceVersion=0`)).toMatchObject({ kind: 'answer', status: 200 });
    await wait(3000);
    const gone = new Promise<void>((resolve) => greedy.once('exit', () => resolve()));
    greedy.kill();
    await gone;
    rmSync(file);
    await until(made, 'room-again');
    const acknowledged = (await Promise.all(writers.map((w) => w.stop()))).flat();
    await expectKept(acknowledged, pid);
  });

  it('filled by a killed snapshot install frees the space at the next start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trireme-full-'));
    const disk = join(folder, 'disk');
    const disks = memoryDisks(80);
    disks.attach(disk);
    try {
      expect(await onStore('leftover', disk)).toEqual({ bavail: 0, kept: 'kept', states: ['state.1'] });
    } finally {
      disks.detach(disk);
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('leaves a torn record in the log of the engine, and later writes are not lost', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trireme-full-'));
    const disk = join(folder, 'disk');
    const disks = memoryDisks(80);
    disks.attach(disk);
    try {
      const { failures, written, missing } = await onStore('torn', disk, join(folder, 'copy'));
      expect({ failures, written, missing }).toEqual({ failures: ['noSpace'], written: 150, missing: 0 });
    } finally {
      disks.detach(disk);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

const PADDING = 'x'.repeat(20_000);

async function createAll(prefix: string, count: number): Promise<readonly string[]> {
  const created = Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
  for (const name of created) expect(made(await create(name))).toBe(true);
  return created;
}

/** Creates objects of some size until it is stopped. Returns the names that were acknowledged. */
function writing(prefix: string): { stop(): Promise<readonly string[]> } {
  const acknowledged: string[] = [];
  let over = false;
  const loop = (async () => {
    for (let i = 0; !over; i++) {
      const outcome = await asker.ask('POST', CMS, { ...cm(`${prefix}-${i}`), data: { padding: PADDING } });
      if (made(outcome)) acknowledged.push(`${prefix}-${i}`);
      else await wait(20);
    }
  })();
  return {
    async stop() {
      over = true;
      await loop;
      return acknowledged;
    },
  };
}

/** The peer keeps space for deletes. On a busy machine that takes it a while, and a disk that is full before has none. */
async function ballastMade(): Promise<void> {
  const file = join(cluster.dataDir('a'), 'ballast');
  const end = performance.now() + 60_000;
  while ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < SPACE_LIMITS.ballastBytes) {
    if (performance.now() > end) throw new Error(`there is no ${file} of ${SPACE_LIMITS.ballastBytes} bytes`);
    await wait(20);
  }
}

/** Fills the disk at once, as another process would. */
async function fillAtOnce(): Promise<string> {
  const file = join(cluster.dataDir('a'), 'filled');
  const filling = spawn('sh', ['-c', `head -c 1G /dev/zero > "${file}" 2> /dev/null`]);
  await new Promise<void>((resolve) => filling.once('exit', () => resolve()));
  return file;
}

/** Checks that the same process continues and that all objects exist, now and after SIGKILL. */
async function expectKept(acknowledged: readonly string[], pid: number): Promise<void> {
  expect([cluster.deaths, cluster.pid('a')]).toEqual([[], pid]);
  expect(acknowledged.length).toBeGreaterThan(20);
  const lost = async (): Promise<readonly string[]> => {
    const there = await names();
    return acknowledged.filter((n) => !there.has(n));
  };
  expect(await lost()).toEqual([]);
  await cluster.kill('a');
  await cluster.up('a');
  expect(await lost()).toEqual([]);
}

/** Fills the disk up to this many MiB. Returns the file that occupies the rest. */
function fill(left: number): string {
  const filling = join(cluster.dataDir('a'), 'filled');
  const { bavail, bsize } = statfsSync(cluster.dataDir('a'));
  try {
    writeFileSync(filling, Buffer.alloc(bavail * bsize - left * 1024 * 1024));
  } catch (e) {
    // The peer took some of the space meanwhile: the disk is full either way.
    if ((e as NodeJS.ErrnoException).code !== 'ENOSPC') throw e;
  }
  return filling;
}

async function names(): Promise<ReadonlySet<string>> {
  const list = await asker.insist('GET', CMS);
  const items =
    list.kind === 'answer' ? (list.body['items'] as { readonly metadata: { readonly name: string } }[]) : [];
  return new Set(items.map((o) => o.metadata.name));
}

describe.skipIf(!traceable)('a disk that fails', () => {
  it('stops a single peer at the first write that does not reach the disk, and acknowledged writes survive', async () => {
    await start({ names: ['a'] });
    const acknowledged: string[] = [];
    for (let i = 0; i < 20; i++) if (made(await create(`safe-${i}`))) acknowledged.push(`safe-${i}`);
    // Its log has O_DSYNC: the write itself reports that the disk has failed.
    const failing = ['-e', 'trace=pwrite64,fdatasync,fsync', '-e', 'inject=pwrite64,fdatasync,fsync:error=EIO'];
    const tracer = spawn('strace', ['-f', '-qq', '-o', '/dev/null', ...failing, '-p', String(cluster.pid('a'))]);
    const end = performance.now() + 60_000;
    for (let i = 0; cluster.isUp('a'); i++) {
      if (performance.now() > end) throw new Error('the peer continues without its disk');
      // It was written before tracing began, or was never acknowledged.
      if (made(await create(`doubtful-${i}`))) acknowledged.push(`doubtful-${i}`);
      await wait(20);
    }
    tracer.kill();
    expect(cluster.output('a')).toMatch(/stopped: .*EIO/);
    await cluster.up('a');
    const there = await names();
    expect(acknowledged.filter((n) => !there.has(n))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThanOrEqual(20);
  });

  it('delays no read of a single peer while a write to its log hangs', async () => {
    await start({ names: ['a'] });
    expect(made(await create('before'))).toBe(true);
    const folder = join(cluster.dataDir('a'), 'wal');
    const segments = readdirSync(folder).filter((name) => !name.endsWith('.tmp'));
    const paths = segments.flatMap((name) => ['-P', join(folder, name)]);
    const calls = join(cluster.folder, 'calls');
    const hang = ['-e', 'trace=pwrite64', '-e', `inject=pwrite64:delay_enter=${HANG_MICROSECONDS}`];
    const tracer = spawn('strace', ['-f', '-o', calls, ...paths, ...hang, '-p', String(cluster.pid('a'))]);
    const attached = new Promise((resolve) => tracer.stderr.on('data', resolve));
    await attached;
    let isWritten = false;
    const writing = asker.insist('POST', CMS, cm('slow')).finally(() => {
      isWritten = true;
    });
    let reads = 0;
    while (!isWritten) {
      const read = await asker.ask('GET', `${CMS}/before`);
      expect(read.kind === 'answer' && read.status).toBe(200);
      if (!isWritten) reads++;
      await wait(10);
    }
    await writing;
    expect(reads).toBeGreaterThan(5);
    tracer.kill();
  });
});

/** Time for many reads, also on a busy machine. A client waits longer for a write. */
const HANG_MICROSECONDS = 1_500_000;
