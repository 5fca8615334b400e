#!/usr/bin/env node
// The benchmark: one peer from dist/, a client process on the same machine, each figure beside its floor from the same run. Prints a
// table and writes bench.json. Bounded in count and time; speaks to loopback only.
//   run.mjs [--only REGEX] [--json FILE] [--quick]
import { execFileSync, spawn } from 'node:child_process';
import { fdatasyncSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import https from 'node:https';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const { values: o } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'string', default: join(root, 'bench.json') }, quick: { type: 'boolean' } } });
const only = o.only && new RegExp(o.only);
const scale = o.quick ? 0.2 : 1;
const folder = mkdtempSync(join(tmpdir(), 'trireme-bench-'));
const rows = [];
const floorFigures = {};
const TICKS = Number(execFileSync('getconf', ['CLK_TCK']).toString());
let server;

try {
  const begun = process.hrtime.bigint();
  await start();
  row('start of an empty server to ready', { milliseconds: Math.round(Number(process.hrtime.bigint() - begun) / 1e6), rss: rss(server.pid) });
  await new Promise((r) => setTimeout(r, 1000));
  row('idle', { rss: rss(server.pid) });
  await floors();
  const n = (count) => Math.round(count * scale);
  await work('create 1 KiB', { mode: 'create', n: n(20000), connections: 64, prefix: 'a', size: 1024 });
  await work('create 1 KiB, HTTP/2', { mode: 'create', n: n(10000), connections: 64, h2: true, prefix: 'b', size: 1024 });
  await work('merge patch', { mode: 'patch', n: n(15000), connections: 64, prefix: 'a', objects: n(5000), size: 0 });
  await work('get, consistent', { mode: 'get', n: n(60000), connections: 64, prefix: 'a', objects: n(5000), size: 0 });
  await work('get, consistent, HTTP/2', { mode: 'get', n: n(40000), connections: 64, h2: true, prefix: 'a', objects: n(5000), size: 0 });
  await work('get at resourceVersion=0', { mode: 'get', n: n(60000), connections: 64, prefix: 'a', objects: n(5000), size: 0, query: '?resourceVersion=0' });
  await work('get, one client', { mode: 'get', n: n(5000), connections: 1, prefix: 'a', objects: n(5000), size: 0 });
  await restart();
  await work('create 4 KiB x 10,000', { mode: 'create', n: 10000, connections: 32, prefix: 'l', size: 4096 });
  await work('LIST 46 MB, one client', { mode: 'list', n: 20, connections: 1, size: 0 });
  await work('LIST 46 MB at resourceVersion=0', { mode: 'list', n: 20, connections: 1, size: 0, query: '?resourceVersion=0' });
  row('RSS with 10,000 x 4 KiB after that', { rss: rss(server.pid) });
  await restart();
  await work('1,000 watchers', { mode: 'watch', watchers: 1000, writers: 8, rate: 200, seconds: 10 * scale, size: 1200 });
  await work('200 watchers on one HTTP/2 connection', { mode: 'watch', watchers: 200, sessions: 1, h2: true, writers: 8, rate: 400, seconds: 10 * scale, size: 1200 });
  await work('1,000 watchers on 20 HTTP/2 connections', { mode: 'watch', watchers: 1000, sessions: 20, h2: true, writers: 8, rate: 150, seconds: 10 * scale, size: 1200 });
} finally {
  await stop();
  rmSync(folder, { recursive: true, force: true });
}
writeFileSync(o.json, `${JSON.stringify({ machine: `${cpus().length} x ${cpus()[0]?.model}, Node ${process.versions.node}`, rows }, null, 1)}\n`);

function row(name, figures) {
  rows.push({ name, ...figures });
  const text = [];
  if (figures.perSecond !== undefined) text.push(`${Math.round(figures.perSecond).toLocaleString('en')}/s`);
  if (figures.megabytesPerSecond > 50) text.push(`${Math.round(figures.megabytesPerSecond)} MB/s`);
  if (figures.p50 !== undefined) text.push(`p50 ${figures.p50.toFixed(2)} ms`, `p99 ${figures.p99.toFixed(2)} ms`);
  if (figures.cpuMicroseconds !== undefined) text.push(`${figures.cpuMicroseconds >= 10000 ? `${Math.round(figures.cpuMicroseconds / 1000)} ms` : `${figures.cpuMicroseconds.toFixed(1)} us`} CPU each`);
  if (figures.milliseconds !== undefined) text.push(`${figures.milliseconds} ms`);
  if (figures.rss !== undefined) text.push(`RSS ${Math.round(figures.rss)} MB`);
  if (figures.floor !== undefined) text.push(`${(figures.floor * 100).toFixed(0)} % of its floor`);
  if (figures.failures) text.push(`${figures.failures} FAILED`);
  if (figures.missing) text.push(`${figures.missing} MISSING`);
  console.log(name.padEnd(44), text.join('  '));
}

