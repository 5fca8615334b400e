// The event loop delay caused by one request of the maximum size.
import { sleep } from '../bench.mjs';

const NAME = 'big';
const MB = 1_000_000;
const collection = '/apis/apps/v1/namespaces/default/deployments';
const maps = '/api/v1/namespaces/default/configmaps';

/** A Deployment of about this size in bytes. Most of it is a list that is merged by key. */
function deployment(name, bytes, mark = '') {
  // The server takes lists of 10,000 items at most.
  const count = Math.min(9_000, Math.round(bytes / 70));
  const width = Math.max(30, Math.round(bytes / count) - 40);
  const env = Array.from({ length: count }, (_, i) => ({ name: `SETTING_${i}`, value: `value number ${i} of ${mark}`.padEnd(width) }));
  const labels = { app: name };
  const containers = [{ name: 'web', image: 'web:1', env }];
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'default' }, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } } };
}

/** A ConfigMap of about this size in bytes, in entries of 1 kB. */
function configMap(name, bytes, mark = '') {
  const data = Object.fromEntries(Array.from({ length: Math.round(bytes / 1020) }, (_, i) => [`entry-${i}`, `${mark}${'x'.repeat(1000)}`]));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

const json = 'application/json';
const apply = 'application/apply-patch+yaml';
const env = (o) => ({ spec: { template: { spec: { containers: [{ name: 'web', env: o.spec.template.spec.containers[0].env }] } } } });
const post = (path, o) => ({ method: 'POST', path, type: json, body: JSON.stringify(o) });
const patch = (path, type, o) => ({ method: 'PATCH', path: `${path}?fieldManager=bench${type === apply ? '&force=true' : ''}`, type, body: JSON.stringify(o) });

const ROWS = {
  'create, ConfigMap of 1 MB': () => post(maps, configMap(NAME, MB)),
  'merge patch of it, 1 MB': () => patch(`${maps}/${NAME}`, 'application/merge-patch+json', { data: configMap(NAME, MB, 'p').data }),
  'server-side apply of it, 1 MB': () => patch(`${maps}/${NAME}`, apply, configMap(NAME, MB, 'q')),
  'create, Deployment of 1.4 MB': () => post(collection, deployment(NAME, 1.4 * MB)),
  'strategic merge patch of it, 1.4 MB': () => patch(`${collection}/${NAME}`, 'application/strategic-merge-patch+json', env(deployment(NAME, 1.4 * MB, 's'))),
  'server-side apply, Deployment of 0.7 MB': () => patch(`${collection}/${NAME}2`, apply, deployment(`${NAME}2`, 0.7 * MB)),
  'the same applied again, changed': () => patch(`${collection}/${NAME}2`, apply, deployment(`${NAME}2`, 0.7 * MB, 't')),
  'create, Deployment of 3 MB': () => post(collection, deployment(`${NAME}3`, 3 * MB)),
  'create, not JSON, 3 MB': () => ({ ...post(collection, {}), body: '['.repeat(3 * MB) }),
  'get in protobuf, 1.4 MB': () => ({ method: 'GET', path: `${collection}/${NAME}`, headers: { Accept: 'application/vnd.kubernetes.protobuf' } }),
  'get in YAML, 1.4 MB': () => ({ method: 'GET', path: `${collection}/${NAME}`, headers: { Accept: 'application/yaml' } }),
  'get with gzip, 1.4 MB': () => ({ method: 'GET', path: `${collection}/${NAME}`, headers: { 'Accept-Encoding': 'gzip' } }),
};
/** Too large for a command line, so the client creates it. */
export const requestOf = (name) => ROWS[name]();
const TITLE = (name) => `event loop: ${name}`;

export const names = Object.keys(ROWS).map(TITLE);

export async function run(bench) {
  await bench.restart({ node: ['--import', new URL('../looplag.mjs', import.meta.url).href] });
  await bench.lag();
  await sleep(1000);
  bench.row(TITLE('idle, of a second'), { note: `${await bench.lag()} ms` });
  for (const name of Object.keys(ROWS)) {
    await bench.lag();
    const out = await bench.client('once.mjs', { row: name });
    await sleep(50);
    const most = await bench.lag();
    if (bench.wanted(TITLE(name))) bench.row(TITLE(name), { note: `${most} ms at most, status ${out.code} in ${Math.round(out.milliseconds)} ms` });
  }
}
