import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { startApiServer, type TestApiServer } from 'trireme';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { startCopier } from './controller.js';

let server: TestApiServer;
let config: KubeConfig;
let api: CoreV1Api;
let copier: ReturnType<typeof startCopier>;

// One server for all tests of the file; each test finds it empty.
beforeAll(async () => {
  server = await startApiServer();
  config = new KubeConfig();
  config.loadFromString(server.kubeconfig);
  api = config.makeApiClient(CoreV1Api);
});

afterAll(() => server.close());

beforeEach(async () => {
  await api.createNamespace({ body: { metadata: { name: 'staging' } } });
  copier = startCopier(config);
});

afterEach(async () => {
  await copier.stop();
  await server.reset();
});

const source = {
  metadata: { name: 'settings', labels: { 'example.com/copy-to': 'staging' } },
  data: { color: 'green' },
};
const copied = () => api.readNamespacedConfigMap({ namespace: 'staging', name: 'settings' });

it('copies a labelled ConfigMap and follows its changes', async () => {
  await api.createNamespacedConfigMap({ namespace: 'default', body: source });
  await vi.waitFor(async () => expect((await copied()).data).toEqual({ color: 'green' }), { timeout: 30_000 });
  await api.replaceNamespacedConfigMap({
    namespace: 'default',
    name: 'settings',
    body: { ...source, data: { color: 'blue' } },
  });
  await vi.waitFor(async () => expect((await copied()).data).toEqual({ color: 'blue' }), { timeout: 30_000 });
});

it('deletes the copy with its source', async () => {
  await api.createNamespacedConfigMap({ namespace: 'default', body: source });
  await vi.waitFor(copied, { timeout: 30_000 });
  await api.deleteNamespacedConfigMap({ namespace: 'default', name: 'settings' });
  await vi.waitFor(async () => expect(await copied().catch((e: { code: number }) => e.code)).toBe(404), {
    timeout: 30_000,
  });
});
