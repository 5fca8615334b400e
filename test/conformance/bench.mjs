#!/usr/bin/env node
// `make benchcluster`: the cost of a whole cluster: kube-controller-manager, kube-scheduler and kwok nodes bring pods of Deployments to
// Running, on trireme and on kube-apiserver with etcd, one after the other. Prints the time, and the CPU time and memory of the server.
//   --nodes N (100)  --deployments N (30)  --replicas N (100, each)  --rounds N (1)
//   --servers A,B    default kube-apiserver,trireme,trireme-alone (see cluster.mjs); --profile FOLDER: CPU profiles of trireme; --bin FOLDER: prebuilt programs
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { programs, root, startCluster, until } from './cluster.mjs';

const { values: o } = parseArgs({
  options: {
    nodes: { type: 'string', default: '100' },
    deployments: { type: 'string', default: '30' },
    replicas: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '1' },
    servers: { type: 'string', default: 'kube-apiserver,trireme,trireme-alone' },
    profile: { type: 'string' },
    bin: { type: 'string' },
  },
});
const LIMIT_MS = 20 * 60_000;
/** The same rates for both servers; the defaults of the clients would hide their difference. */
const RATES = ['--kube-api-qps=1000', '--kube-api-burst=2000'];
/** On a busy machine the leases of nodes are late. Pods of a node that was not ready for a moment stay not ready, because kwok reports them once. */
const PATIENCE = ['--node-monitor-grace-period=20m'];
const [nodes, deployments, replicas] = [o.nodes, o.deployments, o.replicas].map(Number);
const servers = o.servers.split(',');

const bin = programs(['kube-controller-manager', 'kube-scheduler', 'kwok', 'kube-apiserver', 'etcd'], o.bin);
if (bin === undefined) {
  console.log('benchcluster: skipped, Go is not installed and --bin names no folder of programs');
  process.exit(0);
}
console.log(`${nodes} nodes, ${deployments} Deployments of ${replicas} pods`);
console.log(['server', 'seconds', 'CPU s', 'start CPU s', 'MB'].map((t) => t.padStart(15)).join(''));
for (let round = 0; round < Number(o.rounds); round++)
  for (const server of servers) {
    const r = await measure(server);
    console.log([server, r.seconds, r.cpu, r.startCpu, r.megabytes].map((v) => String(typeof v === 'number' ? Math.round(v * 10) / 10 : v).padStart(15)).join(''));
  }

async function measure(server) {
  const exec = o.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${o.profile}`];
  const manager = [...RATES, ...PATIENCE, '--concurrent-deployment-syncs=10', '--concurrent-replicaset-syncs=10'];
  const flags = { manager, scheduler: RATES };
  const cluster = await startCluster({ bin, logs: join(root, '.trireme', 'benchcluster', server), server, nodes, flags, exec });
  try {
    await until(async () => (await cluster.ask('GET', '/api/v1/nodes')).items.every(isReady), 'the nodes are not ready', LIMIT_MS);
    await until(async () => (await cluster.request('GET', '/api/v1/namespaces/default/serviceaccounts/default')).code === 200, 'no service account', LIMIT_MS);
    const startCpu = cluster.cpuSeconds();
    const began = performance.now();
    for (let i = 0; i < deployments; i++) await cluster.ask('POST', '/apis/apps/v1/namespaces/default/deployments', deploymentNamed(`app-${i}`));
    await until(async () => (await available(cluster)) === deployments * replicas, 'the pods do not run', LIMIT_MS);
    return { seconds: (performance.now() - began) / 1000, cpu: cluster.cpuSeconds() - startCpu, startCpu, megabytes: cluster.residentMegabytes() };
  } finally {
    await cluster.stop();
  }
}

async function available(cluster) {
  await new Promise((r) => setTimeout(r, 400));
  const { items } = await cluster.ask('GET', '/apis/apps/v1/namespaces/default/deployments');
  return items.reduce((sum, d) => sum + (d.status.availableReplicas ?? 0), 0);
}

function isReady(node) {
  return (node.status.conditions ?? []).some((c) => c.type === 'Ready' && c.status === 'True');
}

function deploymentNamed(name) {
  const labels = { app: name };
  const container = { name: 'c', image: 'example.com/image', resources: { requests: { cpu: '10m', memory: '16Mi' } } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } } };
}
