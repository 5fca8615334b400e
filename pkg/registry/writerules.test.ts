import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { Bench, causesOf, refusal } from './testing.js';

/** The order in which the parts of a write answer, as kube-apiserver 1.37 does it. */

const config = (metadata: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
const deployment = (metadata: JsonObject): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', ...metadata },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});
const metadataOf = (o: JsonObject): JsonObject => o['metadata'] as JsonObject;

describe('a resourceVersion in a POST', () => {
  it('is refused after validation', async () => {
    const b = await Bench.open();
    const posted = (name: string) => b.create('configmaps', 'default', config({ name, resourceVersion: '12' }));
    expect(await refusal(posted('a'))).toBe('400 resourceVersion should not be set on objects to be created');
    expect(await causesOf(posted('A_'))).toHaveLength(1);
  });

  it('is kept by a dry run', async () => {
    const b = await Bench.open();
    const made = await b.create('configmaps', 'default', config({ name: 'a', resourceVersion: '12' }), {
      dryRun: true,
    });
    expect(metadataOf(made)['resourceVersion']).toBe('12');
  });
});

describe('a uid of another object', () => {
  it('is reported with the key of the store, which a dry run does not reach', async () => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', config({ name: 'a' }));
    const update = (dryRun: boolean) =>
      refusal(b.update('configmaps', 'default', config({ name: 'a', uid: 'x' }), { dryRun }));
    expect(await update(false)).toContain('Key: /registry/configmaps/default/a,');
    expect(await update(true)).toContain('Key: /configmaps/default/a,');
  });
});

describe('an update', () => {
  it('validates the generateName of kinds that validate updates like new objects', async () => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', config({ name: 'a' }));
    const changed = config({ name: 'a', generateName: 'Bad Name' });
    expect(await causesOf(b.update('configmaps', 'default', changed))).toEqual([
      expect.stringContaining('metadata.generateName: Invalid value: "Bad Name"'),
    ]);
    await b.create('deployments.apps', 'default', deployment({}));
    await b.update('deployments.apps', 'default', deployment({ generateName: 'Bad Name' }));
  });

  it('raises the generation of a deployment for its annotations, too', async () => {
    const b = await Bench.open();
    await b.create('deployments.apps', 'default', deployment({}));
    const labelled = await b.update('deployments.apps', 'default', deployment({ labels: { x: 'y' } }));
    expect(metadataOf(labelled)['generation']).toBe(1);
    const noted = await b.update('deployments.apps', 'default', deployment({ annotations: { x: 'y' } }));
    expect(metadataOf(noted)['generation']).toBe(2);
  });

  it('of a scale validates before it compares versions', async () => {
    const b = await Bench.open();
    await b.create('deployments.apps', 'default', deployment({}));
    const scaled = (replicas: number) =>
      refusal(
        b.patch('deployments.apps/v1/scale', ['default', 'd'], {
          metadata: { resourceVersion: '1' },
          spec: { replicas },
        }),
      );
    expect(await scaled(-1)).toMatch(/^422 /);
    expect(await scaled(2)).toMatch(/^409 /);
  });
});

describe('warnings', () => {
  it('are given for an object that exists already, in a dry run, too', async () => {
    const b = await Bench.open();
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/x' },
        persistentVolumeReclaimPolicy: 'Recycle',
      },
    };
    await b.create('persistentvolumes', '', volume);
    b.warnings.length = 0;
    expect(await refusal(b.create('persistentvolumes', '', volume, { dryRun: true }))).toMatch(/^409 /);
    expect(b.warnings).toHaveLength(1);
  });

  it('name the unknown fields of a patch in the order of their paths', async () => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', config({ name: 'a' }));
    await b.patch('configmaps', ['default', 'a'], { zz: 1, aa: 2, metadata: { yy: 1, bb: 2 } }, 'merge', {
      fieldValidation: 'Warn',
    });
    expect(b.warnings).toEqual(['aa', 'metadata.bb', 'metadata.yy', 'zz'].map((path) => `unknown field "${path}"`));
  });

  it('say that a patch drops repeated owners late', async () => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', config({ name: 'a' }));
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
    await b.patch('configmaps', ['default', 'a'], { metadata: { ownerReferences: [owner, owner] } });
    expect(b.warnings).toEqual([expect.stringContaining('duplicate entries after mutating admission happens;')]);
  });
});

