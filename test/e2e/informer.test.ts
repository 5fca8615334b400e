import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as k8s from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../pkg/peer/testing/ports.js';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { isBuilt, ServerProcess } from './process.js';

function configOf(text: string): k8s.KubeConfig {
  const config = new k8s.KubeConfig();
  config.loadFromString(text);
  return config;
}

describe('@kubernetes/client-node', () => {
  let server: TestApiServer;
  let core: k8s.CoreV1Api;
  let apps: k8s.AppsV1Api;
  const namespace = 'default';

  beforeAll(async () => {
    server = await startApiServer();
    const config = configOf(server.kubeconfig);
    core = config.makeApiClient(k8s.CoreV1Api);
    apps = config.makeApiClient(k8s.AppsV1Api);
  });
  afterAll(async () => {
    await server?.close();
  });

  it('creates, lists, patches and deletes by type', async () => {
    await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: 'a', labels: { x: '1' } }, data: { k: 'v' } },
    });
    const listed = await core.listNamespacedConfigMap({ namespace, labelSelector: 'x=1' });
    expect(listed.items.map((o) => o.metadata?.name)).toEqual(['a']);
    const patched = await core.patchNamespacedConfigMap({
      name: 'a',
      namespace,
      body: [{ op: 'replace', path: '/data/k', value: 'w' }],
    });
    expect(patched.data).toEqual({ k: 'w' });
    const read = await core.readNamespacedConfigMap({ name: 'a', namespace });
    expect(read.metadata?.creationTimestamp).toBeInstanceOf(Date);
    await core.replaceNamespacedConfigMap({ name: 'a', namespace, body: { ...read, data: { only: 'this' } } });
    const status = await core.deleteNamespacedConfigMap({ name: 'a', namespace });
    expect(status.status).toBe('Success');
    await expect(core.readNamespacedConfigMap({ name: 'a', namespace })).rejects.toMatchObject({ code: 404 });
  });

  it('works with workloads and their subresources', async () => {
    const labels = { app: 'w' };
    const body = {
      metadata: { name: 'w' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    };
    const made = await apps.createNamespacedDeployment({ namespace, body });
    expect([made.spec?.replicas, made.metadata?.generation]).toEqual([1, 1]);
    const scale = await apps.readNamespacedDeploymentScale({ name: 'w', namespace });
    await apps.replaceNamespacedDeploymentScale({ name: 'w', namespace, body: { ...scale, spec: { replicas: 3 } } });
    const read = await apps.readNamespacedDeployment({ name: 'w', namespace });
    expect([read.spec?.replicas, read.metadata?.generation]).toEqual([3, 2]);
    await apps.deleteNamespacedDeployment({ name: 'w', namespace });
  });

  it('patches in every form, and applies with owners and conflicts', async () => {
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'f' }, data: { a: '1' } } });
    const patch = (strategy: string, body: object, more: object = {}): Promise<k8s.V1ConfigMap> =>
      core.patchNamespacedConfigMap(
        { name: 'f', namespace, body, ...more },
        k8s.setHeaderOptions('Content-Type', strategy),
      );
    await patch(k8s.PatchStrategy.JsonPatch, [{ op: 'add', path: '/data/b', value: '2' }]);
    await patch(k8s.PatchStrategy.MergePatch, { data: { a: null, c: '3' } });
    const merged = await patch(k8s.PatchStrategy.StrategicMergePatch, { data: { d: '4' } });
    expect(merged.data).toEqual({ b: '2', c: '3', d: '4' });
    const configuration = (e: string): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'f' },
      data: { e },
    });
    const apply = (fieldManager: string, e: string, force = false): Promise<k8s.V1ConfigMap> =>
      patch(k8s.PatchStrategy.ServerSideApply, configuration(e), { fieldManager, force });
    await apply('one', '5');
    await expect(apply('two', '6')).rejects.toMatchObject({
      code: 409,
      body: expect.stringContaining('conflict with \\"one\\": .data.e'),
    });
    const forced = await apply('two', '6', true);
    expect(forced.data).toMatchObject({ b: '2', e: '6' });
    const owners = forced.metadata?.managedFields?.filter((m) => m.operation === 'Apply').map((m) => m.manager);
    expect(owners).toEqual(['two']);
    await core.deleteNamespacedConfigMap({ name: 'f', namespace });
  });

  it.each(['Background', 'Foreground', 'Orphan'])('deletes with propagation policy %s', async (propagationPolicy) => {
    const owner = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'owner' } } });
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata!.uid!, blockOwnerDeletion: true },
    ];
    await core.createNamespacedSecret({ namespace, body: { metadata: { name: 'owned', ownerReferences } } });
    await core.deleteNamespacedConfigMap({ name: 'owner', namespace, propagationPolicy });
    const settled = async (): Promise<boolean> => {
      const maps = await core.listNamespacedConfigMap({ namespace, fieldSelector: 'metadata.name=owner' });
      const secrets = await core.listNamespacedSecret({ namespace, fieldSelector: 'metadata.name=owned' });
      const left = secrets.items[0];
      if (maps.items.length > 0) return false;
      return propagationPolicy === 'Orphan' ? left?.metadata?.ownerReferences === undefined : left === undefined;
    };
    for (const end = performance.now() + 60_000; !(await settled()); ) {
      if (performance.now() > end) throw new Error('owner and owned did not come to rest');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    if (propagationPolicy === 'Orphan') await core.deleteNamespacedSecret({ name: 'owned', namespace });
  });

  it('pages through a collection', async () => {
    for (let i = 0; i < 5; i++)
      await core.createNamespacedSecret({
        namespace,
        body: { metadata: { name: `p${i}` }, stringData: { k: `${i}` } },
      });
    const names: string[] = [];
    let token: string | undefined;
    do {
      const page: k8s.V1SecretList = await core.listNamespacedSecret({
        namespace,
        limit: 2,
        ...(token === undefined ? {} : { _continue: token }),
      });
      names.push(...page.items.map((o) => o.metadata?.name ?? ''));
      token = page.metadata?._continue;
    } while (token !== undefined && token !== '');
    expect(names).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
  });
});

