import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster, isBuilt } from '../chaos/cluster.js';
import { Client } from './client.js';

if (!isBuilt) console.warn('cluster tests skipped: dist/ is missing (npm run build)');

const CMS = '/api/v1/namespaces/default/configmaps';
const cm = (name: string, v = ''): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { v } });

let cluster: Cluster;
const clients = new Map<string, Client>();

function client(name: string): Client {
  let found = clients.get(name);
  if (found === undefined) {
    const { ca, cert, key } = cluster.access;
    found = new Client({ url: cluster.url(name), ca, cert, key });
    clients.set(name, found);
  }
  return found;
}

/** Retries until the server accepts the request, as clients do. An earlier accepted attempt counts. */
async function createAgain(names: readonly string[], object: string): Promise<void> {
  const end = performance.now() + 60_000;
  for (let i = 0; ; i++) {
    const name = names[i % names.length]!;
    try {
      const { status } = await client(name).ask(CMS, { body: cm(object) });
      if (status === 201 || status === 409) return;
    } catch {
      // Try the next peer.
    }
    if (performance.now() > end) throw new Error(`${object} was not taken`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

beforeAll(async () => {
  if (isBuilt) cluster = await Cluster.start();
});

afterAll(async () => {
  for (const c of clients.values()) c.close();
  await cluster?.close();
});

describe.skipIf(!isBuilt).sequential('three peers', () => {
  it('serve one API: a write through one peer is visible on all', async () => {
    const [first = '', ...others] = cluster.names;
    const made = await client(first).ask(CMS, { body: cm('shared', 'x') });
    expect(made.status).toBe(201);
    for (const name of others) expect((await client(name).ask(`${CMS}/shared`)).json()).toEqual(made.json());
  });

  it('created the bootstrap objects once', async () => {
    const lists = await Promise.all(cluster.names.map((name) => client(name).ask('/api/v1/namespaces')));
    const [one, two, three] = lists.map((l) => l.json().items);
    expect(one.map((o: { metadata: { name: string } }) => o.metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
    expect([two, three]).toEqual([one, one]);
  });

  it('run controllers on the leader: a namespace is deleted with its objects', async () => {
    const [a = '', b = '', c = ''] = cluster.names;
    await client(a).ask('/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gone' } },
    });
    await client(b).ask('/api/v1/namespaces/gone/configmaps', { body: cm('in-it') });
    const watch = client(c).watch('/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dgone');
    await client(c).ask('/api/v1/namespaces/gone', { method: 'DELETE' });
    await watch.until((w) => w.events.some((e) => e.type === 'DELETED'), 60_000);
    watch.close();
  });

  it('deliver writes through one peer to a watch on another', async () => {
    const [a = '', b = ''] = cluster.names;
    const at = (await client(b).ask(`${CMS}?limit=1`)).json().metadata.resourceVersion;
    const watch = client(b).watch(`${CMS}?watch=true&resourceVersion=${at}`);
    for (let i = 0; i < 5; i++) await client(a).ask(CMS, { body: cm(`seen-${i}`) });
    // A controller may write here too.
    const seen = (w: typeof watch): readonly string[] =>
      w.events.map((e) => `${e.type} ${e.object.metadata.name}`).filter((line) => line.includes('seen-'));
    await watch.until((w) => seen(w).length >= 5);
    expect(seen(watch)).toEqual([0, 1, 2, 3, 4].map((i) => `ADDED seen-${i}`));
    watch.close();
  });

  it('report the leader, and transfer leadership', async () => {
    const before = await cluster.leader();
    const moved = await cluster.ctl('move-leader');
    expect(moved.out).toBe('leadership moved\n');
    expect(await cluster.leader()).not.toBe(before);
    const rows = JSON.parse((await cluster.ctl('status', '-o', 'json')).out);
    expect(rows.map((r: { health: string }) => r.health)).toEqual(['ok', 'ok', 'ok']);
    expect(rows.filter((r: { role: string }) => r.role === 'leader').length).toBe(1);
  });

  it('lose no acknowledged write when the leader fails', async () => {
    const leader = await cluster.leader();
    const rest = cluster.names.filter((n) => n !== leader);
    expect((await client(leader).ask(CMS, { body: cm('before') })).status).toBe(201);
    await cluster.kill(leader);
    await createAgain(rest, 'after');
    const endpoint = ['--endpoints', cluster.url(rest[0]!)];
    // Two of three are left: without one of them there would be no majority.
    const refused = await cluster.ctl('member', 'remove', rest[1]!, ...endpoint);
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/too few of the voters/);
    const status = await cluster.ctl('status', '-o', 'json');
    expect(status.code).toBe(1);
    const health = new Map(
      JSON.parse(status.out).map((r: { endpoint: string; health: string }) => [r.endpoint, r.health]),
    );
    expect(health.get(cluster.url(leader))).toMatch(/no server listens there/);
    expect(rest.map((name) => health.get(cluster.url(name)))).toEqual(['ok', 'ok']);
    for (const name of rest)
      for (const object of ['before', 'after'])
        expect((await client(name).ask(`${CMS}/${object}`)).status, `${object} by ${name}`).toBe(200);
    await cluster.up(leader);
    expect((await client(leader).ask(`${CMS}/after`)).status).toBe(200);
  });

  it('serve requests through a rolling restart under load', async () => {
    let stop = false;
    let written = 0;
    const writing = (async () => {
      for (; !stop; written++) await createAgain(cluster.names, `rolling-${written}`);
    })();
    for (const name of cluster.names) {
      await cluster.stop(name);
      await cluster.up(name);
    }
    stop = true;
    await writing;
    const list = (await client(cluster.names[0]!).ask(CMS)).json();
    const there = new Set(list.items.map((o: { metadata: { name: string } }) => o.metadata.name));
    const lost = Array.from({ length: written }, (_, i) => `rolling-${i}`).filter((n) => !there.has(n));
    expect(lost).toEqual([]);
  });

  it('add a fourth peer as a learner, promote it, and remove it', async () => {
    const url = await cluster.planJoin('d');
    const added = await cluster.ctl('member', 'add', 'd', '--peer-urls', url, '--endpoints', cluster.url('a'));
    expect(added.out).toMatch(/^member [0-9a-f]+ added/);
    expect(added.out).toContain(`,d=${url}\nwith --servers as at first.`);
    await cluster.up('d');
    const end = performance.now() + 60_000;
    const role = async (): Promise<string> => (await cluster.status('d')).role;
    while ((await role()) === 'learner' && performance.now() < end) await new Promise((r) => setTimeout(r, 100));
    expect(await role()).not.toBe('learner');
    expect((await client('d').ask(CMS, { body: cm('by-the-fourth') })).status).toBe(201);
    expect((await client('a').ask(`${CMS}/by-the-fourth`)).status).toBe(200);
    const removed = await cluster.ctl('member', 'remove', 'd', '--endpoints', cluster.url('a'));
    expect(removed.out).toMatch(/removed\n$/);
    const list = JSON.parse((await cluster.ctl('member', 'list', '-o', 'json', '--endpoints', cluster.url('a'))).out);
    expect(list.map((m: { name: string }) => m.name).sort()).toEqual(['a', 'b', 'c']);
    await cluster.kill('d');
  });

  it('recover from the loss of two peers with a new cluster of the third', async () => {
    const names = ['a', 'b', 'c'];
    const before = 'before-the-loss';
    await createAgain(names, before);
    expect((await client('a').ask(`${CMS}/${before}`)).status).toBe(200);
    for (const name of names) await cluster.kill(name);
    // The data of two peers is lost. The third has the write, because it was read there.
    for (const name of ['b', 'c']) rmSync(join(cluster.folder, name, 'db'), { recursive: true });
    await cluster.up('a', ['--force-new-cluster']);
    await createAgain(['a'], 'after-the-loss');
    expect((await client('a').ask(`${CMS}/${before}`)).status).toBe(200);
    const list = async (): Promise<{ name: string }[]> =>
      JSON.parse((await cluster.ctl('member', 'list', '-o', 'json', '--endpoints', cluster.url('a'))).out);
    expect((await list()).map(({ name }) => name)).toEqual(['a']);
    // The flag is for one start; with it again, nothing changes.
    await cluster.kill('a');
    await cluster.up('a');
    await createAgain(['a'], 'after-the-restart');
    // The others come back as new members.
    const url = await cluster.planJoin('e');
    expect((await cluster.ctl('member', 'add', 'e', '--peer-urls', url, '--endpoints', cluster.url('a'))).code).toBe(0);
    await cluster.up('e');
    expect((await client('e').ask(`${CMS}/${before}`)).status).toBe(200);
  });
});
