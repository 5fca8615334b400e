import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from './lock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const statOf = (pid: number): readonly string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

describe('the lock of a data folder', () => {
  it('is refused while its owner runs', () => {
    const held = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(`is in use by process ${process.pid}`);
    held.release();
    lockFolder(folder).release();
  });

  it.skipIf(!existsSync('/proc/self/stat'))('is free when its owner has ended and was not reaped', async () => {
    // The shell starts a child and becomes a program that does not reap it. The child must outlive the shell, which would reap it.
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const pid = await new Promise<number>((resolve) => {
        parent.stdout.once('data', (text: Buffer) => resolve(Number(text.toString().trim())));
      });
      for (let tries = 0; statOf(pid)[0] !== 'Z'; tries++) {
        expect(tries).toBeLessThan(1000);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      writeFileSync(join(folder, 'lock'), `${pid} ${statOf(pid)[19]}\n`);
      lockFolder(folder).release();
    } finally {
      parent.kill();
    }
  });
});
