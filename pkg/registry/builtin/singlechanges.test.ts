import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt, objectsAt } from '../../api/index.js';
import { Bench, causesOf, refusal } from '../testing.js';

/** Rules that single changes to valid objects found, asked of kube-apiserver 1.37.2 too. */

const named = (apiVersion: string, kind: string, rest: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'a' },
  ...rest,
});
const CONTAINER = { name: 'c', image: 'i' };
const pod = (spec: JsonObject): JsonObject => named('v1', 'Pod', { spec: { containers: [CONTAINER], ...spec } });
const template = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { labels: { a: 'b' }, ...metadata },
  spec: { containers: [CONTAINER], ...spec },
});
const workload = (kind: string, spec: JsonObject, metadata?: JsonObject): JsonObject =>
  named('apps/v1', kind, {
    spec: { selector: { matchLabels: { a: 'b' } }, template: template(spec, metadata) },
  });
const job = (spec: JsonObject): JsonObject =>
  named('batch/v1', 'Job', { spec: { template: template({ restartPolicy: 'Never' }), ...spec } });
const volume = (source: JsonObject): JsonObject =>
  named('v1', 'PersistentVolume', {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...source },
  });
const attachment = (volume: JsonObject): JsonObject =>
  named('storage.k8s.io/v1', 'VolumeAttachment', {
    spec: {
      attacher: 'a.b',
      nodeName: 'n',
      source: {
        inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'a.b', volumeHandle: 'h' }, ...volume },
      },
    },
  });
const autoscaler = (metric: JsonObject): JsonObject =>
  named('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      metrics: [metric],
    },
  });
const slice = (requestPolicy: JsonObject): JsonObject =>
  named('resource.k8s.io/v1', 'ResourceSlice', {
    spec: {
      driver: 'a.b',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      allNodes: true,
      devices: [{ name: 'd', allowMultipleAllocations: true, capacity: { c: { value: '10Gi', requestPolicy } } }],
    },
  });
const RANGE = 'spec.devices[0].capacity[c].requestPolicy.validRange';
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const INLINE = 'spec.source.inlineVolumeSpec';

