import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../api/index.js';
import { Bench, causesOf } from '../testing.js';

/** Rules that comparisons with kube-apiserver 1.37.2 on random changes found. */

const named = (apiVersion: string, kind: string, rest: JsonObject, name = 'a'): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name },
  ...rest,
});
const POD = { containers: [{ name: 'c', image: 'i' }] };
const pod = (spec: JsonObject): JsonObject => named('v1', 'Pod', { spec: { ...POD, ...spec } });
const TOLERATION = { key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute' };
const policy = (spec: JsonObject): JsonObject =>
  named('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {}, ...spec } });
const event = (name: string, more: JsonObject = {}): JsonObject => ({
  ...named('events.k8s.io/v1', 'Event', {
    regarding: { namespace: 'default' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'a',
    reportingInstance: 'b',
    action: 'c',
    reason: 'd',
    type: 'Normal',
  }),
  metadata: { name, ...more },
});
const [A, B] = ['a', 'b'].map((uid) => ({ uid, controller: true, kind: 'K', name: uid, apiVersion: 'v1' }));

const NAMESPACED = ['pods', 'configmaps', 'networkpolicies.networking.k8s.io', 'endpointslices.discovery.k8s.io'];

describe('a new object', () => {
  it.each<readonly [string, string, JsonObject, readonly string[]]>([
    [
      'with tolerations that differ in their seconds only',
      'runtimeclasses.node.k8s.io',
      named('node.k8s.io/v1', 'RuntimeClass', {
        handler: 'h',
        scheduling: { tolerations: [TOLERATION, { ...TOLERATION, tolerationSeconds: 3 }] },
      }),
      [
        'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"Equal","Value":"b","Effect":"NoExecute","TolerationSeconds":3}',
      ],
    ],
    [
      'with the end of a range of ports and no port',
      'networkpolicies.networking.k8s.io',
      policy({ egress: [{ ports: [{ endPort: -1 }] }] }),
      ['spec.egress[0].ports[0].endPort: Invalid value: -1: may not be specified when `port` is not specified'],
    ],
    [
      'with several amounts of a volume, which are shown by name',
      'persistentvolumes',
      named('v1', 'PersistentVolume', {
        spec: {
          capacity: { storage: '1Gi', added: '1' },
          accessModes: ['ReadWriteOnce'],
          hostPath: { path: '/x' },
        },
      }),
      ['spec.capacity: Unsupported value: {"added":"1","storage":"1Gi"}: supported values: "storage"'],
    ],
    [
      'with two controllers, shown in the order of their type',
      'configmaps',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ownerReferences: [A!, B!] } },
      [
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"K","name":"a","uid":"a","controller":true},{"apiVersion":"v1","kind":"K","name":"b","uid":"b","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for K/a and K/b',
      ],
    ],
    [
      'that asks as a pod for a negative amount of what no container asks for',
      'pods',
      pod({ resources: { requests: { cpu: '-1' } } }),
      ['spec.resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    [
      'with a setting of the network of the node',
      'pods',
      pod({ hostNetwork: true, securityContext: { sysctls: [{ name: 'net.a', value: '1' }] } }),
      [
        'spec.securityContext.sysctls[0].name: Invalid value: "net.a": may not be specified when \'hostNetwork\' is true',
      ],
    ],
    [
      'with a negative amount of a volume, which is no amount at all',
      'persistentvolumes',
      named('v1', 'PersistentVolume', {
        spec: { capacity: { storage: '-1.5' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      }),
      [
        'spec.capacity[storage]: Invalid value: -2: must be a valid resource quantity',
        'spec.capacity[storage]: Invalid value: "-1500m": must be greater than zero',
      ],
    ],
    [
      'with a request of a claim and then the whole claim',
      'pods',
      pod({
        resourceClaims: [{ name: 'x', resourceClaimName: 'y' }],
        containers: [{ name: 'c', image: 'i', resources: { claims: [{ name: 'x', request: 'r' }, { name: 'x' }] } }],
      }),
      ['spec.containers[0].resources.claims[1]: Duplicate value: "x"'],
    ],
    [
      'with a limit of the pod that a pod cannot have, which gets no request',
      'pods',
      pod({ resources: { limits: { 'example.com/x': '1' } } }),
      [
        'spec.resources.limits[example.com/x]: Unsupported value: "example.com/x": supported values: "cpu", "hugepages-", "memory"',
      ],
    ],
    [
      'with access modes of which one is unknown, so that the others are not compared',
      'persistentvolumes',
      named('v1', 'PersistentVolume', {
        spec: {
          capacity: { storage: '1' },
          accessModes: ['ReadWriteOncePod', 'x'],
          hostPath: { path: '/x' },
        },
      }),
      [
        'spec.accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      ],
    ],
    [
      'with the secret of a volume, which names its namespace',
      'persistentvolumes',
      named('v1', 'PersistentVolume', {
        spec: {
          capacity: { storage: '1' },
          accessModes: ['ReadWriteOnce'],
          cinder: { volumeID: 'x', secretRef: {} },
        },
      }),
      ['spec.cinder.secretRef.name: Required value', 'spec.cinder.secretRef.namespace: Required value'],
    ],
    [
      'with users of its own and a device of the node',
      'pods',
      pod({
        hostUsers: false,
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'x' } }],
        containers: [{ name: 'c', image: 'i', volumeDevices: [{ name: 'v', devicePath: '/x' }] }],
      }),
      ['spec.containers[0].volumeDevices: Forbidden: when `hostUsers` is false'],
    ],
    [
      'for Windows that states not to share processes',
      'pods',
      pod({ os: { name: 'windows' }, shareProcessNamespace: false }),
      ['spec.shareProcessNamespace: Forbidden: cannot be set for a windows pod'],
    ],
    [
      'with a label whose prefix is too long',
      'configmaps',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { [`${'x'.repeat(254)}/a`]: '' } } },
      [`metadata.labels: Invalid value: "${'x'.repeat(254)}/a": prefix part must be no more than 253 bytes`],
    ],
    [
      'with a hint that repeats and is no name',
      'endpointslices.discovery.k8s.io',
      named('discovery.k8s.io/v1', 'EndpointSlice', {
        addressType: 'IPv4',
        ports: [],
        endpoints: [{ addresses: ['10.0.0.1'], hints: { forNodes: [{ name: 'a' }, { name: 'a' }] } }],
      }),
      ['endpoints[0].hints.forNodes[1].name: Duplicate value: "a"'],
    ],
    [
      'with parameters of no kind, which its expressions may name',
      'validatingadmissionpolicies.admissionregistration.k8s.io',
      named('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', {
        spec: {
          paramKind: {},
          matchConstraints: {
            resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
          },
          validations: [{ expression: 'params.x == 1' }],
        },
      }),
      ['spec.paramKind.apiVersion: Required value', 'spec.paramKind.kind: Required value'],
    ],
  ])('%s', async (_, resource, object, causes) => {
    const b = await Bench.open();
    const namespace = NAMESPACED.includes(resource) ? 'default' : '';
    expect(await causesOf(b.create(resource, namespace, object))).toEqual(causes);
  });
});

