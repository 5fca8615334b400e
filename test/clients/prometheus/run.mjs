// prometheus-operator with its own manifests, as its service account: a Prometheus with a ServiceMonitor and rules becomes a StatefulSet,
// Secrets, ConfigMaps and a Service, follows changes, is scaled, and goes with everything it owns. This script is the StatefulSet controller.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { check } from '../checks.mjs';
import { capture, freePort } from '../lib.mjs';
import { kubeconfigOf, must, until, withPrograms } from '../programs.mjs';

const OPERATOR = 'prometheus-operator';
const MONITORING = '/apis/monitoring.coreos.com/v1';
const MINE = `${MONITORING}/namespaces/default`;
const SET = '/apis/apps/v1/namespaces/default/statefulsets/prometheus-web';
const MERGE = { 'content-type': 'application/merge-patch+json' };

/** Resolves to the exit code. `programs`: the paths of the operator and kubectl; `manifests`: its folder with bundle.yaml. */
export async function prometheus(programs, manifests) {
  return withPrograms(async ({ admin, config, kubeconfig, folder, start }) => {
    const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder };
    const kubectl = async (...args) => {
      const { code, stdout, stderr } = await capture(programs.kubectl, args, { env });
      check(code === 0, `kubectl ${args.join(' ')}: ${stderr}${stdout}`);
      return stdout;
    };
    await kubectl('apply', '--server-side', '-f', join(manifests, 'bundle.yaml'));
    await kubectl('wait', 'crd', '--all', '--for=condition=Established', '--timeout=60s');
    await must(admin('POST', '/api/v1/nodes', NODE));
    const own = await kubeconfigOf(admin, config, { folder, namespace: 'default', name: OPERATOR });
    start(OPERATOR, programs.operator, [`--web.listen-address=127.0.0.1:${await freePort()}`, '--kubelet-service=kube-system/kubelet', '--kubelet-endpointslice'], { KUBECONFIG: own });
    await reconciles(admin);
    await becomesAvailable(admin, kubectl);
    await follows(admin, kubectl, folder);
    await isDeleted(admin, kubectl, manifests);
    return 0;
  });
}

/** A node, whose kubelet the operator adds to Endpoints and an EndpointSlice. */
const NODE = { metadata: { name: 'n1' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.7' }], conditions: [{ type: 'Ready', status: 'True' }] } };

const monitor = (interval) => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: { name: 'shop', labels: { team: 'a' } },
  spec: { selector: { matchLabels: { app: 'shop' } }, endpoints: [{ port: 'web', interval }] },
});

/** The objects that the operator makes of a Prometheus. */
async function reconciles(admin) {
  const labels = { matchLabels: { team: 'a' } };
  await must(admin('POST', `${MINE}/servicemonitors`, monitor('30s')));
  const alert = { alert: 'Down', expr: 'up == 0', for: '5m' };
  await must(admin('POST', `${MINE}/prometheusrules`, { apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata: { name: 'shop', labels: { team: 'a' } }, spec: { groups: [{ name: 'shop', rules: [alert] }] } }));
  await must(admin('POST', `${MINE}/prometheuses`, { apiVersion: 'monitoring.coreos.com/v1', kind: 'Prometheus', metadata: { name: 'web' }, spec: { replicas: 1, serviceMonitorSelector: labels, ruleSelector: labels } }));
  const exist = [SET, '/api/v1/namespaces/default/services/prometheus-operated', '/api/v1/namespaces/default/secrets/prometheus-web-tls-assets-0', '/api/v1/namespaces/default/configmaps/prometheus-web-rulefiles-0'];
  for (const path of exist) await until(path, () => isThere(admin, path));
  await until('the kubelets have slices', async () => {
    const { items } = await must(admin('GET', '/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dkubelet'));
    return { ok: items.some((slice) => slice.endpoints.some((e) => e.addresses[0] === '192.0.2.7')), why: JSON.stringify(items) };
  });
  await until('the configuration has the monitor', () => configured(admin, 'job_name: serviceMonitor/default/shop/0'));
  const refused = await admin('POST', `${MINE}/servicemonitors`, { ...monitor('soon'), metadata: { name: 'bad' } });
  check(refused.code === 422 && /endpoints\[0\]\.interval/.test(refused.text), `an interval that is none: ${refused.code} ${refused.text}`);
}

