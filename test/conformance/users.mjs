// A control plane in which every component is its own user: `make users`. kube-controller-manager runs its controllers as their service
// accounts (--use-service-account-credentials), kube-scheduler is system:kube-scheduler, and a node is system:node:n1 in system:nodes, under
// Node and NodeRestriction. A Deployment must get its pods, they must be bound, and the node reports them as running. The audit log then names
// the user of each write. BIN names a folder with the programs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeNamed, programs, root, startCluster, until } from './cluster.mjs';

const NODE = 'n1';
const PODS = 3;
const bin = programs(['kube-controller-manager', 'kube-scheduler', 'kubectl'], process.env.BIN);
if (bin === undefined) console.log('users: skipped, because Go is not installed');
else process.exitCode = await run();

async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-users-'));
  const [policy, audit] = [join(folder, 'policy'), join(folder, 'audit')];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] }));
  const server = ['--enable-admission-plugins=NodeRestriction', '--authorization-mode=Node,RBAC', `--audit-policy-file=${policy}`, `--audit-log-path=${audit}`];
  const cluster = await startCluster({ bin, logs: join(root, '.trireme', 'users'), nodes: 0, users: true, flags: { server } });
  try {
    await scenario(cluster);
  } finally {
    await cluster.stop();
  }
  const events = readFileSync(audit, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  rmSync(folder, { recursive: true, force: true });
  return report(events);
}

async function scenario(cluster) {
  // The node creates its own object, as a kubelet does, and keeps it ready.
  const kubelet = cluster.kubeconfigOf(`system:node:${NODE}`, ['system:nodes']);
  const view = execFileSync(join(bin, 'kubectl'), [`--kubeconfig=${kubelet}`, 'config', 'view', '--raw', '-o', 'json'], { encoding: 'utf8' });
  const [{ user }] = JSON.parse(view).users;
  const [cert, key] = ['client-certificate-data', 'client-key-data'].map((field) => Buffer.from(user[field], 'base64'));
  const asNode = (method, path, body) => cluster.ask(method, path, body, method === 'PATCH' ? 'application/merge-patch+json' : undefined, { cert, key });
  const { status, ...node } = nodeNamed(NODE);
  await asNode('POST', '/api/v1/nodes', node);
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '', lastHeartbeatTime: new Date().toISOString(), lastTransitionTime: new Date().toISOString() }];
  await asNode('PATCH', `/api/v1/nodes/${NODE}/status`, { status: { ...status, conditions } });
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await cluster.ask('POST', '/apis/apps/v1/namespaces/default/deployments', { metadata: { name: 'web' }, spec: { replicas: PODS, selector: { matchLabels: labels }, template } });
  const pods = async () => (await cluster.ask('GET', '/api/v1/namespaces/default/pods')).items;
  await until(async () => (await pods()).filter((pod) => pod.spec.nodeName === NODE).length === PODS, 'the pods were not bound');
  for (const { metadata } of await pods()) {
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() };
    await asNode('PATCH', `/api/v1/namespaces/default/pods/${metadata.name}/status`, { status: { phase: 'Running', conditions: [ready] } });
  }
  const available = async () => (await cluster.ask('GET', '/apis/apps/v1/namespaces/default/deployments/web')).status.availableReplicas;
  await until(async () => (await available()) === PODS, 'the Deployment is not available');
}

/** Prints who wrote what, and returns the exit code: 1 if a component wrote as another user, or was refused. */
function report(events) {
  const users = (verb, resource) => [...new Set(events.filter((e) => e.verb === verb && e.objectRef?.resource === resource && e.responseStatus?.code < 300).map((e) => e.user.username))];
  const wanted = [
    ['create', 'replicasets', 'system:serviceaccount:kube-system:deployment-controller'],
    ['create', 'nodes', `system:node:${NODE}`],
  ];
  let wrong = 0;
  const check = (what, is, found) => {
    console.log(`${is ? 'ok  ' : 'FAIL'} ${what}: ${found}`);
    if (!is) wrong++;
  };
  for (const [verb, resource, user] of wanted) check(`${verb} ${resource}`, users(verb, resource).join() === user, users(verb, resource));
  const bindings = events.filter((e) => e.objectRef?.subresource === 'binding' && e.responseStatus?.code < 300).map((e) => e.user.username);
  check('bindings', bindings.length >= PODS && bindings.every((user) => user === 'system:kube-scheduler'), [...new Set(bindings)]);
  const refused = events.filter((e) => e.responseStatus?.code === 403 && e.user.username.startsWith('system:'));
  const lines = [...new Set(refused.map((e) => `${e.user.username} ${e.verb} ${e.requestURI.split('?')[0]}`))];
  check('requests refused', lines.length === 0, lines.length === 0 ? 'none' : lines.join('; '));
  return wrong === 0 ? 0 : 1;
}
