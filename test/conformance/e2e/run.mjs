#!/usr/bin/env node
// `make conformance`: Kubernetes' own end-to-end tests against trireme, with kube-controller-manager, kube-scheduler and kwok nodes
// beside it. Prints a table of passed, failed and not applicable specs by area, and each failure with its reason.
//   --focus REGEX   specs to run (default: every conformance spec of the areas below); --skip REGEX: specs to skip
//   --minutes N     time limit (default 120)
//   --bin FOLDER    prebuilt programs; without it they are built from the pinned module lists here
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');
const AREAS = ['api-machinery', 'apps', 'auth', 'cli', 'network', 'node', 'scheduling', 'storage', 'instrumentation'];
const NODES = 3;
const { values: o } = parseArgs({
  options: {
    focus: { type: 'string', default: `\\[sig-(${AREAS.join('|')})\\].*\\[Conformance\\]` },
    skip: { type: 'string' },
    minutes: { type: 'string', default: '120' },
    bin: { type: 'string' },
  },
});

/** Specs that require features that no server without nodes has, by the reason. */
const NOT_APPLICABLE = JSON.parse(readFileSync(join(here, 'notapplicable.json'), 'utf8'));

try {
  execFileSync('go', ['version'], { stdio: 'ignore' });
} catch {
  if (o.bin === undefined) {
    console.log('conformance: skipped, Go is not installed and --bin names no folder of programs');
    process.exit(0);
  }
}

const bin = o.bin ?? buildAll(join(root, '.trireme', 'conformance', 'bin'));
const folder = mkdtempSync(join(tmpdir(), 'trireme-conformance-'));
const children = [];
// An interrupt ends the tests; the report of the completed specs follows.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => children.at(-1)?.kill('SIGINT'));
try {
  process.exitCode = await conformance();
} finally {
  for (const child of children.reverse()) await end(child);
  rmSync(folder, { recursive: true, force: true });
}

