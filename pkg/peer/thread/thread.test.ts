import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { type Revision, revision, type World } from '../../base/index.js';
import type { AppliedEvent, Keyspace } from '../../storage/index.js';
import { openPeer } from '../compose/peer.js';
import type { PeerKeyspace } from '../requests/keyspace.js';
import type { SoleMemberCell } from '../requests/solemember.js';
import { soloConfig, temporaryFolder } from '../testing/solo.js';
import { connectKeyspace, type RemoteKeyspace, UNKNOWN_STATUS } from './connect.js';
import { PEER_THREAD_NICENESS } from './priority.js';
import { serveKeyspace } from './serve.js';
import { threadWorld } from './world.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A world in which no deadline passes, so that no outcome depends on the load of the machine: timers run, but the clock stands still. */
function patientWorld(): World {
  const world = threadWorld();
  return { ...world, clock: { ...world.clock, monotonic: () => 0 } };
}

/** `timers` are those of the far end of the port. */
async function overPort(timers = threadWorld().timers): Promise<{
  readonly near: RemoteKeyspace;
  readonly far: Keyspace;
  readonly port: MessagePort;
  readonly soleCell: SoleMemberCell;
  /** Calls that have reached the peer. */
  readonly asked: { reads: number };
}> {
  let progressed = (): void => {};
  const peer = await openPeer(soloConfig(), patientWorld(), { progressed: () => progressed() });
  for (let i = 0; i < 10_000 && !peer.keyspace.status().isLeader; i++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const { port1, port2 } = new MessageChannel();
  const calls = {
    double: (n: unknown) => Number(n) * 2,
    fail: () => {
      throw new Error('it does not work');
    },
  };
  const asked = { reads: 0 };
  const counted: PeerKeyspace = {
    ...peer.keyspace,
    readIndex: () => {
      asked.reads++;
      return peer.keyspace.readIndex();
    },
  };
  const served = serveKeyspace(port2, counted, calls, timers);
  progressed = served.progressed;
  void served.closed.then(() => port2.close());
  const { soleCell } = peer.keyspace;
  const near = connectKeyspace(port1, { status: peer.keyspace.status(), soleCell }, threadWorld().timers);
  cleanups.push(() => near.close());
  return { near, far: peer.keyspace, port: port1, soleCell, asked };
}

async function put(keyspace: Keyspace, key: string, bytes: number): Promise<Revision> {
  const result = await keyspace.txn({ compares: [], ops: [{ kind: 'put', key, value: Buffer.alloc(bytes, key) }] });
  if (result.kind !== 'committed') throw new Error(JSON.stringify(result));
  return result.revision;
}

/**
 * Whether this system has priorities of single threads and this user may raise them: tried in a process that ends at
 * once.
 */
function mayRaisePriority(): boolean {
  const script = `require('node:os').setPriority(0, ${PEER_THREAD_NICENESS})`;
  return (
    existsSync('/proc/thread-self') && spawnSync(process.execPath, ['-e', script], { stdio: 'ignore' }).status === 0
  );
}

function nicenessOfThreads(): readonly number[] {
  return readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)));
}

