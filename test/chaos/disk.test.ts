import { spawn, spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Cluster, isBuilt } from './cluster.js';
import { canMount, memoryDisks } from './disks.js';
import { Asker, type Outcome } from './http.js';

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

/** Creates further objects until the outcome is this one. */
async function until(what: (outcome: Outcome) => boolean, prefix: string): Promise<Outcome> {
  const end = performance.now() + 30_000;
  for (let i = 0; ; i++) {
    const outcome = await create(`${prefix}-${i}`);
    if (what(outcome)) return outcome;
    if (performance.now() > end) throw new Error(`it stays at ${JSON.stringify(outcome)}`);
    await wait(50);
  }
}

const made = (o: Outcome): boolean => o.kind === 'answer' && o.status === 201;

describe.skipIf(!mountable)('a full disk', () => {
  it('nearly: no new objects, and why; deletes are taken; it goes on by itself when there is room', async () => {
    await start({ names: ['a'], disks: memoryDisks(160) });
    expect(made(await create('before'))).toBe(true);
    const ballast = fill(8);
    const refused = await until((o) => o.kind === 'refused', 'into-the-full');
    expect(refused.kind === 'refused' && refused.why).toMatch(/^the disk has \d+ bytes left/);
    const deleted = await asker.ask('DELETE', `${CMS}/before`);
    expect(deleted.kind === 'answer' && deleted.status).toBe(200);
    rmSync(ballast);
    await until(made, 'room-again');
    expect(cluster.deaths).toEqual([]);
  }, 90_000);

  it('to the last byte, from one moment to the next: nothing acknowledged is lost, whether the peer goes on or ends', async () => {
    await start({ names: ['a'], disks: memoryDisks(160) });
    const acknowledged: string[] = [];
    const write = async (name: string): Promise<void> => {
      if (made(await create(name))) acknowledged.push(name);
    };
    for (let i = 0; i < 10; i++) await write(`before-${i}`);
    const ballast = fill(0);
    for (let i = 0; i < 100 && cluster.isUp('a'); i++) {
      await write(`full-${i}`);
      await wait(20);
    }
    if (!cluster.isUp('a')) expect(cluster.output('a')).toMatch(/No space left|ENOSPC|no space left/);
    rmSync(ballast);
    await cluster.up('a');
    await until(made, 'room-again');
    const there = await names();
    expect(acknowledged.filter((n) => !there.has(n))).toEqual([]);
  }, 90_000);
});

/** Leaves so many MiB of the disk; gives the file that takes the rest. */
function fill(left: number): string {
  const ballast = join(cluster.dataDir('a'), 'ballast');
  const { bavail, bsize } = statfsSync(cluster.dataDir('a'));
  try {
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - left * 1024 * 1024));
  } catch (e) {
    // the peer took some of it meanwhile: full is full
    if ((e as NodeJS.ErrnoException).code !== 'ENOSPC') throw e;
  }
  return ballast;
}

async function names(): Promise<ReadonlySet<string>> {
  const list = await asker.ask('GET', CMS);
  const items =
    list.kind === 'answer' ? (list.body['items'] as { readonly metadata: { readonly name: string } }[]) : [];
  return new Set(items.map((o) => o.metadata.name));
}

describe.skipIf(!traceable)('a disk that fails', () => {
  it('ends the peer at the first failed sync; what was acknowledged is there when it comes back', async () => {
    await start({ names: ['a'] });
    const acknowledged: string[] = [];
    for (let i = 0; i < 20; i++) if (made(await create(`safe-${i}`))) acknowledged.push(`safe-${i}`);
    const tracer = spawn('strace', [
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-e',
      'trace=fdatasync,fsync',
      '-e',
      'inject=fdatasync,fsync:error=EIO',
      '-p',
      String(cluster.pid('a')),
    ]);
    const end = performance.now() + 30_000;
    for (let i = 0; cluster.isUp('a'); i++) {
      if (performance.now() > end) throw new Error('the peer goes on without its disk');
      // Written before the tracer was there, or never acknowledged.
      if (made(await create(`doubtful-${i}`))) acknowledged.push(`doubtful-${i}`);
      await wait(20);
    }
    tracer.kill();
    expect(cluster.output('a')).toMatch(/stopped: .*EIO/);
    await cluster.up('a');
    const there = await names();
    expect(acknowledged.filter((n) => !there.has(n))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThanOrEqual(20);
  }, 90_000);
});