describe('a new object', () => {
  it.each<readonly [string, string, JsonObject, readonly string[]]>([
    [
      'that spreads its pods by an invalid label value',
      'pods',
      pod({
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'z',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchExpressions: [{ key: 'k', operator: 'In', values: ['50%'] }] },
          },
        ],
      }),
      [
        `spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].values[0]: Invalid value: "50%": ${LABEL_VALUE}`,
      ],
    ],
    [
      'with volumes whose sources and names are wrong',
      'pods',
      pod({ volumes: [{ nfs: {} }, { name: 'a', ephemeral: {} }] }),
      [
        'spec.volumes[0].nfs.server: Required value',
        'spec.volumes[0].nfs.path: Required value',
        'spec.volumes[0].nfs.path: Invalid value: "": must be an absolute path',
        'spec.volumes[0].name: Required value',
        'spec.volumes[1].ephemeral.volumeClaimTemplate: Required value',
      ],
    ],
    [
      'with a seccomp profile of no type',
      'pods',
      pod({ securityContext: { seccompProfile: { localhostProfile: 'x' } } }),
      [
        'spec.securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set',
        'spec.securityContext.seccompProfile.localhostProfile: Invalid value: {"Type":"","LocalhostProfile":"x"}: can only be set when seccomp type is Localhost',
      ],
    ],
    [
      'with an image in spaces for an ephemeral container of a template',
      'podtemplates',
      named('v1', 'PodTemplate', { template: template({ ephemeralContainers: [{ name: 'e', image: ' ' }] }) }),
      [
        'template.spec.ephemeralContainers[0].image: Invalid value: " ": must not have leading or trailing whitespace',
        'template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
      ],
    ],
    [
      'that selects parameters by a wrong selector and by name',
      'validatingadmissionpolicybindings.admissionregistration.k8s.io',
      named('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', {
        spec: {
          policyName: 'p',
          validationActions: ['Deny'],
          paramRef: { name: 'n', selector: { matchLabels: { a: 'b c' } }, parameterNotFoundAction: 'Deny' },
        },
      }),
      [
        'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
        `spec.paramRef.selector.matchLabels: Invalid value: "b c": ${LABEL_VALUE}`,
        'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
      ],
    ],
    [
      'with a variable whose name is a space, and names of resources that are no names',
      'validatingadmissionpolicies.admissionregistration.k8s.io',
      named('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', {
        spec: {
          validations: [{ expression: 'true' }],
          variables: [{ name: ' ', expression: '1' }],
          matchConstraints: {
            resourceRules: [{ operations: ['*'], apiGroups: ['a'], apiVersions: ['v1'], resourceNames: ['%'] }],
          },
        },
      }),
      [
        'spec.matchConstraints.resourceRules[0].resourceNames[0]: Invalid value: "%": may not contain \'%\'',
        'spec.matchConstraints.resourceRules[0].resources: Required value',
        'spec.variables[0].name: Required value: name is not specified',
      ],
    ],
    [
      'with a path of the host that has a type and no path',
      'pods',
      pod({ volumes: [{ name: 'v', hostPath: { type: 'odd' } }] }),
      ['spec.volumes[0].hostPath.path: Required value'],
    ],
    [
      'with more failed indexes than a job may have',
      'jobs.batch',
      job({
        completionMode: 'Indexed',
        completions: 200_000,
        parallelism: 20_000,
        backoffLimitPerIndex: 1,
        maxFailedIndexes: 100_001,
      }),
      [
        'spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000',
        ...[
          ['parallelism', 20_000],
          ['maxFailedIndexes', 100_001],
        ].map(
          ([field, n]) =>
            `spec.${field}: Invalid value: ${n}: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index`,
        ),
      ],
    ],
    [
      'with a local inline volume',
      'volumeattachments.storage.k8s.io',
      attachment({ csi: null, local: { path: '/x' } }),
      [
        `${INLINE}.csi: Required value: has to be specified in the context of inline volumes`,
        `${INLINE}.nodeAffinity: Required value: Local volume requires node affinity`,
      ],
    ],
    [
      'with endpoints of glusterfs in no namespace',
      'persistentvolumes',
      volume({ glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: '' } }),
      [
        'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
      ],
    ],
    [
      'with an inline volume of an unknown policy and mode, and with affinity',
      'volumeattachments.storage.k8s.io',
      attachment({ persistentVolumeReclaimPolicy: 'odd', volumeMode: 'odd', nodeAffinity: {} }),
      [
        `${INLINE}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes`,
        `${INLINE}.nodeAffinity: Forbidden: may not be specified in the context of inline volumes`,
        `${INLINE}.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes`,
      ],
    ],
    [
      'that scales by a resource that no container has',
      'horizontalpodautoscalers.autoscaling/v2',
      autoscaler({
        type: 'ContainerResource',
        containerResource: { name: 'pods', container: 'c', target: { type: 'Utilization', averageUtilization: 5 } },
      }),
      ['spec.metrics[0].containerResource.name: Invalid value: "pods": must be a standard resource for containers'],
    ],
    [
      'that scales by an object of no version',
      'horizontalpodautoscalers.autoscaling/v2',
      autoscaler({
        type: 'Object',
        object: {
          metric: { name: 'm' },
          target: { type: 'Value', value: '1' },
          describedObject: { apiVersion: 'a/b/c', kind: 'K', name: 'n' },
        },
      }),
      [
        'spec.metrics[0].object.describedObject.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      ],
    ],
    [
      'with the addresses of endpoints in old forms',
      'endpoints',
      named('v1', 'Endpoints', { subsets: [{ addresses: [{ ip: '010.0.0.1' }, { ip: '0127.0.0.1' }] }] }),
      [
        'subsets[0].addresses[0].ip: Invalid value: "010.0.0.1": must not have leading 0s',
        'subsets[0].addresses[1].ip: Invalid value: "0127.0.0.1": must not have leading 0s',
        'subsets[0].addresses[1].ip: Invalid value: "0127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
    ],
    [
      'with a negative minimum of a capacity',
      'resourceslices.resource.k8s.io',
      slice({ default: '1Gi', validRange: { min: '-5Gi', max: '5Gi', step: '1Gi' } }),
      [`${RANGE}.min: Invalid value: "-5Gi": must be greater than or equal to 0`],
    ],
    [
      'with a step of a capacity beyond an int64',
      'resourceslices.resource.k8s.io',
      slice({ default: '1Gi', validRange: { min: '1Gi', max: '5Gi', step: '9223372036854775808' } }),
      [
        `${RANGE}.step: Invalid value: "9223372036854775808": one step 8589934593Gi is larger than capacity value: 10Gi`,
        `${RANGE}.step: Invalid value: "9223372036854775808": must not be larger than 9223372036854775807`,
      ],
    ],
  ])('%s', async (_, resource, object, causes) => {
    const b = await Bench.open();
    const namespace = /^(pods|podtemplates|jobs|endpoints|horizontal)/.test(resource) ? 'default' : '';
    expect(await causesOf(b.create(resource, namespace, object))).toEqual(causes);
  });

  it('shows a search path without its last dot', async () => {
    const b = await Bench.open();
    const causes = await causesOf(b.create('pods', 'default', pod({ dnsConfig: { searches: ['EXAMPLE.COM.'] } })));
    expect(causes).toEqual([expect.stringMatching(/^spec.dnsConfig.searches\[0\]: Invalid value: "EXAMPLE.COM": /)]);
  });

  it('shows an annotation of a template as it is written', async () => {
    const b = await Bench.open();
    const object = workload('Deployment', {}, { annotations: { 'Not Valid!': '' } });
    const causes = await causesOf(b.create('deployments.apps', 'default', object));
    expect(causes).toEqual([expect.stringMatching(/^spec.template.annotations: Invalid value: "Not Valid!": /)]);
  });

  it('of pods with a name each may have a template with an invalid host name', async () => {
    const b = await Bench.open();
    const spec = { hostname: 'Upper', subdomain: 'not valid' };
    expect(await causesOf(b.create('statefulsets.apps', 'default', workload('StatefulSet', spec)))).toEqual([]);
    expect(await causesOf(b.create('deployments.apps', 'default', workload('Deployment', spec)))).toHaveLength(2);
  });

  it('with stop signals loses them, and the life cycle that had nothing else, while the feature is off', async () => {
    const b = await Bench.open([], undefined, {}, ['ContainerStopSignals']);
    const preStop = { sleep: { seconds: 1 } };
    const containers = [
      { ...CONTAINER, lifecycle: { stopSignal: 'SIGINT' } },
      { ...CONTAINER, name: 'd', lifecycle: { stopSignal: 'SIGINT', preStop } },
      { ...CONTAINER, name: 'e', lifecycle: {} },
    ];
    const made = await b.create('deployments.apps', 'default', workload('Deployment', { containers }));
    const kept = objectsAt(objectAt(made, 'spec', 'template', 'spec'), 'containers').map((c) => c['lifecycle']);
    expect(kept).toEqual([undefined, { preStop }, {}]);
  });
});

