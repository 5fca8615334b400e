import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../pkg/peer/testing/ports.js';
import { KubectlRunner, oldestAndNewest } from './kubectl.js';
import { ServerProcess } from './process.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'manifests');
const kubectl = oldestAndNewest().at(-1);
if (kubectl === undefined) console.warn('manifest tests skipped: no kubectl in the path');
const files = readdirSync(folder).filter((f) => f.endsWith('.yaml'));

describe.skipIf(kubectl === undefined).each(files)('%s', (file) => {
  const path = join(folder, file);
  let data: string;
  let server: ServerProcess;
  let k: KubectlRunner;

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'trireme-data-'));
    server = await ServerProcess.start(data, (await freePorts(1))[0]);
    k = new KubectlRunner(kubectl!, server.kubeconfig);
  });

  afterAll(async () => {
    k?.close();
    await server?.stop();
    if (data !== undefined) rmSync(data, { recursive: true, force: true });
  });

  it('applies once, shows no difference, and does not change when applied again', async () => {
    expect(await k.ok(`apply -f ${path}`)).toMatch(/created/);
    expect(await k.ok(`diff -f ${path}`)).toBe('');
    const before = await k.ok(`get -f ${path} -o json`);
    expect(await k.ok(`apply -f ${path}`)).not.toMatch(/created/);
    expect(await k.ok(`get -f ${path} -o json`)).toBe(before);
  });

  it('survives a restart', async () => {
    const before = await k.ok(`get -f ${path} -o json`);
    await server.stop();
    server = await ServerProcess.start(data, server.port);
    expect(await k.ok(`get -f ${path} -o json`)).toBe(before);
    expect(await k.ok(`diff -f ${path}`)).toBe('');
  });

  it('survives a kill of the server', async () => {
    await k.ok(`annotate -f ${path} killed=soon`);
    const before = await k.ok(`get -f ${path} -o json`);
    await server.kill();
    server = await ServerProcess.start(data, server.port);
    expect(await k.ok(`get -f ${path} -o json`)).toBe(before);
  });

  it('is labelled and deleted', async () => {
    await k.ok(`label -f ${path} tried=yes`);
    expect(await k.ok(`diff -f ${path}`)).toBe('');
    await k.ok(`delete -f ${path} --ignore-not-found --timeout=25s`);
    expect(await k.ok(`get -f ${path} --ignore-not-found -o name`)).toBe('');
  });
});
