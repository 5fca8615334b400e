import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rocksHome } from '../../pkg/storage/index.js';
import { readRow, readRowKey, rowsEnd, writeRow } from '../../pkg/storage/mvcc/row.js';
import { Cluster, isBuilt } from './cluster.js';
import { Asker } from './http.js';

if (!isBuilt) console.warn('a differing state skipped: dist/ is missing (npm run build)');

const CMS = '/api/v1/namespaces/default/configmaps';
const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Makes another value of one, in the newest row that holds it, with a checksum that fits: no check at the start can see it. */
async function alter(stateFolder: string, from: string, to: string): Promise<void> {
  const engine = await rocksHome(stateFolder).open();
  const scan = engine.scan({ gte: Buffer.from('v'), lt: rowsEnd, reverse: true });
  try {
    for (let page = await scan.next(); page !== undefined; page = await scan.next()) {
      for (const [i, key] of page.keys.entries()) {
        const at = readRowKey(key)!;
        const row = readRow(at, page.values[i]!)!;
        const place = row.value.indexOf(from);
        if (place < 0) continue;
        const value = Buffer.from(row.value);
        value.write(to, place);
        const batch = engine.batch();
        const changed = writeRow(at, row.kind, row.createRevision, row.previous, row.expiresAt, row.key, value);
        batch.put(key, changed.bytes);
        await batch.write({ sync: true });
        return;
      }
    }
    throw new Error(`no row in ${stateFolder} holds ${from}`);
  } finally {
    await scan.close();
    await engine.close();
  }
}

describe.skipIf(!isBuilt).sequential('a peer whose state differs from that of the others', () => {
  let cluster: Cluster;
  let differing = '';
  beforeAll(async () => {
    cluster = await Cluster.start();
  }, 120_000);
  afterAll(() => cluster?.close());

  async function create(through: string, name: string, value: string): Promise<number> {
    const asker = new Asker(cluster.access, cluster.url(through));
    try {
      const made = await asker.ask('POST', CMS, {
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

  it('stops, and says why', async () => {
    differing = cluster.names.find((name) => name !== 'a')!;
    for (let i = 0; i < 5; i++) expect(await create('a', `object-${i}`, `what-all-have-${i}`)).toBe(201);
    await cluster.stop(differing);
    await alter(join(cluster.dataDir(differing), 'db'), 'what-all-have-2', 'what-one-has--2');
    // Whether it was ready for a moment first is a matter of time.
    await cluster.up(differing).catch(() => {});
    const end = performance.now() + 30_000;
    while (cluster.isUp(differing)) {
      if (performance.now() > end) throw new Error('it goes on serving');
      await wait(50);
    }
    expect(cluster.output(differing)).toMatch(
      /stopped: the state of this peer differs from that of most peers at revision \d+ .*Remove this member/,
    );
  }, 90_000);

  it('does not start again on that state', async () => {
    await expect(cluster.up(differing)).rejects.toThrow(/the state of this peer differs .*Remove this member/);
  }, 60_000);

  it('is shown as gone, while the others go on', async () => {
    const others = cluster.names.filter((name) => name !== differing);
    await cluster.leader();
    for (const name of others) expect(await create(name, `after-${name}`, 'x')).toBe(201);
    const status = await cluster.ctl('status');
    expect(status.code).toBe(1);
    const lines = status.out.split('\n').filter((line) => line.startsWith('https://'));
    expect(lines.filter((line) => /\bok\s*$/.test(line)).length, status.out).toBe(2);
    const gone = lines.find((line) => line.startsWith(cluster.url(differing)))!;
    expect(gone).toMatch(/refused|not reach|ECONNREFUSED/i);
    // The others, too, were told; and neither was taken for the wrong one.
    expect(others.map((name) => cluster.isUp(name))).toEqual([true, true]);
  }, 60_000);

  it('comes back as a member that was added anew, with the state of the others', async () => {
    const members = await cluster.ctl('member', 'list', '-o', 'json');
    const { id } = (JSON.parse(members.out) as { id: number; name: string }[]).find((m) => m.name === differing)!;
    const removed = await cluster.ctl('member', 'remove', id.toString(16));
    expect(removed.code, removed.out).toBe(0);
    await cluster.rejoin(differing);
    const asker = new Asker(cluster.access, cluster.url(differing));
    const read = await asker.ask('GET', `${CMS}/object-2?resourceVersion=0`);
    asker.close();
    expect(read.kind === 'answer' && read.body['data']).toEqual({ value: 'what-all-have-2' });
  }, 90_000);
});