describe('finalizers', () => {
  const causes = (plural: string, o: JsonObject) => Bench.open().then((b) => causesOf(b.create(plural, '', o)));

  it('of some kinds need no domain', async () => {
    const runtime = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', handler: 'x' };
    const metadata = { name: 'r', finalizers: ['plain'] };
    expect(await causes('runtimeclasses.node.k8s.io', { ...runtime, metadata })).toEqual([]);
    expect(await causes('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata })).toEqual([
      expect.stringContaining('metadata.finalizers[0]: Invalid value: "plain"'),
    ]);
  });
});

describe('fields that defaults set', () => {
  const owned = (o: JsonObject): unknown =>
    ((metadataOf(o)['managedFields'] as JsonObject[])[0]!['fieldsV1'] as JsonObject)['f:metadata'];

  it('belong to the client: the labels of a job, the count of the template of a daemon set', async () => {
    const b = await Bench.open();
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
    };
    const metadata = { name: 'x' };
    const job = await b.create('jobs.batch', 'default', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: { template },
    });
    expect(owned(job)).toEqual({ 'f:labels': { '.': {}, 'f:a': {} } });
    expect(metadataOf(job)['labels']).toMatchObject({ a: 'b', 'job-name': 'x' });
    const daemons = await b.create('daemonsets.apps', 'default', {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata,
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { ...template, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    expect(owned(daemons)).toEqual({
      'f:annotations': { '.': {}, 'f:deprecated.daemonset.template.generation': {} },
    });
  });

  it('name a limit range without a name', async () => {
    const b = await Bench.open();
    const spec = { limits: [{ type: 'Container', max: { cpu: '0.0001' } }] };
    const made = await b.create('limitranges', 'default', { apiVersion: 'v1', kind: 'LimitRange', metadata: {}, spec });
    expect(metadataOf(made)['name']).toMatch(/^[0-9a-f-]{36}$/);
    expect(made['spec']).toMatchObject({ limits: [{ max: { cpu: '1m' }, default: { cpu: '1m' } }] });
  });
});

it('the default lifetime of a requested token belongs to the manager of the request', async () => {
  const b = await Bench.open();
  await b.create('serviceaccounts', 'default', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } });
  const apiVersion = 'authentication.k8s.io/v1';
  const body = { apiVersion, kind: 'TokenRequest' };
  const made = await b.create('serviceaccounts/token', 'default', body, { name: 'a', fieldManager: 'm' });
  expect(metadataOf(made)['managedFields']).toMatchObject([
    { manager: 'm', apiVersion, subresource: 'token', fieldsV1: { 'f:spec': { 'f:expirationSeconds': {} } } },
  ]);
});

it.each([
  ['v1', 'a/b', `Name parameter invalid: "a/b": may not contain '/'`],
  ['v1', '..', `Name parameter invalid: "..": may not be '..'`],
  // A version that cannot be parsed is that of the core group.
  ['a/b/c', 'x', 'secrets "x" not found'],
  ['a/b', 'x', 'cannot bind token to object of type a/b, Kind=Secret'],
])('a token bound to a secret of version %s with the name %s is refused', async (apiVersion, name, why) => {
  const b = await Bench.open();
  await b.create('serviceaccounts', 'default', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } });
  const spec = { boundObjectRef: { kind: 'Secret', apiVersion, name } };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  await expect(b.create('serviceaccounts/token', 'default', body, { name: 'a' })).rejects.toThrow(why);
});

