import type { JsonObject } from '../../pkg/api/index.js';

const probe = { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' }, periodSeconds: 10, timeoutSeconds: 1 };
/** A container of a pod, with defaults. */
export const container = (name: string, env: readonly JsonObject[] = []): JsonObject => ({
  name,
  image: `registry.example.com/team/${name}:v1.2.3`,
  args: ['--port=8080', '--log-level=info'],
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  env: [
    { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    { name: 'MODE', value: 'production' },
    ...env,
  ],
  resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
  volumeMounts: [{ name: 'config', mountPath: '/etc/config', readOnly: true }],
  livenessProbe: probe,
  readinessProbe: probe,
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
});
