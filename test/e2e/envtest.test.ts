import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePorts } from '../../pkg/peer/testing/ports.js';

const assets = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist', 'envtest');

let folder: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-envtest-'));
  children = [];
});

afterEach(async () => {
  for (const child of children) await end(child);
  rmSync(folder, { recursive: true, force: true });
});

function start(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(join(assets, program), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  return child;
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** Repeats the request every 50 ms until the status is 200 or 201; undefined if the process exits. */
async function until(child: ChildProcess, ask: () => Promise<number>): Promise<number | undefined> {
  for (let i = 0; i < 1200 && child.exitCode === null; i++) {
    const status = await ask().catch(() => 0);
    if (status === 200 || status === 201) return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return undefined;
}

it('starts the programs of the assets folder with the flags of envtest, and keeps objects over a restart', async () => {
  const [etcdPort, port] = (await freePorts(2)) as [number, number];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const etcd = start('etcd', [
    `--advertise-client-urls=${etcdUrl}`,
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    '--listen-peer-urls=http://localhost:0',
    '--unsafe-no-fsync=true',
  ]);
  expect(await until(etcd, async () => (await fetch(`${etcdUrl}/health`)).status)).toBe(200);

  const certDir = join(folder, 'certs');
  const args = [
    '--advertise-address=127.0.0.1',
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    `--cert-dir=${certDir}`,
    '--disable-admission-plugins=ServiceAccount',
    `--etcd-servers=${etcdUrl}`,
    `--secure-port=${port}`,
    '--service-cluster-ip-range=10.0.0.0/24',
  ];
  const ask = (method: string, path: string, body?: object): Promise<number> =>
    new Promise((resolve, reject) => {
      const pki = join(folder, 'etcd', 'trireme', 'pki');
      const [cert, key] = ['admin.crt', 'admin.key'].map((f) => readFileSync(join(pki, f)));
      const headers = { 'content-type': 'application/json' };
      const asked = request(
        { host: '127.0.0.1', port, method, path, cert, key, headers, rejectUnauthorized: false },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      asked.once('error', reject);
      asked.end(body === undefined ? '' : JSON.stringify(body));
    });

  const first = start('kube-apiserver', args);
  expect(await until(first, () => ask('GET', '/readyz'))).toBe(200);
  expect(existsSync(join(certDir, 'apiserver.crt'))).toBe(true);
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  expect(await ask('POST', '/api/v1/namespaces/default/configmaps', configMap)).toBe(201);
  await end(first);

  const second = start('kube-apiserver', args);
  expect(await until(second, () => ask('GET', '/api/v1/namespaces/default/configmaps/a'))).toBe(200);
});

it('rejects an etcd outside the assets folder', async () => {
  const [port] = (await freePorts(1)) as [number];
  const child = start('kube-apiserver', [`--etcd-servers=http://127.0.0.1:${port}`, `--cert-dir=${folder}`]);
  let err = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  expect(child.exitCode).toBe(2);
  expect(err).toContain(`--etcd-servers=http://127.0.0.1:${port}: `);
});
