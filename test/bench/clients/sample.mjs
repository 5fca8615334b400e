// Creates one pod of 3 KiB through the API and prints its stored form, the template for the initial data.
import { asker1, connect1, finish, o, sleep } from './common.mjs';

let answer = [];
const ask = asker1(await connect1(), (piece) => answer.push(piece));
const post = async (path, body) => {
  let code = 0;
  // The service account of a new namespace is created asynchronously.
  for (let i = 0; i < 100 && code !== 201; i++) {
    if (i > 0) await sleep(50);
    answer = [];
    code = await ask({ method: 'POST', path, type: 'application/json', body: JSON.stringify(body) });
  }
  if (code !== 201) throw new Error(`${path} answered ${code}: ${Buffer.concat(answer)}`);
  return Buffer.concat(answer).toString();
};
const labels = { app: 'web', 'pod-template-hash': '5d69fd9c8b', tier: 'front' };
const probe = (path) => ({ httpGet: { path, port: 'http' }, periodSeconds: 10, timeoutSeconds: 2 });
const env = Array.from({ length: 6 }, (_, i) => ({ name: `SETTING_${i}`, value: `value of the setting number ${i}` }));
await post('/api/v1/namespaces', { metadata: { name: o.namespace } });
const made = await post(`/api/v1/namespaces/${o.namespace}/pods`, {
  metadata: { name: 'the-one-pod', labels, annotations: { 'example.org/note': 'n'.repeat(100) } },
  spec: {
    containers: [
      { name: 'web', image: 'registry.example.org/team/web:1.27.3', env, ports: [{ name: 'http', containerPort: 8080 }], readinessProbe: probe('/ready'), livenessProbe: probe('/live'), resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } } },
    ],
  },
});
finish({ stored: made.trimEnd().replace(/"resourceVersion":"\d+",?/, '') });
