import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePorts } from '../../pkg/peer/testing/ports.js';
import { Client, type Credentials, WatchLines } from './client.js';
import { isBuilt, ServerProcess } from './process.js';

if (!isBuilt) console.warn('process tests skipped: dist/ is missing (npm run build)');

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'trireme-data-'));
});
afterEach(() => {
  chmodSync(data, 0o700);
  rmSync(data, { recursive: true, force: true });
});

function credentials(server: ServerProcess): Credentials {
  const read = (name: string): string => readFileSync(join(server.dataDir, 'pki', name), 'utf8');
  return { url: server.url, ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key') };
}

const CMS = '/api/v1/namespaces/default/configmaps';
const cm = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

async function until(isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + 60_000; !isSo(); await new Promise((r) => setTimeout(r, 10))) {
    if (performance.now() > end) throw new Error('did not come about');
  }
}

describe.skipIf(!isBuilt)('a start', () => {
  it('creates keys, prints how to use them, and keeps all objects over a restart', async () => {
    const [port] = await freePorts(1);
    let server = await ServerProcess.start(data, port);
    expect(server.kubeconfig).toBe(join(data, 'admin.kubeconfig'));
    expect(statSync(server.kubeconfig).mode & 0o777).toBe(0o600);
    const first = readFileSync(server.kubeconfig, 'utf8');
    let client = new Client(credentials(server));
    const made = (await client.ask(CMS, { body: cm('kept') })).json();
    client.close();
    const ended = await server.stop();
    expect([ended.code, ended.err]).toEqual([0, '']);
    server = await ServerProcess.start(data, port);
    expect(readFileSync(server.kubeconfig, 'utf8')).toBe(first);
    client = new Client(credentials(server));
    expect((await client.ask(`${CMS}/kept`)).json()).toEqual(made);
    client.close();
    await server.stop();
  });

  it('keeps acknowledged writes when it is killed', async () => {
    let server = await ServerProcess.start(data);
    let client = new Client(credentials(server));
    const names: string[] = [];
    const writing = (async () => {
      for (let i = 0; ; i++) {
        const r = await client.ask(CMS, { body: cm(`k-${i}`) });
        if (r.status === 201) names.push(`k-${i}`);
      }
    })().catch(() => {});
    await until(() => names.length > 20);
    await server.kill();
    await writing;
    client.close();
    expect(names.length).toBeGreaterThan(0);
    server = await ServerProcess.start(data);
    client = new Client(credentials(server));
    const there = new Set(
      (await client.ask(CMS)).json().items.map((o: { metadata: { name: string } }) => o.metadata.name),
    );
    expect(names.filter((n) => !there.has(n))).toEqual([]);
    client.close();
    await server.stop();
  });
});

// Only Linux lists the threads of a process.
describe.skipIf(!isBuilt || process.platform !== 'linux')('the thread pool', () => {
  async function threads(size: string | undefined): Promise<number> {
    const server = await ServerProcess.start(data, 0, [], { UV_THREADPOOL_SIZE: size });
    // The number of the store's threads, which have their own names, varies.
    const tasks = `/proc/${server.pid}/task`;
    const count = readdirSync(tasks).filter((id) => readFileSync(join(tasks, id, 'comm'), 'utf8') === 'node\n').length;
    await server.stop();
    return count;
  }

  it('has 16 threads unless the operator sets another number', async () => {
    const few = await threads('4');
    expect([await threads('5'), await threads(undefined)]).toEqual([few + 1, few + 12]);
  });
});

describe.skipIf(!isBuilt)('a start that fails or warns', () => {
  it('warns about admission plug-ins that cannot be disabled', async () => {
    const flags = ['--log-level=warn', '--disable-admission-plugins=NamespaceLifecycle'];
    const { out, err } = await (await ServerProcess.start(data, 0, flags)).stop();
    expect(
      (out + err).match(/"msg":"--disable-admission-plugins: cannot be disabled, no effect: NamespaceLifecycle"/g),
    ).toHaveLength(1);
  });
});

