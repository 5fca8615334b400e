// A custom object beside a ConfigMap of the same size, 4 KiB in some 60 fields: what each operation costs. The definition has a schema with
// types, limits, a default and a rule.
import { sleep } from '../bench.mjs';
import { work } from './requests.mjs';

const FIELDS = 60;
const TITLE = 'custom object of 4 KiB';
const GROUP = 'bench.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export const names = [TITLE];

const filler = 'x'.repeat(48);
const entries = Array.from({ length: FIELDS }, (_, i) => [`field-${i}`, i === 0 ? 'VALUE' : `${i}-${filler}`]);

const entry = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', maxLength: 64 }, text: { type: 'string', maxLength: 256 }, mode: { type: 'string', default: 'Any', enum: ['Any', 'None'] } },
};
const spec = {
  type: 'object',
  properties: {
    value: { type: 'string' },
    at: { type: 'string' },
    replicas: { type: 'integer', minimum: 0 },
    fields: { type: 'object', maxProperties: 64, additionalProperties: { type: 'string', maxLength: 256 } },
    entries: { type: 'array', maxItems: 64, items: entry, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  },
  'x-kubernetes-validations': [{ rule: 'self.replicas < 100' }],
};
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `boxes.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
  },
};

const metadata = { name: 'NAME', namespace: 'default', labels: { app: 'bench' } };
const box = {
  apiVersion: `${GROUP}/v1`,
  kind: 'Box',
  metadata,
  spec: {
    value: 'VALUE',
    replicas: 3,
    fields: Object.fromEntries(entries.slice(0, FIELDS / 2)),
    entries: entries.slice(FIELDS / 2).map(([name, text]) => ({ name, text: text.slice(0, 24), mode: 'Any' })),
  },
};
const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: Object.fromEntries(entries) };
/** Each event costs a merge patch too, which the watchers share. */
const WATCH = { watchers: 100, writers: 8, rate: 60, seconds: 8 };
const WATCH_LABEL = `watch, ${WATCH.watchers} watchers`;
const KINDS = [
  { of: 'ConfigMap', path: '/api/v1/namespaces/default/configmaps', object: map, holder: 'data' },
  { of: 'custom', path: `/apis/${GROUP}/v1/namespaces/default/boxes`, object: box, holder: 'spec' },
];

export async function run(bench) {
  await bench.restart();
  await bench.client('setup.mjs', { requests: [{ path: DEFINITIONS, body: definition }] });
  for (let i = 0; i < 200; i++) {
    const [{ code }] = await bench.client('timed.mjs', { requests: [{ method: 'GET', path: KINDS[1].path }] });
    if (code === 200) break;
    await sleep(50);
  }
  const n = bench.n(4000);
  const objects = bench.n(1000);
  const costs = {};
  const modes = [
    { mode: 'post', n: objects, label: 'create' },
    { mode: 'get', n: n * 2, label: 'get' },
    { mode: 'merge', n, label: 'merge patch' },
    { mode: 'apply', n, label: 'apply' },
    { mode: 'list', n: 20, label: `list of ${objects}` },
  ];
  // The first round warms up the code of both kinds.
  for (const round of ['warm up', ''])
    for (const { mode, n: count, label } of modes)
      for (const { of, path, object } of KINDS) {
        const before = bench.cpu();
        const samples = { text: JSON.stringify(object), name: 'NAME', value: 'VALUE' };
        const options = { mode, n: count, connections: 16, prefix: round === '' ? 'o' : 'w', objects, path, collection: path, samples };
        const out = round === '' ? await work(bench, { name: `${TITLE}: ${label}, ${of}`, ...options }) : await bench.client('requests.mjs', options);
        costs[`${label} ${of}`] = (bench.cpu() - before) / out.operations;
        if (out.failures > 0) throw new Error(`${out.failures} requests failed`);
      }
  for (const { of, ...kind } of KINDS) {
    const client = bench.open('watchers.mjs', { ...WATCH, collection: kind.path, ...kind, seconds: WATCH.seconds * bench.scale });
    await client.ready;
    const before = bench.cpu();
    const out = await client.done;
    costs[`${WATCH_LABEL} ${of}`] = (bench.cpu() - before) / out.operations;
    bench.row(`${TITLE}: ${WATCH_LABEL}, ${of}`, out);
    if (out.failures > 0) throw new Error(`${out.failures} writes failed`);
  }
  for (const label of [...modes.map((m) => m.label), WATCH_LABEL])
    bench.row(`${TITLE}: ${label}, of a ConfigMap`, { note: `${(costs[`${label} custom`] / costs[`${label} ConfigMap`]).toFixed(2)} times the CPU time` });
}
