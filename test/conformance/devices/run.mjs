#!/usr/bin/env node
// `make devices`: dynamic resource allocation by kube-scheduler 1.37.2 through trireme: the scenarios of scenarios.mjs with
// ResourceSlices on kwok nodes. Prints what each pod got. With --beside, the same on kube-apiserver, and the outcomes must be equal.
//   --only REGEX  scenarios to run; --bin FOLDER  prebuilt programs
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { programs, root, startCluster, until } from '../cluster.mjs';
import { SCENARIOS } from './scenarios.mjs';

const { values: o } = parseArgs({ options: { only: { type: 'string', default: '' }, beside: { type: 'boolean' }, bin: { type: 'string' } } });
const GATES = [...new Set(SCENARIOS.flatMap((s) => s.gates ?? []))].map((gate) => `${gate}=true`).join(',');
const API = '/apis/resource.k8s.io/v1';
const WAIT_MS = 120_000;
/** How long a pod must stay without a node to count as pending, after the scheduler refused it. */
const PENDING_MS = 1000;

const servers = o.beside ? ['kube-apiserver', 'trireme'] : ['trireme'];
const bin = programs(['kube-controller-manager', 'kube-scheduler', 'kwok', ...(o.beside ? ['kube-apiserver', 'etcd'] : [])], o.bin);
if (bin === undefined) {
  console.log('devices: skipped, Go is not installed and --bin names no folder of programs');
  process.exit(0);
}
const chosen = SCENARIOS.filter(({ name }) => new RegExp(o.only).test(name));
const outcomes = new Map();
for (const server of servers) outcomes.set(server, await allOn(server));
let failures = 0;
const width = Math.max(...chosen.map(({ name }) => name.length));
for (const { name } of chosen) {
  const [mine, other] = [outcomes.get('trireme').get(name), outcomes.get('kube-apiserver')?.get(name)];
  const differs = other !== undefined && other.text !== mine.text;
  if (!mine.passed || differs) failures++;
  console.log(`${name.padEnd(width)}  ${mine.passed ? 'passed' : 'FAILED'}  ${mine.text}${differs ? `\n${' '.repeat(width)}  kube-apiserver: ${other.text}` : ''}`);
}
console.log(`${chosen.length - failures} of ${chosen.length} passed${o.beside ? ' with the outcome of kube-apiserver' : ''}`);
process.exitCode = failures > 0 ? 1 : 0;

async function allOn(server) {
  const cluster = await startCluster({ bin, logs: join(root, '.trireme', 'devices', server), server, nodes: 2, gates: GATES });
  try {
    return new Map(await Promise.all(chosen.map(async (scenario) => [scenario.name, await runOne(cluster, scenario)])));
  } finally {
    await cluster.stop();
  }
}

/** Runs one scenario: `{ passed, text }`. */
async function runOne(cluster, scenario) {
  const ns = `devices-${scenario.name}`;
  const driver = `${scenario.name}.example.com`;
  const run = { cluster, scenario, ns, driver, passed: [] };
  try {
    await cluster.ask('POST', '/api/v1/namespaces', { metadata: { name: ns, labels: scenario.labels } });
    const selectors = [{ cel: { expression: `device.driver == '${driver}'` } }];
    await cluster.ask('POST', `${API}/deviceclasses`, { metadata: { name: driver }, spec: { selectors, ...scenario.class?.(driver) } });
    for (const slice of slicesOf(scenario, driver)) await cluster.ask('POST', `${API}/resourceslices`, slice);
    for (const [name, spec] of Object.entries(scenario.claims ?? {})) await cluster.ask('POST', `${API}/namespaces/${ns}/resourceclaims`, { metadata: { name }, spec: { devices: spec(driver) } });
    for (const [name, spec] of Object.entries(scenario.templates ?? {})) await cluster.ask('POST', `${API}/namespaces/${ns}/resourceclaimtemplates`, { metadata: { name }, spec: { spec: { devices: spec(driver) } } });
    await until(async () => (await cluster.request('GET', `/api/v1/namespaces/${ns}/serviceaccounts/default`)).code === 200, 'no service account', WAIT_MS);
    for (const step of [scenario, ...(scenario.steps ?? [])]) await take(run, step);
    return { passed: true, text: run.passed.join('; ') };
  } catch (error) {
    return { passed: false, text: [...run.passed, error.message].join('; ') };
  }
}

