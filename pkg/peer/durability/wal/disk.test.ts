import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/solo.js';
import { nodeDisk } from './disk.js';

describe('a file of the log', () => {
  it.each([
    ['on this thread up to the limit', 100, 100, 100],
    ['on the thread pool above it', 99, 100, 0],
    ['never on this thread if the limit is 0', 0, 1, 0],
  ])('is written %s', async (_, limit, bytes, writtenAtOnce) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const file = nodeDisk(folder.path, limit).create('segment');
    onTestFinished(() => file.close());
    const written = file.write(Buffer.alloc(bytes, 'x'), 0);
    expect(file.size).toBe(writtenAtOnce);
    await written;
    expect(Buffer.from(file.read(0, bytes)).toString()).toBe('x'.repeat(bytes));
  });

  it.each([
    ['and synced', 100],
    ['with O_DSYNC if nothing is written on this thread', 0],
  ])('is durably written %s', async (_, limit) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const file = nodeDisk(folder.path, limit).create('segment');
    onTestFinished(() => file.close());
    await file.write(Buffer.alloc(8, '.'), 0);
    await file.writeDurably(Buffer.from('abc'), 2);
    await file.writeDurably(Buffer.from('longer'), 6);
    expect(file.size).toBe(12);
    expect(Buffer.from(file.read(0, 12)).toString()).toBe('..abc.longer');
    unlinkSync(join(folder.path, 'segment'));
    await expect(file.writeDurably(Buffer.from('x'), 0)).rejects.toThrow('has been removed');
  });
});