describe('tokens in a volume', () => {
  it('may have the path of another file', async () => {
    const b = await Bench.open();
    const sources = [{ serviceAccountToken: { path: 'a' } }, { serviceAccountToken: { path: 'a' } }];
    const made = await b.create(
      'pods',
      'default',
      pod({ serviceAccountName: 'default', volumes: [{ name: 'v', projected: { sources } }] }),
    );
    expect(objectAt(made, 'spec')['volumes']).toHaveLength(1);
  });
});

describe('defaults', () => {
  it('leave a file mode of 0 and an empty type of file system alone', async () => {
    const b = await Bench.open();
    const volumes = [
      { name: 'a', configMap: { name: 'a', defaultMode: 0 } },
      { name: 'b', azureDisk: { diskName: 'a', diskURI: 'https://a.blob.core.windows.net/b/c.vhd', fsType: '' } },
    ];
    const made = await b.create('pods', 'default', pod({ volumes }));
    expect(objectAt(made, 'spec')['volumes']).toMatchObject(volumes);
  });
});

describe('events', () => {
  const SUBDOMAIN = expect.stringContaining('metadata.name: Invalid value: "Upper": a lowercase RFC 1123 subdomain');
  const FINALIZER = expect.stringContaining('metadata.finalizers[0]: Invalid value: "plain": name is neither');

  it('of events.k8s.io have the usual rules for names and finalizers', async () => {
    const b = await Bench.open();
    const resource = 'events.events.k8s.io';
    expect(await causesOf(b.create(resource, 'default', event('Upper')))).toEqual([SUBDOMAIN]);
    expect(await causesOf(b.create(resource, 'default', event('a', { finalizers: ['plain'] })))).toEqual([FINALIZER]);
  });

  it('of the core group do not', async () => {
    const b = await Bench.open();
    const body = named('v1', 'Event', { involvedObject: { namespace: 'default' } }, 'Upper');
    const made = await b.create('events', 'default', {
      ...body,
      metadata: { name: 'Upper', finalizers: ['plain'] },
    });
    expect(objectAt(made, 'metadata')['finalizers']).toEqual(['plain']);
  });
});