async function conformance() {
  const port = await freePort();
  const logs = join(root, '.trireme', 'conformance');
  mkdirSync(logs, { recursive: true });
  const data = join(folder, 'data');
  const kubeconfig = join(data, 'admin.kubeconfig');
  const server = start(logs, 'trireme', process.execPath, [join(root, 'dist/cmd/apiserver/main.js'), `--secure-port=${port}`, `--data-dir=${data}`, '--log-level=warn', '--auto-compaction-retention=1m']);
  const api = await clientOf(server, port, data);
  // The names of the server's own controllers.
  const { CONTROLLERS } = await import(join(root, 'dist/pkg/controllers/index.js'));
  const ours = [...CONTROLLERS].map((name) => `-${name}`);
  const manager = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', `--controllers=${['*', ...ours].join(',')}`, '--secure-port=0', `--root-ca-file=${join(data, 'pki', 'ca.crt')}`];
  start(logs, 'kube-controller-manager', join(bin, 'kube-controller-manager'), manager);
  start(logs, 'kube-scheduler', join(bin, 'kube-scheduler'), [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0']);
  start(logs, 'kwok', join(bin, 'kwok'), [`--kubeconfig=${kubeconfig}`, '--manage-all-nodes=true', '--cidr=10.200.0.1/16', '--node-ip=127.0.0.1', '--node-lease-duration-seconds=40', `--config=${join(here, 'kwok.yaml')}`]);
  for (let i = 0; i < NODES; i++) await api('POST', '/api/v1/nodes', nodeNamed(`node-${i}`));

  const report = join(folder, 'report.json');
  const skip = [...Object.keys(NOT_APPLICABLE), ...(o.skip === undefined ? [] : [o.skip])].join('|');
  const arguments_ = [
    ...[`--kubeconfig=${kubeconfig}`, '--provider=skeleton', `--num-nodes=${NODES}`, '--dump-logs-on-failure=false', `--kubectl-path=${join(bin, 'kubectl')}`],
    ...[`--ginkgo.focus=${o.focus}`, `--ginkgo.skip=${skip}`, '--ginkgo.no-color', '--ginkgo.v', `--ginkgo.json-report=${report}`, `--ginkgo.timeout=${o.minutes}m`],
    ...['--system-pods-startup-timeout=1m', '--node-schedulable-timeout=1m', '--allowed-not-ready-nodes=0', '--delete-namespace=true'],
  ];
  const tests = start(logs, 'e2e.test', join(bin, 'e2e.test'), arguments_);
  await tests.ended;
  if (!existsSync(report)) {
    console.log(`conformance: e2e.test wrote no report; see ${join(logs, 'e2e.test.log')}`);
    return 1;
  }
  return summarize(JSON.parse(readFileSync(report, 'utf8')), logs);
}

function summarize(suites, logs) {
  const focus = new RegExp(o.focus);
  const specs = suites.flatMap((s) => s.SpecReports ?? []).filter((s) => s.LeafNodeType === 'It').map((s) => ({ ...s, name: [...(s.ContainerHierarchyTexts ?? []), s.LeafNodeText].join(' ') }));
  const rows = new Map();
  const failures = [];
  for (const spec of specs.filter((s) => focus.test(s.name))) {
    const area = /\[(sig-[a-z-]+)\]/.exec(spec.name)?.[1] ?? 'other';
    const row = rows.get(area) ?? { passed: 0, failed: 0, inapplicable: 0, left: 0 };
    rows.set(area, row);
    const reason = Object.entries(NOT_APPLICABLE).find(([pattern]) => new RegExp(pattern).test(spec.name));
    if (spec.State === 'passed') row.passed++;
    else if (spec.State === 'skipped' && reason !== undefined) row.inapplicable++;
    else if (spec.State === 'skipped' || spec.State === 'pending') row.left++;
    else {
      row.failed++;
      failures.push({ name: spec.name, message: (spec.Failure?.Message ?? spec.State).split('\n').slice(0, 3).join(' ').slice(0, 400) });
    }
  }
  console.log(`${'area'.padEnd(22)} ${['passed', 'failed', 'not applicable', 'not run'].map((s) => s.padStart(14)).join(' ')}`);
  for (const [area, r] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(`${area.padEnd(22)} ${[r.passed, r.failed, r.inapplicable, r.left].map((n) => String(n).padStart(14)).join(' ')}`);
  for (const f of failures) console.log(`\n${f.name}\n    ${f.message}`);
  writeFileSync(join(logs, 'failures.json'), `${JSON.stringify(failures, null, 1)}\n`);
  return failures.length > 0 ? 1 : 0;
}

function buildAll(to) {
  mkdirSync(to, { recursive: true });
  const version = ['gitVersion=v1.37.2', 'gitMajor=1', 'gitMinor=37'].map((v) => `-X k8s.io/component-base/version.${v}`).join(' ');
  const build = (cwd, args) => execFileSync('go', args, { cwd, stdio: 'inherit' });
  const programs = ['kube-controller-manager', 'kube-scheduler', 'kubectl'].map((p) => `k8s.io/kubernetes/cmd/${p}`);
  console.log('conformance: building the programs; the first time takes some ten minutes');
  build(here, ['build', '-ldflags', version, '-o', `${to}/`, ...programs]);
  build(here, ['test', '-c', '-vet=off', '-o', join(to, 'e2e.test'), 'k8s.io/kubernetes/test/e2e']);
  build(join(here, 'kwok'), ['build', '-o', join(to, 'kwok'), 'sigs.k8s.io/kwok/cmd/kwok']);
  return to;
}

function start(logs, name, file, args) {
  const log = openSync(join(logs, `${name}.log`), 'w');
  const child = spawn(file, args, { stdio: ['ignore', log, log] });
  child.ended = new Promise((resolve) => child.once('exit', resolve));
  children.push(child);
  return child;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await child.ended;
  clearTimeout(timer);
}

/** Waits until the server is ready, and returns a function that sends it requests. */
async function clientOf(server, port, data) {
  for (let i = 0; i < 300 && server.exitCode === null && !existsSync(join(data, 'admin.kubeconfig')); i++) await new Promise((r) => setTimeout(r, 100));
  const [cert, key] = ['admin.crt', 'admin.key'].map((f) => readFileSync(join(data, 'pki', f)));
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const request = https.request({ host: '127.0.0.1', port, method, path, cert, key, rejectUnauthorized: false, headers: { 'content-type': 'application/json' } }, (response) => {
        response.resume();
        if (response.statusCode < 300) resolve();
        else reject(new Error(`${method} ${path}: ${response.statusCode}`));
      });
      request.once('error', reject);
      request.end(JSON.stringify(body));
    });
}

function nodeNamed(name) {
  const room = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' };
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', 'topology.kubernetes.io/zone': 'a' };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels, annotations: { 'kwok.x-k8s.io/node': 'fake' } }, status: { allocatable: room, capacity: room, nodeInfo: { kubeletVersion: 'v1.37.2', operatingSystem: 'linux', architecture: 'amd64', machineID: '', systemUUID: '', bootID: '', kernelVersion: '', osImage: '', containerRuntimeVersion: '', kubeProxyVersion: '' } } };
}

function freePort() {
  return new Promise((resolve) => {
    const s = createServer().listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => resolve(port));
    });
  });
}
