// cert-manager from its chart, its three programs as their service accounts: a self-signed issuer, a CA made of it, a certificate of that
// CA, which is issued, refused, renewed and issued again; and CAs that cainjector writes to webhook configurations.
import { X509Certificate } from 'node:crypto';
import { check } from '../checks.mjs';
import { capture, freePort } from '../lib.mjs';
import { kubeconfigOf, must, until, withPrograms } from '../programs.mjs';

const NAMESPACE = 'cert-manager';
const ISSUERS = '/apis/cert-manager.io/v1';
const MINE = `${ISSUERS}/namespaces/default`;
const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1';
const SECRETS = '/api/v1/namespaces/default/secrets';
const MERGE = { 'content-type': 'application/merge-patch+json' };

/** Resolves to the exit code. `programs`: the paths of the programs of build/ and of Helm; `chart`: the folder of the chart. */
export async function certManager(programs, chart) {
  return withPrograms(async ({ admin, config, kubeconfig, folder, start }) => {
    const [port, health] = [await freePort(), await freePort()];
    const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
    const settings = ['crds.enabled=true', 'startupapicheck.enabled=false', `webhook.url.host=localhost:${port}`].flatMap((s) => ['--set', s]);
    const { code, stderr } = await capture(programs.helm, ['install', NAMESPACE, chart, '-n', NAMESPACE, '--create-namespace', ...settings], { env });
    check(code === 0, `helm install: ${stderr}`);
    for (const [program, account] of [['webhook', 'cert-manager-webhook'], ['cainjector', 'cert-manager-cainjector'], ['controller', 'cert-manager']]) {
      const own = await kubeconfigOf(admin, config, { folder, namespace: NAMESPACE, name: account });
      start(program, programs.certManager, [program, `--kubeconfig=${own}`, `--port=${port}`, `--health-port=${health}`]);
    }
    await until('the webhook has its CA', () => hasCa(admin, `${WEBHOOKS}/validatingwebhookconfigurations/cert-manager-webhook`));
    await issues(admin);
    await refuses(admin);
    await renews(admin);
    await injects(admin);
    return 0;
  });
}

const issuer = (kind, name, spec) => ({ apiVersion: 'cert-manager.io/v1', kind, metadata: { name }, spec });
const certificate = (name, issuerRef, spec) => ({ apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata: { name }, spec: { secretName: name, issuerRef, ...spec } });

async function issues(admin) {
  // The webhook listens a moment after its CA is written.
  await until('an issuer is admitted', async () => {
    const { code, text } = await admin('POST', `${ISSUERS}/clusterissuers`, issuer('ClusterIssuer', 'self', { selfSigned: {} }));
    return { ok: code === 201, why: text };
  });
  await must(admin('POST', `${MINE}/certificates`, certificate('ca', { kind: 'ClusterIssuer', name: 'self' }, { isCA: true, commonName: 'ca' })));
  await ready(admin, `${MINE}/certificates/ca`);
  await must(admin('POST', `${MINE}/issuers`, issuer('Issuer', 'ca', { ca: { secretName: 'ca' } })));
  await ready(admin, `${MINE}/issuers/ca`);
  await must(admin('POST', `${MINE}/certificates`, certificate('web', { name: 'ca' }, { dnsNames: ['web.example'] })));
  await ready(admin, `${MINE}/certificates/web`);
  const [leaf, ca] = await Promise.all(['web', 'ca'].map((name) => issued(admin, name)));
  check(leaf.verify(ca.publicKey) && leaf.checkHost('web.example') === 'web.example', `the certificate: ${leaf}`);
  const { items } = await must(admin('GET', `${MINE}/certificaterequests`));
  const user = `system:serviceaccount:${NAMESPACE}:cert-manager`;
  check(items.length === 2 && items.every((r) => r.spec.username === user), `the user of requests: ${JSON.stringify(items.map((r) => r.spec.username))}`);
  const table = await must(admin('GET', `${MINE}/certificates`, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }));
  check(table.rows.map((row) => row.cells.slice(0, 3).join(' ')).join() === 'ca True ca,web True web', `the columns: ${JSON.stringify(table.rows)}`);
}

