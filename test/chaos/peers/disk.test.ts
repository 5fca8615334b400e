import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canRun, folder, PeerProcess, pause } from './harness.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function room(): string {
  const made = folder();
  cleanups.push(() => made.remove());
  return made.path;
}

function peer(wrapper: readonly string[] = []): PeerProcess {
  const made = new PeerProcess(wrapper);
  cleanups.push(() => made.kill());
  return made;
}

/** A small in-memory file system, or undefined (logged once) where this user may not mount one. */
function tmpfs(megabytes: number): string | undefined {
  const path = join(room(), 'disk');
  mkdirSync(path);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
  if (mounted.status !== 0) {
    process.stdout.write('a full disk is not tested: no permission to mount a tmpfs\n');
    return undefined;
  }
  cleanups.push(() => {
    spawnSync('umount', ['-l', path]);
  });
  return path;
}

describe.runIf(canRun())('a failing disk', () => {
  it('that is full: puts are rejected, deletes are accepted, and puts work again when there is space', async () => {
    const disk = tmpfs(300);
    if (disk === undefined) return;
    const one = peer();
    await one.open({ dataDir: join(disk, 'data'), snapshotCount: 200, compactionRetentionMs: 0 });
    const ballast = join(disk, 'ballast');
    const kinds = new Set<string>();
    let isFull = false;
    execFileSync('fallocate', ['-l', '100M', ballast]);
    // Compaction may free some space right after a put was rejected; then the next puts fill it again.
    for (let n = 0; n < 4000 && !isFull; n++) {
      const result = await one.put(`/k${n % 500}`, 'x'.repeat(20_000));
      kinds.add(result.kind === 'refused' ? result.reason : result.kind);
      isFull = result.kind === 'refused' && (await one.report()).noSpace;
    }
    expect([...kinds]).toEqual(['committed', 'noSpace']);
    expect(isFull).toBe(true);
    const removed = await one.txn([{ kind: 'delete', key: '/k0' }]);
    expect(removed.kind).toBe('committed');
    execFileSync('rm', [ballast]);
    for (let tries = 0; ; tries++) {
      if ((await one.put('/after', 'y')).kind === 'committed') break;
      expect(tries).toBeLessThan(600);
      await pause(100);
    }
    expect(one.fatal).toBeUndefined();
    await one.close();
  });

  // The fault: fsync fails once, a retry "succeeds", and data that the kernel had dropped is acknowledged.
  it('that fails a sync: the peer stops at once and acknowledges nothing more', async () => {
    if (spawnSync('strace', ['-V']).status !== 0) {
      process.stdout.write('a failing sync is not tested: strace is not installed\n');
      return;
    }
    const dataDir = room();
    // strace counts calls by thread: after a while each thread of the pool fails.
    const one = peer(['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'inject=fdatasync:error=EIO:when=30+']);
    await one.open({ dataDir });
    const acknowledged: string[] = [];
    for (let n = 0; n < 2000; n++) {
      const result = await one.put(`/k${n}`, 'v').catch(() => undefined);
      if (result?.kind !== 'committed') break;
      acknowledged.push(`/k${n}`);
    }
    await one.gone;
    expect(one.fatal).toMatch(/EIO/);
    const again = peer();
    await again.open({ dataDir });
    const found = new Set((await again.all()).map(([key]) => key));
    expect(acknowledged.filter((key) => !found.has(key))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(0);
    await again.close();
  });
});
