import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { KubectlRunner, oldestAndNewest } from './kubectl.js';

const versions = oldestAndNewest();
if (versions.length === 0) console.warn('kubectl tests skipped: no kubectl in the path');

describe.skipIf(versions.length === 0).each(versions)('kubectl $version', (version) => {
  let server: TestApiServer;
  let k: KubectlRunner;
  let folder: string;
  const ns = 'work';

  beforeAll(async () => {
    server = await startApiServer();
    k = new KubectlRunner(version, server.kubeconfigPath);
    folder = mkdtempSync(join(tmpdir(), 'trireme-e2e-'));
    await k.ok(`create namespace ${ns}`);
  });

  afterAll(async () => {
    k?.close();
    await server?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const json = async (command: string): Promise<Record<string, unknown>> =>
    JSON.parse(await k.ok(`${command} -o json`));
  const jsonPath = (command: string, path: string): Promise<string> =>
    k.ok([...command.split(' '), '-o', `jsonpath=${path}`]);

  it('reads discovery and versions', async () => {
    expect(await k.ok('version')).toMatch(/Server Version:.*v1\.37\.0/s);
    expect(await k.ok('cluster-info')).toContain('is running at');
    expect(await k.ok('api-versions')).toMatch(/^apps\/v1$/m);
    const resources = await k.ok('api-resources');
    expect(resources).toMatch(/^configmaps\s+cm\s+v1\s+true\s+ConfigMap$/m);
    expect(resources).toMatch(/^deployments\s+deploy\s+apps\/v1\s+true\s+Deployment$/m);
    expect(await k.ok('api-resources --namespaced=false -o name')).toMatch(/^nodes$/m);
    expect(await k.ok('get --raw /livez')).toBe('ok');
    expect(await k.ok('get --raw /readyz?verbose')).toContain('[+]etcd ok');
  });

  it('explains resources', async () => {
    expect(await k.ok('explain pods')).toContain('KIND:');
    expect(await k.ok('explain deployment.spec.template.spec.containers')).toMatch(/image/);
    expect(await k.ok('explain --recursive configmap')).toMatch(/binaryData/);
  });

  it('finds the objects of every cluster', async () => {
    const names = await k.ok('get namespaces -o name');
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
      expect(names).toContain(`namespace/${name}`);
    expect(await jsonPath('get service kubernetes -n default', '{.spec.clusterIP}')).toBe('10.96.0.1');
  });

  it('creates with its generators', async () => {
    const create = (what: string): Promise<string> => k.ok(`create ${what} -n ${ns}`);
    await create('configmap c1 --from-literal=a=1 --from-literal=b=2');
    await create('secret generic s1 --from-literal=p=q');
    await create('deployment d1 --image=nginx --replicas=2');
    await create('job j1 --image=busybox');
    await create(
      'cronjob cj1 --image=busybox --schedule=*/5_*_*_*_*'.replaceAll('_', ' ').replace('*/5 * * * *', '@hourly'),
    );
    await create('service clusterip sv1 --tcp=80:8080');
    await create('service nodeport sv2 --tcp=80:8080');
    await create('serviceaccount sa1');
    await create('role r1 --verb=get --resource=pods');
    await create('rolebinding rb1 --role=r1 --serviceaccount=work:sa1');
    await create('quota q1 --hard=pods=10');
    await create('poddisruptionbudget pdb1 --selector=app=d1 --min-available=1');
    await create('ingress i1 --rule=example.com/=sv1:80');
    await k.ok('create clusterrole cr1 --verb=get --resource=nodes');
    await k.ok('create clusterrolebinding crb1 --clusterrole=cr1 --user=jane');
    await k.ok('create priorityclass pc1 --value=10');
    expect(await jsonPath(`get deployment d1 -n ${ns}`, '{.spec.replicas} {.spec.strategy.type}')).toBe(
      '2 RollingUpdate',
    );
    expect(Number(await jsonPath(`get service sv2 -n ${ns}`, '{.spec.ports[0].nodePort}'))).toBeGreaterThanOrEqual(
      30000,
    );
    expect(await k.fails(`create configmap c1 -n ${ns}`)).toContain('configmaps "c1" already exists');
  });

  it('gets in every output format', async () => {
    expect(await k.ok(`get cm c1 -n ${ns}`)).toMatch(/^NAME\s+DATA\s+AGE\nc1\s+2\s+\S+\n$/);
    expect(await k.ok(`get deploy -n ${ns} -o wide`)).toMatch(/d1\s+0\/2\s+0\s+0\s+\S+\s+nginx\s+nginx\s+app=d1/);
    expect(await k.ok(`get cm c1 -n ${ns} -o yaml`)).toContain('kind: ConfigMap');
    expect(await json(`get cm c1 -n ${ns}`)).toMatchObject({ kind: 'ConfigMap', data: { a: '1', b: '2' } });
    expect(await k.ok(['get', 'cm', 'c1', '-n', ns, '-o', 'custom-columns=N:.metadata.name,A:.data.a'])).toMatch(
      /^N\s+A\nc1\s+1\n$/,
    );
    expect(await k.ok(`get all -n ${ns}`)).toContain('deployment.apps/d1');
    expect(await k.ok('get cm -A -o name')).toContain('configmap/c1');
    await k.ok(`label cm c1 -n ${ns} tier=gold`);
    expect(await k.ok(`get cm -n ${ns} -l tier=gold -o name`)).toBe('configmap/c1\n');
    expect(await k.ok(['get', 'cm', '-n', ns, '-l', 'tier in (silver)', '-o', 'name'])).toBe('');
    expect(await k.ok(`get cm -n ${ns} --field-selector metadata.name=c1 -o name`)).toBe('configmap/c1\n');
    for (let i = 0; i < 7; i++) await k.ok(`create configmap page-${i} -n ${ns} --from-literal=i=${9 - i}`);
    expect((await k.ok(`get cm -n ${ns} --chunk-size=2 -o name`)).match(/page-/g)?.length).toBe(7);
    const sorted = await k.ok(['get', 'cm', '-n', ns, '--sort-by={.data.i}', '-o', 'name']);
    expect(sorted.indexOf('page-6')).toBeLessThan(sorted.indexOf('page-0'));
    expect(await k.fails(`get cm nope -n ${ns}`)).toContain('configmaps "nope" not found');
  });

  it('watches', async () => {
    const watching = k.start(['get', 'cm', '-n', ns, '-w', '--output-watch-events', '-l', 'w=1']);
    try {
      // The header line comes with the first event. The watch may not be open yet when the object is created.
      await k.ok(
        [...`apply -n ${ns} -f -`.split(' ')],
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: w1, labels: {w: "1"}}\n',
      );
      await watching.until(/ADDED\s+w1/);
      await k.ok(`patch cm w1 -n ${ns} -p {"data":{"x":"y"}}`);
      await watching.until(/MODIFIED\s+w1/);
      await k.ok(`delete cm w1 -n ${ns}`);
      await watching.until(/DELETED\s+w1/);
    } finally {
      await watching.stop();
    }
  });

  it('applies, and finds no difference afterwards', async () => {
    const file = join(folder, 'd.yaml');
    const manifest = (replicas: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1.27", ports: [{containerPort: 80}]}
`;
    writeFileSync(file, manifest(1));
    expect(await k.ok(`apply -n ${ns} -f ${file}`)).toContain('deployment.apps/web created');
    expect(await k.ok(`apply -n ${ns} -f ${file}`)).toContain('unchanged');
    expect(await k.ok(`diff -n ${ns} -f ${file}`)).toBe('');
    writeFileSync(file, manifest(3));
    const diff = await k.run(['diff', '-n', ns, '-f', file]);
    expect([diff.code, /\+\s+replicas: 3/.test(diff.out)]).toEqual([1, true]);
    expect(await k.ok(`apply -n ${ns} -f ${file}`)).toContain('configured');
    expect(await jsonPath(`get deploy web -n ${ns}`, '{.spec.replicas}')).toBe('3');
    expect(await k.ok(`apply -n ${ns} -f ${file} --server-side --force-conflicts`)).toContain('serverside-applied');
    writeFileSync(file, manifest(4));
    expect(await k.fails(`apply -n ${ns} -f ${file} --server-side --field-manager=other`)).toMatch(/conflict/);
    expect(await k.ok(`apply -n ${ns} -f ${file} --dry-run=server`)).toContain('(server dry run)');
    expect(await jsonPath(`get deploy web -n ${ns}`, '{.spec.replicas}')).toBe('3');
    expect(await k.ok(`delete -n ${ns} -f ${file}`)).toContain('deleted');
  });

  it('changes objects', async () => {
    await k.ok(`patch cm c1 -n ${ns} -p {"data":{"m":"strategic"}}`);
    await k.ok(`patch cm c1 -n ${ns} --type=merge -p {"data":{"n":"merge"}}`);
    await k.ok(`patch cm c1 -n ${ns} --type=json -p [{"op":"add","path":"/data/o","value":"json"}]`);
    expect((await json(`get cm c1 -n ${ns}`))['data']).toMatchObject({ m: 'strategic', n: 'merge', o: 'json' });
    await k.ok(`annotate cm c1 -n ${ns} note=yes`);
    await k.ok(`label cm c1 -n ${ns} tier=silver --overwrite`);
    expect(await jsonPath(`get cm c1 -n ${ns}`, '{.metadata.annotations.note} {.metadata.labels.tier}')).toBe(
      'yes silver',
    );
    await k.ok(`scale deploy d1 -n ${ns} --replicas=5`);
    await k.ok(`set image deploy/d1 -n ${ns} nginx=nginx:2`);
    expect(await jsonPath(`get deploy d1 -n ${ns}`, '{.spec.replicas} {.spec.template.spec.containers[0].image}')).toBe(
      '5 nginx:2',
    );
    await k.ok(`expose deploy d1 -n ${ns} --port=80 --name=exposed`);
    expect(await jsonPath(`get svc exposed -n ${ns}`, '{.spec.selector.app}')).toBe('d1');
    await k.ok(`autoscale deploy d1 -n ${ns} --min=1 --max=3 --cpu-percent=50`);
    expect(await k.ok(`rollout history deploy/d1 -n ${ns}`)).toContain('d1');
  });

  it('edits with an editor', async () => {
    const editor = join(folder, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/tier: silver/tier: edited/" "$1"\n');
    chmodSync(editor, 0o755);
    await k.ok(`edit cm c1 -n ${ns}`, undefined, { KUBE_EDITOR: editor });
    expect(await jsonPath(`get cm c1 -n ${ns}`, '{.metadata.labels.tier}')).toBe('edited');
  });

  it('replaces', async () => {
    const file = join(folder, 'r.yaml');
    writeFileSync(
      file,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c1, namespace: ${ns}}\ndata: {only: this}\n`,
    );
    await k.ok(`replace -f ${file}`);
    expect((await json(`get cm c1 -n ${ns}`))['data']).toEqual({ only: 'this' });
    const uid = await jsonPath(`get cm c1 -n ${ns}`, '{.metadata.uid}');
    await k.ok(`replace --force -f ${file}`);
    expect(await jsonPath(`get cm c1 -n ${ns}`, '{.metadata.uid}')).not.toBe(uid);
  });

  it('runs a pod, describes it, waits for it and deletes it', async () => {
    await k.ok(`run p1 -n ${ns} --image=nginx --restart=Never`);
    const described = await k.ok(`describe pod p1 -n ${ns}`);
    expect(described).toMatch(/Name:\s+p1/);
    expect(described).toMatch(/Image:\s+nginx/);
    expect(await k.ok(`describe deploy d1 -n ${ns}`)).toMatch(/Replicas:\s+5 desired/);
    expect(await k.ok(`describe svc exposed -n ${ns}`)).toMatch(/Selector:\s+app=d1/);
    expect(await k.ok(`describe ns ${ns}`)).toMatch(/Status:\s+Active/);
    const waiting = k.ok(`wait pod/p1 -n ${ns} --for=condition=Ready --timeout=20s`);
    await k.ok([
      ...`patch pod p1 -n ${ns} --subresource=status --type=merge -p`.split(' '),
      '{"status":{"conditions":[{"type":"Ready","status":"True"}],"phase":"Running"}}',
    ]);
    expect(await waiting).toContain('condition met');
    await k.ok(`delete pod p1 -n ${ns} --grace-period=0 --force`);
    await k.ok(`wait pod/p1 -n ${ns} --for=delete --timeout=20s`);
  });

  it('shows events', async () => {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e1', namespace: ns },
      involvedObject: { kind: 'ConfigMap', name: 'c1', namespace: ns },
      reason: 'Tried',
      message: 'it works',
      type: 'Normal',
    };
    await k.ok(`create -n ${ns} -f -`, JSON.stringify(event));
    expect(await k.ok(`get events -n ${ns}`)).toContain('it works');
    expect(await k.ok(`events -n ${ns}`)).toContain('it works');
  });

  it('deletes by name, selector, all and cascade', async () => {
    await k.ok(`delete cm page-0 page-1 -n ${ns}`);
    await k.ok(`label cm page-2 -n ${ns} go=1`);
    expect(await k.ok(`delete cm -l go=1 -n ${ns}`)).toContain('page-2');
    for (const cascade of ['background', 'orphan', 'foreground']) {
      await k.ok(`create deployment gone --image=nginx -n ${ns}`);
      await k.ok(`delete deployment gone -n ${ns} --cascade=${cascade} --timeout=20s`);
    }
    await k.ok(`delete cm --all -n ${ns} --timeout=20s`);
    // The root certificate ConfigMap of each namespace is created again.
    expect((await k.ok(`get cm -n ${ns} -o name`)).replace('configmap/kube-root-ca.crt\n', '')).toBe('');
  });

  it('deletes a namespace with its objects', async () => {
    await k.ok('create namespace short');
    await k.ok('create configmap inside -n short');
    await k.ok('delete namespace short --timeout=25s');
    expect(await k.fails('get namespace short')).toContain('not found');
  });

  it('gets clear error messages', async () => {
    expect(
      await k.fails(`create -n ${ns} -f -`, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"Bad_Name"}}'),
    ).toContain('Invalid value: "Bad_Name"');
    expect(await k.fails(`get widgets -n ${ns}`)).toContain('the server doesn\'t have a resource type "widgets"');
    expect(await k.fails('get cm --as=jane')).toContain(
      'configmaps is forbidden: User "jane" cannot list resource "configmaps"',
    );
  });
});