describe('the selector of a job', () => {
  const SHOWN =
    /^spec.selector: Invalid value: \{"matchLabels":\{.*"batch.kubernetes.io\/controller-uid":".*\}\}: `selector` not auto-generated$/;
  it.each<readonly [string, JsonObject]>([
    ['has only the generated label', { selector: { matchLabels: { a: 'b' } } }],
    ['is not chosen by hand', { manualSelector: false, selector: { matchLabels: { a: 'b' } } }],
  ])('%s', async (_, spec) => {
    const b = await Bench.open();
    expect(await causesOf(b.create('jobs.batch', 'default', job(spec)))).toEqual([expect.stringMatching(SHOWN)]);
  });

  it('may be chosen by hand', async () => {
    const b = await Bench.open();
    const spec = { manualSelector: true, selector: { matchLabels: { a: 'b' } } };
    expect(await causesOf(b.create('jobs.batch', 'default', job(spec)))).toEqual([]);
  });

  it('is reported before labels that it does not match, which are shown by name', async () => {
    const b = await Bench.open();
    const causes = await causesOf(b.create('jobs.batch', 'default', job({ selector: { matchLabels: { x: 'y' } } })));
    expect(causes).toEqual([
      expect.stringMatching(SHOWN),
      expect.stringMatching(
        /^spec.template.metadata.labels: Invalid value: \{"a":"b","batch.kubernetes.io\/controller-uid":".*","batch.kubernetes.io\/job-name":"a","controller-uid":".*","job-name":"a"\}: /,
      ),
    ]);
  });
});

describe('the resources of a pod as a whole', () => {
  const limits = (cpu: string, memory?: string): JsonObject => ({ limits: { cpu, ...(memory && { memory }) } });
  const pages = (size: string): JsonObject => ({ limits: { cpu: '1', 'hugepages-2Mi': size } });
  it.each<readonly [string, JsonObject, readonly JsonObject[], JsonObject]>([
    [
      'have the requests of the containers together',
      { limits: { cpu: '9' } },
      [limits('1', '1Gi'), limits('1')],
      { limits: { cpu: '9' }, requests: { cpu: '2', memory: '1Gi' } },
    ],
    [
      'have the limits of the containers together if all have one',
      { requests: { memory: '3Gi' } },
      [limits('1', '1Gi'), limits('1', '1Gi')],
      { limits: { cpu: '2', memory: '3Gi' }, requests: { cpu: '2', memory: '3Gi' } },
    ],
    [
      'have the limits of huge pages if any container has one',
      { limits: { cpu: '9' } },
      [pages('2Mi'), limits('1')],
      { limits: { cpu: '9', 'hugepages-2Mi': '2Mi' }, requests: { cpu: '2', 'hugepages-2Mi': '2Mi' } },
    ],
    [
      'request the huge pages of their limit',
      { limits: { cpu: '9', 'hugepages-2Mi': '8Mi' } },
      [pages('2Mi')],
      { limits: { cpu: '9', 'hugepages-2Mi': '8Mi' }, requests: { cpu: '1', 'hugepages-2Mi': '8Mi' } },
    ],
    ['stay empty', {}, [limits('1')], {}],
    ['are rounded up', { limits: { cpu: '2.00001' } }, [{}], { limits: { cpu: '2001m' }, requests: { cpu: '2001m' } }],
  ])('%s', async (_, resources, ofContainers, completed) => {
    const b = await Bench.open();
    const containers = ofContainers.map((resources, i) => ({ ...CONTAINER, name: `c${i}`, resources }));
    const made = await b.create('pods', 'default', pod({ containers, resources }));
    expect(objectAt(made, 'spec', 'resources')).toEqual(completed);
  });

  it('stay if an update omits them, and are not completed again', async () => {
    const b = await Bench.open();
    const made = await b.create('pods', 'default', pod({ resources: limits('2') }));
    const { resources: _, ...spec } = objectAt(made, 'spec');
    const kept = await b.update('pods', 'default', { ...made, spec });
    expect(objectAt(kept, 'spec', 'resources')).toEqual({ ...limits('2'), requests: { cpu: '2' } });
    const causes = await causesOf(b.update('pods', 'default', { ...kept, spec: { ...spec, resources: limits('2') } }));
    expect(causes).toEqual([expect.stringContaining('Forbidden: pod updates may not change fields')]);
  });
});

describe('the pull policy of an image', () => {
  it.each([
    ['x'.repeat(247), 'Always'],
    ['x'.repeat(248), 'IfNotPresent'],
    [`a/${'x'.repeat(254)}`, 'IfNotPresent'],
    [`a.b/${'x'.repeat(255)}`, 'Always'],
    [`a.b/${'x'.repeat(256)}`, 'IfNotPresent'],
    [`docker.io/${'x'.repeat(248)}`, 'IfNotPresent'],
  ])('of the length of example %# is as in kube-apiserver', async (image, policy) => {
    const b = await Bench.open();
    const made = await b.create('pods', 'default', pod({ containers: [{ ...CONTAINER, image }] }));
    expect(objectsAt(objectAt(made, 'spec'), 'containers')[0]).toMatchObject({ imagePullPolicy: policy });
  });
});

describe('an update', () => {
  it('reports each driver of a node that repeats the name of an old one', async () => {
    const b = await Bench.open();
    const driver = { name: 'a.b', nodeID: 'n', topologyKeys: null };
    const node = (...drivers: JsonObject[]): JsonObject => named('storage.k8s.io/v1', 'CSINode', { spec: { drivers } });
    const { metadata } = await b.create('csinodes.storage.k8s.io', '', node(driver));
    const changed = { ...node(driver, { ...driver, nodeID: 'm' }), metadata: metadata! };
    expect(await causesOf(b.update('csinodes.storage.k8s.io', '', changed))).toEqual([
      'spec.drivers[1].name: Duplicate value: "a.b"',
      'spec.drivers: Invalid value: {"Name":"a.b","NodeID":"m","TopologyKeys":null,"Allocatable":null}: field is immutable',
    ]);
  });

  const affinity = (key: string, values = ['n']): JsonObject =>
    volume({
      local: { path: '/x' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }] } },
    });

  it.each<readonly [string, JsonObject, number]>([
    ['to the stable name of a label is allowed', affinity('topology.kubernetes.io/zone'), 0],
    ['to another label is not', affinity('topology.kubernetes.io/region'), 1],
    ['to a stable name and another value is not', affinity('topology.kubernetes.io/zone', ['m']), 1],
  ])('of the node affinity of a volume %s', async (_, changed, count) => {
    const b = await Bench.open();
    const old = affinity('failure-domain.beta.kubernetes.io/zone');
    const { metadata } = await b.create('persistentvolumes', '', old);
    const causes = await causesOf(b.update('persistentvolumes', '', { ...changed, metadata: metadata! }));
    expect(causes).toHaveLength(count);
    for (const cause of causes) expect(cause).toMatch(/^nodeAffinity: .*: field is immutable, except for updating/);
  });

  it.each<readonly [string, JsonObject, number]>([
    ['keeps its capacity may stop allocating it several times', {}, 0],
    ['changes its capacity may not', { value: '20Gi' }, 1],
  ])('of a device that %s', async (_, change, count) => {
    const b = await Bench.open();
    const requestPolicy = { default: '1Gi', validRange: { min: '1Gi' } };
    const { metadata, spec } = await b.create('resourceslices.resource.k8s.io', '', slice(requestPolicy));
    const devices = [{ name: 'd', capacity: { c: { value: '10Gi', requestPolicy, ...change } } }];
    const changed = { ...slice({}), metadata: metadata!, spec: { ...(spec as JsonObject), devices } };
    const causes = await causesOf(b.update('resourceslices.resource.k8s.io', '', changed));
    expect(causes).toEqual(
      Array(count).fill('spec.devices[0].capacity[c].requestPolicy: Forbidden: allowMultipleAllocations must be true'),
    );
  });

  it('of a driver does not warn of what only a new one should state', async () => {
    const b = await Bench.open();
    const driver = named('storage.k8s.io/v1', 'CSIDriver', { spec: { tokenRequests: [{ audience: 'x' }] } });
    const { metadata } = await b.create('csidrivers.storage.k8s.io', '', driver);
    expect(b.warnings.splice(0)).toHaveLength(1);
    await b.update('csidrivers.storage.k8s.io', '', { ...driver, metadata: metadata! });
    expect(b.warnings).toEqual([]);
  });
});

