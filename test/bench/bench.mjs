// Shared code of all rows: one peer from dist/ in its own process, client processes, and the table.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serverEnvironment } from '../../scripts/environment.mjs';

export const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const TICKS = Number(execFileSync('getconf', ['CLK_TCK']).toString());

export class Bench {
  folder = mkdtempSync(join(tmpdir(), 'trireme-bench-'));
  rows = [];
  /** Baseline figures of this run, by name. */
  floors = {};
  server = undefined;
  /** Factor of counts and durations: smaller with --quick. */
  scale;
  #given;

  /** `port`: that of the server, if it is not the only one. */
  constructor(given) {
    this.scale = given.quick ? 0.2 : 1;
    this.#given = given;
  }

  /** A second server, beside this one, on a port and with a folder of its own. */
  another() {
    return new Bench({ ...this.#given, port: this.server.port + 1 });
  }

  wanted(name) {
    const { only } = this.#given;
    return only === undefined || only.test(name);
  }

  n(count) {
    return Math.round(count * this.scale);
  }

  row(name, figures) {
    this.rows.push({ name, ...figures });
    console.log(name.padEnd(52), text(figures).join('  '));
  }

  /** `node`: flags of Node.js; `flags`: further flags of the server. */
  async start({ node = [], flags = [] } = {}) {
    const port = this.#given.port ?? Number(process.env.BENCH_PORT ?? 30000 + (process.pid % 20000));
    const child = spawn(process.execPath, [...node, join(root, 'dist', 'cmd', 'apiserver', 'main.js'), '--secure-port', String(port), '--data-dir', this.folder, '--log-level', 'error', '--max-requests-inflight', '2000', '--max-mutating-requests-inflight', '2000', ...this.#given.flags, ...flags], { stdio: ['ignore', 'pipe', 'inherit'], env: serverEnvironment });
    child.stdout.resume();
    this.server = { pid: child.pid, child, port };
    for (let i = 0; i < 6000; i++) {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      if (await readyz(port)) return;
      await sleep(5);
    }
    throw new Error('the server did not get ready within 30 s');
  }

  /** Waits until the server is idle (compaction of the initial data and the first sync of its controllers are done), at most 30 s. */
  async settled() {
    for (let i = 0, before = this.cpu(); i < 30; i++) {
      await sleep(1000);
      const now = this.cpu();
      if (now - before < 0.05) return;
      before = now;
    }
  }

  async stop() {
    const { server } = this;
    this.server = undefined;
    if (server === undefined || server.child.exitCode !== null) return;
    const gone = new Promise((resolve) => server.child.once('exit', resolve));
    server.child.kill('SIGTERM');
    const timer = setTimeout(() => server.child.kill('SIGKILL'), 15000);
    await gone;
    clearTimeout(timer);
  }

  /** A new server without data. */
  async restart(options) {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
    await this.start(options);
  }

  async close() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs a client process to its end and returns its result. */
  client(script, options) {
    return this.open(script, options).done;
  }

  /** Starts a client process that runs until `end`. */
  open(script, options) {
    const pki = join(this.folder, 'pki');
    const given = { port: this.server?.port, cert: join(pki, 'admin.crt'), key: join(pki, 'admin.key'), ...options };
    const child = spawn(process.execPath, [join(here, 'clients', script), JSON.stringify(given)], { stdio: ['pipe', 'pipe', 'inherit'] });
    let out = '';
    let onReady;
    const ready = new Promise((resolve) => {
      onReady = resolve;
    });
    child.stdout.on('data', (c) => {
      out += c;
      if (out.includes('ready\n')) onReady();
    });
    const done = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => {
        onReady();
        if (code === 0) resolve(JSON.parse(out.trim().split('\n').at(-1)));
        else reject(new Error(`${script} ended with ${code}`));
      });
    });
    done.catch(() => {});
    return {
      ready,
      done,
      end: () => {
        child.stdin.end();
        return done;
      },
    };
  }

  /** The longest event loop delay since the last call, in milliseconds. The server must have been started with looplag.mjs. */
  async lag() {
    const { child } = this.server;
    const line = new Promise((resolve) => child.stdout.once('data', (c) => resolve(Number(c))));
    child.kill('SIGUSR2');
    return line;
  }

  /** CPU seconds of the server, all threads. */
  cpu(pid = this.server.pid) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  }

  /** Resident memory in MB. */
  rss() {
    return status(this.server.pid, 'VmRSS');
  }

  /** Peak resident memory in MB since the last call of `forgetPeak`. */
  peak() {
    return status(this.server.pid, 'VmHWM');
  }

  forgetPeak() {
    writeFileSync(`/proc/${this.server.pid}/clear_refs`, '5');
  }
}

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function status(pid, field) {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

function text(f) {
  const out = [];
  if (f.perSecond !== undefined) out.push(`${Math.round(f.perSecond).toLocaleString('en')}/s`);
  if (f.megabytesPerSecond > 50) out.push(`${Math.round(f.megabytesPerSecond)} MB/s`);
  if (f.seconds !== undefined && f.perSecond === undefined) out.push(`${f.seconds.toFixed(1)} s`);
  if (f.p50 !== undefined) out.push(`p50 ${f.p50.toFixed(2)} ms`, `p99 ${f.p99.toFixed(2)} ms`);
  if (f.cpuMicroseconds !== undefined) out.push(`${f.cpuMicroseconds >= 10000 ? `${Math.round(f.cpuMicroseconds / 1000)} ms` : `${f.cpuMicroseconds.toFixed(1)} us`} CPU each`);
  if (f.milliseconds !== undefined) out.push(`${f.milliseconds} ms`);
  if (f.rss !== undefined) out.push(`RSS ${Math.round(f.rss)} MB`);
  if (f.added !== undefined) out.push(`RSS +${Math.round(f.added)} MB`);
  if (f.floor !== undefined) out.push(`${(f.floor * 100).toFixed(0)} % of its floor`);
  for (const [name, o] of Object.entries(f.others ?? {})) out.push(`${name} p50 ${o.p50.toFixed(1)} p99 ${o.p99.toFixed(1)} max ${o.max.toFixed(0)} ms`);
  if (f.failures) out.push(`${f.failures} FAILED`);
  if (f.missing) out.push(`${f.missing} MISSING`);
  if (f.cpuSeconds !== undefined) out.push(`${f.cpuSeconds.toFixed(1)} s CPU`);
  if (f.note) out.push(f.note);
  return out;
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
