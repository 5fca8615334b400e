// metrics-server behind an APIService, with a kubelet that only has metrics: `kubectl top` prints what the kubelet measured.
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { check } from '../checks.mjs';
import { capture, freePort } from '../lib.mjs';
import { conditionOf, kubeconfigOf, must, register, until, withPrograms } from '../programs.mjs';

const NAMESPACE = 'kube-system';
const NAME = 'metrics-server';
const GROUP = 'metrics.k8s.io';
const CORES = 0.25;
const MEBIBYTES = 64;

/** Resolves to the exit code. `programs`: the paths of metrics-server and kubectl. */
export async function metrics(programs) {
  return withPrograms(async ({ admin, config, kubeconfig, folder, start }) => {
    await roles(admin);
    const own = await kubeconfigOf(admin, config, { folder, namespace: NAMESPACE, name: NAME });
    const { cert, key } = serving(folder);
    const kubelet = https.createServer({ cert, key }, answer);
    const kubeletPort = await listen(kubelet);
    try {
      await node(admin, kubeletPort);
      const port = await freePort();
      const credentials = ['--kubeconfig', '--authentication-kubeconfig', '--authorization-kubeconfig'].map((flag) => `${flag}=${own}`);
      start(NAME, programs.metrics, [`--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${join(folder, 'metrics-certs')}`, '--metric-resolution=10s', '--kubelet-request-timeout=5s', '--kubelet-insecure-tls', '--kubelet-use-node-status-port', '--kubelet-preferred-address-types=InternalIP', ...credentials]);
      await register(admin, { group: GROUP, version: 'v1beta1', namespace: NAMESPACE, service: NAME, port });
      await until('the APIService is available', async () => {
        const condition = await conditionOf(admin, `v1beta1.${GROUP}`);
        return { ok: condition.status === 'True', why: JSON.stringify(condition) };
      });
      const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder };
      const prints = (args, line) =>
        until(`kubectl ${args}`, async () => {
          const { stdout, stderr } = await capture(programs.kubectl, args.split(' '), { env });
          return { ok: line.test(stdout), why: stdout + stderr };
        });
      await prints('top node', /^n1 +250m +\d+% +\d+Mi/m);
      await prints('top pod -n default', /^web +250m +64Mi/m);
      const pods = await must(admin('GET', `/apis/${GROUP}/v1beta1/namespaces/default/pods?labelSelector=app%3Dweb`));
      check(pods.items.length === 1 && pods.items[0].containers[0].name === 'c', `the metrics of a pod: ${JSON.stringify(pods)}`);
      // Metrics cannot be deleted and must not hold a namespace.
      await must(admin('POST', '/api/v1/namespaces', { metadata: { name: 'gone' } }));
      await must(admin('DELETE', '/api/v1/namespaces/gone'));
      await until('the namespace is gone', async () => {
        const { code, text } = await admin('GET', '/api/v1/namespaces/gone');
        return { ok: code === 404, why: text };
      });
      return 0;
    } finally {
      kubelet.closeAllConnections();
      kubelet.close();
    }
  });
}

/** What the manifests of metrics-server give its service account. */
async function roles(admin) {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const subjects = [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }];
  const bind = (path, name, kind, role) =>
    must(admin('POST', `${rbac}/${path}`, { metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role }, subjects }));
  await must(admin('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: NAME } }));
  const rules = [
    { apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
    { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
  ];
  await must(admin('POST', `${rbac}/clusterroles`, { metadata: { name: `system:${NAME}` }, rules }));
  await bind('clusterrolebindings', `system:${NAME}`, 'ClusterRole', `system:${NAME}`);
  await bind('clusterrolebindings', `${NAME}:system:auth-delegator`, 'ClusterRole', 'system:auth-delegator');
  await bind(`namespaces/${NAMESPACE}/rolebindings`, `${NAME}-auth-reader`, 'Role', 'extension-apiserver-authentication-reader');
}

/** A node with a running pod, as a kubelet would write them. */
async function node(admin, port) {
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    capacity: { cpu: '1', memory: '1Gi' },
    allocatable: { cpu: '1', memory: '1Gi' },
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString().replace(/\.\d+/, '') }],
  };
  await must(admin('POST', '/api/v1/nodes', { metadata: { name: 'n1' }, status }));
  await until('the service account', async () => {
    const { code, text } = await admin('GET', '/api/v1/namespaces/default/serviceaccounts/default');
    return { ok: code === 200, why: text };
  });
  const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'example.com/i' }] };
  await must(admin('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'web', labels: { app: 'web' } }, spec }));
  await must(admin('PATCH', '/api/v1/namespaces/default/pods/web/status', { status: { phase: 'Running' } }, { 'content-type': 'application/merge-patch+json' }));
}

/** The metrics of a kubelet: counters of CPU seconds that grow with time, and memory. */
function answer(request, response) {
  if (request.url !== '/metrics/resource') {
    response.writeHead(404).end();
    return;
  }
  const now = Date.now();
  const seconds = (now / 1000) * CORES;
  const bytes = MEBIBYTES * 2 ** 20;
  const started = now / 1000 - 600;
  const lines = [
    `node_cpu_usage_seconds_total ${seconds} ${now}`,
    `node_memory_working_set_bytes ${bytes} ${now}`,
    `container_cpu_usage_seconds_total{container="c",namespace="default",pod="web"} ${seconds} ${now}`,
    `container_memory_working_set_bytes{container="c",namespace="default",pod="web"} ${bytes} ${now}`,
    `container_start_time_seconds{container="c",namespace="default",pod="web"} ${started} ${now}`,
  ];
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(`${lines.join('\n')}\n`);
}

/** A certificate for the kubelet: that of the server. */
function serving(folder) {
  const [cert, key] = ['crt', 'key'].map((kind) => readFileSync(join(folder, 'pki', `apiserver.${kind}`)));
  return { cert, key };
}

function listen(server) {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}