/** A pod of the StatefulSet becomes ready; the operator tells it in the status of the Prometheus, which kubectl prints. */
async function becomesAvailable(admin, kubectl) {
  const { metadata, spec } = await must(admin('GET', SET));
  const labels = { ...spec.template.metadata.labels, 'controller-revision-hash': 'one' };
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: metadata.name, uid: metadata.uid, controller: true };
  const pod = { metadata: { name: `${metadata.name}-0`, labels, ownerReferences: [owner] }, spec: { containers: [{ name: 'prometheus', image: 'example.com/prometheus' }] } };
  await until('the service account', () => isThere(admin, '/api/v1/namespaces/default/serviceaccounts/default'));
  await must(admin('POST', '/api/v1/namespaces/default/pods', pod));
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  await must(admin('PATCH', `/api/v1/namespaces/default/pods/${pod.metadata.name}/status`, { status: { phase: 'Running', conditions } }, MERGE));
  const counts = { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1 };
  await must(admin('PATCH', `${SET}/status`, { status: { ...counts, currentRevision: 'one', updateRevision: 'one', observedGeneration: metadata.generation } }, MERGE));
  await kubectl('wait', 'prometheus/web', '--for=condition=Available', '--timeout=120s');
  const printed = await kubectl('get', 'prometheus', 'web');
  check(/^NAME +VERSION +DESIRED +READY +RECONCILED +AVAILABLE +AGE\nweb +1 +1 +True +True /m.test(printed), `the columns: ${printed}`);
}

/** What users change or delete. */
async function follows(admin, kubectl, folder) {
  const file = join(folder, 'monitor.json');
  writeFileSync(file, JSON.stringify(monitor('7s')));
  await kubectl('apply', '--server-side', '--force-conflicts', '-f', file);
  await until('the configuration has the interval', () => configured(admin, 'scrape_interval: 7s'));
  // The scale of a Prometheus is its number of shards.
  await kubectl('scale', 'prometheus', 'web', '--replicas=2');
  await until('the second shard', () => isThere(admin, '/apis/apps/v1/namespaces/default/statefulsets/prometheus-web-shard-1'));
  const { uid } = (await must(admin('GET', SET))).metadata;
  await must(admin('DELETE', SET));
  await until('the StatefulSet is made again', async () => {
    const { code, body } = await admin('GET', SET);
    return { ok: code === 200 && body.metadata.uid !== uid, why: `${code} ${body.metadata.uid}` };
  });
}

/** What a Prometheus owns goes with it, and its kinds with their definitions. */
async function isDeleted(admin, kubectl, manifests) {
  await kubectl('delete', 'prometheus', 'web', '--cascade=foreground', '--timeout=120s');
  for (const path of [SET, '/api/v1/namespaces/default/secrets/prometheus-web']) await until(`${path} is gone`, () => isGone(admin, path));
  await kubectl('delete', '-f', join(manifests, 'bundle.yaml'), '--timeout=120s');
  const { code } = await admin('GET', MONITORING);
  check(code === 404, `discovery of the group without definitions: ${code}`);
}

async function configured(admin, line) {
  const { code, body } = await admin('GET', '/api/v1/namespaces/default/secrets/prometheus-web');
  const packed = code === 200 ? body.data?.['prometheus.yaml.gz'] : undefined;
  const text = packed === undefined ? '' : gunzipSync(Buffer.from(packed, 'base64')).toString();
  return { ok: text.includes(line), why: text };
}

async function isThere(admin, path) {
  const { code, text } = await admin('GET', path);
  return { ok: code === 200, why: text };
}

async function isGone(admin, path) {
  const { code, text } = await admin('GET', path);
  return { ok: code === 404, why: text };
}