/** The schema of a definition and the webhook each refuse what only they can judge. */
async function refuses(admin) {
  const usage = await admin('POST', `${MINE}/certificates`, certificate('bad', { name: 'ca' }, { dnsNames: ['a'], usages: ['none'] }));
  check(usage.code === 422 && /spec\.usages\[0\]/.test(usage.text), `a usage that is none: ${usage.code} ${usage.text}`);
  const short = await admin('POST', `${MINE}/certificates`, certificate('bad', { name: 'ca' }, { dnsNames: ['a'], duration: '1h', renewBefore: '2h' }));
  check(short.code === 403 && /webhook.cert-manager.io.*denied.*renewBefore/.test(short.text), `a renewal before the start: ${short.code} ${short.text}`);
  const name = (await must(admin('GET', `${MINE}/certificaterequests`))).items[0].metadata.name;
  const changed = await admin('PATCH', `${MINE}/certificaterequests/${name}`, { spec: { username: 'somebody' } }, MERGE);
  check(changed.code === 403 && /immutable|not be changed|cannot/i.test(changed.text), `another user in a request: ${changed.code} ${changed.text}`);
}

/** A renewal by a condition of the status, as cmctl asks for it, and another after the Secret was deleted. */
async function renews(admin) {
  const before = await issued(admin, 'web');
  const { status } = await must(admin('GET', `${MINE}/certificates/web`));
  const issuing = { type: 'Issuing', status: 'True', reason: 'ManuallyTriggered', message: 'renew', lastTransitionTime: '2026-01-01T00:00:00Z' };
  await must(admin('PATCH', `${MINE}/certificates/web/status`, { status: { conditions: [...status.conditions, issuing] } }, MERGE));
  await until('the certificate is renewed', async () => {
    const { status: now } = await must(admin('GET', `${MINE}/certificates/web`));
    return { ok: now.revision === 2 && !now.conditions.some((c) => c.type === 'Issuing'), why: JSON.stringify(now) };
  });
  const renewed = await issued(admin, 'web');
  check(renewed.serialNumber !== before.serialNumber, 'the renewed certificate is another');
  await must(admin('DELETE', `${SECRETS}/web`));
  await until('the certificate is issued again', async () => {
    const { code, text } = await admin('GET', `${SECRETS}/web`);
    return { ok: code === 200, why: text };
  });
}

/** cainjector writes the CA of a certificate to a webhook configuration that names it. */
async function injects(admin) {
  const webhook = { name: 'a.example.com', clientConfig: { url: 'https://localhost:1/' }, sideEffects: 'None', admissionReviewVersions: ['v1'] };
  const annotations = { 'cert-manager.io/inject-ca-from': 'default/web' };
  await must(admin('POST', `${WEBHOOKS}/mutatingwebhookconfigurations`, { metadata: { name: 'other', annotations }, webhooks: [webhook] }));
  await until('the CA is injected', () => hasCa(admin, `${WEBHOOKS}/mutatingwebhookconfigurations/other`));
}

async function hasCa(admin, path) {
  const { webhooks } = await must(admin('GET', path));
  return { ok: webhooks.every((w) => w.clientConfig.caBundle !== undefined), why: JSON.stringify(webhooks) };
}

function ready(admin, path) {
  return until(`${path} is ready`, async () => {
    const { status } = await must(admin('GET', path));
    return { ok: status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true, why: JSON.stringify(status) };
  });
}

async function issued(admin, name) {
  const { data } = await must(admin('GET', `${SECRETS}/${name}`));
  return new X509Certificate(Buffer.from(data['tls.crt'], 'base64'));
}
