import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { encodeEntry, memoryHome, openStateMachine } from '../../storage/index.js';
import { testWorld } from '../../storage/testworld.js';
import { type SaveDisk, saveSnapshot } from './save.js';

it('a saved snapshot is durable under its name when the call returns', async () => {
  const folder = await fs.mkdtemp(join(tmpdir(), 'trireme-save-'));
  const machine = await openStateMachine({ engine: await memoryHome().open(), name: 'memory' });
  await machine.apply([{ index: 1, data: encodeEntry({ kind: 'check' }) }]);
  const calls: string[] = [];
  const disk: SaveDisk = {
    ...fs,
    open: async (path, ...rest) => {
      const handle = await fs.open(path, ...rest);
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        calls.push(`sync ${String(path).replace(/[0-9a-f]{8}\.part$/, 'part')}`);
        await sync();
      };
      return handle;
    },
    rename: async (from, to) => {
      calls.push(`rename to ${String(to)}`);
      await fs.rename(from, to);
    },
  };
  const file = join(folder, 'saved');
  try {
    await saveSnapshot(machine, file, testWorld(0).random, disk);
    expect(calls).toEqual([`sync ${file}.part`, `rename to ${file}`, `sync ${folder}`]);
  } finally {
    await machine.close();
    await fs.rm(folder, { recursive: true });
  }
});
