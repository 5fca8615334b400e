// Three trireme-apiserver processes as users run them: HTTPS on loopback, with their own keys and kubeconfig.
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dist } from './dist.mjs';
import { wait } from './measure.mjs';

const load = (path) => import(pathToFileURL(join(dist, path)).href);

export class ApiServers {
  constructor(folder) {
    this.folder = folder;
    this.peers = [];
  }

  /** Starts all three; resolves when all are ready. */
  async start() {
    const { makeClusterFolders } = await load('pkg/server/index.js');
    const { accessOf, statusOf } = await load('pkg/client/index.js');
    for (const name of ['a', 'b', 'c']) {
      const [port, peerPort] = [await freePort(), await freePort()];
      this.peers.push({ name, port, url: `https://127.0.0.1:${port}`, peerUrl: `https://127.0.0.1:${peerPort}` });
    }
    const made = await makeClusterFolders(this.folder, this.peers.map(({ name, url }) => ({ name, serverUrl: url })));
    this.access = accessOf(made.kubeconfig);
    this.statusOf = statusOf;
    this.agent = new Agent({ keepAlive: true, ca: this.access.ca, cert: this.access.cert, key: this.access.key });
    await Promise.all(this.peers.map((peer) => this.up(peer)));
  }

  up(peer) {
    const flags = [
      `--data-dir=${join(this.folder, peer.name)}`,
      `--secure-port=${peer.port}`,
      `--name=${peer.name}`,
      `--initial-cluster=${this.peers.map((p) => `${p.name}=${p.peerUrl}`).join(',')}`,
      `--listen-peer-urls=${peer.peerUrl}`,
      '--log-level=error',
    ];
    const main = join(dist, 'cmd', 'apiserver', 'main.js');
    peer.child = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
    return new Promise((resolve) => {
      peer.child.stdout.setEncoding('utf8').on('data', (text) => {
        if (text.includes('trireme ready on')) resolve();
      });
    });
  }

  async leader() {
    for (let i = 0; i < 300; i++) {
      for (const peer of this.peers) {
        const status = await this.statusOf(this.access, peer.url).catch(() => undefined);
        if (status?.role === 'leader') return peer;
      }
      await wait(100);
    }
    throw new Error('no leader was elected');
  }

  /** Sends one request; resolves to its status, and its body if `keep` is set. After `time` it resolves to status 0. */
  ask(peer, method, path, { body, keep = false, time } = {}) {
    const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve) => {
      const asking = request(`${peer.url}${path}`, { method, agent: this.agent, headers }, (response) => {
        const parts = [];
        let bytes = 0;
        response.on('data', (part) => {
          bytes += part.length;
          if (keep) parts.push(part);
        });
        response.on('end', () => resolve({ status: response.statusCode, bytes, text: keep ? Buffer.concat(parts).toString() : '' }));
        response.on('error', () => resolve({ status: 0, bytes, text: '' }));
      });
      const timer = time === undefined ? undefined : setTimeout(() => asking.destroy(), time);
      asking.on('close', () => clearTimeout(timer));
      asking.on('error', () => resolve({ status: 0, bytes: 0, text: '' }));
      asking.end(body);
    });
  }

  async metrics(peer) {
    const { status, text } = await this.ask(peer, 'GET', '/metrics', { keep: true });
    if (status !== 200) throw new Error(`${peer.url}/metrics answered ${status}`);
    return text;
  }

  stop() {
    for (const { child } of this.peers) child?.kill('SIGKILL');
    this.agent?.destroy();
  }
}

/** Below the ephemeral port range of the system. */
function freePort() {
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(freePort()));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}