describe.skipIf(!isBuilt)('a start that fails', () => {
  it('reports that the port is in use', async () => {
    const taken: Server = await new Promise((resolve) => {
      const s = createServer().listen(0, '127.0.0.1', () => resolve(s));
    });
    const { port } = taken.address() as { port: number };
    const ended = await ServerProcess.run(data, port);
    taken.close();
    expect(ended.code).toBe(1);
    expect(ended.err).toBe(
      `trireme-apiserver: port ${port} on 127.0.0.1 is taken by another process (--secure-port)\n`,
    );
  });

  it('reports that the data folder is in use', async () => {
    const server = await ServerProcess.start(data);
    const ended = await ServerProcess.run(data, 0);
    expect([ended.code, ended.err]).toEqual([
      1,
      `trireme-apiserver: data folder ${data} is in use by process ${server.pid}\n`,
    ]);
    expect((await new Client(credentials(server)).ask('/livez')).status).toBe(200);
    await server.stop();
  });

  it('reports that the data folder is not writable', async () => {
    if (process.getuid?.() === 0) {
      // root may write everywhere, so the test puts a file in the place of the folder.
      const file = join(data, 'file');
      writeFileSync(file, '');
      const ended = await ServerProcess.run(file, 0);
      expect(ended.code).toBe(1);
      expect(ended.err).toMatch(/^trireme-apiserver: not a folder: .*\n$/);
      return;
    }
    chmodSync(data, 0o500);
    const ended = await ServerProcess.run(data, 0);
    expect(ended.code).toBe(1);
    expect(ended.err).toMatch(/^trireme-apiserver: no permission: .*\n$/);
  });

  it('reports errors in the command line', async () => {
    const ended = await ServerProcess.run(data, 0, ['--nonsense']);
    expect([ended.code, ended.err]).toEqual([2, 'trireme-apiserver: unknown flag --nonsense (see --help)\n']);
  });

  it('reports that the store is damaged', async () => {
    const server = await ServerProcess.start(data);
    const client = new Client(credentials(server));
    for (let i = 0; i < 30; i++) await client.ask(CMS, { body: cm(`d-${i}`) });
    client.close();
    await server.kill();
    // Corrupt a byte of an acknowledged entry, not of a torn tail.
    const wal = join(data, 'wal');
    const segment = join(
      wal,
      readdirSync(wal)
        .filter((f) => statSync(join(wal, f)).size > 0)
        .sort()[0]!,
    );
    const bytes = readFileSync(segment);
    const end = bytes.findLastIndex((b) => b !== 0);
    let at = Math.floor(end / 2);
    while (bytes[at] === 0) at++;
    bytes[at] = bytes[at]! ^ 0xff;
    writeFileSync(segment, bytes);
    const ended = await ServerProcess.run(data, 0);
    expect(ended.code).toBe(1);
    expect(ended.err.trimEnd().split('\n').length).toBe(1);
    expect(ended.err).toMatch(/^trireme-apiserver: .*(?:damaged|corrupt|checksum)/i);
  });
});

describe.skipIf(!isBuilt)('SIGTERM', () => {
  let server: ServerProcess;
  let client: Client;
  beforeEach(async () => {
    server = await ServerProcess.start(data);
    client = new Client(credentials(server));
  });
  afterEach(async () => {
    client.close();
    await server.stop();
  });

  it.each([false, true])('closes watches cleanly (HTTP/2: %s)', async (http2) => {
    const watcher = new Client(credentials(server), { http2 });
    const watch = watcher.watch(`${CMS}?watch=1`);
    await client.ask(CMS, { body: cm('seen') });
    await watch.until((w) => w.events.some((e) => e.object.metadata.name === 'seen'));
    server.terminate();
    await watch.until((w) => w.ended);
    expect(watch.failed).toBe(false);
    expect(await server.ended).toMatchObject({ code: 0, err: '' });
    watcher.close();
  });

  it.each([false, true])('finishes a long response that is not an object (HTTP/2: %s)', async (http2) => {
    for (let i = 0; i < 40; i++)
      await client.ask(CMS, { body: { ...cm(`fat-${i}`), data: { k: randomBytes(400_000).toString('hex') } } });
    const reader = new Client(credentials(server), { http2 });
    const download = await reader.slowly('/peer/v1/snapshot');
    // The buffers of both sides are full; the rest waits until the client reads.
    server.terminate();
    await new Promise((r) => setTimeout(r, 500));
    const whole = await download();
    expect([whole.complete, whole.bytes > 30_000_000]).toEqual([true, true]);
    expect((await server.ended).code).toBe(0);
    reader.close();
  });

  it('finishes requests in flight', async () => {
    const made: number[] = [];
    let stopped = false;
    const writers = Array.from({ length: 8 }, async (_, w) => {
      for (let i = 0; !stopped; i++) {
        const r = await client.ask(CMS, { body: cm(`t-${w}-${i}`) }).catch(() => undefined);
        if (r === undefined) return;
        made.push(r.status);
      }
    });
    await until(() => made.length > 20);
    server.terminate();
    const ended = await server.ended;
    stopped = true;
    await Promise.all(writers);
    expect(ended.code).toBe(0);
    // Every response is complete.
    expect(new Set(made)).toEqual(new Set([201]));
  });

  it('closes the connection of a client that does not disconnect', async () => {
    await server.stop();
    client.close();
    server = await ServerProcess.start(data, 0, ['--shutdown-grace-duration=1s']);
    client = new Client(credentials(server));
    const socket = await client.raw();
    socket.write(`POST ${CMS} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n`);
    const idle = WatchLines.over1(credentials(server), `${CMS}?watch=1`);
    await client.ask('/livez');
    server.terminate();
    expect((await server.ended).code).toBe(0);
    idle.close();
    socket.destroy();
  });
});
