import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeKeyspace, expiryOrigin, type KeyspaceUnderTest } from './contract.js';
import type { EngineHome } from './engine/engine.js';
import { rocksHome } from './engine/folder.js';
import { memoryHome } from './engine/memory.js';
import { openLocalKeyspace } from './local.js';
import { openModelKeyspace } from './model.js';
import { testWorld } from './testworld.js';

let root = '';
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'trireme-keyspace-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function local(home: EngineHome, durable: boolean): Promise<KeyspaceUnderTest> {
  const world = testWorld(expiryOrigin);
  let keyspace = await openLocalKeyspace({ home, world, durable });
  return {
    keyspace,
    advance: (milliseconds) => world.advance(milliseconds),
    reopen: async () => {
      await keyspace.close();
      keyspace = await openLocalKeyspace({ home, world, durable });
      return keyspace;
    },
    dispose: () => keyspace.close(),
  };
}

describeKeyspace('model', async () => {
  const world = testWorld(expiryOrigin);
  const keyspace = openModelKeyspace(world);
  return { keyspace, advance: world.advance, dispose: () => keyspace.close() };
});
describeKeyspace('memory', () => local(memoryHome(), false));
describeKeyspace('rocksdb', () => local(rocksHome(join(root, String(folders++))), true));
