#!/usr/bin/env node
// `make conformance`: Kubernetes' own end-to-end tests against trireme, with kube-controller-manager, kube-scheduler and kwok nodes
// beside it. Prints a table of passed, failed and not applicable specs by area, and each failure with its reason.
//   --focus REGEX       specs to run (default: every conformance spec of the areas below); --skip REGEX: specs to skip
//   --all               also run the specs that notapplicable.json lists and that have not passed yet
//   --workers N         processes that run specs at the same time (default 1); serial specs run alone, after the others
//   --spec-minutes N    a spec is interrupted after this time (default 10; some wait for five); --minutes N: time limit of all (default 120)
//   --server NAME       trireme, or kube-apiserver to compare
//   --dual-stack        services have addresses of both families, for the specs of [Feature:IPv6DualStack]
//   --gates LIST        feature gates for all programs, as in --feature-gates; all versions of the API are served, for the specs of
//                       [Feature:OffByDefault]
//   --rest              only specs that have no recorded outcome on this server; with --failed, those that failed on trireme
//   --passed            only specs that passed on trireme before
//   --record            write the outcome of every spec to results.json
//   --list              only print what is known of all specs of the areas (or of those that the focus selects), and those without an outcome
//   --bin FOLDER        prebuilt programs; without it they are built from the pinned module lists here
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { programs, root, startCluster } from '../cluster.mjs';
import { add, judged, known, optionMissing, reasonOf, recorded, report } from './results.mjs';

const AREAS = ['api-machinery', 'apps', 'auth', 'cli', 'network', 'node', 'scheduling', 'storage', 'instrumentation'];
const NODES = 3;
const BATCH = 60;
const { values: o } = parseArgs({
  options: {
    focus: { type: 'string' },
    skip: { type: 'string' },
    all: { type: 'boolean' },
    workers: { type: 'string', default: '1' },
    'spec-minutes': { type: 'string', default: '10' },
    minutes: { type: 'string', default: '120' },
    server: { type: 'string', default: 'trireme' },
    record: { type: 'boolean' },
    'dual-stack': { type: 'boolean' },
    gates: { type: 'string' },
    rest: { type: 'boolean' },
    failed: { type: 'boolean' },
    passed: { type: 'boolean' },
    list: { type: 'boolean' },
    bin: { type: 'string' },
  },
});

const focus = o.focus ?? `\\[sig-(${AREAS.join('|')})\\]${o.list ? '' : '.*\\[Conformance\\]'}`;

const beside = ['kube-controller-manager', 'kube-scheduler', 'kubectl', 'kwok', ...(o.server === 'trireme' ? [] : ['kube-apiserver', 'etcd'])];
const bin = programs(['e2e.test', ...(o.list ? [] : beside)], o.bin);
if (bin === undefined) {
  console.log('conformance: skipped, Go is not installed and --bin names no folder of programs');
  process.exit(0);
}
const logs = join(root, '.trireme', 'conformance', o.server);
const deadline = performance.now() + Number(o.minutes) * 60_000;
const running = new Set();
let interrupted = false;
// An interrupt ends the tests; the report of the completed specs follows.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    interrupted = true;
    for (const child of running) child.kill('SIGINT');
  });

mkdirSync(logs, { recursive: true });
const flags = {
  server: [
    ...(o['dual-stack'] ? ['--service-cluster-ip-range=10.0.0.0/16,fd00:10::/108'] : []),
    ...(o.gates === undefined ? [] : ['--runtime-config=api/all=true']),
  ],
};
const cluster = o.list ? undefined : await startCluster({ bin, logs, server: o.server, nodes: NODES, flags, gates: o.gates });
try {
  process.exitCode = await (o.list ? list() : conformance());
} finally {
  await cluster?.stop();
}

/** Prints what is known of the specs. Exits with 1 if one has failed or has no outcome. */
async function list() {
  const outcomes = known(await specNames());
  report(outcomes);
  const missing = [...outcomes].filter(([, { state }]) => state === 'not run').map(([name]) => name);
  if (missing.length > 0) console.log(`\nwithout an outcome:\n${missing.join('\n')}`);
  return missing.length > 0 || [...outcomes.values()].some(({ state }) => state === 'failed') ? 1 : 0;
}

async function conformance() {
  const all = await specNames();
  const outcomes = new Map();
  const before = recorded();
  const wanted = all.filter((name) => {
    if (o.rest && before[name]?.[o.server] !== undefined) return false;
    if (o.failed && before[name]?.trireme?.state !== 'failed') return false;
    if (o.passed && before[name]?.trireme?.state !== 'passed') return false;
    // A spec that has passed is applicable, whatever pattern fits it, if the run has the options with which it passed.
    const passed = before[name]?.trireme?.state === 'passed';
    const missing = passed ? optionMissing(name, o) : undefined;
    const reason = missing === undefined ? (o.all || passed ? undefined : reasonOf(name)) : `needs --${missing}`;
    if (reason !== undefined) outcomes.set(name, { state: 'not applicable', reason, byRule: true });
    return reason === undefined;
  });
  const serial = (name) => /\[(Serial|Disruptive)\]/.test(name);
  const queue = batches(wanted.filter((n) => !serial(n)), Number(o.workers));
  await Promise.all(Array.from({ length: Number(o.workers) }, (_, i) => worker(i, queue, outcomes)));
  await worker(0, batches(wanted.filter(serial), 1), outcomes);
  for (const name of wanted) if (!outcomes.has(name)) outcomes.set(name, { state: 'not run' });
  if (o.record) add(o.server, outcomes);
  const results = judged(o.server, outcomes, before);
  report(results);
  const failures = [...results].filter(([, { state }]) => state === 'failed').map(([name, { reason }]) => ({ name, reason }));
  writeFileSync(join(logs, 'failures.json'), `${JSON.stringify(failures, null, 1)}\n`);
  return failures.length > 0 ? 1 : 0;
}