describe('the generation', () => {
  it.each<readonly [string, string, string, JsonObject, JsonObject]>([
    [
      'of a network policy rises by an empty list',
      'networkpolicies.networking.k8s.io',
      'default',
      policy({}),
      policy({ podSelector: { matchExpressions: [] } }),
    ],
    [
      'of a slice rises by a field that is dropped',
      'endpointslices.discovery.k8s.io',
      'default',
      named('discovery.k8s.io/v1', 'EndpointSlice', {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.0.0.1'] }],
        ports: [],
      }),
      named('discovery.k8s.io/v1', 'EndpointSlice', {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.0.0.1'], deprecatedTopology: { a: 'b' } }],
        ports: [],
      }),
    ],
  ])('%s', async (_, resource, namespace, first, second) => {
    const b = await Bench.open();
    const made = objectAt(await b.create(resource, namespace, first), 'metadata');
    expect(made['generation']).toBe(1);
    const { resourceVersion } = made;
    const metadata = { name: 'a', ...(resourceVersion !== undefined && { resourceVersion }) };
    const changed = await b.update(resource, namespace, { ...second, metadata });
    expect(objectAt(changed, 'metadata')['generation']).toBe(2);
  });
});

describe('an update', () => {
  it('with an unknown field still has an empty list', async () => {
    const b = await Bench.open();
    await b.create('pods', 'default', pod({}));
    const changed = pod({ securityContext: { sysctls: [], runAsUser: 5, unknown: true } });
    const update = b.update('pods', 'default', changed, { fieldValidation: 'Ignore' });
    expect((await causesOf(update))[0]).toContain('+  "Sysctls": []');
  });

  it('that changes only the address of a service changes the list, too', async () => {
    const b = await Bench.open();
    const service = (spec: JsonObject): JsonObject =>
      named('v1', 'Service', { spec: { ports: [{ port: 80 }], ...spec } });
    await b.create('services', 'default', service({}));
    expect(await causesOf(b.update('services', 'default', service({ clusterIP: 'None' })))).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set',
    ]);
  });

  it('of the status of an autoscaler has generations that are not negative', async () => {
    const b = await Bench.open();
    const spec = { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } };
    const resource = 'horizontalpodautoscalers.autoscaling/v2';
    const body = named('autoscaling/v2', 'HorizontalPodAutoscaler', { spec });
    const { metadata } = await b.create(resource, 'default', body);
    const conditions = [{ type: 'a', status: 'True', observedGeneration: -1 }];
    const changed = { ...body, metadata: metadata!, status: { desiredReplicas: 0, conditions } };
    expect(await causesOf(b.update(`${resource}/status`, 'default', changed))).toEqual([
      'status.conditions[0].observedGeneration: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  it('that removes the selector of a headless service keeps its families', async () => {
    const b = await Bench.open();
    const service = (spec: JsonObject): JsonObject => named('v1', 'Service', { spec: { clusterIP: 'None', ...spec } });
    const made = objectAt(await b.create('services', 'default', service({ selector: { a: 'b' } })), 'spec');
    const { ipFamilies, ipFamilyPolicy } = objectAt(await b.update('services', 'default', service({})), 'spec');
    expect({ ipFamilies, ipFamilyPolicy }).toEqual({
      ipFamilies: made['ipFamilies'],
      ipFamilyPolicy: made['ipFamilyPolicy'],
    });
  });

  it('of the status of a load balancer has a mode only with an address', async () => {
    const b = await Bench.open();
    const body = named('v1', 'Service', { spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } });
    const { metadata } = await b.create('services', 'default', body);
    const changed = { ...body, metadata: metadata!, status: { loadBalancer: { ingress: [{ ipMode: 'x' }] } } };
    expect(await causesOf(b.update('services/status', 'default', changed))).toEqual([
      'status.loadBalancer.ingress[0].ipMode: Forbidden: may not be specified when `ip` is not set',
    ]);
  });

  it('of the status of a node drops its configuration', async () => {
    const b = await Bench.open();
    const { metadata } = await b.create('nodes', '', named('v1', 'Node', {}));
    const node = {
      ...named('v1', 'Node', {}),
      metadata: metadata!,
      status: { config: { error: 'x' }, phase: 'Pending' },
    };
    expect((await b.update('nodes/status', '', node))['status']).toMatchObject({ phase: 'Pending' });
    expect(objectAt(await b.get('nodes', '', 'a'), 'status')).not.toHaveProperty('config');
  });

  it('reports a new scheduling gate once, at its last place', async () => {
    const b = await Bench.open();
    await b.create('pods', 'default', pod({}));
    const gates = pod({ schedulingGates: [{ name: 'x' }, { name: 'x' }] });
    const causes = await causesOf(b.update('pods', 'default', gates));
    expect(causes.filter((cause) => cause.includes('only deletion is allowed'))).toEqual([
      "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'x'",
    ]);
  });
});

