// Measures how long writes fail when the leader is killed: `node test/bench/failover.mjs [--kills 20] [--dist dist]`.
// Three peers on loopback with default settings. A client writes through the two others every 10 ms, with a timeout of 250 ms.
// The time is from the SIGKILL to the first acknowledged write that started after it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { kills: { type: 'string', default: '20' }, dist: { type: 'string' } } });
if (values.dist !== undefined) process.env.TRIREME_DIST = values.dist;
const { ApiServers } = await import('./peer/apiservers.mjs');

const WRITE_EVERY = 10;
const WRITE_TIME = 250;
const SETTLE_TIME = 1500;
const GIVE_UP = 30_000;
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const folder = mkdtempSync(join(tmpdir(), 'trireme-failover-'));
const servers = new ApiServers(folder);

let written = 0;
try {
  await servers.start();
  const times = [];
  for (let i = 0; i < Number(values.kills); i++) {
    await wait(SETTLE_TIME);
    const leader = await servers.leader();
    const others = servers.peers.filter((p) => p !== leader);
    for (const p of others) await write(p, 5000);
    const began = performance.now();
    leader.child.kill('SIGKILL');
    const time = await firstWrite(others, began);
    times.push(time);
    process.stdout.write(`${i + 1}: ${leader.name} killed, writes again after ${Math.round(time)} ms\n`);
    await servers.up(leader);
  }
  times.sort((x, y) => x - y);
  const at = (q) => Math.round(times[Math.min(times.length - 1, Math.floor(q * times.length))]);
  process.stdout.write(`median ${at(0.5)} ms, least ${at(0)} ms, most ${at(1)} ms of ${times.length}\n`);
} finally {
  servers.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Starts concurrent writes at an interval until one is acknowledged. */
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
  if (!over) throw new Error('no write was acknowledged');
  return found;
}

async function write(peer, time) {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `f-${written++}` } });
  const { status } = await servers.ask(peer, 'POST', '/api/v1/namespaces/default/configmaps', { body, time });
  return status === 201;
}
