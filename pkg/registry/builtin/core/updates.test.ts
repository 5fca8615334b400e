import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/index.js';
import { Bench, causesOf } from '../../testing.js';

/** Errors of an update. */

const volume = (metadata: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v', ...metadata },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
});
const service = (ips: readonly string[], metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', ...metadata },
  spec: { clusterIP: 'None', clusterIPs: [...ips], ports: [{ port: 80 }] },
});

describe('metadata of a changed volume', () => {
  it('is checked by several rules, and each error is reported once', async () => {
    const b = await Bench.open();
    await b.create('persistentvolumes', '', volume({}));
    const labels = await causesOf(b.update('persistentvolumes', '', volume({ labels: { '-': '' } })));
    expect(labels).toHaveLength(1);
    const finalizers = await causesOf(b.update('persistentvolumes', '', volume({ finalizers: ['plain'] })));
    expect(finalizers).toHaveLength(1);
  });
});

it('a pod with empty limits shows its requests as empty, too', async () => {
  const b = await Bench.open();
  const pod = (resources: JsonObject, metadata: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { containers: [{ name: 'c', image: 'i', resources }] },
  });
  const { metadata } = await b.create('pods', 'default', pod({}, { name: 'p' }));
  const changed = pod({ limits: {}, claims: [{ name: 'x' }] }, metadata as JsonObject);
  const causes = (await causesOf(b.update('pods', 'default', changed))).join();
  expect(causes).toContain('"Limits": {}');
  expect(causes).toContain('"Requests": {}');
});

describe('an amount in another notation', () => {
  const spec = (cpu: string): JsonObject => ({
    containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
  });
  const pod = (cpu: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: spec(cpu),
  });
  const deployment = (cpu: string): JsonObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: spec(cpu) },
    },
  });

  it('does not change a pod, and is stored', async () => {
    const b = await Bench.open();
    await b.create('pods', 'default', pod('2.'));
    for (const cpu of ['2', '+2', '2000m', '2.']) {
      const { metadata, spec: stored } = await b.update('pods', 'default', pod(cpu));
      expect(metadata).toMatchObject({ generation: 1 });
      const shown = cpu === '2000m' ? '2' : cpu;
      expect(stored).toMatchObject({ containers: [{ resources: { requests: { cpu: shown } } }] });
    }
    const causes = (await causesOf(b.update('pods', 'default', pod('3.')))).join();
    expect(causes).toContain('-     "cpu": "2."\n+     "cpu": "3."');
  });

  it('does not raise the generation', async () => {
    const b = await Bench.open();
    await b.create('deployments.apps/v1', 'default', deployment('2.'));
    const generations: unknown[] = [];
    for (const cpu of ['2', '3'])
      generations.push((await b.update('deployments.apps/v1', 'default', deployment(cpu)))['metadata']);
    expect(generations).toMatchObject([{ generation: 1 }, { generation: 2 }]);
  });

  it('is no divisor of a resource', async () => {
    const b = await Bench.open();
    const resourceFieldRef = { resource: 'limits.cpu', divisor: '1.' };
    const env = [{ name: 'E', valueFrom: { resourceFieldRef } }];
    const o = { ...pod('1'), spec: { containers: [{ name: 'c', image: 'i', env }] } };
    expect(await causesOf(b.create('pods', 'default', o))).toEqual([
      expect.stringContaining("only divisor's values 1m and 1 are supported with the cpu resource"),
    ]);
  });
});

describe('addresses of a changed service', () => {
  it('are not validated again if they are unchanged', async () => {
    const b = await Bench.open();
    const first = 'spec.clusterIPs: Invalid value: ["None","None"]: \'None\' must be the first and only value';
    const second = expect.stringContaining('spec.clusterIPs[1]: Invalid value: "None"');
    expect(await causesOf(b.create('services', 'default', service(['None', 'None'])))).toEqual([first, second]);
    const { metadata } = await b.create('services', 'default', service(['None']));
    expect(await causesOf(b.update('services', 'default', service(['None', 'None'], metadata as JsonObject)))).toEqual([
      first,
    ]);
  });
});

describe('a quota', () => {
  const quota = (hard: number, terms: number, scopes: number): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: {
      hard: Object.fromEntries(Array.from({ length: hard }, (_, i) => [`hugepages-${i + 1}Mi`, '1Gi'])),
      scopes: Array.from({ length: scopes }, () => 'BestEffort'),
      scopeSelector: {
        matchExpressions: Array.from({ length: terms }, () => ({ scopeName: 'BestEffort', operator: 'Exists' })),
      },
    },
  });

  it('reports a scope that does not fit a resource', async () => {
    const b = await Bench.open();
    const causes = await causesOf(b.create('resourcequotas', 'default', quota(2, 1, 1)));
    const all = 'unsupported scope applied to resource';
    expect(causes).toEqual([
      expect.stringMatching(`^spec.scopes: .*${all}$`),
      expect.stringMatching(`^spec.scopeSelector.matchExpressions: .*${all}$`),
    ]);
  });

  it('with thousands of resources and scopes is validated without comparing all pairs', {
    timeout: 60_000,
  }, async () => {
    const b = await Bench.open();
    const causes = await causesOf(b.create('resourcequotas', 'default', quota(9_000, 9_000, 9_000)));
    expect(causes.length).toBeGreaterThan(0);
  });
});

it('an update of an event reports what may not change in the order of the fields of events', async () => {
  const b = await Bench.open();
  const what = 'events.events.k8s.io/v1';
  const event = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'a' },
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
    eventTime: '2026-01-02T03:04:05.000000Z',
    reportingController: 'a.io/c',
    reportingInstance: 'i',
    action: 'A',
    reason: 'R',
    type: 'Normal',
  };
  await b.create(what, 'default', event);
  const changed = { reportingInstance: 'j', action: 'B', type: 'Warning', reason: 'S', note: 'n', deprecatedCount: 3 };
  expect(await causesOf(b.update(what, 'default', { ...event, ...changed }))).toEqual(
    [
      ['reason', '"S"'],
      ['message', '"n"'],
      ['count', '3'],
      ['type', '"Warning"'],
      ['action', '"B"'],
      ['reportingInstance', '"j"'],
    ].map(([field, value]) => `${field}: Invalid value: ${value}: field is immutable`),
  );
});

it('a pod that may not change shows neither an empty list of init containers nor an empty list of a disabled feature', async () => {
  const b = await Bench.open([], undefined, {}, ['VolumeBindMountOptions']);
  const mount = { name: 'v', mountPath: '/a' };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i', volumeMounts: [mount] }], volumes: [{ name: 'v', emptyDir: {} }] },
  };
  const { metadata } = await b.create('pods', 'default', pod);
  const changed = {
    ...pod,
    metadata: metadata!,
    spec: {
      ...pod.spec,
      initContainers: [],
      containers: [{ name: 'c', image: 'i', volumeMounts: [{ ...mount, readOnly: true, bindMountOptions: [] }] }],
    },
  };
  const [told = ''] = await causesOf(b.update('pods', 'default', changed));
  const lines = told.split('\n').filter((line) => /^[+-] /.test(line));
  expect(lines).toEqual(['-     "ReadOnly": false,', '+     "ReadOnly": true,']);
});