it.each([
  ['subjectaccessreviews', 'SubjectAccessReview', '', 'must be empty'],
  ['localsubjectaccessreviews', 'LocalSubjectAccessReview', 'default', 'must be empty except for namespace'],
])('metadata of %s is shown in the order of its type', async (resource, kind, namespace, sentence) => {
  const b = await Bench.open();
  const apiVersion = 'authorization.k8s.io/v1';
  const metadata = { generation: 3, labels: { b: '1', a: '2' }, generateName: 'g', name: 'n' };
  const spec = { user: 'u', resourceAttributes: { verb: 'get', namespace: 'x' } };
  const causes = await causesOf(b.create(`${resource}.${apiVersion}`, namespace, { apiVersion, kind, metadata, spec }));
  const place = namespace === '' ? '' : `"namespace":"${namespace}",`;
  expect(causes[0]).toMatch(
    `metadata: Invalid value: {"name":"n","generateName":"g",${place}"generation":3,"labels":{"a":"2","b":"1"},`,
  );
  expect(causes[0]).toMatch(new RegExp(`: ${sentence}$`));
  expect(causes.slice(1).map((cause) => cause.split(':', 1)[0])).toEqual(
    namespace === '' ? [] : ['spec.resourceAttributes.namespace'],
  );
});

const setOf = (spec: JsonObject, pod: JsonObject = {}, labels: JsonObject = { z: 'q', a: 'b' }): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 's' },
  spec: {
    serviceName: 's',
    selector: { matchLabels: { a: 'b' } },
    ...spec,
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }], ...pod } },
  },
});

it.each<readonly [string, JsonObject, readonly string[]]>([
  [
    'shows the labels of its template in order',
    setOf({ selector: { matchLabels: { z: 'b' } } }),
    ['spec.template.metadata.labels: Invalid value: {"a":"b","z":"q"}: `selector` does not match template `labels`'],
  ],
  [
    'must restart its pods, whatever its selector',
    setOf({ selector: { matchLabels: { a: 'b c' } } }, { restartPolicy: 'Never' }),
    ['spec.selector.matchLabels', 'spec.selector', 'spec.template.spec.restartPolicy'],
  ],
  [
    'has no percentage with a sign',
    setOf({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '+5%' } } }),
    ['spec.updateStrategy.rollingUpdate.maxUnavailable', 'spec.updateStrategy.rollingUpdate.maxUnavailable'],
  ],
])('a stateful set %s', async (_what, set, expected) => {
  const b = await Bench.open();
  const causes = await causesOf(b.create('statefulsets.apps', 'default', set));
  expect(causes.map((cause, i) => (expected[i]?.includes(': ') ? cause : cause.split(':', 1)[0]))).toEqual(expected);
});

it('a deployment with an invalid selector reports nothing of its template', async () => {
  const b = await Bench.open();
  const { spec } = setOf({ selector: { matchLabels: { a: 'b c' } } }, { restartPolicy: 'Never' });
  const { serviceName: _, ...rest } = spec as JsonObject;
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: rest };
  const causes = await causesOf(b.create('deployments.apps', 'default', deployment));
  expect(causes.map((cause) => cause.split(':', 1)[0])).toEqual(['spec.selector.matchLabels', 'spec.selector']);
});

it('a replication controller is refused for its name, not for its prefix', async () => {
  const b = await Bench.open();
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { selector: { a: 'b' }, template };
  const metadata = { generateName: 'example.com/x' };
  const causes = await causesOf(
    b.create('replicationcontrollers', 'default', { apiVersion: 'v1', kind: 'ReplicationController', metadata, spec }),
  );
  expect(causes.map((cause) => cause.split(':', 1)[0])).toEqual(['metadata.name']);
});

it('a stateful set rounds the amounts in the status of its claims', async () => {
  const b = await Bench.open();
  const status = { capacity: { storage: '0.0001' }, allocatedResources: { storage: '0.0001' } };
  const claim = {
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    status,
  };
  const labels = { a: 'b' };
  const made = await b.create('statefulsets.apps', 'default', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 's' },
    spec: {
      serviceName: 's',
      selector: { matchLabels: labels },
      volumeClaimTemplates: [claim],
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  const { volumeClaimTemplates } = made['spec'] as unknown as { volumeClaimTemplates: readonly JsonObject[] };
  expect(volumeClaimTemplates[0]!['status']).toEqual({
    phase: 'Pending',
    capacity: { storage: '1m' },
    allocatedResources: { storage: '1m' },
  });
});

it('an object that is not stored has managed fields, too', async () => {
  const b = await Bench.open();
  const apiVersion = 'authorization.k8s.io/v1';
  const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } };
  const review = { apiVersion, kind: 'SelfSubjectAccessReview', spec };
  const made = await b.create(`selfsubjectaccessreviews.${apiVersion}`, '', review, { fieldManager: 'm' });
  const attributes = { '.': {}, 'f:resource': {}, 'f:verb': {} };
  expect((made['metadata'] as JsonObject)['managedFields']).toMatchObject([
    { manager: 'm', operation: 'Update', apiVersion, fieldsV1: { 'f:spec': { 'f:resourceAttributes': attributes } } },
  ]);
});

