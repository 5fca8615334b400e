import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type TestCluster, testCluster } from '../testing/cluster.js';

// Releases differ in the forms of log entries that they read and write; everything else about them is equal here.
const OLD = { entryForms: { reads: 1, writes: 1 } };
/** This release already reads the next form, so the release after it can be rolled back to it. */
const MIDDLE = { entryForms: { reads: 2, writes: 1 } };
const NEW = { entryForms: { reads: 2, writes: 2 } };

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function cluster(over: typeof OLD): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-upgrade-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const made = await testCluster(3, over, folder);
  cleanups.push(() => made.close());
  return made;
}

let puts = 0;
async function put(made: TestCluster): Promise<void> {
  for (const peer of made.peers) {
    const op = { kind: 'put', key: `/n${puts++}`, value: Buffer.from('x') } as const;
    // The leader may change between any two writes.
    await until(
      'the put is committed',
      async () => (await peer!.keyspace.txn({ compares: [], ops: [op] })).kind === 'committed',
    );
  }
}

async function roll(made: TestCluster, release: typeof OLD): Promise<void> {
  for (const i of made.peers.keys()) {
    await made.peers[i]!.close();
    await made.open(i, release);
    await put(made);
  }
}

/** The form in the record of the cluster. */
async function form(made: TestCluster): Promise<number> {
  const leader = await made.leader();
  const found = await leader.keyspace.range({ start: '!cluster', end: '!clustes' });
  const record = found.kind === 'ok' ? found.items[0]?.value : undefined;
  return record === undefined ? 1 : (JSON.parse(Buffer.from(record).toString()) as { entryForm: number }).entryForm;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    if (tries > 3000) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Every peer holds every key. */
async function expectAllKeys(made: TestCluster): Promise<void> {
  for (const peer of made.peers) {
    expect((await peer!.keyspace.readIndex()).kind).toBe('ok');
    const found = await peer!.keyspace.range({ start: '/', end: '0' });
    expect(found.kind === 'ok' && found.items.length).toBe(puts);
  }
  expect(made.fatal).toEqual([]);
}

describe('a rolling upgrade', () => {
  it('writes the newer form of entries when the last member reads it, and can be rolled back by one version', async () => {
    puts = 0;
    const made = await cluster(OLD);
    await put(made);
    await roll(made, MIDDLE);
    expect(await form(made)).toBe(1);
    await roll(made, NEW);
    await until('the newer form is written', async () => (await form(made)) === 2);
    await put(made);
    await expectAllKeys(made);
    await roll(made, MIDDLE);
    await put(made);
    await expectAllKeys(made);
    await roll(made, NEW);
    await expectAllKeys(made);
  });

  it('writes the older form while one member does not read the newer one, and can be undone', async () => {
    puts = 0;
    const made = await cluster(OLD);
    for (const i of [0, 1]) {
      await made.peers[i]!.close();
      await made.open(i, NEW);
      await put(made);
    }
    expect(await form(made)).toBe(1);
    await roll(made, OLD);
    await expectAllKeys(made);
  });
});
