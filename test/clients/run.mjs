#!/usr/bin/env node
// `make clients`: runs programs of other projects against trireme, each once, and prints a table. A program that is not installed is
// skipped with a reason. `--only NAME` runs those whose name contains NAME. What is built or downloaded is kept in .trireme/clients.
import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { aggregated } from './aggregated/run.mjs';
import { certManager } from './certmanager/run.mjs';
import { helm } from './helm/run.mjs';
import { matrix, notRecorded } from './kubectl/matrix.mjs';
import { capture, find, here, LIMIT, missing, root, run, withServer } from './lib.mjs';
import { metrics } from './metrics/run.mjs';
import { prometheus } from './prometheus/run.mjs';

const KEPT = join(root, '.trireme', 'clients');
const GO = () => missing('go', ['version']);
const { values: o } = parseArgs({ options: { only: { type: 'string' } } });

/** A client: its name, why it cannot run here (or undefined), and what runs it, which resolves to an exit code. */
const clients = [
  { name: 'Go: controller-runtime, envtest', missing: GO, run: () => goTest('envtest', { KUBEBUILDER_ASSETS: join(root, 'dist', 'envtest') }) },
  { name: "Go: controller-runtime's own tests", missing: GO, run: controllerRuntime },
  { name: 'Go: client-go, informers across kills', missing: GO, run: () => goTest('informers', { TRIREME_DIST: join(root, 'dist') }) },
  { name: 'Go: metrics-server, aggregated', missing: () => GO() ?? missing('kubectl', ['version', '--client']), run: async () => metrics({ metrics: await goBuild('metrics', 'metrics-server', 'go.mod', 'sigs.k8s.io/metrics-server/cmd/metrics-server'), kubectl: find('kubectl') }) },
  { name: 'Go: sample-apiserver, aggregated', missing: GO, run: async () => aggregated({ sample: await goBuild('aggregated', 'sample-apiserver', 'go.mod', 'k8s.io/sample-apiserver'), etcd: await etcd() }) },
  { name: 'Go: prometheus-operator', missing: () => GO() ?? missing('kubectl', ['version', '--client']), run: prometheusOperator },
  { name: 'Go: cert-manager', missing: GO, run: certManagerPrograms },
  ...[3, 4].map((major) => ({ name: `Helm ${major}`, missing: GO, run: async () => helm(await goHelm(major), major) })),
  ...installedKubectls().map((file) => ({ name: `kubectl: ${file}`, missing: () => undefined, run: () => matrix(file) })),
  ...[34, 35, 36, 37].map((minor) => ({ name: `kubectl 1.${minor}, built`, missing: () => GO() ?? notRecorded(minor), run: async () => matrix(await goBuild('kubectl', `kubectl.1.${minor}`, `go-1.${minor}.mod`, '.')) })),
  { name: 'JavaScript: @kubernetes/client-node', missing: () => undefined, run: () => vitest('test/e2e/informer.test.ts') },
  { name: 'Python: kubernetes', missing: () => missing('python3'), run: () => python('client.py') },
  { name: 'Python: kopf', missing: () => missing('python3'), run: () => python('operator_test.py') },
  { name: 'Java: fabric8', missing: () => missing('mvn'), run: () => java('clients.Fabric8') },
  { name: 'Java: client-java', missing: () => missing('mvn'), run: () => java('clients.Official') },
  { name: 'Rust: kube', missing: () => missing('cargo'), run: rust },
];

mkdirSync(KEPT, { recursive: true });
const rows = [];
for (const client of clients.filter((c) => o.only === undefined || c.name.includes(o.only))) {
  const why = client.missing();
  if (why !== undefined) {
    rows.push([client.name, 'skipped', why]);
    continue;
  }
  const began = performance.now();
  const code = await client.run().catch((error) => {
    console.error(`${client.name}: ${error.message}`);
    return 1;
  });
  rows.push([client.name, code === 0 ? 'passed' : 'FAILED', `${Math.round((performance.now() - began) / 1000)} s`]);
}
const width = Math.max(0, ...rows.map(([name]) => name.length));
for (const [name, verdict, note] of rows) console.log(`${name.padEnd(width)}  ${verdict.padEnd(7)}  ${note}`);
process.exitCode = rows.length === 0 || rows.some(([, verdict]) => verdict === 'FAILED') ? 1 : 0;

function goTest(folder, env) {
  return run('go', ['test', '-count=1', '-timeout=10m', './...'], { cwd: join(here, folder), env: { ...process.env, ...env } });
}

/**
 * The tests of controller-runtime, in the version that envtest/ pins. Those of servers without aggregated discovery download an old
 * kube-apiserver and are left out.
 */