describe('errors of an event of events.k8s.io', () => {
  it('name the kind of the core group, which is stored', async () => {
    const b = await Bench.open();
    const event = named('events.k8s.io/v1', 'Event', {
      regarding: { namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'a',
      reportingInstance: 'b',
      action: 'c',
      reason: 'd',
      type: 'Normal',
    });
    const { metadata } = await b.create('events.events.k8s.io', 'default', event);
    const changed = { ...event, metadata: metadata!, note: 'x' };
    expect(await refusal(b.update('events.events.k8s.io', 'default', changed))).toBe(
      '422 Event "a" is invalid: message: Invalid value: "x": field is immutable',
    );
  });
});

describe('warnings', () => {
  it('of external addresses are one for a headless service', async () => {
    const b = await Bench.open();
    const spec = { clusterIP: 'None', externalIPs: ['10.1.0.1'], ports: [{ port: 1 }] };
    await b.create('services', 'default', named('v1', 'Service', { spec }));
    expect(b.warnings).toEqual(['spec.externalIPs is ignored for headless services']);
  });

  it('of a driver of devices ask for lower case', async () => {
    const b = await Bench.open();
    const made = slice({ default: '1Gi', validRange: { min: '1Gi' } });
    await b.create('resourceslices.resource.k8s.io', '', {
      ...made,
      spec: { ...objectAt(made, 'spec'), driver: 'A.b' },
    });
    expect(b.warnings).toEqual(['spec.driver: driver names should be lowercase; "A.b" contains uppercase characters']);
  });
});