it.each([
  [
    '9223372036854775808',
    '10',
    ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "10": ratio 10 is greater than max/min = 0.000000'],
  ],
  ['2', '9223372036854775808', []],
  [
    '2',
    '201',
    ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "201": ratio 201 is greater than max/min = 200.000000'],
  ],
  ['2', '200', []],
] as const)(
  'a limit range with the maximum %s and the ratio %s is compared in 64 bits',
  async (max, ratio, expected) => {
    const b = await Bench.open();
    const cpu = { type: 'Container', max: { cpu: max }, min: { cpu: '10m' }, maxLimitRequestRatio: { cpu: ratio } };
    const o = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'a' }, spec: { limits: [cpu] } };
    const made = b.create('limitranges', 'default', o);
    if (expected.length === 0) await made;
    else expect(await causesOf(made)).toEqual(expected);
  },
);

describe('the metadata of a budget', () => {
  it('are checked after its spec', async () => {
    const b = await Bench.open();
    const posted = (minAvailable: number) =>
      causesOf(
        b.create('poddisruptionbudgets.policy', 'default', {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: {},
          spec: { minAvailable },
        }),
      );
    expect(await posted(-1)).toEqual([expect.stringContaining('spec.minAvailable')]);
    expect(await posted(1)).toEqual([expect.stringContaining('metadata.name')]);
  });
});

describe('an update of a pod template', () => {
  it('warns about its containers only if they change', async () => {
    const b = await Bench.open();
    const env = [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ];
    const template = (metadata: JsonObject, image: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'a', ...metadata },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image, env }] } },
    });
    await b.create('podtemplates', 'default', template({}, 'i'));
    expect(b.warnings.splice(0)).toHaveLength(1);
    await b.update('podtemplates', 'default', template({ labels: { x: 'y' } }, 'i'));
    expect(b.warnings).toEqual([]);
    await b.update('podtemplates', 'default', template({}, 'j'));
    expect(b.warnings).toHaveLength(1);
  });
});

describe('a body in another version of the kind', () => {
  const autoscaler = (spec: JsonObject): JsonObject => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a' },
    spec,
  });
  const why = 'the API version in the data (autoscaling/v2) does not match the expected API version (autoscaling/v1)';

  it('is refused after a warning about its unknown fields', async () => {
    const b = await Bench.open();
    const posted = b.create('horizontalpodautoscalers.autoscaling/v1', 'default', autoscaler({ foo: 1 }), {
      fieldValidation: 'Warn',
    });
    expect(await refusal(posted)).toBe(`400 ${why}`);
    expect(b.warnings).toEqual(['unknown field "spec.foo"']);
  });

  it('is refused for its unknown fields if the validation is strict', async () => {
    const b = await Bench.open();
    const posted = b.create('horizontalpodautoscalers.autoscaling/v1', 'default', autoscaler({ foo: 1 }), {
      fieldValidation: 'Strict',
    });
    expect(await refusal(posted)).toBe(
      '400 HorizontalPodAutoscaler in version "v2" cannot be handled as a HorizontalPodAutoscaler: strict decoding error: unknown field "spec.foo"',
    );
  });
});

describe('a resourceVersion that is not a number', () => {
  it('is refused in an update or an apply that creates', async () => {
    const b = await Bench.open();
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'a', resourceVersion: 'x' },
    };
    const put = b.update('leases.coordination.k8s.io/v1', 'default', lease);
    expect(await refusal(put)).toBe('400 strconv.ParseUint: parsing "x": invalid syntax');
    const strange = { ...lease, metadata: { name: 'a', resourceVersion: '\u2028' } };
    expect(await refusal(b.update('leases.coordination.k8s.io/v1', 'default', strange))).toContain('"\\u2028"');
  });
});
