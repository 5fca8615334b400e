// What the scripts of this folder share: servers of the built program, child processes, free ports.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '..', '..');

/** The longest time for one program of a client, in ms. */
export const LIMIT = 20 * 60_000;

/**
 * Starts a server on a free port with its data in a temporary folder, calls `use(kubeconfig, folder)`, and stops it.
 * Resolves to what `use` returns.
 */
export async function withServer(use, flags = []) {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-clients-'));
  const port = await freePort();
  const args = ['--secure-port', String(port), '--data-dir', folder, '--log-level', 'error', ...flags];
  const main = join(root, 'dist', 'cmd', 'apiserver', 'main.js');
  const server = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const stopped = new Promise((resolve) => server.once('exit', resolve));
  try {
    await new Promise((resolve, reject) => {
      server.stdout.on('data', (text) => String(text).includes('ready on') && resolve());
      server.once('exit', () => reject(new Error('the server ended before it was ready')));
    });
    return await use(join(folder, 'admin.kubeconfig'), folder);
  } finally {
    server.kill('SIGTERM');
    await stopped;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program with its output on ours. Resolves to its exit code. */
export function run(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: LIMIT, ...options });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Runs a program. Resolves to `{ code, stdout, stderr }`. */
export function capture(file, args, { input = '', ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: LIMIT, ...options });
    const parts = { stdout: [], stderr: [] };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (bytes) => parts[name].push(bytes));
    child.once('error', reject);
    child.once('close', (code) => {
      const text = (name) => Buffer.concat(parts[name]).toString();
      resolve({ code: code ?? 1, stdout: text('stdout'), stderr: text('stderr') });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** Why a program cannot be used here, or undefined. */
export function missing(program, args = ['--version']) {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return undefined;
  } catch {
    return `${program} is not installed`;
  }
}

/** The path of a program, or undefined. */
export function find(program) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file));
}

export function freePort() {
  return new Promise((resolve) => {
    const s = createServer().listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => resolve(port));
    });
  });
}