async function work(name, options, target = server, port = server.port) {
  if (only && !only.test(name)) return undefined;
  const before = cpu(target.pid);
  const out = await client({ port, cert: join(folder, 'pki', 'admin.crt'), key: join(folder, 'pki', 'admin.key'), ...options });
  const spent = cpu(target.pid) - before;
  const floor = floorOf(options)?.perSecond;
  row(name, { ...out, cpuMicroseconds: (spent * 1e6) / Math.max(1, out.operations), rss: rss(target.pid), ...(floor ? { floor: (options.mode === 'list' ? out.megabytesPerSecond : out.perSecond) / floor } : {}) });
  return out;
}

function floorOf(options) {
  return options.mode === 'get' ? (options.h2 ? floorFigures.h2 : floorFigures.get) : options.mode === 'create' || options.mode === 'patch' ? floorFigures.sync : options.mode === 'list' ? floorFigures.list : undefined;
}

/** Bare servers of Node in a process of their own, and an append file: what the machine gives at best. */
async function floors() {
  const bare = spawn(process.execPath, [join(here, 'floor.mjs'), folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const ports = JSON.parse(await firstLine(bare));
    const n = Math.round(60000 * scale);
    const figure = async (name, port, options) => {
      const before = cpu(bare.pid);
      const out = await client({ port, cert: join(folder, 'pki', 'admin.crt'), key: join(folder, 'pki', 'admin.key'), size: 0, ...options });
      row(name, { ...out, cpuMicroseconds: ((cpu(bare.pid) - before) * 1e6) / out.operations });
      return out;
    };
    floorFigures.get = await figure('floor: bare node:https, 1 KiB', ports.h1, { mode: 'raw', n, connections: 64 });
    floorFigures.h2 = await figure('floor: bare node:http2, 1 KiB', ports.h2, { mode: 'raw', n, connections: 64, h2: true });
    const list = await figure('floor: 46 MB from memory over TLS', ports.list, { mode: 'raw', n: 20, connections: 1 });
    floorFigures.list = { perSecond: list.megabytesPerSecond };
  } finally {
    bare.kill('SIGTERM');
  }
  const fd = openSync(join(folder, 'append'), 'w');
  const block = Buffer.alloc(1200, 1);
  const count = Math.round(2000 * scale);
  const begun = process.hrtime.bigint();
  for (let i = 0; i < count; i++) {
    writeSync(fd, block);
    fdatasyncSync(fd);
  }
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  closeSync(fd);
  floorFigures.sync = { perSecond: count / seconds };
  row('floor: append 1.2 KB and fdatasync, alone', { perSecond: count / seconds });
}

function client(options) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(here, 'client.mjs'), JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (c) => {
      out += c;
    });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve(JSON.parse(out.trim().split('\n').at(-1))) : reject(new Error(`client ended with ${code}`))));
  });
}

async function start() {
  const port = 30000 + (process.pid % 20000);
  const child = spawn(process.execPath, [join(root, 'dist', 'cmd', 'apiserver', 'main.js'), '--secure-port', String(port), '--data-dir', folder, '--log-level', 'error', '--max-requests-inflight', '2000', '--max-mutating-requests-inflight', '2000'], { stdio: ['ignore', 'ignore', 'inherit'] });
  server = { pid: child.pid, child, port };
  for (let i = 0; i < 2000; i++) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    if (await readyz(port)) return;
    await new Promise((r) => setTimeout(r, 5));
  }
  throw new Error('the server did not get ready within 10 s');
}

async function stop() {
  if (server === undefined || server.child.exitCode !== null) return;
  const gone = new Promise((resolve) => server.child.once('exit', resolve));
  server.child.kill('SIGTERM');
  const timer = setTimeout(() => server.child.kill('SIGKILL'), 15000);
  await gone;
  clearTimeout(timer);
}

async function restart() {
  await stop();
  rmSync(folder, { recursive: true, force: true });
  await start();
}

function readyz(port) {
  return new Promise((resolve) => {
    const r = https.get({ host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false }, (res) => {
      res.resume();
      resolve(res.statusCode === 200);
    });
    r.once('error', () => resolve(false));
  });
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    child.stdout.once('data', (c) => resolve(c.toString().split('\n')[0]));
    child.once('exit', () => reject(new Error('the floor servers did not start')));
  });
}

/** Seconds of processor time, all threads. */
function cpu(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

function rss(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}
