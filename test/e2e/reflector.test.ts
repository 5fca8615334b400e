import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePorts } from '../../pkg/peer/testing/ports.js';
import { Client, type Credentials } from './client.js';
import { isBuilt, ServerProcess } from './process.js';
import { type Beginning, Reflector } from './reflector.js';

if (!isBuilt) console.warn('reflector tests skipped: dist/ is missing (npm run build)');

const CMS = '/api/v1/namespaces/default/configmaps';
/** Controllers are off, so that only the tests write. */
const ALONE = ['--controllers='];
const cm = (name: string, n: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { n: `${n}` },
});

function credentials(server: ServerProcess): Credentials {
  const read = (name: string): string => readFileSync(join(server.dataDir, 'pki', name), 'utf8');
  return { url: server.url, ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key') };
}

describe.skipIf(!isBuilt)('a reflector', () => {
  let data: string;
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'trireme-data-'));
  });
  afterEach(() => rmSync(data, { recursive: true, force: true }));

  /** Writes and deletes twelve names in a repeating order. Each call continues where the last one ended. */
  function writer(): (client: Client, writes: number) => Promise<void> {
    let n = 0;
    const there = new Set<string>();
    return async (client, writes) => {
      for (const end = n + writes; n < end; n++) {
        const name = `o${(n * 7) % 12}`;
        if (!there.has(name)) {
          expect((await client.ask(CMS, { body: cm(name, n) })).status).toBe(201);
          there.add(name);
        } else if (n % 5 === 0) {
          expect((await client.ask(`${CMS}/${name}`, { method: 'DELETE' })).status).toBe(200);
          there.delete(name);
        } else expect((await client.ask(`${CMS}/${name}`, { method: 'PUT', body: cm(name, n) })).status).toBe(200);
      }
    };
  }

  async function whatIsThere(client: Client): Promise<Map<string, string>> {
    const { items } = (await client.ask(CMS)).json() as { items: { metadata: Record<string, string> }[] };
    return new Map(items.map(({ metadata }) => [metadata['name']!, metadata['resourceVersion']!]));
  }

  const same = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
    a.size === b.size && [...a].every(([name, version]) => b.get(name) === version);

  it.each<Beginning>(['list', 'watch-list'])(
    'that begins with %s has the current objects, across broken connections and a restart, without starting over',
    async (beginning) => {
      const [port] = await freePorts(1);
      let server = await ServerProcess.start(data, port, ALONE);
      const write = writer();
      let client = new Client(credentials(server));
      await write(client, 30);
      const reflector = new Reflector(() => credentials(server), CMS, beginning);
      const running = reflector.run();
      try {
        for (let round = 0; round < 4; round++) {
          await write(client, 40);
          // From the second round on, the interrupted watch has delivered events.
          const there = await whatIsThere(client);
          await reflector.until((store) => same(store, there));
          reflector.cut();
          await write(client, 5);
        }
        client.close();
        await server.stop();
        server = await ServerProcess.start(data, port, ALONE);
        client = new Client(credentials(server));
        await write(client, 40);
        const there = await whatIsThere(client);
        await reflector.until((store) => same(store, there));
        expect([reflector.faults, reflector.beginnings]).toEqual([[], 1]);
        expect(reflector.resumed).toBeGreaterThan(2);
      } finally {
        reflector.stop();
        client.close();
        await server.stop();
        await running;
      }
    },
  );

  it.each<Beginning>(['list', 'watch-list'])(
    'that begins with %s starts over when its version is compacted, and only then',
    async (beginning) => {
      const [port] = await freePorts(1);
      let server = await ServerProcess.start(data, port, [...ALONE, '--auto-compaction-retention=1s']);
      const write = writer();
      let client = new Client(credentials(server));
      let away = false;
      const nowhere = { ...credentials(server), url: 'https://127.0.0.1:1' };
      const reflector = new Reflector(() => (away ? nowhere : credentials(server)), CMS, beginning);
      const running = reflector.run();
      try {
        await write(client, 20);
        await reflector.until((store) => store.size > 0);
        // The reflector is disconnected while history grows and is compacted, and the server drops its event cache.
        away = true;
        reflector.cut();
        const old = (await client.ask(CMS)).json().metadata.resourceVersion;
        await write(client, 20);
        const gone = async (): Promise<boolean> =>
          (await client.ask(`${CMS}?resourceVersion=${old}&resourceVersionMatch=Exact`)).status === 410;
        while (!(await gone())) await write(client, 1);
        client.close();
        await server.stop();
        server = await ServerProcess.start(data, port, [...ALONE, '--auto-compaction-retention=1s']);
        client = new Client(credentials(server));
        away = false;
        await write(client, 10);
        const there = await whatIsThere(client);
        await reflector.until((store) => same(store, there));
        expect([reflector.faults, reflector.beginnings]).toEqual([[], 2]);
      } finally {
        reflector.stop();
        client.close();
        await server.stop();
        await running;
      }
    },
  );
});