/** Writes what a step writes, and waits until its expectations are met. */
async function take(run, step) {
  const { cluster, ns, driver, scenario } = run;
  for (const pod of step.delete ?? []) await cluster.ask('DELETE', `/api/v1/namespaces/${ns}/pods/${pod}`);
  for (const name of step.deleteClaims ?? []) await cluster.ask('DELETE', `${API}/namespaces/${ns}/resourceclaims/${name}`);
  if (step.taintRule !== undefined) await cluster.ask('POST', `${API}/devicetaintrules`, { metadata: { name: ns }, spec: { deviceSelector: { driver }, taint: step.taintRule } });
  for (const [name, claims] of Object.entries(step.pods ?? {})) await cluster.ask('POST', `/api/v1/namespaces/${ns}/pods`, podOf(name, claims, scenario.limits));
  let last = '';
  const met = async () => {
    const states = await statesOf(run, Object.keys(step.expect));
    last = JSON.stringify(states);
    return Object.entries(step.expect).every(([pod, wanted]) => matches(wanted, states[pod])) && (await furtherMet(run, step, states));
  };
  await until(met, '', WAIT_MS).catch((error) => {
    throw error.message === '' ? new Error(`expected ${JSON.stringify(step.expect)}, found ${last}`) : error;
  });
  run.passed.push(last.replaceAll('"', ''));
}

function matches(wanted, state) {
  if (typeof wanted === 'number') return Array.isArray(state) && state.length === wanted;
  return JSON.stringify(wanted) === JSON.stringify(state);
}

async function furtherMet({ cluster, ns }, step, states) {
  const claims = (await cluster.ask('GET', `${API}/namespaces/${ns}/resourceclaims`)).items;
  const named = (name) => claims.find((c) => c.metadata.name === name)?.status ?? {};
  if (step.distinct && new Set(Object.values(states).flat()).size !== Object.keys(states).length) return false;
  if (step.noClaims && claims.length > 0) return false;
  if ((step.released ?? []).some((name) => named(name).allocation !== undefined)) return false;
  if (Object.entries(step.reserved ?? {}).some(([name, count]) => named(name).reservedFor?.length !== count)) return false;
  return Object.entries(step.configs ?? {}).every(([name, wanted]) => JSON.stringify((named(name).allocation?.devices.config ?? []).map((c) => `${c.source} ${c.opaque.parameters.from}`)) === JSON.stringify(wanted));
}

/** By pod: 'gone', 'pending' (refused by the scheduler), 'waiting' (anything between), or the devices of a pod that runs. */
async function statesOf({ cluster, ns }, pods) {
  const found = (await cluster.ask('GET', `/api/v1/namespaces/${ns}/pods`)).items;
  const claims = (await cluster.ask('GET', `${API}/namespaces/${ns}/resourceclaims`)).items;
  return Object.fromEntries(pods.map((name) => [name, stateOf(found.find((p) => p.metadata.name === name), claims)]));
}

function stateOf(pod, claims) {
  if (pod === undefined) return 'gone';
  const scheduled = (pod.status.conditions ?? []).find((c) => c.type === 'PodScheduled');
  if (pod.spec.nodeName === undefined)
    return scheduled?.status === 'False' && Date.now() - Date.parse(pod.metadata.creationTimestamp) > PENDING_MS ? 'pending' : 'waiting';
  if (pod.status.phase !== 'Running') return 'waiting';
  const names = [...(pod.status.resourceClaimStatuses ?? []), pod.status.extendedResourceClaimStatus].map((s) => s?.resourceClaimName);
  const used = claims.filter((c) => names.includes(c.metadata.name) || (pod.spec.resourceClaims ?? []).some((r) => r.resourceClaimName === c.metadata.name));
  if (used.some((c) => !(c.status?.reservedFor ?? []).some((r) => r.uid === pod.metadata.uid))) return 'waiting';
  return used.flatMap((c) => (c.status?.allocation?.devices.results ?? []).map(deviceText)).sort();
}

function deviceText({ request, device, adminAccess, shareID, consumedCapacity }) {
  const capacity = Object.values(consumedCapacity ?? {});
  return [...(request.includes('/') ? [request] : []), device, ...capacity, ...(shareID === undefined ? [] : ['shared']), ...(adminAccess ? ['admin'] : [])].join(' ');
}

function podOf(name, claims, limits) {
  const resourceClaims = claims.map((text, i) => ({ name: `c${i}`, ...(text.startsWith('template ') ? { resourceClaimTemplateName: text.slice(9) } : { resourceClaimName: text }) }));
  const resources = { claims: resourceClaims.map((c) => ({ name: c.name })), limits };
  return { metadata: { name }, spec: { terminationGracePeriodSeconds: 0, resourceClaims, containers: [{ name: 'c', image: 'example.com/image', resources }] } };
}

/** Counters and devices are in slices of their own. */
function slicesOf({ name, devices, counters }, driver) {
  const pool = { name, generation: 1, resourceSliceCount: counters === undefined ? 1 : 2 };
  const slice = (suffix, more) => ({ metadata: { name: `${name}-${suffix}` }, spec: { driver, pool, nodeName: 'node-0', ...more } });
  return [...(counters === undefined ? [] : [slice('counters', { sharedCounters: counters })]), slice('devices', { devices })];
}
