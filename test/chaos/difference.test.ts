import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster, isBuilt } from './cluster.js';
import { Asker } from './http.js';
import { onStore } from './store.js';

if (!isBuilt) console.warn('a differing state skipped: dist/ is missing (npm run build)');

const CMS = '/api/v1/namespaces/default/configmaps';
const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe.skipIf(!isBuilt).sequential('a peer whose state differs from that of the others', () => {
  let cluster: Cluster;
  let differing = '';
  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster?.close());

  async function create(through: string, name: string, value: string): Promise<number> {
    const asker = new Asker(cluster.access, cluster.url(through));
    try {
      const made = await asker.insist('POST', CMS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { value },
      });
      return made.kind === 'answer' ? made.status : 0;
    } finally {
      asker.close();
    }
  }

  /** Changes data on the disk of one peer, with a valid checksum. Starts the peer and waits until it has exited. */
  async function alter(from: string, to: string): Promise<void> {
    await cluster.stop(differing);
    const { altered } = await onStore('alter', join(cluster.dataDir(differing), 'db'), from, to);
    expect(altered).toBeGreaterThan(0);
    // The peer may have become ready for a short time before.
    await cluster.up(differing).catch(() => {});
    const end = performance.now() + 60_000;
    while (cluster.isUp(differing)) {
      if (performance.now() > end) throw new Error('the peer with the changed data continues to serve');
      await wait(50);
    }
  }

  it('stops with a reason', async () => {
    differing = cluster.names.find((name) => name !== 'a')!;
    for (let i = 0; i < 5; i++) expect(await create('a', `object-${i}`, `what-all-have-${i}`)).toBe(201);
    await alter('what-all-have-2', 'what-one-has--2');
    expect(cluster.output(differing)).toMatch(
      /stopped: the state of this peer differs from that of most peers at revision \d+ .*Remove this member/,
    );
  });

  it('does not start again on that state', async () => {
    await expect(cluster.up(differing)).rejects.toThrow(/the state of this peer differs .*Remove this member/);
  });

  it('is reported as down while the others continue', async () => {
    const others = cluster.names.filter((name) => name !== differing);
    await cluster.leader();
    for (const name of others) expect(await create(name, `after-${name}`, 'x')).toBe(201);
    const status = await cluster.ctl('status');
    expect(status.code).toBe(1);
    const lines = status.out.split('\n').filter((line) => line.startsWith('https://'));
    expect(lines.filter((line) => /\bok\s*$/.test(line)).length, status.out).toBe(2);
    const gone = lines.find((line) => line.startsWith(cluster.url(differing)))!;
    expect(gone).toMatch(/refused|not reach|listens/i);
    // The other peers report the difference too, and none of them stops.
    expect(others.map((name) => cluster.isUp(name))).toEqual([true, true]);
  });

  it('joins again as a new member with the state of the others', async () => {
    const members = await cluster.ctl('member', 'list', '-o', 'json');
    const { id } = (JSON.parse(members.out) as { id: number; name: string }[]).find((m) => m.name === differing)!;
    const removed = await cluster.ctl('member', 'remove', id.toString(16));
    expect(removed.code, removed.out).toBe(0);
    await cluster.rejoin(differing);
    const asker = new Asker(cluster.access, cluster.url(differing));
    const read = await asker.insist('GET', `${CMS}/object-2?resourceVersion=0`);
    asker.close();
    expect(read.kind === 'answer' && read.body['data']).toEqual({ value: 'what-all-have-2' });
  });

  it('also stops when only an older version of an object differs', async () => {
    const leader = await cluster.leader();
    expect(await create(leader, 'changed', 'what-all-had')).toBe(201);
    const asker = new Asker(cluster.access, cluster.url(leader));
    const value = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'changed' },
      data: { value: 'what-all-have' },
    };
    const changed = await asker.insist('PUT', `${CMS}/changed`, value);
    asker.close();
    expect(changed).toMatchObject({ kind: 'answer', status: 200 });
    await alter('what-all-had', 'what-one-had');
    expect(cluster.output(differing)).toMatch(/stopped: the history of this peer differs .*Remove this member/);
  });
});
