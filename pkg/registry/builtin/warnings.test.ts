import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { Bench } from '../testing.js';

/** Warnings for accepted objects. */

async function warnings(what: string, namespace: string, o: JsonObject): Promise<readonly string[]> {
  const b = await Bench.open();
  await b.create(what, namespace, o, { dryRun: true });
  return b.warnings;
}

const pod = (spec: JsonObject, name = 'p'): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const ports = (...list: readonly JsonObject[]): JsonObject => ({
  containers: list.map((p, i) => ({ name: `c${i}`, image: 'i', ports: [p] })),
});

it.each([
  ['010.0.0.1', '10.0.0.1'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
])('a service warns of the address %s', async (loadBalancerIP, use) => {
  const b = await Bench.open();
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }], loadBalancerIP };
  await b.create('services', 'default', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec });
  expect(b.warnings).toContain(
    `spec.loadBalancerIP: non-standard IP address "${loadBalancerIP}" is invalid: use "${use}"`,
  );
});

it('a service warns of its fields in the order of kube-apiserver', async () => {
  const spec = {
    type: 'LoadBalancer',
    ports: [{ port: 80 }],
    externalIPs: ['1.2.3.4'],
    loadBalancerIP: '010.0.0.1',
    trafficDistribution: 'PreferClose',
  };
  const found = await warnings('services', 'default', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'a' },
    spec,
  });
  expect(found.map((text) => text.split(/[ :]/, 1)[0])).toEqual([
    'spec.externalIPs',
    'spec.loadBalancerIP',
    'spec.trafficDistribution',
  ]);
});

describe('warnings', () => {
  it.each([
    [
      { imagePullSecrets: [{}, { name: 'a' }, { name: 'a' }] },
      ['[2].name: duplicate name "a"', '[0].name: invalid empty name ""'],
    ],
    [
      { hostAliases: [{ ip: 'FD00::1', hostnames: ['a'] }] },
      ['[0].ip: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")'],
    ],
    [
      ports({ containerPort: 80 }, { containerPort: 80, hostPort: 80 }),
      ['overlapping port definition with spec.containers[0].ports[0]'],
    ],
    [
      ports({ containerPort: 80, name: 'a' }, { containerPort: 81, name: 'a' }),
      [
        'duplicate port name "a" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
      ],
    ],
    [
      ports({ containerPort: 80, hostIP: '127.0.0.1' }),
      ['hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:127.0.0.1}'],
    ],
    [
      {
        initContainers: [
          {
            name: 'i',
            image: 'i',
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '$(A)' },
            ],
          },
        ],
      },
      ['spec.initContainers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
    ],
    [
      {
        initContainers: [
          {
            name: 'i',
            image: 'i',
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '$(A)2' },
            ],
          },
        ],
      },
      [],
    ],
  ] as const)('of a pod with %j', async (spec, told) => {
    const found = await warnings('pods', 'default', pod(spec as unknown as JsonObject));
    expect(found).toHaveLength(told.length);
    for (const [i, t] of told.entries()) expect(found[i]!.endsWith(t)).toBe(true);
  });

  it('about annotations are given only when the field that replaced them is absent', async () => {
    const annotated = (spec: JsonObject) => {
      const o = pod(spec);
      return {
        ...o,
        metadata: { name: 'p', annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default' } },
      };
    };
    expect(await warnings('pods', 'default', annotated({}))).toHaveLength(1);
    const seccompProfile = { type: 'RuntimeDefault' };
    expect(await warnings('pods', 'default', annotated({ securityContext: { seccompProfile } }))).toEqual([]);
  });

  it('about a template are given when it changes, not when labels do', async () => {
    const b = await Bench.open();
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [], nodeSelector: { 'beta.kubernetes.io/os': 'l' } },
    };
    const spec = {
      selector: { matchLabels: { a: 'b' } },
      template: { ...template, spec: { ...template.spec, containers: [{ name: 'c', image: 'i' }] } },
    };
    await b.create('deployments.apps/v1', 'default', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd.e' },
      spec,
    });
    expect(b.warnings.map((w) => w.split(':')[0])).toEqual([
      'metadata.name',
      'spec.template.spec.nodeSelector[beta.kubernetes.io/os]',
    ]);
    await b.patch('deployments.apps/v1', ['default', 'd.e'], { metadata: { labels: { k: 'v' } } });
    expect(b.warnings).toHaveLength(2);
    await b.patch('deployments.apps/v1', ['default', 'd.e'], { spec: { replicas: 2 } });
    expect(b.warnings).toHaveLength(3);
  });

  it.each([
    [
      'nodes',
      '',
      { kind: 'Node', metadata: { name: 'n' }, spec: { externalID: 'x' } },
      'spec.externalID: this field is deprecated, and is unused by Kubernetes',
    ],
    [
      'runtimeclasses.node.k8s.io/v1',
      '',
      {
        apiVersion: 'node.k8s.io/v1',
        kind: 'RuntimeClass',
        metadata: { name: 'r' },
        handler: 'h',
        scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'l' } },
      },
      'scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead',
    ],
    [
      'persistentvolumeclaims',
      'default',
      {
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'c' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } },
      },
      'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
    [
      'networkpolicies.networking.k8s.io/v1',
      'default',
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'n' },
        spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: 'FD00::/64' } }] }] },
      },
      'spec.ingress[0].from[0].ipBlock.cidr: IPv6 CIDR value "FD00::/64" should be in RFC 5952 canonical format ("fd00::/64")',
    ],
    [
      'services',
      'default',
      {
        kind: 'Service',
        metadata: { name: 's', annotations: { 'service.kubernetes.io/topology-aware-hints': 'auto' } },
        spec: { clusterIP: 'None', ports: [{ port: 1 }] },
      },
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    ],
  ] as const)('of %s', async (what, namespace, o, told) => {
    expect(await warnings(what, namespace, { apiVersion: 'v1', ...(o as unknown as JsonObject) })).toEqual([told]);
  });

  it('cover jobs with many indexes and high parallelism', async () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const spec = { template, completions: 200_000, parallelism: 20_000, completionMode: 'Indexed' };
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' } };
    expect(await warnings('jobs.batch/v1', 'default', { ...job, spec })).toEqual([
      expect.stringMatching(/^spec: In Indexed Jobs/),
    ]);
    expect(await warnings('jobs.batch/v1', 'default', { ...job, spec: { ...spec, parallelism: 1 } })).toEqual([]);
  });
});