async function controllerRuntime() {
  const cwd = await moduleFolder('envtest', 'sigs.k8s.io/controller-runtime');
  const env = { ...process.env, KUBEBUILDER_ASSETS: join(root, 'dist', 'envtest') };
  return run('go', ['test', '-count=1', '-p=1', '-timeout=30m', '-skip=/aggregatedDiscovery=false', './pkg/...'], { cwd, env, timeout: 3 * LIMIT });
}

/** Builds a program that `FOLDER/build/MODULE-FILE` pins. Resolves to the path of the program. */
async function goBuild(folder, name, modFile, target) {
  const file = join(KEPT, name);
  const version = ['-X', `k8s.io/component-base/version.gitVersion=v${/\d+\.\d+$/.exec(name)?.[0] ?? '0.0'}.0`].join(' ');
  const args = ['build', `-modfile=${modFile}`, '-o', file, ...(folder === 'kubectl' ? ['-ldflags', version] : []), target];
  const { code, stderr } = await capture('go', args, { cwd: join(here, folder, 'build') });
  if (code !== 0) throw new Error(`go ${args.join(' ')}: ${stderr}`);
  return file;
}

function goHelm(major) {
  return goBuild('helm', `helm${major}`, `go-${major}.mod`, `helm.sh/helm/v${major}/cmd/helm`);
}

/** The folder of a module that `FOLDER/go.mod` pins, with its tests and manifests. */
async function moduleFolder(folder, module) {
  const { code, stdout, stderr } = await capture('go', ['mod', 'download', '-json', module], { cwd: join(here, folder) });
  if (code !== 0) throw new Error(`the module ${module}: ${stderr}${stdout}`);
  return JSON.parse(stdout).Dir;
}

async function prometheusOperator() {
  const module = 'github.com/prometheus-operator/prometheus-operator';
  const operator = await goBuild('prometheus', 'prometheus-operator', 'go.mod', `${module}/cmd/operator`);
  return prometheus({ operator, kubectl: find('kubectl') }, await moduleFolder('prometheus/build', module));
}

async function certManagerPrograms() {
  const built = await goBuild('certmanager', 'cert-manager', 'go.mod', '.');
  const module = await moduleFolder('certmanager/build', 'github.com/cert-manager/cert-manager');
  return certManager({ certManager: built, helm: await goHelm(4) }, join(module, 'deploy', 'charts', 'cert-manager'));
}

/** Builds etcd, which the conformance tests pin. */
async function etcd() {
  const file = join(KEPT, 'etcd');
  await succeed('go', ['build', '-o', file, 'go.etcd.io/etcd/server/v3'], { cwd: join(root, 'test', 'conformance', 'e2e', 'etcd') });
  return file;
}

function vitest(file) {
  return run(join(root, 'node_modules', '.bin', 'vitest'), ['run', file], { cwd: root });
}

async function python(file) {
  const venv = join(KEPT, 'python');
  const interpreter = join(venv, 'bin', 'python');
  if (!existsSync(interpreter)) await succeed('python3', ['-m', 'venv', venv]);
  await succeed(interpreter, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', join(here, 'python', 'requirements.txt')]);
  return withServer((kubeconfig) => run(interpreter, [join(here, 'python', file)], { env: { ...process.env, KUBECONFIG: kubeconfig } }));
}

async function java(main) {
  const target = join(KEPT, 'java');
  const classpath = join(target, 'classpath');
  const goals = ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${classpath}`, `-Dtarget=${target}`];
  await succeed('mvn', ['-q', '-B', '-f', join(here, 'java', 'pom.xml'), ...goals]);
  return withServer((kubeconfig) => run('sh', ['-c', 'exec java -cp "$0/classes:$(cat "$1")" "$2" "$3"', target, classpath, main, kubeconfig]));
}

async function rust() {
  const env = { ...process.env, CARGO_TARGET_DIR: join(KEPT, 'rust') };
  await succeed('cargo', ['build', '--locked', '--quiet', '--manifest-path', join(here, 'rust', 'Cargo.toml')], { env });
  return withServer((kubeconfig) => run(join(KEPT, 'rust', 'debug', 'clients'), [], { env: { ...process.env, KUBECONFIG: kubeconfig } }));
}

async function succeed(file, args, options) {
  const code = await run(file, args, options);
  if (code !== 0) throw new Error(`${file} ${args.join(' ')}: exit code ${code}`);
}

/** The kubectl programs in other versions beside the one in the path (`kubectl.1.27`); the one in the path if there are none. */
function installedKubectls() {
  const found = find('kubectl');
  if (found === undefined) return [];
  const folder = dirname(realpathSync(found));
  const versions = readdirSync(folder).filter((name) => /^kubectl\.\d+\.\d+$/.test(name));
  return versions.length > 0 ? versions.map((name) => join(folder, name)) : [found];
}
