import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Cluster, isBuilt } from './cluster.js';
import { canMount, memoryDisks } from './disks.js';
import { Asker } from './http.js';

const mountable = isBuilt && canMount();
if (!isBuilt) console.warn('snapshots without space skipped: dist/ is missing (npm run build)');
else if (!mountable) console.warn('snapshots without space skipped: this process may not mount');

const CMS = '/api/v1/namespaces/default/configmaps';
const MiB = 1024 * 1024;
/** More entries and bytes than the others keep of the log: a peer that was down gets a snapshot, which takes a second or two. */
const OBJECTS = 80;
const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

let cluster: Cluster;
let asker: Asker;
afterEach(async () => {
  asker?.close();
  await cluster?.close();
});

describe.skipIf(!mountable)('a peer without disk space for a snapshot', () => {
  it('keeps its state, does not affect the others, and installs the snapshot when there is space', async () => {
    const away = await fallBehind();
    const pid = cluster.pid(away);
    const most = fill(away, 20 * MiB);
    cluster.heal(true);
    const refused = (): boolean =>
      /the snapshot for peer \w+ \(\w+\) failed: the disk has \d+ bytes left/.test(othersOf(away));
    await said(refused, 'the refusal of a snapshot that would use the reserve');
    const rest = fill(away, 0);
    expect(await create('while-full')).toBe(201);
    rmSync(rest);
    const failures = failuresOf(away);
    rmSync(most);
    // Another process then fills the disk while the snapshot arrives.
    const some = fill(away, 96 * MiB);
    await said(() => existsSync(join(cluster.dataDir(away), 'db', 'state.2')), 'the begin of the installation');
    const all = fill(away, 0);
    await said(() => failuresOf(away) > failures, 'its end');
    expect(await create('meanwhile')).toBe(201);
    for (const file of [all, some]) rmSync(file);
    await expectCaughtUp(away);
    expect([cluster.deaths, cluster.pid(away)]).toEqual([[], pid]);
    // The installed state survives a restart.
    await cluster.kill(away);
    await cluster.up(away);
    await expectCaughtUp(away);
  });
});

/**
 * Starts three peers, cuts one off, and lets the others write more than they keep of the log. Returns the name of the peer that
 * is cut off.
 */
async function fallBehind(): Promise<string> {
  cluster = await Cluster.start({ disks: memoryDisks(224), proxied: true, args: ['--snapshot-count=30'] });
  const leader = await cluster.leader();
  const away = cluster.names.find((name) => name !== leader)!;
  asker = new Asker(cluster.access, cluster.url(leader));
  expect(await create('before')).toBe(201);
  const others = cluster.names.filter((name) => name !== away);
  cluster.cut(
    others.flatMap((name): [string, string][] => [
      [name, away],
      [away, name],
    ]),
  );
  let next = 0;
  const write = async (): Promise<void> => {
    for (let i = next++; i < OBJECTS; i = next++) expect(await create(`object-${i}`)).toBe(201);
  };
  await Promise.all([write(), write(), write(), write()]);
  // The log is kept for a while for slow peers.
  const { lastIndex } = await cluster.status(away);
  const end = performance.now() + 60_000;
  while ((await cluster.status(leader)).firstIndex <= lastIndex + 1) {
    expect(await create(`object-${next++}`)).toBe(201);
    if (performance.now() > end) throw new Error(`the log is not cut\n${cluster.outputs()}`);
    await wait(200);
  }
  return away;
}

/** Creates an object that does not compress. */
async function create(name: string): Promise<number> {
  const data = { noise: randomBytes(200_000).toString('base64') };
  const made = await asker.insist('POST', CMS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
  return made.kind === 'answer' ? made.status : 0;
}

/** Fills the disk of this peer up to this many bytes. Returns the file that occupies the rest. */
function fill(name: string, left: number): string {
  const file = join(cluster.dataDir(name), `filler-${left}`);
  const piece = Buffer.alloc(256 * 1024);
  for (;;) {
    const { bavail, bsize } = statfsSync(cluster.dataDir(name));
    const more = Math.min(piece.length, bavail * bsize - left);
    if (more <= 0) return file;
    try {
      writeFileSync(file, piece.subarray(0, more), { flag: 'a' });
    } catch (error) {
      // The peer took some of the space meanwhile: the disk is full either way.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      return file;
    }
  }
}

const othersOf = (away: string): string =>
  cluster.names
    .filter((name) => name !== away)
    .map((name) => cluster.output(name))
    .join('\n');

const failuresOf = (away: string): number =>
  othersOf(away).match(/the snapshot for peer \w+ \(\w+\) failed/g)?.length ?? 0;

async function said(isSo: () => boolean, what: string): Promise<void> {
  for (const end = performance.now() + 60_000; !isSo(); await wait(10)) {
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}\n${cluster.outputs()}`);
  }
}

/** Checks that the peer's state is complete and equal to that of the others. */
async function expectCaughtUp(name: string): Promise<void> {
  const there = new Asker(cluster.access, cluster.url(name));
  try {
    const end = performance.now() + 40_000;
    for (;;) {
      const last = await there.ask('GET', `${CMS}/meanwhile?resourceVersion=0`);
      if (last.kind === 'answer' && last.status === 200) break;
      if (performance.now() > end) throw new Error(`it does not catch up\n${cluster.outputs()}`);
      await wait(100);
    }
    const [here, elsewhere] = await Promise.all([namesOf(there), namesOf(asker)]);
    expect(here).toEqual(elsewhere);
    expect(here.length).toBeGreaterThanOrEqual(OBJECTS + 3);
  } finally {
    there.close();
  }
}

async function namesOf(of: Asker): Promise<readonly string[]> {
  const list = await of.insist('GET', CMS);
  if (list.kind !== 'answer') throw new Error(JSON.stringify(list));
  return (list.body['items'] as { readonly metadata: { readonly name: string } }[]).map((o) => o.metadata.name);
}