describe('the status of a storage version', () => {
  const V1 = { apiServerID: 'a', encodingVersion: 'v1', decodableVersions: ['v1'] };
  it.each<readonly [string, JsonObject, readonly string[]]>([
    [
      'agrees with what the servers encode',
      { storageVersions: [V1], commonEncodingVersion: 'v2' },
      ['status.commonEncodingVersion: Invalid value: "v2": the actual common encoding version is v1'],
    ],
    [
      'states a common version if there is one',
      { storageVersions: [V1] },
      ['status.commonEncodingVersion: Invalid value: null: the common encoding version is v1'],
    ],
    [
      'states none if the servers differ',
      {
        storageVersions: [V1, { apiServerID: 'b', encodingVersion: 'v2', decodableVersions: ['v2'] }],
        commonEncodingVersion: 'v1',
      },
      [
        'status.commonEncodingVersion: Invalid value: "v1": should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
      ],
    ],
    [
      'has versions that each server decodes',
      {
        storageVersions: [
          { ...V1, servedVersions: ['v2'] },
          { ...V1, encodingVersion: '' },
        ],
      },
      [
        'status.storageVersions[0].servedVersions[0]: Invalid value: "v2": individual served version : v2 must be included in decodableVersions : [v1]',
        'status.storageVersions[1].apiServerID: Duplicate value: "a"',
        'status.storageVersions[1].encodingVersion: Invalid value: "": version part: must be non-empty',
        'status.storageVersions[1].decodableVersions: Invalid value: ["v1"]: decodableVersions must include encodingVersion ',
      ],
    ],
    [
      'has conditions with a reason and a message',
      { conditions: [{ type: 'A', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      ['status[0].reason: Required value', 'status[0].message: Required value'],
    ],
  ])('%s', async (_, status, causes) => {
    const b = await Bench.open([['api/all', true]]);
    const resource = 'storageversions.internal.apiserver.k8s.io/v1alpha1';
    const body = named('internal.apiserver.k8s.io/v1alpha1', 'StorageVersion', { spec: {} }, 'example.com');
    const { metadata } = await b.create(resource, '', body);
    const changed = { ...body, metadata: metadata!, status };
    expect(await causesOf(b.update(`${resource}/status`, '', changed))).toEqual(causes);
  });
});
