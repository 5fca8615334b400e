#!/usr/bin/env node
// `make clients`: runs programs of other projects against trireme, each once, and prints a table. Programs that are not
// installed are skipped with a reason. --only NAME runs one of them.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const LIMIT = 10 * 60_000;
const { values: o } = parseArgs({ options: { only: { type: 'string' } } });

const goPrograms = readdirSync(here).filter((name) => existsSync(join(here, name, 'go.mod')));
const clients = [
  ...goPrograms.map((name) => ({ name: `Go: ${name}`, missing: () => missing('go', ['version']), run: () => goTest(name) })),
  ...kubectls().map((file) => ({ name: `kubectl: ${file}`, missing: () => undefined, run: () => kubectl(file) })),
  ...(kubectls().length === 0 ? [{ name: 'kubectl', missing: () => 'no kubectl in the path', run: () => undefined }] : []),
  { name: 'JavaScript: @kubernetes/client-node', missing: () => undefined, run: () => vitest('test/e2e/informer.test.ts') },
];

const rows = [];
for (const client of clients.filter((c) => o.only === undefined || c.name.includes(o.only))) {
  const why = client.missing();
  if (why !== undefined) {
    rows.push([client.name, 'skipped', why]);
    continue;
  }
  const began = performance.now();
  const code = await client.run();
  rows.push([client.name, code === 0 ? 'passed' : 'FAILED', `${Math.round((performance.now() - began) / 1000)} s`]);
}
const width = Math.max(...rows.map(([name]) => name.length));
for (const [name, verdict, note] of rows) console.log(`${name.padEnd(width)}  ${verdict.padEnd(7)}  ${note}`);
process.exitCode = rows.some(([, verdict]) => verdict === 'FAILED') ? 1 : 0;

function goTest(name) {
  const env = { ...process.env, KUBEBUILDER_ASSETS: join(root, 'dist', 'envtest') };
  return run('go', ['test', '-count=1', '-timeout=5m', './...'], { cwd: join(here, name), env });
}

function vitest(file) {
  return run(join(root, 'node_modules', '.bin', 'vitest'), ['run', file], { cwd: root });
}

/** Common uses of kubectl; each command is checked by its exit code. */
async function kubectl(file) {
  return withServer(async (kubeconfig, folder) => {
    const manifests = join(root, 'test', 'e2e', 'manifests');
    const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder };
    const steps = [
      ...['version', 'api-resources', 'cluster-info', 'get namespaces -o wide', 'explain deployment.spec.strategy'],
      ...readdirSync(manifests).flatMap((m) => [`apply -f ${join(manifests, m)}`, `diff -f ${join(manifests, m)}`]),
      ...['create configmap a --from-literal=k=v', 'get configmap a -o yaml', 'label configmap a x=y', 'annotate configmap a x=y'],
      ...['scale -n shop deployment front --replicas=4', 'set image -n shop deployment/front web=example.com/front:5'],
      ...['rollout history -n shop deployment/front', 'describe -n shop deployment front', 'get all -A', 'get events -A'],
      ...['patch configmap a -p {"data":{"k":"w"}}', 'apply --server-side --force-conflicts -f -', 'auth can-i create pods'],
      ...['delete configmap a', 'delete namespace shop'],
    ];
    for (const step of steps) {
      const input = step.endsWith('-f -') ? 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: x}\n' : '';
      const code = await run(file, step.split(' '), { env, stdio: ['pipe', 'ignore', 'inherit'] }, input);
      if (code !== 0) {
        console.log(`${file} ${step}: exit code ${code}`);
        return code;
      }
    }
    return 0;
  });
}

/** The kubectl in the path, and those beside it in other versions (`kubectl.1.27`). */
function kubectls() {
  const found = (process.env.PATH ?? '').split(':').map((f) => join(f, 'kubectl')).find((f) => existsSync(f));
  if (found === undefined) return [];
  const folder = dirname(realpathSync(found));
  const versions = readdirSync(folder).filter((name) => /^kubectl\.\d+\.\d+$/.test(name));
  return versions.length > 0 ? versions.map((name) => join(folder, name)) : [found];
}

async function withServer(use) {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-clients-'));
  const port = await freePort();
  const args = ['--secure-port', String(port), '--data-dir', folder, '--log-level', 'error'];
  const server = spawn(process.execPath, [join(root, 'dist', 'cmd', 'apiserver', 'main.js'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
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

function run(file, args, options = {}, input = '') {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['pipe', 'inherit', 'inherit'], timeout: LIMIT, ...options });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
    child.stdin?.end(input);
  });
}

function missing(program, args) {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return undefined;
  } catch {
    return `${program} is not installed`;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const s = createServer().listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => resolve(port));
    });
  });
}