describe('a job whose name is not a label value', () => {
  it('gets only errors of its template, and the labels of its pods when accepted', async () => {
    const b = await Bench.open();
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const job = (name: string) => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { template } });
    await expect(b.create('jobs.batch/v1', 'default', job('a'.repeat(64)))).rejects.toMatchObject({
      status: { details: { causes: [{ field: 'spec.template.labels' }] } },
    });
    const made = await b.create('jobs.batch/v1', 'default', job('j'));
    expect(made).toMatchObject({ metadata: { labels: { 'job-name': 'j' } } });
  });
});

describe('mountable secrets of a service account', () => {
  it('are warned about when they are first enforced, not when that changes', async () => {
    const b = await Bench.open();
    const account = (annotations: JsonObject): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'a', annotations },
    });
    const enforced = (value: string) => account({ 'kubernetes.io/enforce-mountable-secrets': value });
    await b.create('serviceaccounts', 'default', account({}));
    expect(b.warnings).toEqual([]);
    await b.update('serviceaccounts', 'default', enforced('true'));
    expect(b.warnings).toEqual([expect.stringContaining('enforce-mountable-secrets]: deprecated in v1.32+')]);
    await b.update('serviceaccounts', 'default', enforced('false'));
    expect(b.warnings).toHaveLength(1);
  });
});

it('a definition warns of formats that their types do not have', async () => {
  const properties = {
    a: { type: 'string', format: 'date', not: { format: 'byte' } },
    b: { type: 'integer', format: 'int32', anyOf: [{ format: 'int64' }, { minimum: 1 }] },
    c: { type: 'string', format: 'float' },
    d: { type: 'boolean', format: 'date' },
    e: { type: 'array', format: 'byte', items: { type: 'number', format: 'double' } },
    f: { 'x-kubernetes-int-or-string': true, format: 'uuid' },
    g: { type: 'string', format: 'odd' },
  };
  const openAPIV3Schema = { type: 'object', properties };
  const found = await warnings('customresourcedefinitions.apiextensions.k8s.io', '', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boxes.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'boxes', kind: 'Box' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  expect(found).toEqual(['byte', 'date', 'float', 'int64', 'odd'].map((format) => `unrecognized format "${format}"`));
});
