// Starts a server of this build on a free port of loopback, for a comparison with kube-apiserver.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from './lib.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** The controllers that ran beside kube-apiserver when its responses were recorded; others would change objects of the cases. */
const RECORDED = ['namespace', 'serviceaccount', 'root-ca-certificate-publisher', 'garbage-collector', 'clusterrole-aggregation'];
const CONTROLLERS = RECORDED.map((name) => `${name}-controller`).join(',');
/** Servers that have not ended. None outlives this process, except after SIGKILL. */
const running = new Set();
process.on('exit', () => {
  for (const end of running) end();
});
for (const [signal, number] of [['SIGINT', 2], ['SIGTERM', 15]]) process.once(signal, () => process.exit(128 + number));

/** Returns `{url, cert, key, stop}` once the server is ready: `cert` and `key` are the administrator's files. */
export async function startServer(flags) {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-golden-'));
  const port = await freePort();
  const args = ['--secure-port', String(port), '--data-dir', folder, '--log-level', 'error', '--service-cluster-ip-range', '10.0.0.0/16', '--controllers', CONTROLLERS, ...flags];
  const child = spawn(process.execPath, [join(root, 'dist', 'cmd', 'apiserver', 'main.js'), ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const end = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  running.add(end);
  const stopped = new Promise((resolve) => child.once('exit', resolve));
  const [cert, key] = ['admin.crt', 'admin.key'].map((f) => join(folder, 'pki', f));
  const url = `https://127.0.0.1:${port}`;
  await ready(child, { url, cert, key });
  return {
    url,
    cert,
    key,
    stop: async () => {
      child.kill('SIGTERM');
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 10_000))]);
      running.delete(end);
      end();
    },
  };
}

async function ready(child, { url, cert, key }) {
  for (let i = 0; i < 600; i++) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode} before it was ready`);
    let probe;
    try {
      probe = new Client({ server: url, cert: readFileSync(cert), key: readFileSync(key) });
      if ((await probe.request('GET', '/readyz')).status === 200) return;
    } catch {
      // The server does not listen yet.
    } finally {
      probe?.close();
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the server was not ready within 60 s');
}

function freePort() {
  return new Promise((resolve) => {
    const s = createServer().listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => resolve(port));
    });
  });
}
