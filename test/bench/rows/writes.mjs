// The cost of server-side apply: complete writes of the same 4 KiB object by PUT and by apply.
import { work } from './requests.mjs';

const NAME = 'the-name';
const VALUE = 'the-value';

const env = Array.from({ length: 40 }, (_, i) => ({ name: `SETTING_${i}`, value: `value of the setting number ${i}` }));
const labels = { app: NAME, tier: 'front' };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: NAME, namespace: 'default', labels, annotations: { note: VALUE } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: NAME } },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          { name: 'web', image: `registry.example.org/web:${VALUE}`, env, ports: [{ name: 'http', containerPort: 8080 }], readinessProbe: { httpGet: { path: '/ready', port: 'http' } }, resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } } },
          { name: 'side', image: 'registry.example.org/side:1.0', env: env.slice(0, 5) },
        ],
      },
    },
  },
};
const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: NAME, namespace: 'default', labels },
  data: { note: VALUE, ...Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`file-${i}.conf`, 'x'.repeat(220)])) },
};

const KINDS = {
  Deployment: { path: '/apis/apps/v1/namespaces/default/deployments', object: deployment },
  ConfigMap: { path: '/api/v1/namespaces/default/configmaps', object: configMap },
};

export const names = Object.keys(KINDS).flatMap((kind) => [`PUT, ${kind} of 4 KiB`, `server-side apply, ${kind} of 4 KiB`]);

export async function run(bench) {
  for (const [kind, { path, object }] of Object.entries(KINDS)) {
    await bench.restart();
    const samples = { text: JSON.stringify(object), name: NAME, value: VALUE };
    const common = { path, samples, connections: 16, objects: 200 };
    await bench.client('requests.mjs', { ...common, mode: 'post', prefix: 'p', n: 200 });
    await bench.client('requests.mjs', { ...common, mode: 'apply', prefix: 'a', n: 200 });
    const rows = [
      { name: `PUT, ${kind} of 4 KiB`, mode: 'put', prefix: 'p' },
      { name: `server-side apply, ${kind} of 4 KiB`, mode: 'apply', prefix: 'a' },
    ];
    // Warm up, because code is slow until it is compiled.
    for (const row of rows) await bench.client('requests.mjs', { ...common, ...row, n: bench.n(2000) });
    const before = {};
    for (const row of rows.filter(({ name }) => bench.wanted(name))) {
      const spent = bench.cpu();
      const out = await work(bench, { ...common, ...row, n: bench.n(8000) });
      before[row.mode] = (bench.cpu() - spent) / out.operations;
    }
    if (before.put && before.apply) bench.row(`apply to PUT, ${kind}`, { note: `${(before.apply / before.put).toFixed(2)} x the CPU time` });
  }
}
