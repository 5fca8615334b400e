import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import {
  type ApiObject,
  clientConfig,
  Informer,
  loadConfig,
  ResourceClient,
  RestClient,
} from '../../pkg/client/index.js';
import { systemWorld } from '../../pkg/server/index.js';
import { isBuilt, ServerProcess } from './process.js';

if (!isBuilt) console.warn('client tests skipped: dist/ is missing (npm run build)');

const folder = mkdtempSync(join(tmpdir(), 'trireme-apiclient-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CONFIGMAPS = { group: '', version: 'v1', resource: 'configmaps' };
const nameOf = ({ metadata }: ApiObject): string => String(metadata['name']);

function clientOf(server: ServerProcess): RestClient {
  const loaded = loadConfig({ file: server.kubeconfig, env: {}, read: (path) => readFileSync(path, 'utf8') });
  const config = clientConfig(loaded, { clock: systemWorld.clock, env: {}, isTerminal: false });
  return new RestClient(config, { world: systemWorld, userAgent: 'apiclient-test' });
}

it.skipIf(!isBuilt).each([true, false])(
  'has the objects of the server, also after the server was killed (streaming list: %s)',
  async (streaming) => {
    const dataDir = join(folder, String(streaming));
    let server = await ServerProcess.start(dataDir);
    const { port } = server;
    const client = clientOf(server);
    const resource = new ResourceClient(client, CONFIGMAPS, 'default');
    const seen = new Map<string, string[]>();
    const note = (object: ApiObject, what: string): void => {
      const all = seen.get(nameOf(object)) ?? [];
      seen.set(nameOf(object), [...all, what]);
    };
    const value = ({ data }: ApiObject): string => String((data as { readonly n?: string } | undefined)?.n);
    const create = (name: string): Promise<ApiObject> => resource.create({ metadata: { name }, data: { n: '0' } });
    await create('before');
    const informer = new Informer(
      resource,
      {
        added: (object) => note(object, `+${value(object)}`),
        updated: (_, object) => note(object, value(object)),
        deleted: (object) => note(object, '-'),
      },
      { streaming },
    ).start();
    try {
      await informer.synced();
      expect(informer.get('default', 'before')).toMatchObject({ data: { n: '0' } });
      await create('a');
      await resource.patch('a', 'merge', { data: { n: '1' } });
      for (let round = 0; round < 2; round++) {
        await create(`gone-${round}`);
        await server.kill();
        server = await ServerProcess.start(dataDir, port);
        // Written before the informer has connected again, usually.
        await resource.patch('a', 'merge', { data: { n: String(round + 2) } });
        await resource.delete(`gone-${round}`);
        await create(`new-${round}`);
      }
      const there = await resource.list();
      const expected = there.items.map((object) => `${nameOf(object)} ${String(object.metadata['resourceVersion'])}`);
      const found = (): readonly string[] =>
        informer.list().map((object) => `${nameOf(object)} ${String(object.metadata['resourceVersion'])}`);
      const isCurrent = (): boolean => JSON.stringify([...found()].sort()) === JSON.stringify([...expected].sort());
      for (let i = 0; i < 600 && !isCurrent(); i++) await new Promise((resolve) => setTimeout(resolve, 50));
      expect([...found()].sort()).toEqual([...expected].sort());
      expect(seen.get('a')).toEqual(['+0', '1', '2', '3']);
      expect(seen.get('new-1')).toEqual(['+0']);
      expect(seen.get('gone-0')).toEqual(['+0', '-']);
    } finally {
      await informer.stop();
      client.close();
      await server.stop();
    }
  },
  180_000,
);
