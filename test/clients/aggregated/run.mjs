// The sample API server of Kubernetes (k8s.io/sample-apiserver) behind an APIService, with etcd for its own objects. It authenticates,
// authorizes, admits and follows namespaces through trireme, as the service account of its example manifests.
import { join } from 'node:path';
import { check } from '../checks.mjs';
import { freePort } from '../lib.mjs';
import { conditionOf, kubeconfigOf, must, register, requester, tokenOf, until, withPrograms } from '../programs.mjs';

const GROUP = 'wardle.example.com';
const NAMESPACE = 'wardle';
const NAME = `v1alpha1.${GROUP}`;

/** Resolves to the exit code. `programs`: the paths of sample-apiserver and etcd. */
export async function aggregated(programs) {
  return withPrograms(async ({ admin, config, folder, start }) => {
    await roles(admin);
    const sample = await startSample(admin, config, { start, folder, programs });
    await isServed(admin);
    await verbs(admin);
    await admission(admin);
    await authorization(admin, config);
    await owners(admin);
    await dependents(admin);
    await namespaceDeletion(admin);
    await unavailable(admin, sample);
    return 0;
  });
}

/** What the example manifests of the sample server give its service account. */
async function roles(admin) {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const subjects = [{ kind: 'ServiceAccount', name: 'apiserver', namespace: NAMESPACE }];
  const roleRef = (kind, name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
  await must(admin('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } }));
  await must(admin('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: 'apiserver' } }));
  const read = { verbs: ['get', 'watch', 'list'] };
  const rules = [
    { apiGroups: [''], resources: ['namespaces'], ...read },
    { apiGroups: ['admissionregistration.k8s.io'], resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings', 'validatingadmissionpolicies', 'validatingadmissionpolicybindings'], ...read },
    { apiGroups: ['flowcontrol.apiserver.k8s.io'], resources: ['prioritylevelconfigurations', 'flowschemas'], ...read },
  ];
  await must(admin('POST', `${rbac}/clusterroles`, { metadata: { name: 'wardle' }, rules }));
  await must(admin('POST', `${rbac}/clusterrolebindings`, { metadata: { name: 'wardle' }, roleRef: roleRef('ClusterRole', 'wardle'), subjects }));
  await must(admin('POST', `${rbac}/clusterrolebindings`, { metadata: { name: 'wardle:system:auth-delegator' }, roleRef: roleRef('ClusterRole', 'system:auth-delegator'), subjects }));
  await must(admin('POST', `${rbac}/namespaces/kube-system/rolebindings`, { metadata: { name: 'wardle-auth-reader' }, roleRef: roleRef('Role', 'extension-apiserver-authentication-reader'), subjects }));
}

async function startSample(admin, config, { start, folder, programs }) {
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
  const urls = ['--listen-client-urls', '--advertise-client-urls'].map((flag) => `${flag}=http://127.0.0.1:${client}`);
  const peers = ['--listen-peer-urls', '--initial-advertise-peer-urls'].map((flag) => `${flag}=http://127.0.0.1:${peer}`);
  start('etcd', programs.etcd, ['--name=a', `--data-dir=${join(folder, 'etcd')}`, ...urls, ...peers, `--initial-cluster=a=http://127.0.0.1:${peer}`]);
  const own = await kubeconfigOf(admin, config, { folder, namespace: NAMESPACE, name: 'apiserver' });
  const credentials = ['--kubeconfig', '--authentication-kubeconfig', '--authorization-kubeconfig'].map((flag) => `${flag}=${own}`);
  const child = start('sample-apiserver', programs.sample, [`--etcd-servers=http://127.0.0.1:${client}`, `--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${join(folder, 'sample-certs')}`, '--feature-gates=kube:MutatingAdmissionPolicy=true', ...credentials]);
  for (const version of ['v1alpha1', 'v1beta1']) await register(admin, { group: GROUP, version, namespace: NAMESPACE, service: 'api', port });
  return child;
}

async function isServed(admin) {
  await until('the APIService is available', async () => {
    const condition = await conditionOf(admin, NAME);
    return { ok: condition.status === 'True', why: JSON.stringify(condition) };
  });
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  await until('aggregated discovery has the group', async () => {
    const { items } = await must(admin('GET', '/apis', undefined, { accept }));
    const group = items.find((i) => i.metadata.name === GROUP);
    const names = group?.versions.find((v) => v.version === 'v1alpha1')?.resources?.map((r) => r.resource).sort();
    return { ok: JSON.stringify(names) === '["fischers","flunders"]', why: JSON.stringify(group) };
  });
  await until('OpenAPI v3 lists the group and its versions', async () => {
    const { paths } = await must(admin('GET', '/openapi/v3'));
    return { ok: ['', '/v1alpha1', '/v1beta1'].every((version) => `apis/${GROUP}${version}` in paths), why: Object.keys(paths) };
  });
  const { paths } = await must(admin('GET', '/openapi/v3'));
  const document = await must(admin('GET', paths[`apis/${GROUP}/v1alpha1`].serverRelativeURL));
  check(Object.keys(document.paths).some((p) => p.includes('flunders')), 'its OpenAPI document has its paths');
  const { versions } = await must(admin('GET', `/apis/${GROUP}`));
  check(versions[0].version === 'v1beta1', `of versions with one priority the newest is preferred: ${JSON.stringify(versions)}`);
  await until('OpenAPI v2 has its kinds, which share the types of this server', async () => {
    const { definitions } = await must(admin('GET', '/openapi/v2'));
    const names = Object.keys(definitions);
    check(!names.some((name) => /_v\d+$/.test(name)), `renamed: ${names.filter((name) => /_v\d+$/.test(name))}`);
    return { ok: names.some((name) => name.endsWith('.wardle.v1beta1.Flunder')), why: 'not there yet' };
  });
}

const FLUNDERS = `/apis/${GROUP}/v1alpha1/namespaces/default/flunders`;
const flunder = (name, reference = 'other') => ({ apiVersion: `${GROUP}/v1alpha1`, kind: 'Flunder', metadata: { name, labels: { sample: 'yes' } }, spec: { reference, referenceType: 'Flunder' } });

async function verbs(admin) {
  const made = await must(admin('POST', FLUNDERS, flunder('a')));
  const events = admin('GET', `${FLUNDERS}?watch=1&resourceVersion=${made.metadata.resourceVersion}&timeoutSeconds=5`);
  await must(admin('PATCH', `${FLUNDERS}/a`, { metadata: { labels: { more: 'x' } } }, { 'content-type': 'application/merge-patch+json' }));
  await must(admin('PATCH', `${FLUNDERS}/b?fieldManager=test`, flunder('b'), { 'content-type': 'application/apply-patch+yaml' }));
  const other = await must(admin('GET', `/apis/${GROUP}/v1beta1/namespaces/default/flunders/a`));
  check(other.apiVersion === `${GROUP}/v1beta1` && other.metadata.labels.more === 'x', `another version: ${JSON.stringify(other)}`);
  const list = await must(admin('GET', `${FLUNDERS}?labelSelector=more%3Dx`));
  check(list.items.map((i) => i.metadata.name).join() === 'a', 'a list with a selector');
  await must(admin('DELETE', `${FLUNDERS}/b`));
  const seen = (await events).text.trim().split('\n').map((line) => JSON.parse(line)).map(({ type, object }) => `${type} ${object.metadata.name}`);
  check(seen.join() === 'MODIFIED a,ADDED b,DELETED b', `the events of a watch: ${seen.join()}`);
  const gone = await admin('GET', `${FLUNDERS}/b`);
  check(gone.code === 404 && gone.body.details.kind === 'flunders', `a deleted object: ${gone.text}`);
}

/** The plug-in of the sample server follows its own objects through the aggregator. */
async function admission(admin) {
  const fischer = { apiVersion: `${GROUP}/v1alpha1`, kind: 'Fischer', metadata: { name: 'f' }, disallowedFlunders: ['banned'] };
  await must(admin('POST', `/apis/${GROUP}/v1alpha1/fischers`, fischer));
  await until('a banned flunder is refused', async () => {
    const { code, text } = await admin('POST', `${FLUNDERS}?dryRun=All`, flunder('banned'));
    return { ok: code === 403, why: `${code} ${text}` };
  });
}

/** A service account without a role is refused by the sample server, which asks trireme; with a role it is not. */
async function authorization(admin, config) {
  await must(admin('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'fisher' } }));
  const fisher = requester(config, await tokenOf(admin, 'default', 'fisher'));
  const refused = await fisher('GET', FLUNDERS);
  check(refused.code === 403 && /serviceaccount:default:fisher.*cannot list resource/.test(refused.body.message), `without a role: ${refused.code} ${refused.text}`);
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  await must(admin('POST', `${rbac}/roles`, { metadata: { name: 'fisher' }, rules: [{ apiGroups: [GROUP], resources: ['flunders'], verbs: ['list'] }] }));
  await must(admin('POST', `${rbac}/rolebindings`, { metadata: { name: 'fisher' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'fisher' }, subjects: [{ kind: 'ServiceAccount', name: 'fisher', namespace: 'default' }] }));
  await until('with a role', async () => {
    const { code, text } = await fisher('GET', FLUNDERS);
    return { ok: code === 200, why: `${code} ${text}` };
  });
  const written = await fisher('POST', FLUNDERS, flunder('c'));
  check(written.code === 403, `a verb that the role does not have: ${written.code}`);
}

/** A ConfigMap whose owner is an object of the sample server stays as long as the owner, and no longer. */
async function owners(admin) {
  const { metadata } = await must(admin('POST', FLUNDERS, flunder('owner')));
  const maps = '/api/v1/namespaces/default/configmaps';
  const owned = (name, uid) => ({ metadata: { name, ownerReferences: [{ apiVersion: `${GROUP}/v1alpha1`, kind: 'Flunder', name: 'owner', uid }] } });
  await must(admin('POST', maps, owned('owned', metadata.uid)));
  await must(admin('POST', maps, owned('orphaned', 'another')));
  const gone = (name) => async () => {
    const { code, text } = await admin('GET', `${maps}/${name}`);
    return { ok: code === 404, why: text };
  };
  await until('an object with an owner that does not exist is gone', gone('orphaned'));
  check((await admin('GET', `${maps}/owned`)).code === 200, 'an object with an owner that exists stays');
  await must(admin('DELETE', `${FLUNDERS}/owner`));
  await until('an object whose owner was deleted is gone', gone('owned'));
}

/** The garbage collector finds them by lists of the sample server. */
async function dependents(admin) {
  const maps = '/api/v1/namespaces/default/configmaps';
  const { metadata } = await must(admin('POST', maps, { metadata: { name: 'owner' } }));
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid, blockOwnerDeletion: true };
  const owned = (name, uid) => ({ ...flunder(name), metadata: { name, ownerReferences: [{ ...reference, uid }] } });
  await must(admin('POST', FLUNDERS, owned('owned', metadata.uid)));
  await must(admin('POST', FLUNDERS, owned('orphaned', 'another')));
  const gone = (path) => async () => {
    const { code, text } = await admin('GET', path);
    return { ok: code === 404, why: text };
  };
  await until('its object with an owner that does not exist is gone', gone(`${FLUNDERS}/orphaned`));
  check((await admin('GET', `${FLUNDERS}/owned`)).code === 200, 'its object with an owner that exists stays');
  await must(admin('DELETE', `${maps}/owner?propagationPolicy=Foreground`));
  await until('an owner that waited for its object is gone', gone(`${maps}/owner`));
  check((await admin('GET', `${FLUNDERS}/owned`)).code === 404, 'its object went before the owner');
}

/** The objects of the sample server belong to the content of their namespace. */
async function namespaceDeletion(admin) {
  await must(admin('POST', '/api/v1/namespaces', { metadata: { name: 'pond' } }));
  const there = `/apis/${GROUP}/v1alpha1/namespaces/pond/flunders`;
  await until('the sample server knows the namespace', async () => {
    const { code, text } = await admin('POST', there, flunder('p'));
    return { ok: code === 201, why: `${code} ${text}` };
  });
  await must(admin('DELETE', '/api/v1/namespaces/pond'));
  await until('the namespace is gone', async () => {
    const { code, text } = await admin('GET', '/api/v1/namespaces/pond');
    return { ok: code === 404, why: text };
  });
  const left = await must(admin('GET', `/apis/${GROUP}/v1alpha1/flunders`));
  check(!left.items.some((i) => i.metadata.namespace === 'pond'), 'no object of a deleted namespace is left');
}

async function unavailable(admin, sample) {
  sample.kill('SIGKILL');
  await sample.ended;
  await until('the APIService is not available', async () => {
    const condition = await conditionOf(admin, NAME);
    return { ok: condition.status === 'False', why: JSON.stringify(condition) };
  });
  const { code } = await admin('GET', FLUNDERS);
  check(code === 503, `a request to a server that is gone: ${code}`);
  check((await admin('GET', '/api/v1/namespaces')).code === 200, 'other requests are served');
}
