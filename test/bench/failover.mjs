// How long writes stand still when the leader is killed: `node test/bench/failover.mjs [--kills 20] [--dist dist]`.
// Three peers on loopback at the defaults. A client writes through the two others every 10 ms, each write given 250 ms;
// from the SIGKILL to the first write that was begun after it and is acknowledged.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
  },
});
const load = (path) => import(pathToFileURL(join(values.dist, path)).href);
const { makeClusterFolders } = await load('pkg/server/index.js');
const { accessOf, statusOf } = await load('pkg/client/index.js');

const WRITE_EVERY = 10;
const WRITE_TIME = 250;
const SETTLE_TIME = 1500;
const GIVE_UP = 30_000;
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const folder = mkdtempSync(join(tmpdir(), 'trireme-failover-'));
const peers = [];
for (const name of ['a', 'b', 'c']) {
  const [port, peerPort] = [await freePort(), await freePort()];
  peers.push({ name, port, url: `https://127.0.0.1:${port}`, peerUrl: `https://127.0.0.1:${peerPort}` });
}
const initialCluster = peers.map((p) => `${p.name}=${p.peerUrl}`).join(',');
const made = await makeClusterFolders(folder, peers.map(({ name, url }) => ({ name, serverUrl: url })));
const access = accessOf(made.kubeconfig);
const agent = new Agent({ keepAlive: true, ca: access.ca, cert: access.cert, key: access.key });

let written = 0;
try {
  await Promise.all(peers.map(up));
  const times = [];
  for (let i = 0; i < Number(values.kills); i++) {
    await wait(SETTLE_TIME);
    const leader = await leaderOf();
    const others = peers.filter((p) => p !== leader);
    for (const p of others) await write(p, 5000);
    const began = performance.now();
    leader.child.kill('SIGKILL');
    const time = await firstWrite(others, began);
    times.push(time);
    process.stdout.write(`${i + 1}: ${leader.name} killed, writes again after ${Math.round(time)} ms\n`);
    await up(leader);
  }
  times.sort((x, y) => x - y);
  const at = (q) => Math.round(times[Math.min(times.length - 1, Math.floor(q * times.length))]);
  process.stdout.write(`median ${at(0.5)} ms, least ${at(0)} ms, most ${at(1)} ms of ${times.length}\n`);
} finally {
  for (const p of peers) p.child?.kill('SIGKILL');
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}

/** Writes side by side, each begun after the last by its interval, until one is acknowledged. */
async function firstWrite(others, began) {
  let done;
  const found = new Promise((resolve) => {
    done = resolve;
  });
  let over = false;
  for (let i = 0; !over && performance.now() - began < GIVE_UP; i++) {
    void write(others[i % others.length], WRITE_TIME).then((ok) => {
      if (!ok || over) return;
      over = true;
      done(performance.now() - began);
    });
    await Promise.race([wait(WRITE_EVERY), found]);
  }
  if (!over) throw new Error('no write was taken any more');
  return found;
}

function write(peer, time) {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `f-${written++}` } });
  return new Promise((resolve) => {
    const asking = request(
      `${peer.url}/api/v1/namespaces/default/configmaps`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json', 'content-length': body.length } },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode === 201));
        response.on('error', () => resolve(false));
      },
    );
    const timer = setTimeout(() => asking.destroy(), time);
    asking.on('close', () => clearTimeout(timer));
    asking.on('error', () => resolve(false));
    asking.end(body);
  });
}

async function leaderOf() {
  for (let i = 0; i < 300; i++) {
    for (const p of peers) {
      const status = await statusOf(access, p.url).catch(() => undefined);
      if (status?.role === 'leader') return p;
    }
    await wait(100);
  }
  throw new Error('there is no leader');
}

function up(peer) {
  const flags = [
    `--data-dir=${join(folder, peer.name)}`,
    `--secure-port=${peer.port}`,
    `--name=${peer.name}`,
    `--initial-cluster=${initialCluster}`,
    `--listen-peer-urls=${peer.peerUrl}`,
    '--log-level=error',
  ];
  const main = join(values.dist, 'cmd', 'apiserver', 'main.js');
  peer.child = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve) => {
    peer.child.stdout.setEncoding('utf8').on('data', (text) => {
      if (text.includes('trireme ready on')) resolve();
    });
  });
}

/** Below the ports that the system gives to outgoing connections. */
function freePort() {
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(freePort()));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}
