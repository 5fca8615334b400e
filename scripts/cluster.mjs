// Three peers on this machine: creates their keys, starts them, waits, prints them, and stops them on Ctrl-C.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serverEnvironment } from './environment.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const { values, positionals } = parseArgs({
  options: {
    dir: { type: 'string', default: './.trireme/cluster' },
    dist: { type: 'string', default: join(root, 'dist') },
    port: { type: 'string', default: '6443' },
    'peer-port': { type: 'string', default: '2380' },
    peers: { type: 'string', default: '3' },
  },
  // After `--`: further flags for every peer.
  allowPositionals: true,
});

const START_TIME = 60_000;
const STOP_TIME = 20_000;
const dir = resolve(values.dir);
const peers = Array.from({ length: Number(values.peers) }, (_, i) => ({
  name: String.fromCharCode('a'.charCodeAt(0) + i),
  port: Number(values.port) + i,
  peerUrl: `https://127.0.0.1:${Number(values['peer-port']) + i}`,
}));
const initialCluster = peers.map((p) => `${p.name}=${p.peerUrl}`).join(',');
const servers = peers.map((p) => `${p.name}=https://127.0.0.1:${p.port}`).join(',');
const kubeconfig = join(dir, 'admin.kubeconfig');
const ctl = (out, ...args) => run([join(values.dist, 'cmd', 'ctl', 'main.js'), ...args], out);

/** Quotes a word for a POSIX shell if it needs that. */
const shellWord = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);

let stopping = false;
const running = new Map();

await ctl('ignore', 'certs', '--dir', dir, '--initial-cluster', initialCluster, '--servers', servers);
const ready = peers.map(start);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void stop(0));
const late = setTimeout(() => {
  process.stderr.write(`the peers were not ready in time: see ${join(dir, '*.log')}\n`);
  void stop(1);
}, START_TIME);
await Promise.all(ready);
clearTimeout(late);
process.stdout.write(`export KUBECONFIG=${shellWord(kubeconfig)}\n`);
await ctl('inherit', 'status', '--kubeconfig', kubeconfig);
process.stdout.write('Ctrl-C stops all\n');

function start({ name, port, peerUrl }) {
  const dataDir = join(dir, name);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const flags = {
    'data-dir': dataDir,
    'secure-port': port,
    name,
    'initial-cluster': initialCluster,
    'listen-peer-urls': peerUrl,
  };
  const args = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
  const child = spawn(process.execPath, [join(values.dist, 'cmd', 'apiserver', 'main.js'), ...args, ...positionals], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: serverEnvironment,
    // Only this process receives Ctrl-C; it then stops the peers in order.
    detached: true,
  });
  running.set(name, child);
  const log = createWriteStream(join(dir, `${name}.log`), { flags: 'a' });
  child.stderr.pipe(log, { end: false });
  child.once('exit', (code, signal) => {
    running.delete(name);
    if (!stopping) process.stderr.write(`peer ${name} ended (${code ?? signal}): see ${join(dir, `${name}.log`)}\n`);
    if (running.size === 0 && !stopping) process.exit(1);
  });
  return new Promise((resolveReady) => {
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      log.write(text);
      out += text;
      if (out.includes('trireme ready on')) resolveReady();
    });
  });
}

async function stop(code) {
  if (stopping) return;
  stopping = true;
  const timer = setTimeout(() => {
    for (const child of running.values()) child.kill('SIGKILL');
  }, STOP_TIME);
  await Promise.all(
    [...running.values()].map((child) => {
      child.kill('SIGTERM');
      return new Promise((done) => child.once('exit', done));
    }),
  );
  clearTimeout(timer);
  process.exit(code);
}

function run(args, out) {
  return new Promise((done) => {
    spawn(process.execPath, args, { stdio: ['ignore', out, 'inherit'] }).once('exit', (code) => {
      if (code !== 0 && args.includes('certs')) process.exit(code ?? 1);
      done(code);
    });
  });
}
