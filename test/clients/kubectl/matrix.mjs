// The kubectl matrix: runs the commands of commands.mjs and compares each output with what the same kubectl printed for kube-apiserver
// 1.37.2 (recorded.json).
//
//   node test/clients/kubectl/matrix.mjs --kubectl FILE                           compare trireme with the recording
//   node test/clients/kubectl/matrix.mjs --kubectl FILE --record --server FILE    record a kube-apiserver; FILE is its kubeconfig
//
// The kube-apiserver needs the controllers that trireme has. Versions of kubectl with the same output share a record.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { capture, here, root, withServer } from '../lib.mjs';
import { STEPS } from './commands.mjs';
import { normalize } from './normalize.mjs';

const FOLDER = join(here, 'kubectl');
const RECORDED = join(FOLDER, 'recorded.json');
const COMMAND_TIME = 60_000;
const REPEATS = 100;

/**
 * Runs all steps with one kubectl against one server. Resolves to what they printed: `{ command, code, stdout, stderr }`, normalized.
 */
export async function runSteps(kubectl, minor, kubeconfig) {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-kubectl-'));
  cpSync(join(FOLDER, 'files'), folder, { recursive: true });
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder, KUBECTL_DEBUG_CUSTOM_PROFILE: '', COLUMNS: '100' };
  const results = [];
  try {
    for (const step of STEPS) {
      const [command, options = {}] = typeof step === 'string' ? [step] : step;
      if (options.since !== undefined && minor < options.since) continue;
      const at = { cwd: folder, env: { ...env, ...options.env }, timeout: COMMAND_TIME, input: options.input };
      const ran = await (options.during === undefined ? repeated : watching)(kubectl, command.split(' '), at, options);
      const texts = options.quiet ? {} : { stdout: kept(ran.stdout, options), stderr: kept(ran.stderr, options) };
      results.push({ command: nameOf(command, options), code: ran.code, ...texts });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}

const kept = (text, { keep }) =>
  normalize(keep === undefined ? text : text.split('\n').filter((line) => keep.test(line)).join('\n'));

const nameOf = (command, { input, env }) =>
  [command, ...Object.values(env ?? {}), ...(input === undefined ? [] : [input])].join(' | ');

async function repeated(kubectl, args, at, { until }) {
  for (let i = 1; ; i++) {
    const ran = await capture(kubectl, args, at);
    if (until === undefined || until.test(ran.stdout + ran.stderr) || i === REPEATS) return ran;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Runs a command that watches: other commands after its first line, until it has printed `lines` lines. */
async function watching(kubectl, args, at, { during, lines }) {
  const child = spawn(kubectl, args, { ...at, stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = new Promise((resolve) => child.once('close', resolve));
  let stdout = '';
  let wake = () => {};
  child.stdout.on('data', (text) => {
    stdout += text;
    wake();
  });
  const reached = async (n) => {
    while (stdout.split('\n').length <= n && child.exitCode === null && child.signalCode === null)
      await Promise.race([closed, new Promise((resolve) => (wake = resolve))]);
  };
  await reached(1);
  for (const command of during) await capture(kubectl, command.split(' '), at);
  await reached(lines);
  child.kill('SIGTERM');
  await closed;
  return { code: 0, stdout, stderr: '' };
}

/** Runs the matrix of one kubectl and prints the differences. Resolves to 0 if there are none. */
export async function matrix(kubectl) {
  const minor = await minorOf(kubectl);
  const expected = recordOf(minor);
  if (expected === undefined) {
    console.log(`${kubectl}: no recording of version 1.${minor}`);
    return 1;
  }
  const results = await withServer((kubeconfig) => runSteps(kubectl, minor, kubeconfig));
  let differences = 0;
  for (const [i, result] of results.entries()) {
    const wanted = expected[i];
    if (JSON.stringify(result) === JSON.stringify(wanted)) continue;
    differences++;
    console.log(`\nkubectl 1.${minor}: ${result.command}\n${difference(wanted, result)}`);
  }
  console.log(`kubectl 1.${minor}: ${results.length - differences} of ${results.length} commands as with kube-apiserver`);
  return differences === 0 && results.length === expected.length ? 0 : 1;
}

function difference(wanted, got) {
  const text = (r) => (r === undefined ? '' : `exit code ${r.code}\n${r.stdout ?? ''}${r.stderr ?? ''}`).split('\n');
  const [before, after] = [text(wanted), text(got)];
  const gone = before.filter((line) => !after.includes(line)).map((line) => `  - ${line}`);
  const come = after.filter((line) => !before.includes(line)).map((line) => `  + ${line}`);
  return [...gone, ...come].slice(0, 60).join('\n') || '  (the order of lines differs)';
}

async function minorOf(kubectl) {
  const { stdout } = await capture(kubectl, ['version', '--client', '-o', 'json']);
  return Number(/"gitVersion": "v1\.(\d+)/.exec(stdout)?.[1] ?? Number.NaN);
}

/** The recording has the outputs of each command, and for each version the numbers of its outputs, in order. */
function recording() {
  return existsSync(RECORDED) ? JSON.parse(readFileSync(RECORDED, 'utf8')) : { outputs: [], versions: {} };
}

/** Why a version of kubectl cannot be compared, or undefined. */
export function notRecorded(minor) {
  return recordOf(minor) === undefined ? `its outputs are not in ${relative(root, RECORDED)}` : undefined;
}

function recordOf(minor) {
  const { outputs, versions } = recording();
  return versions[`1.${minor}`]?.map((n) => outputs[n]);
}

async function record(kubectl, kubeconfig) {
  const minor = await minorOf(kubectl);
  const results = await runSteps(kubectl, minor, kubeconfig);
  const { outputs, versions } = recording();
  const known = { ...Object.fromEntries(Object.entries(versions).map(([v, list]) => [v, list.map((n) => outputs[n])])), [`1.${minor}`]: results };
  writeRecording(known);
  console.log(`kubectl 1.${minor}: ${results.length} commands recorded`);
}

function writeRecording(known) {
  const numbers = new Map();
  const versions = {};
  for (const version of Object.keys(known).sort()) {
    versions[version] = known[version].map((result) => {
      const text = JSON.stringify(result);
      if (!numbers.has(text)) numbers.set(text, numbers.size);
      return numbers.get(text);
    });
  }
  const lines = Object.entries(versions).map(([v, list]) => `    ${JSON.stringify(v)}: ${JSON.stringify(list)}`);
  writeFileSync(RECORDED, `{\n  "outputs": [\n    ${[...numbers.keys()].join(',\n    ')}\n  ],\n  "versions": {\n${lines.join(',\n')}\n  }\n}\n`);
}

if (process.argv[1] === import.meta.filename) {
  const { values: o } = parseArgs({ options: { kubectl: { type: 'string' }, record: { type: 'boolean' }, server: { type: 'string' } } });
  process.exitCode = o.record ? ((await record(o.kubectl, o.server)) ?? 0) : await matrix(o.kubectl);
}
