import { expect, it } from 'vitest';
import { connectionsMax, openFiles, storeFilesMax } from './openfiles.js';

it.each([
  [undefined, 0, Infinity],
  [1_048_576, 60, 1_047_492],
  [4096, 60, 3012],
  [1024, 60, 554],
  [256, 60, 93],
  [128, 60, 8],
])('with a limit of %s files, %d of them open, %d connections are accepted', (limit, open, connections) => {
  expect(connectionsMax(limit, open)).toBe(connections);
});

it.each([
  [undefined, 512],
  [1_048_576, 512],
  [4096, 512],
  [1024, 205],
  [256, 51],
  [64, 48],
])('with a limit of %s files, RocksDB keeps %d open', (limit, files) => {
  expect(storeFilesMax(limit)).toBe(files);
});

it('reads the limit and the open files of this process', () => {
  const { limit, open } = openFiles();
  if (process.platform === 'linux') {
    expect(limit).toBeGreaterThan(0);
    expect(open).toBeGreaterThan(2);
  } else expect(limit).toBeUndefined();
});
