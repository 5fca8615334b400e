import { expect, it } from 'vitest';
import { SimulatedDisk } from './simdisk.js';
import { Spare } from './spare.js';

/** A disk on which no file can be created for a while, as one without free inodes. */
class FullDisk extends SimulatedDisk {
  refused = 0;

  override create(name: string): ReturnType<SimulatedDisk['create']> {
    if (this.refused++ < 2) throw Object.assign(new Error('ENOSPC: no space left on device, open'), { code: 'ENOSPC' });
    return super.create(name);
  }

  override remove(name: string): void {
    if (!this.list().includes(name)) throw Object.assign(new Error(`ENOENT ${name}`), { code: 'ENOENT' });
    super.remove(name);
  }
}

it('is made when there is space again, although its file could not even be created', async () => {
  const disk = new FullDisk();
  const after = (_milliseconds: number, f: () => void): (() => void) => {
    setImmediate(f);
    return () => {};
  };
  const spare = new Spare({ disk, timers: { after, immediate: setImmediate, every: () => () => {} } });
  const wish = { bytes: 8192, bytesMin: 4096 };
  const file = await spare.take(wish);
  expect([file.size, disk.refused, spare.outOfSpace]).toEqual([8192, 3, false]);
});
