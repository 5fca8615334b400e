import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { threadWorld } from '../thread/world.js';
import { Ballast } from './ballast.js';
import { nodeDisk } from './wal/disk.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-ballast-'));
  folders.push(folder);
  return join(folder, 'ballast');
}

const BYTES = 1_000_000;
const ballast = (file: string): Ballast =>
  new Ballast({
    timers: threadWorld().timers,
    folder: nodeDisk(dirname(file)),
    file: basename(file),
    bytes: BYTES,
    filling: Buffer.alloc(64 * 1024, 7),
  });

async function made(file: string, one: Ballast): Promise<void> {
  for (let tries = 0; statSync(file, { throwIfNoEntry: false })?.size !== BYTES; tries++) {
    if (tries === 10_000) throw new Error('the ballast is not made');
    one.keep();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('the ballast', () => {
  it('is created, removed at once, and created again', async () => {
    const file = place();
    const one = ballast(file);
    for (let round = 0; round < 2; round++) {
      await made(file, one);
      one.release();
      while (existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await made(file, one);
    await one.stop();
    one.release();
    expect(existsSync(file)).toBe(false);
  });

  it('is not created after stop', async () => {
    const file = place();
    const one = ballast(file);
    await one.stop();
    one.keep();
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      expect(existsSync(file)).toBe(false);
    }
  });

  it('is taken over from an earlier process if it is complete', async () => {
    const file = place();
    writeFileSync(file, Buffer.alloc(BYTES));
    ballast(file).release();
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, Buffer.alloc(BYTES - 1));
    ballast(file);
    expect(existsSync(file)).toBe(false);
  });

  it('that is released while it is created leaves nothing', async () => {
    const file = place();
    const one = ballast(file);
    one.keep();
    one.release();
    await one.stop();
    expect(existsSync(file)).toBe(false);
  });
});
