// Speed of the replicated keyspace: `node test/bench/peer.mjs [one] [three] [etcd] [failover] [snapshot]` (all when none
// is named). BENCH_SECONDS: length of each run. BENCH_MB: size of the snapshot. TRIREME_DIST: another compiled tree.
//
//   one    one peer on its thread: puts of 1 KiB and read-index, at rising concurrency, beside the floor of the same
//          run: an append of 1.5 KiB to a preallocated file and its fdatasync
//   three  three peers, a process each, loopback with mutual TLS: puts of 512 bytes, 100 clients spread over them
//   etcd   the same puts on three members of etcd-server from the machine's packages, where it is installed; its clients
//          are gRPC calls from this process, so its servers are also judged by their own CPU time a put
//   failover   time from SIGKILL of the leader to the next acknowledged write, default timing, median of 20
//   snapshot   the third peer comes late and gets the whole state: the leader's puts meanwhile, and the growth of its RSS
import { execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { fdatasync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync, writevSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = process.env.TRIREME_DIST ?? join(fileURLToPath(import.meta.url), '..', '..', '..', 'dist');
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const load = async (name) => import(join(dist, name));

const quantile = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0;

/** Runs `operation` by so many clients for so long; returns latencies in milliseconds. */
async function clients(count, milliseconds, operation) {
  const latencies = [];
  const start = performance.now();
  const end = start + milliseconds;
  let n = 0;
  await Promise.all(
    Array.from({ length: count }, async () => {
      while (performance.now() < end) {
        const before = performance.now();
        await operation(n++);
        latencies.push(performance.now() - before);
      }
    }),
  );
  return { latencies: Float64Array.from(latencies).sort(), elapsed: (performance.now() - start) / 1000 };
}

function row(name, count, { latencies, elapsed }, cpuSeconds) {
  const rate = latencies.length / elapsed;
  const cpu = cpuSeconds === undefined ? '' : `  ${Math.round((cpuSeconds * 1e6) / latencies.length)} us CPU each`;
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  process.stdout.write(
    `${name.padEnd(30)} ${String(count).padStart(4)} clients ${String(Math.round(rate)).padStart(8)}/s  p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms${cpu}\n`,
  );
  return { name, clients: count, rate, p50, p99 };
}

const ownCpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

async function measured(name, count, operation) {
  const before = ownCpu();
  const result = await clients(count, seconds * 1000, operation);
  return row(name, count, result, ownCpu() - before);
}

async function floor(folder) {
  const fd = openSync(join(folder, 'floor'), 'w+');
  const zeros = Buffer.alloc(1 << 20);
  for (let i = 0; i < 64; i++) writeSync(fd, zeros);
  await new Promise((resolve) => fdatasync(fd, resolve));
  const parts = [Buffer.alloc(512, 1), Buffer.alloc(1024, 2)];
  let at = 0;
  return measured('floor: append and fdatasync', 1, () => {
    writevSync(fd, parts, at);
    at = (at + 1536) % (60 << 20);
    return new Promise((resolve) => fdatasync(fd, resolve));
  });
}

const put = async (keyspace, key, value) => {
  const result = await keyspace.txn({ compares: [], ops: [{ kind: 'put', key, value }] });
  if (result.kind !== 'committed') throw new Error(JSON.stringify(result));
};

async function one(folder) {
  const { openPeerThread, PEER_DEFAULTS } = await load('pkg/peer/index.js');
  const results = [await floor(folder)];
  const began = performance.now();
  const keyspace = await openPeerThread({ ...PEER_DEFAULTS, dataDir: join(folder, 'one') }, {});
  while (!keyspace.status().isLeader) await new Promise((resolve) => setTimeout(resolve, 1));
  process.stdout.write(`one peer: open to leader ${Math.round(performance.now() - began)} ms, RSS ${rssMiB()} MiB\n`);
  const value = Buffer.alloc(1024, 7);
  for (const count of [1, 16, 64, 256]) {
    const step = (n) => put(keyspace, `/registry/configmaps/default/key-${n % 10_000}`, value);
    results.push(await measured('put 1 KiB', count, step));
  }
  results.push(await floor(folder));
  for (const count of [1, 64]) results.push(await measured('read index', count, () => keyspace.readIndex()));
  process.stdout.write(`RSS ${rssMiB()} MiB\n`);
  await keyspace.close();
  return results;
}

const rssMiB = () => Math.round(process.memoryUsage.rss() / 2 ** 20);

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  for (const server of servers) await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** A peer CA and a certificate for loopback, by openssl. */
function certificates(folder) {
  const at = (name) => join(folder, name);
  const openssl = (...args) => execFileSync('openssl', args, { stdio: 'pipe' });
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...ec, '-keyout', at('ca.key'), '-out', at('ca.crt'), '-subj', '/CN=bench peer CA', '-days', '1');
  openssl('req', ...ec, '-keyout', at('peer.key'), '-out', at('peer.csr'), '-subj', '/CN=peer');
  writeFileSync(at('san'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  openssl('x509', '-req', '-in', at('peer.csr'), '-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '1', '-extfile', at('san'), '-out', at('peer.crt'));
  const text = (name) => readFileSync(at(name), 'utf8');
  return { ca: text('ca.crt'), cert: text('peer.crt'), key: text('peer.key') };
}

/** Total CPU seconds of a process so far, all threads. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Three peers in processes of their own. */
class Group {
  constructor(folder) {
    this.folder = folder;
    this.children = [];
  }

  /** All three, or only so many of them for the time being. */
  async start(over = {}, count = 3) {
    this.tls = certificates(this.folder);
    this.over = over;
    const ports = await freePorts(3);
    this.members = ports.map((port, i) => ({ name: `peer${i}`, peerUrls: [`https://127.0.0.1:${port}`] }));
    await Promise.all(this.members.slice(0, count).map((_, i) => this.open(i)));
  }

  async open(i) {
    const { name, peerUrls } = this.members[i];
    const child = fork(fileURLToPath(import.meta.url), ['child'], { env: { ...process.env, TRIREME_DIST: dist } });
    this.children[i] = child;
    const network = { listenUrls: peerUrls, advertiseUrls: peerUrls, tls: this.tls };
    const dataDir = join(this.folder, name);
    return ask(child, { config: { name, dataDir, initialCluster: this.members, network, ...this.over } });
  }

  async leader() {
    for (;;) {
      const states = await Promise.all(this.children.map((child) => (child.killed ? undefined : ask(child, { status: true }))));
      const i = states.findIndex((state) => state?.isLeader);
      if (i >= 0) return i;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  stop() {
    for (const child of this.children) child.kill('SIGKILL');
  }
}

const ask = (child, message) =>
  new Promise((resolve) => {
    child.once('message', resolve);
    child.send(message);
  });

async function three(folder) {
  const group = new Group(folder);
  const results = [];
  try {
    await group.start();
    const { children } = group;
    // The first run warms up: code that has not run a thousand times is interpreted.
    const runs = [['put', 100, 512], ['put', 3, 512], ['put', 100, 512], ['put', 300, 512], ['readIndex', 100, 0]];
    for (const [i, [run, count, bytes]] of runs.entries()) {
      const before = children.map(({ pid }) => cpuOf(pid));
      const start = performance.now();
      const answers = await Promise.all(
        children.map((child, at) => ask(child, { run, clients: Math.ceil((count - at) / 3), bytes, milliseconds: seconds * 1000 })),
      );
      const latencies = Float64Array.from(answers.flatMap((answer) => answer.latencies)).sort();
      const cpu = children.reduce((sum, { pid }, at) => sum + cpuOf(pid) - before[at], 0);
      const name = i === 0 ? 'three peers: warming up' : `three peers: ${run}${bytes > 0 ? ` ${bytes} B` : ''}`;
      const result = row(name, count, { latencies, elapsed: (performance.now() - start) / 1000 }, cpu);
      if (i > 0) results.push(result);
    }
    const late = await Promise.all(children.map((child) => ask(child, { lateness: true })));
    process.stdout.write(`three peers: ticks (heartbeats) late by more than 64 ms: ${late.map((l) => `${l.above} of ${l.all}`).join(', ')}\n`);
  } finally {
    group.stop();
  }
  return results;
}

async function failover(folder) {
  const group = new Group(folder);
  const times = [];
  try {
    await group.start();
    for (let round = 0; round < 20; round++) {
      const i = await group.leader();
      const killed = performance.now();
      group.children[i].kill('SIGKILL');
      const other = group.children[(i + 1) % 3];
      await ask(other, { once: true });
      times.push(performance.now() - killed);
      await group.open(i);
    }
  } finally {
    group.stop();
  }
  times.sort((a, b) => a - b);
  process.stdout.write(`failover: median ${Math.round(times[10])} ms, longest ${Math.round(times[19])} ms (20 times)\n`);
  return times;
}

async function snapshot(folder) {
  const megabytes = Number(process.env.BENCH_MB ?? 1024);
  const group = new Group(folder);
  try {
    await group.start({ snapshotCount: 1000, quotaBytes: 64 * 2 ** 30 }, 2);
    const i = await group.leader();
    const leader = group.children[i];
    await ask(leader, { fill: megabytes });
    const load = { run: 'put', clients: 20, bytes: 512, milliseconds: seconds * 1000 };
    const before = await ask(leader, load);
    row('leader alone with one', 20, { latencies: Float64Array.from(before.latencies).sort(), elapsed: seconds });
    const rss = (await ask(leader, { rss: true })).rss;
    const started = performance.now();
    let done = false;
    const opening = group.open(2).then(() => {
      done = true;
    });
    let peak = rss;
    const latencies = [];
    while (!done) {
      const during = await ask(leader, { ...load, milliseconds: 500 });
      latencies.push(...during.latencies);
      peak = Math.max(peak, (await ask(leader, { rss: true })).rss);
    }
    await opening;
    const elapsed = (performance.now() - started) / 1000;
    row(`leader, sending ${megabytes} MB`, 20, { latencies: Float64Array.from(latencies).sort(), elapsed });
    process.stdout.write(`snapshot: ${elapsed.toFixed(1)} s until the peer serves, RSS of the leader ${rss} MiB, at most ${peak} MiB meanwhile\n`);
  } finally {
    group.stop();
  }
}

/** One of the three: its serving thread is also the load. */
async function child() {
  const { openPeerThread, PEER_DEFAULTS } = await load('pkg/peer/index.js');
  let keyspace;
  const handle = async ({ config, run, clients: count, bytes, milliseconds, status, once, fill, rss, lateness }) => {
    if (config !== undefined) {
      keyspace = await openPeerThread({ ...PEER_DEFAULTS, ...config }, { fatal: (error) => process.stderr.write(`${error}\n`), note: (level, text) => process.env.BENCH_NOTES && process.stderr.write(`${config.name} ${level} ${text}\n`) });
      while ((await keyspace.readIndex()).kind !== 'ok') await new Promise((resolve) => setTimeout(resolve, 50));
      return { ready: true };
    }
    if (status) return keyspace.status();
    if (rss) return { rss: rssMiB() };
    if (once) {
      for (;;) {
        const result = await keyspace.txn({ compares: [], ops: [{ kind: 'put', key: '/once', value: Buffer.from('x') }] });
        if (result.kind === 'committed') return result;
      }
    }
    if (fill) {
      const value = Buffer.alloc(2 ** 20, 7);
      for (let n = 0; n < fill; n += 8) {
        await Promise.all(Array.from({ length: 8 }, (_, i) => put(keyspace, `/fill/${n + i}`, value)));
      }
      return { filled: fill };
    }
    if (lateness) {
      const metrics = await keyspace.metrics();
      const lines = metrics.find(({ name }) => name === 'trireme_peer_tick_lateness_seconds').values;
      const at = (le) => lines.find(({ labels }) => labels.le === le).value;
      return { above: at('+Inf') - at(0.064), all: at('+Inf') };
    }
    const value = Buffer.alloc(bytes, 7);
    const step = run === 'put' ? (n) => put(keyspace, `/bench/${process.pid}/${n % 10_000}`, value) : () => keyspace.readIndex();
    const { latencies } = await clients(count, milliseconds, step);
    return { latencies: [...latencies] };
  };
  process.on('message', async (message) => process.send(await handle(message)));
  process.on('disconnect', () => process.exit(0));
}

/** The same puts on etcd. Keys and values are written into the request by hand: two fields of bytes. */
async function etcd(folder) {
  if (spawnSync('etcd', ['--version']).status !== 0) {
    process.stdout.write('etcd: not installed on this machine, skipped\n');
    return [];
  }
  const { Client, credentials } = await import('@grpc/grpc-js');
  const ports = await freePorts(6);
  const url = (i) => `http://127.0.0.1:${ports[i]}`;
  const initial = [0, 1, 2].map((i) => `m${i}=${url(3 + i)}`).join(',');
  const members = [0, 1, 2].map((i) =>
    spawn('etcd', ['--name', `m${i}`, '--data-dir', join(folder, `etcd${i}`), '--listen-client-urls', url(i), '--advertise-client-urls', url(i), '--listen-peer-urls', url(3 + i), '--initial-advertise-peer-urls', url(3 + i), '--initial-cluster', initial, '--log-level', 'error', '--logger', 'zap'], { stdio: 'ignore' }),
  );
  const channels = [0, 1, 2].map((i) => new Client(`127.0.0.1:${ports[i]}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 }));
  const identity = (bytes) => bytes;
  const field = (number, bytes) => {
    const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
    return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes]);
  };
  const call = (n, path, request) =>
    new Promise((resolve, reject) => channels[n % 3].makeUnaryRequest(path, identity, identity, request, (error, reply) => (error ? reject(error) : resolve(reply))));
  const value = field(2, Buffer.alloc(512, 7));
  const etcdPut = (n) => call(n, '/etcdserverpb.KV/Put', Buffer.concat([field(1, Buffer.from(`/bench/${n % 10_000}`)), value]));
  const results = [];
  try {
    for (let tries = 0; ; tries++) {
      try {
        await Promise.all([0, 1, 2].map(etcdPut));
        break;
      } catch (error) {
        if (tries > 50) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
    await clients(100, seconds * 1000, etcdPut);
    for (const count of [3, 100, 300]) {
      const before = members.map(({ pid }) => cpuOf(pid));
      const result = await clients(count, seconds * 1000, etcdPut);
      results.push(row('etcd, three members: put 512 B', count, result, members.reduce((sum, { pid }, i) => sum + cpuOf(pid) - before[i], 0)));
    }
  } finally {
    for (const channel of channels) channel.close();
    for (const member of members) member.kill('SIGKILL');
  }
  return results;
}

if (process.argv[2] === 'child') {
  await child();
} else {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-bench-'));
  const all = { one, three, etcd, failover, snapshot };
  const wanted = process.argv.slice(2).filter((name) => name in all);
  try {
    for (const name of wanted.length > 0 ? wanted : Object.keys(all)) {
      mkdirSync(join(folder, name), { recursive: true });
      await all[name](join(folder, name));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  process.exit(0);
}
