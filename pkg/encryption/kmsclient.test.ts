import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KmsPlugin } from '../../test/kms/plugin.js';
import { testWorld } from '../storage/testworld.js';
import { connectKms } from './encryption.js';
import type { KmsService } from './kms.js';
import { TransformationMetrics } from './metrics.js';

let folder = '';
let plugin: KmsPlugin;
const opened: KmsService[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-kms-'));
  plugin = new KmsPlugin(join(folder, 'kms.sock'));
});

afterEach(async () => {
  for (const service of opened.splice(0)) service.close();
  await plugin.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A connection to the plug-in. `timeout` in milliseconds. */
async function connect(timeout: number): Promise<KmsService> {
  const { clock } = testWorld(0, 1);
  const service = await connectKms(
    { name: 'test', endpoint: plugin.endpoint, timeout },
    { ...clock, now: () => Date.now() },
    new TransformationMetrics(clock),
  );
  opened.push(service);
  return service;
}

describe('a connection to a KMS plug-in', () => {
  it('waits for a plug-in that restarts', async () => {
    const service = await connect(60_000);
    const sealing = service.encrypt('1', Buffer.from('seed'));
    const status = service.status();
    await plugin.start();
    expect((await sealing).keyId).toBe('key-1');
    expect((await status).keyId).toBe('key-1');
  });

  it('reports an absent plug-in with the text of kube-apiserver', async () => {
    const service = await connect(300);
    const path = join(folder, 'kms.sock');
    const dialed = `transport: Error while dialing: dial unix ${path}: connect: no such file or directory`;
    await expect(service.status()).rejects.toThrow(
      `rpc error: code = DeadlineExceeded desc = latest balancer error: connection error: desc = "${dialed}"`,
    );
  });

  it('reports a plug-in that hangs with the text of kube-apiserver', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => {})));
    await new Promise<void>((resolve) => silent.listen(join(folder, 'kms.sock'), resolve));
    const service = await connect(300);
    await expect(service.status()).rejects.toThrow(
      /^rpc error: code = DeadlineExceeded desc = context deadline exceeded$/,
    );
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('is replaced after responses that are too large', async () => {
    await plugin.start();
    const service = await connect(60_000);
    plugin.healthz = 'x'.repeat(4_000_000);
    for (let i = 0; i < 8; i++) await expect(service.status()).rejects.toThrow('message larger than max');
    plugin.healthz = 'ok';
    expect((await service.status()).healthz).toBe('ok');
  });

  it('does not wait for each key of an absent plug-in, and decrypts again when it is back', async () => {
    const service = await connect(300);
    await expect(service.status()).rejects.toThrow('DeadlineExceeded');
    const key = { ciphertext: Buffer.from('x'), keyId: 'key-1', annotations: {} };
    const refusal = (): Promise<string> => service.decrypt('1', key).then(String, String);
    await expect.poll(refusal, { timeout: 60_000 }).toContain('rpc error: code = Unavailable');
    await plugin.start();
    const roundTrip = async (): Promise<string> => {
      await service.status();
      return Buffer.from(await service.decrypt('3', await service.encrypt('2', Buffer.from('seed')))).toString();
    };
    await expect.poll(() => roundTrip().catch(String), { timeout: 60_000 }).toBe('seed');
  });
});
