import { expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../api/index.js';
import { Bench, causesOf } from '../testing.js';

/** Rules of generated names and of generateName, asked of kube-apiserver 1.37.2. */

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

it.each([
  [
    'replicationcontrollers',
    'default',
    { apiVersion: 'v1', kind: 'ReplicationController', spec: { selector: { a: 'b' }, template } },
  ],
  ['deviceclasses.resource.k8s.io/v1', '', { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', spec: {} }],
])('%s beside a name may have any generateName that fits into a path', async (what, namespace, o) => {
  const b = await Bench.open();
  const named = (name: string, generateName: string): JsonObject => ({ ...o, metadata: { name, generateName } });
  await b.create(what, namespace, named('a', 'A_'));
  await b.create(what, namespace, named('b', 'x'.repeat(300)));
  expect(await causesOf(b.create(what, namespace, named('c', 'a/b')))).toEqual([
    'metadata.generateName: Invalid value: "a/b": may not contain \'/\'',
  ]);
});

it('the name of a cron job is too long, not its generateName, and this is reported last', async () => {
  const b = await Bench.open();
  const spec = {
    schedule: 'x',
    jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', ...template.spec } } } },
  };
  const job = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'a'.repeat(53), generateName: 'b'.repeat(53) },
    spec,
  };
  const found = await causesOf(b.create('cronjobs.batch', 'default', job));
  expect(found.map((cause) => cause.split(': ', 1)[0])).toEqual(['spec.schedule', 'metadata.name']);
});

it('a namespace has the label of its generated name', async () => {
  const b = await Bench.open();
  const made = await b.create('namespaces', '', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { generateName: 'a-' },
  });
  const { name, labels } = objectAt(made, 'metadata');
  expect(labels).toEqual({ 'kubernetes.io/metadata.name': name });
});

it('the name of an IP address is its generateName', async () => {
  const b = await Bench.open();
  const spec = { parentRef: { resource: 'services', namespace: 'default', name: 'a' } };
  const address = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { generateName: '10.0.0.77' },
    spec,
  };
  const made = await b.create('ipaddresses.networking.k8s.io', '', address);
  expect(objectAt(made, 'metadata')['name']).toBe('10.0.0.77');
});

it('an API service is updated only with its version', async () => {
  const b = await Bench.open();
  const spec = {
    group: 'a.b',
    version: 'v1',
    groupPriorityMinimum: 1,
    versionPriority: 1,
    service: { namespace: 'a', name: 'b' },
  };
  const service = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: 'v1.a.b' }, spec };
  await b.create('apiservices.apiregistration.k8s.io', '', service);
  expect(await causesOf(b.update('apiservices.apiregistration.k8s.io', '', service))).toEqual([
    'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ]);
});

it('a device taint rule and its status are updated only with their version', async () => {
  const b = await Bench.open();
  const rule = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceTaintRule',
    metadata: { name: 'a' },
    spec: { deviceSelector: { driver: 'a' }, taint: { key: 'a', effect: 'NoSchedule' } },
  };
  await b.create('devicetaintrules.resource.k8s.io/v1', '', rule);
  for (const what of ['devicetaintrules.resource.k8s.io/v1', 'devicetaintrules.resource.k8s.io/v1/status'])
    expect(await causesOf(b.update(what, '', rule))).toEqual([
      'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
});

it('a definition and its status are updated only with their version', async () => {
  const b = await Bench.open();
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'as.x.io' },
    spec: {
      group: 'x.io',
      scope: 'Namespaced',
      names: { plural: 'as', kind: 'A' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
  const what = 'customresourcedefinitions.apiextensions.k8s.io';
  await b.create(what, '', definition);
  for (const path of [what, `${what}/v1/status`])
    expect(await causesOf(b.update(path, '', definition))).toEqual([
      'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
});

it('a lease candidate may have a name that only a config map key may have', async () => {
  const b = await Bench.open([['coordination.k8s.io/v1beta1', true]]);
  const spec = {
    leaseName: 'l',
    binaryVersion: '1.0.0',
    emulationVersion: '1.0.0',
    strategy: 'OldestEmulationVersion',
  };
  const candidate = { apiVersion: 'coordination.k8s.io/v1beta1', kind: 'LeaseCandidate', spec };
  const what = 'leasecandidates.coordination.k8s.io/v1beta1';
  await b.create(what, 'default', { ...candidate, metadata: { name: 'Bad_Name' } });
  expect(await causesOf(b.create(what, 'default', { ...candidate, metadata: { name: 'a b' } }))).toEqual([
    expect.stringContaining('metadata.name: Invalid value: "a b"'),
  ]);
});