/** The names of the specs that the focus selects. */
async function specNames() {
  const file = join(logs, 'specs.json');
  const skip = o.skip === undefined ? [] : [`--ginkgo.skip=${o.skip}`];
  await run('specs', ['--ginkgo.dry-run', `--ginkgo.focus=${focus}`, ...skip, `--ginkgo.json-report=${file}`]).ended;
  return specsOf(file).filter((s) => s.State !== 'skipped').map((s) => s.name);
}

function batches(names, workers) {
  const size = Math.max(1, Math.min(BATCH, Math.ceil(names.length / workers)));
  return Array.from({ length: Math.ceil(names.length / size) }, (_, i) => names.slice(i * size, (i + 1) * size));
}

/** Runs batches until none is left. A batch that one spec interrupted continues with the specs after it. */
async function worker(index, queue, outcomes) {
  for (let batch = queue.shift(); batch !== undefined && !interrupted && performance.now() < deadline; batch = queue.shift()) {
    const file = join(logs, `report-${index}.json`);
    writeFileSync(file, '');
    const child = run(`e2e.test-${index}`, [
      ...[`--ginkgo.focus=(${batch.map(quoted).join('|')})$`, '--ginkgo.no-color', '--ginkgo.v', `--ginkgo.json-report=${file}`, `--ginkgo.timeout=${o.minutes}m`],
      ...['--provider=skeleton', `--num-nodes=${NODES}`, '--dump-logs-on-failure=false', `--kubectl-path=${join(bin, 'kubectl')}`],
      ...['--system-pods-startup-timeout=1m', '--node-schedulable-timeout=1m', '--allowed-not-ready-nodes=0', '--delete-namespace=true'],
    ]);
    const stuck = watchProgress(child);
    await child.ended;
    const late = stuck();
    const done = new Set();
    for (const spec of specsOf(file)) {
      if (!batch.includes(spec.name) || ['skipped', 'pending'].includes(spec.State) && spec.RunTime === 0) continue;
      done.add(spec.name);
      outcomes.set(spec.name, outcomeOf(spec, late));
    }
    const rest = batch.filter((name) => !done.has(name));
    if (done.size > 0 && rest.length > 0) queue.unshift(rest);
    if (done.size === 0) for (const name of rest) outcomes.set(name, { state: 'not run', reason: 'the tests wrote no report' });
  }
}

function outcomeOf(spec, late) {
  if (spec.State === 'passed') return { state: 'passed' };
  // Paths and ports of this run are of no use to a reader.
  const shown = (spec.Failure?.Message ?? spec.State).replaceAll(`${bin}/`, '').replace(/ --(?:kubeconfig|server)=\S+/g, '');
  const message = shown.split('\n').slice(0, 4).join(' ').slice(0, 400);
  if (spec.State === 'interrupted' && (interrupted || late === 'all')) return { state: 'not run' };
  if (spec.State === 'skipped') return { state: 'not applicable', reason: message };
  return { state: 'failed', reason: late === 'spec' && spec.State === 'interrupted' ? `interrupted after ${o['spec-minutes']} minutes` : message };
}

/**
 * Interrupts the tests when one spec takes too long, or all of them. Returns a function that ends the watch and reports which limit passed:
 * 'spec', 'all' or undefined.
 */
function watchProgress(child) {
  let [specs, since, late] = [-1, performance.now(), undefined];
  const timer = setInterval(() => {
    const now = (readFileSync(child.log, 'utf8').match(/^•/gm) ?? []).length;
    if (now !== specs) [specs, since] = [now, performance.now()];
    else if (late === undefined) {
      if (performance.now() > deadline) late = 'all';
      else if (performance.now() - since > Number(o['spec-minutes']) * 60_000) late = 'spec';
      if (late !== undefined) child.kill('SIGINT');
    }
  }, 1000);
  return () => {
    clearInterval(timer);
    return late;
  };
}

function run(name, args) {
  const file = join(logs, `${name}.log`);
  const log = openSync(file, 'w');
  const child = spawn(join(bin, 'e2e.test'), [`--kubeconfig=${cluster?.kubeconfig ?? '/dev/null'}`, ...args], { stdio: ['ignore', log, log] });
  child.log = file;
  running.add(child);
  child.ended = new Promise((resolve) => child.once('exit', resolve)).then(() => running.delete(child));
  return child;
}

function specsOf(report) {
  if (!existsSync(report) || statSync(report).size === 0) return [];
  const specs = JSON.parse(readFileSync(report, 'utf8')).flatMap((s) => s.SpecReports ?? []);
  return specs.filter((s) => s.LeafNodeType === 'It').map((s) => ({ ...s, name: [...(s.ContainerHierarchyTexts ?? []), s.LeafNodeText].join(' ') }));
}

function quoted(name) {
  return name.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}