describe('the thread boundary', () => {
  it('pauses a watch that is not read, and loses and repeats nothing when it resumes', async () => {
    const { near, far } = await overPort();
    const seen: AppliedEvent[] = [];
    near.watch(
      { start: '/', end: '0', after: revision(0), previous: false },
      { events: (batch) => void seen.push(...batch), end: () => {} },
    );
    // All in one turn of this thread: no event is acknowledged meanwhile, and they exceed the limit of unacknowledged
    // bytes.
    const writes = Array.from({ length: 50 }, (_, i) => put(far, `/k${i}`, 1_000_000));
    const last = (await Promise.all(writes)).at(-1)!;
    while (seen.at(-1)?.revision !== last) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(seen.length).toBe(50);
    expect(seen.map((event) => event.revision)).toEqual([...seen.map((event) => event.revision)].sort((a, b) => a - b));
  });

  it('does not wake the serving thread for each apply, but updates its status after a while', async () => {
    const due: (() => void)[] = [];
    const after = (_milliseconds: number, f: () => void) => {
      due.push(f);
      return () => {};
    };
    const { near, far, port } = await overPort({ ...threadWorld().timers, after });
    await put(near, '/first', 1);
    let messages = 0;
    port.on('message', () => messages++);
    for (let i = 0; i < 20; i++) await put(far, `/k${i}`, 1);
    // Messages that the far end has sent by now arrive before the answer to this request.
    const before = near.status().applied;
    await near.call('double', 1);
    expect(messages).toBe(1);
    expect(near.status().applied).toBeGreaterThan(before);

    const last = await put(far, '/last', 1);
    expect(due).toHaveLength(1);
    due[0]!();
    while (near.status().applied < last) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(messages).toBe(2);
  });

  it('asks once for a linearizable read while its peer is the only member, and again afterwards', async () => {
    const { near, soleCell, asked } = await overPort();
    const first = await near.readIndex();
    const written = await put(near, '/a', 1);
    expect(await near.readIndex()).toEqual({ kind: 'ok', revision: written });
    // A conflict tells of the state at its revision.
    const compares = [{ key: '/a', modRevision: revision(0) }];
    const conflict = await near.txn({ compares, ops: [{ kind: 'delete', key: '/a' }] });
    expect(conflict).toEqual({ kind: 'conflict', key: '/a', revision: written + 1 });
    expect(await near.readIndex()).toEqual({ kind: 'ok', revision: written + 1 });
    expect(first).toMatchObject({ kind: 'ok', sole: soleCell[0] });
    expect(asked.reads).toBe(1);
    // Another member joins.
    Atomics.store(soleCell, 0, 0);
    expect(await near.readIndex()).toMatchObject({ kind: 'ok' });
    expect(asked.reads).toBe(2);
  });

  it('copies small values', async () => {
    const { near } = await overPort();
    await put(near, '/a', 100);
    await put(near, '/b', 100);
    const result = await near.range({ start: '/', end: '0' });
    if (result.kind !== 'ok') throw new Error(result.kind);
    for (const { value } of result.items) expect(value.buffer.byteLength).toBe(100);
  });

  it('does not copy large values of a range', async () => {
    const { near } = await overPort();
    await put(near, '/a', 100_000);
    await put(near, '/b', 100_001);
    const result = await near.range({ start: '/', end: '0' });
    if (result.kind !== 'ok') throw new Error(result.kind);
    const [a, b] = result.items.map(({ value }) => value);
    expect(Buffer.compare(a!, Buffer.alloc(100_000, '/a'))).toBe(0);
    expect(Buffer.compare(b!, Buffer.alloc(100_001, '/b'))).toBe(0);
    expect(a!.buffer).toBe(b!.buffer);
  });

  it('carries control calls and their errors', async () => {
    const { near } = await overPort();
    expect(await near.call('double', 21)).toBe(42);
    await expect(near.call('fail')).rejects.toThrow('it does not work');
    await expect(near.call('unheard of')).rejects.toThrow('unknown control call unheard of');
  });

  it('reports errors of closing', async () => {
    const { port1, port2 } = new MessageChannel();
    const keyspace = {
      status: () => UNKNOWN_STATUS,
      close: () => Promise.reject(new Error('the disk failed')),
    } as unknown as PeerKeyspace;
    void serveKeyspace(port2, keyspace, {}, threadWorld().timers).closed.then(() => port2.close());
    const soleCell = new Int32Array(new SharedArrayBuffer(4));
    const near = connectKeyspace(port1, { status: UNKNOWN_STATUS, soleCell }, threadWorld().timers);
    await expect(near.close()).rejects.toThrow('the disk failed');
    expect(await near.readIndex()).toMatchObject({ kind: 'refused', reason: 'stopping' });
  });

  it('answers each caller when the other side is lost', async () => {
    const { near } = await overPort();
    let ended: unknown;
    near.watch(
      { start: '/', end: '0', after: revision(0), previous: false },
      {
        events: () => {},
        end: (why) => {
          ended = why;
        },
      },
    );
    const write = put(near, '/a', 1).catch((error: Error) => error.message);
    const read = near.readIndex();
    const range = near.range({ start: '/', end: '0' });
    near.lost('it broke');
    expect(await write).toMatch(/unknown.*it broke/);
    expect(await read).toMatchObject({ kind: 'refused', reason: 'stopping' });
    await expect(range).rejects.toThrow('it broke');
    expect(ended).toEqual({ kind: 'stopped', message: 'it broke' });
    expect(near.status().hasLeader).toBe(false);
  });

  it('runs a peer in a worker of the compiled program', async () => {
    const built = join(import.meta.dirname, '../../../dist/pkg/peer/index.js');
    if (!existsSync(built)) {
      process.stdout.write('the peer in a worker is not tried: dist/ is not built\n');
      return;
    }
    const { openPeerThread } = (await import(built)) as typeof import('../index.js');
    const folder = temporaryFolder();
    cleanups.push(() => folder.remove());
    const fatal: Error[] = [];
    const peer = await openPeerThread(soloConfig({ dataDir: folder.path }), { fatal: (error) => fatal.push(error) });
    cleanups.push(() => peer.close());
    await put(peer, '/a', 3);
    expect((await peer.readIndex()).kind).toBe('ok');
    expect((await peer.report()).role).toBe('leader');
    if (mayRaisePriority()) expect(nicenessOfThreads()).toContain(PEER_THREAD_NICENESS);
    expect(fatal).toEqual([]);
    const second = openPeerThread(soloConfig({ dataDir: folder.path }), {});
    await expect(second).rejects.toThrow(/in use by another process/);
  });
});