if (!isBuilt) console.warn('informer test skipped: dist/ is missing (npm run build)');

describe.skipIf(!isBuilt)('an informer', () => {
  it('sees every change in order across a restart of the server', async () => {
    const data = mkdtempSync(join(tmpdir(), 'trireme-data-'));
    const [port] = await freePorts(1);
    let server = await ServerProcess.start(data, port);
    const config = new k8s.KubeConfig();
    config.loadFromFile(server.kubeconfig);
    const core = config.makeApiClient(k8s.CoreV1Api);
    const namespace = 'default';
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const informer = k8s.makeInformer(
      config,
      path,
      () => core.listNamespacedConfigMap({ namespace, labelSelector: 'seen=yes' }),
      'seen=yes',
    );
    const seen: string[] = [];
    let wake: () => void = () => {};
    const note = (event: string) => (o: k8s.V1ConfigMap) => {
      seen.push(`${event} ${o.metadata?.name} ${o.data?.['n'] ?? ''}`);
      wake();
    };
    informer.on('add', note('add'));
    informer.on('update', note('update'));
    informer.on('delete', note('delete'));
    // The connection breaks when the server stops; the owner of an informer restarts it.
    let stopped = false;
    informer.on('error', () => {
      if (!stopped) setTimeout(() => void informer.start().catch(() => {}), 100);
    });
    const until = async (what: string): Promise<void> => {
      const end = performance.now() + 60_000;
      while (!seen.includes(what)) {
        const left = end - performance.now();
        if (left <= 0) throw new Error(`never seen: ${what}; seen: ${seen.join(', ')}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    };
    const labels = { seen: 'yes' };
    const put = (name: string, n: number) =>
      core.replaceNamespacedConfigMap({ name, namespace, body: { metadata: { name, labels }, data: { n: `${n}` } } });
    try {
      await informer.start();
      await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'x', labels }, data: { n: '0' } } });
      for (let n = 1; n <= 5; n++) await put('x', n);
      await until('update x 5');
      await server.stop();
      server = await ServerProcess.start(data, port);
      for (let n = 6; n <= 10; n++) await put('x', n);
      await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'y', labels }, data: { n: '0' } } });
      await core.deleteNamespacedConfigMap({ name: 'x', namespace });
      await until('delete x 10');
      await until('add y 0');
      const numbers = seen.filter((s) => s.includes(' x ')).map((s) => Number(s.split(' ')[2]));
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(seen.filter((s) => s.startsWith('add'))).toEqual(['add x 0', 'add y 0']);
      expect(seen.filter((s) => s.startsWith('delete'))).toEqual(['delete x 10']);
    } finally {
      stopped = true;
      await informer.stop();
      await server.stop();
      rmSync(data, { recursive: true, force: true });
    }
  });
});
