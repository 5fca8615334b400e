import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject, objectAt, objectsAt } from '../../api/index.js';
import { Bench, causesOf } from '../testing.js';

/**
 * Updates of stored objects that break a rule which is newer than they are, or that was written past the API. The answers are those of
 * kube-apiserver 1.37.
 */

const of = (apiVersion: string, kind: string, rest: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'x' },
  ...rest,
});
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const podOf = (spec: JsonObject): JsonObject => of('v1', 'Pod', { spec: { ...TEMPLATE.spec, ...spec } });
const workload = (kind: string, more: JsonObject = {}): JsonObject =>
  of('apps/v1', kind, { spec: { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE, ...more } });
const hpa = (spec: JsonObject = {}): JsonObject =>
  of('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, ...spec },
  });
const service = { name: 's', port: { number: 80 } };
const ingress = (spec: JsonObject): JsonObject =>
  of('networking.k8s.io/v1', 'Ingress', { spec: { defaultBackend: { service }, ...spec } });
const slice = (device: JsonObject): JsonObject =>
  of('resource.k8s.io/v1', 'ResourceSlice', {
    spec: {
      driver: 'a.b',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      allNodes: true,
      devices: [{ name: 'd', ...device }],
    },
  });
const webhook = (more: JsonObject = {}): JsonObject => ({
  name: 'a.b.c',
  clientConfig: { url: 'https://h.test' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});
const webhooks = (...all: JsonObject[]): JsonObject =>
  of('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', { webhooks: all });
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
const policy = (spec: JsonObject = {}): JsonObject =>
  of('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', {
    spec: {
      matchConstraints: { resourceRules: [RULE] },
      matchConditions: [{ name: 'm', expression: 'true' }],
      validations: [{ expression: 'true' }],
      ...spec,
    },
  });
const CERTIFICATE_REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIVk1IMENBUUF3R3pFWk1CY0dBMVVFQXd3UWNHeGhkQzVsZUdG' +
  'dGNHeGxMbU52YlRCWk1CTUdCeXFHU000OQpBZ0VHQ0NxR1NNNDlBd0VIQTBJQUJISUJEMHM5QlRRejZaL2ZkSURmN0MzdEpJQlk0' +
  'R2V4cnJyLzU1U1NZT1d0CklYT3pnSHU4L3F6eE04SjZocktCVEk4REp3UE0veWYzQ2RjOURjLzhlaHVnQURBS0JnZ3Foa2pPUFFR' +
  'REFnTkkKQURCRkFpRUFuaXREejdPak9QVlhZZ01rUitXdmJNcDMyNFh4anRzaXRDSnRIVERWeVJNQ0lEME10VlBUemtaTQpVcGtz' +
  'WjMwemFmZ3FnOWxzTVh3UVk5b094U3RhUENrdwotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K';
const signing = of('certificates.k8s.io/v1', 'CertificateSigningRequest', {
  spec: { request: CERTIFICATE_REQUEST, signerName: 'a.b/c', usages: ['client auth'] },
});
const conditions = (...types: string[]): JsonObject => ({
  status: { conditions: types.map((type) => ({ type, status: 'True', ...TIMES })) },
});
const TIMES = { lastUpdateTime: '2026-01-01T00:00:00Z', lastTransitionTime: '2026-01-01T00:00:00Z' };
const BAD_VALUES = { matchExpressions: [{ key: 'k', operator: 'In', values: ['-bad'] }] };
const OTHER_VALUES = { matchExpressions: [{ key: 'k', operator: 'In', values: ['-other'] }] };
const BAD_KEY = { matchExpressions: [{ key: 'a b', operator: 'Exists' }] };
const WRONG_TAINT = { key: 'a b', effect: 'Bogus', timeAdded: '2026-01-01T00:00:00Z' };
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const nodes = (values: readonly string[]): JsonObject => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'In', values: [...values] }] }],
});

interface Fault {
  readonly what: string;
  readonly namespaced?: false;
  readonly valid: JsonObject;
  /** A merge patch that makes the stored object break a rule. */
  readonly fault: JsonObject;
  /** Changes that are accepted because the stored object has the fault. */
  readonly accepted?: readonly JsonObject[];
  /** Changes that are refused nevertheless, with the fields of their errors. */
  readonly refused?: readonly (readonly [JsonObject, readonly string[]])[];
}

const spec = (s: JsonObject): JsonObject => ({ spec: s });

const FAULTS: Readonly<Record<string, Fault>> = {
  'an autoscaler of a kind without a group': {
    what: 'horizontalpodautoscalers.autoscaling/v2',
    valid: hpa(),
    fault: spec({ scaleTargetRef: { apiVersion: null } }),
    accepted: [spec({ maxReplicas: 5 }), spec({ scaleTargetRef: { name: 'e' } })],
    refused: [[spec({ scaleTargetRef: { kind: 'Other' } }), ['spec.scaleTargetRef.apiVersion']]],
  },
  'an autoscaler that describes an object by a malformed version': {
    what: 'horizontalpodautoscalers.autoscaling/v2',
    valid: hpa({
      metrics: [
        {
          type: 'Object',
          object: {
            describedObject: { apiVersion: 'v1', kind: 'K', name: 'n' },
            metric: { name: 'm' },
            target: { type: 'Value', value: '1' },
          },
        },
      ],
    }),
    fault: spec({
      metrics: [
        {
          type: 'Object',
          object: {
            describedObject: { apiVersion: 'a/b/c', kind: 'K', name: 'n' },
            metric: { name: 'm' },
            target: { type: 'Value', value: '1' },
          },
        },
      ],
    }),
    accepted: [spec({ maxReplicas: 5 })],
  },
  'endpoints without addresses': {
    what: 'endpoints',
    valid: of('v1', 'Endpoints', { subsets: [{ addresses: [{ ip: '192.0.2.1' }] }] }),
    fault: { subsets: [{ ports: [{ port: 0, protocol: 'TCP' }] }] },
    refused: [[{ subsets: [{ ports: [{ port: 1 }] }] }, ['subsets[0]']]],
  },
  'an endpoint slice with a wrong address': {
    what: 'endpointslices.discovery.k8s.io',
    valid: of('discovery.k8s.io/v1', 'EndpointSlice', {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'] }],
      ports: [{ port: 80 }],
    }),
    fault: {
      endpoints: [
        { addresses: ['zzz'], conditions: {} },
        { addresses: null, conditions: {} },
      ],
    },
    accepted: [{ ports: [{ port: 81 }] }],
    refused: [
      [
        { endpoints: [{ addresses: ['zzz'] }, { addresses: [], hostname: 'h' }] },
        ['endpoints[0].addresses[0]', 'endpoints[1].addresses'],
      ],
    ],
  },
  'a network policy with wrong ranges': {
    what: 'networkpolicies.networking.k8s.io',
    valid: of('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {} } }),
    fault: spec({
      ingress: [{ from: [{ ipBlock: { cidr: '010.0.0.0/8', except: ['zzz'] } }, { podSelector: {} }] }],
    }),
    accepted: [spec({ egress: [{ to: [{ ipBlock: { cidr: '010.0.0.0/8' } }] }] })],
    refused: [
      [spec({ egress: [{ to: [{ ipBlock: { cidr: '011.0.0.0/8' } }] }] }), ['spec.egress[0].to[0].ipBlock.cidr']],
      [
        spec({ egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: [''] } }] }] }),
        ['spec.egress[0].to[0].ipBlock.except[0]'],
      ],
    ],
  },
  'a network policy with a wrong selector': {
    what: 'networkpolicies.networking.k8s.io',
    valid: of('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {} } }),
    fault: spec({ podSelector: BAD_VALUES }),
    accepted: [spec({ ingress: [{ from: [{ podSelector: OTHER_VALUES }] }] })],
    refused: [
      [
        spec({ ingress: [{ from: [{ podSelector: BAD_KEY }] }] }),
        ['spec.ingress[0].from[0].podSelector.matchExpressions[0].key'],
      ],
    ],
  },
  'an ingress with a wrong secret name': {
    what: 'ingresses.networking.k8s.io',
    valid: ingress({ tls: [{ secretName: 's' }] }),
    fault: spec({ tls: [{ secretName: 'a_b' }] }),
    accepted: [spec({ tls: [{ secretName: 'c_d' }] })],
  },
  'an ingress with a wrong rule for a wildcard host': {
    what: 'ingresses.networking.k8s.io',
    valid: ingress({ rules: [{ host: '*.a.test' }] }),
    fault: spec({ rules: [{ host: '*.a.test', http: { paths: [{ path: 'x', backend: { service } }] } }] }),
    refused: [
      [
        spec({
          rules: [{ host: '*.a.test' }, { host: 'a.test', http: { paths: [{ path: 'x', backend: { service } }] } }],
        }),
        ['spec.rules[1].http.paths[0].pathType'],
      ],
    ],
  },
  'a storage capacity with a wrong selector': {
    what: 'csistoragecapacities.storage.k8s.io',
    valid: of('storage.k8s.io/v1', 'CSIStorageCapacity', { storageClassName: 's', nodeTopology: {} }),
    fault: { nodeTopology: BAD_VALUES },
  },
  'a disruption budget with a wrong selector': {
    what: 'poddisruptionbudgets.policy',
    valid: of('policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 1, selector: {} } }),
    fault: spec({ selector: BAD_VALUES }),
    accepted: [spec({ selector: OTHER_VALUES })],
    refused: [[spec({ selector: BAD_KEY }), ['spec.selector.matchExpressions[0].key']]],
  },
  'a cluster role that aggregates by a wrong selector': {
    what: 'clusterroles.rbac.authorization.k8s.io',
    namespaced: false,
    valid: of('rbac.authorization.k8s.io/v1', 'ClusterRole', { aggregationRule: { clusterRoleSelectors: [{}] } }),
    fault: { aggregationRule: { clusterRoleSelectors: [BAD_VALUES] } },
    accepted: [{ aggregationRule: { clusterRoleSelectors: [OTHER_VALUES] } }],
  },
  'a daemon set with a wrong selector': {
    what: 'daemonsets.apps',
    valid: workload('DaemonSet'),
    fault: spec({ selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', '-bad'] }] } }),
    accepted: [spec({ minReadySeconds: 1 })],
  },
  'a stateful set with a wrong template': {
    what: 'statefulsets.apps',
    valid: workload('StatefulSet', { serviceName: 's' }),
    fault: spec({ template: { spec: { nodeSelector: { 'a b': 'c' } } } }),
    accepted: [spec({ template: { spec: { runtimeClassName: 'C D' } } })],
    refused: [
      [spec({ template: { spec: { activeDeadlineSeconds: 5 } } }), ['spec.template.spec.activeDeadlineSeconds']],
      [spec({ template: { metadata: { labels: { e: '-f' } } } }), ['spec.template.labels']],
    ],
  },
  'a cron job in an unknown time zone': {
    what: 'cronjobs.batch',
    valid: of('batch/v1', 'CronJob', {
      spec: {
        schedule: '0 0 * * *',
        jobTemplate: { spec: { template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } } },
      },
    }),
    fault: spec({ timeZone: 'No/Where' }),
    accepted: [spec({ suspend: true })],
    refused: [[spec({ timeZone: 'Else/Where' }), ['spec.timeZone']]],
  },
  'a cron job with a time zone in its schedule': {
    what: 'cronjobs.batch',
    valid: of('batch/v1', 'CronJob', {
      spec: {
        schedule: '0 0 * * *',
        jobTemplate: { spec: { template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } } },
      },
    }),
    fault: spec({ schedule: 'TZ=UTC 0 0 * * *' }),
    accepted: [spec({ schedule: 'CRON_TZ=Europe/Berlin 1 0 * * *' })],
    refused: [
      [spec({ schedule: 'TZ=UTC 0 0 * *' }), ['spec.schedule']],
      [spec({ schedule: 'TZ=No/Where 0 0 * * *' }), ['spec.schedule']],
      [spec({ timeZone: 'UTC' }), ['spec.schedule']],
    ],
  },
  'a webhook with side effects': {
    what: 'validatingwebhookconfigurations.admissionregistration.k8s.io',
    namespaced: false,
    valid: webhooks(webhook()),
    fault: { webhooks: [webhook({ sideEffects: 'Some' })] },
    accepted: [{ webhooks: [webhook({ sideEffects: 'Unknown' })] }],
    refused: [[{ webhooks: [webhook({ sideEffects: 'None0' })] }, ['webhooks[0].sideEffects']]],
  },
  'a webhook of an unknown review version': {
    what: 'validatingwebhookconfigurations.admissionregistration.k8s.io',
    namespaced: false,
    valid: webhooks(webhook()),
    fault: { webhooks: [webhook({ admissionReviewVersions: ['v7'] })] },
    accepted: [{ webhooks: [webhook({ admissionReviewVersions: ['v8'] })] }],
    refused: [
      [{ webhooks: [webhook({ admissionReviewVersions: ['V'] })] }, ['webhooks[0].admissionReviewVersions[0]']],
    ],
  },
  'webhooks of one name': {
    what: 'validatingwebhookconfigurations.admissionregistration.k8s.io',
    namespaced: false,
    valid: webhooks(webhook()),
    fault: { webhooks: [webhook(), webhook()] },
    accepted: [{ webhooks: [webhook(), webhook(), webhook()] }],
  },
  'a webhook with a wrong selector': {
    what: 'validatingwebhookconfigurations.admissionregistration.k8s.io',
    namespaced: false,
    valid: webhooks(webhook()),
    fault: { webhooks: [webhook({ objectSelector: BAD_VALUES })] },
    accepted: [{ webhooks: [webhook({ namespaceSelector: OTHER_VALUES })] }],
  },
  'a webhook with a wrong match condition': {
    what: 'validatingwebhookconfigurations.admissionregistration.k8s.io',
    namespaced: false,
    valid: webhooks(webhook()),
    fault: { webhooks: [webhook({ matchConditions: [{ name: 'm', expression: '1 +' }] })] },
    accepted: [{ webhooks: [webhook({ matchConditions: [{ name: 'm', expression: '1 +' }], timeoutSeconds: 3 })] }],
    refused: [
      [
        { webhooks: [webhook({ matchConditions: [{ name: 'n', expression: '1 +' }] })] },
        ['webhooks[0].matchConditions[0].expression'],
      ],
    ],
  },
  'a policy with a wrong match condition': {
    what: 'validatingadmissionpolicies.admissionregistration.k8s.io',
    namespaced: false,
    valid: policy(),
    fault: spec({ matchConditions: [{ name: '', expression: 'true' }] }),
    accepted: [spec({ failurePolicy: 'Ignore' })],
    refused: [[spec({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }), ['spec.matchConditions[0].name']]],
  },
  'a signing request with unknown and repeated usages': {
    what: 'certificatesigningrequests.certificates.k8s.io',
    namespaced: false,
    valid: signing,
    fault: spec({ usages: ['zzz', 'zzz'] }),
  },
  'a signing request for the legacy signer': {
    what: 'certificatesigningrequests.certificates.k8s.io',
    namespaced: false,
    valid: signing,
    fault: spec({ signerName: 'kubernetes.io/legacy-unknown' }),
  },
  'a device taint rule with an unknown effect': {
    what: 'devicetaintrules.resource.k8s.io/v1',
    namespaced: false,
    valid: of('resource.k8s.io/v1', 'DeviceTaintRule', { spec: { taint: { key: 'a', effect: 'None' } } }),
    fault: spec({ taint: { effect: 'Bogus' } }),
    accepted: [spec({ deviceSelector: { driver: 'a.b' } })],
    refused: [[spec({ taint: { effect: 'Other' } }), ['spec.taint.effect']]],
  },
  'a pod that spreads by a wrong selector': {
    what: 'pods',
    valid: podOf({}),
    fault: spec({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', labelSelector: BAD_KEY },
      ],
    }),
  },
  'a pod that spreads by a key of its selector': {
    what: 'pods',
    valid: podOf({}),
    fault: spec({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'z',
          whenUnsatisfiable: 'DoNotSchedule',
          matchLabelKeys: ['k'],
          labelSelector: {
            matchExpressions: [
              { key: 'j', operator: 'Exists' },
              { key: 'k', operator: 'Exists' },
              { key: 'k', operator: 'Exists' },
            ],
          },
        },
      ],
    }),
    // The rule of older releases, which applies instead, refuses it as well.
    accepted: [],
    refused: [[{ metadata: { labels: { e: 'f' } } }, ['spec.topologySpreadConstraints[0].matchLabelKeys[0]']]],
  },
  'a pod that compares a taint': {
    what: 'pods',
    valid: podOf({}),
    fault: spec({ tolerations: [{ key: 'k', operator: 'Gt', value: '5' }] }),
    refused: [
      [
        spec({
          tolerations: [
            { key: 'k', operator: 'Gt', value: '5' },
            { key: 'l', operator: 'Lt', value: '05' },
          ],
        }),
        ['spec.tolerations[1].value'],
      ],
      [
        spec({
          tolerations: [
            { key: 'k', operator: 'Gt', value: '5' },
            { key: 'l', operator: 'Lt', value: '9223372036854775808' },
          ],
        }),
        ['spec.tolerations[1].value'],
      ],
    ],
  },
  'a pod template that compares a taint': {
    what: 'podtemplates',
    valid: of('v1', 'PodTemplate', { template: TEMPLATE }),
    fault: { template: { spec: { tolerations: [{ key: 'k', operator: 'Gt', value: '5' }] } } },
    accepted: [{ template: { spec: { tolerations: [{ key: 'k', operator: 'Lt', value: '-5' }] } } }],
  },
  'a pod that requires nodes by wrong values': {
    what: 'pods',
    valid: podOf({}),
    fault: spec({ affinity: { nodeAffinity: { [REQUIRED]: nodes(['-bad']) } } }),
  },
  'a pod with a token outside its volume': {
    what: 'pods',
    valid: podOf({ serviceAccountName: 'a' }),
    fault: spec({
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [{ serviceAccountToken: { path: '../t', expirationSeconds: 3600 } }],
            defaultMode: 420,
          },
        },
      ],
    }),
  },
  'a pod with a kernel parameter of its host': {
    what: 'pods',
    valid: podOf({ hostNetwork: true }),
    fault: spec({ securityContext: { sysctls: [{ name: 'net.core.somaxconn', value: '1' }] } }),
  },
  'a pod with an image volume of no image': {
    what: 'pods',
    valid: podOf({}),
    fault: spec({ volumes: [{ name: 'v', image: { pullPolicy: 'Always' } }] }),
  },
  'a privileged container that may not escalate': {
    what: 'pods',
    valid: podOf({}),
    fault: spec({
      containers: [
        {
          name: 'c',
          image: 'i',
          imagePullPolicy: 'Always',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          resources: {},
          securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ['CAP_SYS_ADMIN'] } },
        },
      ],
    }),
  },
  'a pod with its own users and block devices': {
    what: 'pods',
    valid: podOf({ hostUsers: false, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'p' } }] }),
    fault: spec({
      containers: [
        {
          name: 'c',
          image: 'i',
          imagePullPolicy: 'Always',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          resources: {},
          volumeDevices: [{ name: 'v', devicePath: '/d' }],
        },
      ],
    }),
  },
  'a volume for nodes by wrong values': {
    what: 'persistentvolumes',
    namespaced: false,
    valid: of('v1', 'PersistentVolume', {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        local: { path: '/d' },
        nodeAffinity: { required: nodes(['a']) },
      },
    }),
    fault: spec({ nodeAffinity: { required: nodes(['-bad']) } }),
    accepted: [spec({ capacity: { storage: '2Gi' } })],
  },
  'a device class with large parameters': {
    what: 'deviceclasses.resource.k8s.io',
    namespaced: false,
    valid: of('resource.k8s.io/v1', 'DeviceClass', { spec: {} }),
    fault: spec({ config: [{ opaque: { driver: 'a.b', parameters: { a: 'x'.repeat(20_000) } } }] }),
    accepted: [spec({ extendedResourceName: 'a.b/c' })],
    refused: [
      [
        spec({ config: [{ opaque: { driver: 'a.b', parameters: { a: 'y'.repeat(20_000) } } }] }),
        ['spec.config[0].opaque.parameters'],
      ],
    ],
  },
  'a resource slice with wrong taints and capacities': {
    what: 'resourceslices.resource.k8s.io',
    namespaced: false,
    valid: slice({}),
    fault: spec({
      devices: [{ name: 'd', taints: [WRONG_TAINT], capacity: { 'a b': { value: '1' } } }],
    }),
    accepted: [spec({ pool: { generation: 2 } })],
    refused: [
      [
        spec({
          devices: [{ name: 'd', taints: [{ key: 'c d', effect: 'None' }], capacity: { 'a b': { value: '1' } } }],
        }),
        ['spec.devices[0].taints[0].key'],
      ],
      [
        spec({
          devices: [{ name: 'd', taints: [WRONG_TAINT], capacity: { 'a b': { value: '2' } } }],
        }),
        ['spec.devices[0].capacity', 'spec.devices[0].taints[0].effect'],
      ],
    ],
  },
};

async function store(bench: Bench, { what, namespaced, valid, fault }: Fault): Promise<readonly [string, string]> {
  const namespace = namespaced === false ? '' : 'default';
  const created = await bench.create(what, namespace, cloneJson(valid));
  const all = await bench.keyspace.range({ start: '/registry/', end: '/registry0' });
  if (all.kind !== 'ok') throw new Error(all.kind);
  const { key } = all.items.find((item) => item.key.endsWith('/x'))!;
  const merge = (into: JsonObject, patch: JsonObject): JsonObject => {
    for (const [name, v] of Object.entries(patch)) {
      if (v === null) delete into[name];
      else if (typeof v === 'object' && !Array.isArray(v)) into[name] = merge(objectAt(into, name), v as JsonObject);
      else into[name] = v;
    }
    return { ...into };
  };
  const stored = merge(cloneJson(created), cloneJson(fault));
  delete objectAt(stored, 'metadata')['resourceVersion'];
  const value = Buffer.from(JSON.stringify(stored));
  await bench.keyspace.txn({ compares: [], ops: [{ kind: 'put', key, value }] });
  return [namespace, 'x'];
}

const fieldsOf = async (request: Promise<unknown>): Promise<readonly string[]> => [
  ...new Set((await causesOf(request)).map((cause) => cause.slice(0, cause.indexOf(': ')))),
];

describe('a stored object with a fault', () => {
  it.each(Object.entries(FAULTS))('%s', async (_, fault) => {
    const bench = await Bench.open();
    const at = await store(bench, fault);
    const stored = await bench.get(fault.what, ...at);
    const copy = { ...cloneJson(stored), metadata: { name: 'y' } };
    expect((await causesOf(bench.create(fault.what, at[0], copy))).length).toBeGreaterThan(0);
    const patch = (p: JsonObject): Promise<unknown> => bench.patch(fault.what, at, p, 'merge', { dryRun: true });
    for (const p of fault.accepted ?? []) expect(await causesOf(patch(p)), JSON.stringify(p)).toEqual([]);
    for (const [p, fields] of fault.refused ?? []) expect(await fieldsOf(patch(p)), JSON.stringify(p)).toEqual(fields);
    if (fault.accepted?.length === 0) return;
    expect(await causesOf(bench.patch(fault.what, at, { metadata: { labels: { e: 'f' } } }))).toEqual([]);
  });
});

describe('a stored service with a wrong address', () => {
  it('changes its type and is deleted', async () => {
    const bench = await Bench.open();
    const valid = of('v1', 'Service', { spec: { ports: [{ port: 80 }] } });
    const fault = spec({ clusterIP: 'zzz', clusterIPs: ['zzz'] });
    const at = await store(bench, { what: 'services', valid, fault });
    expect(await causesOf(bench.patch('services', at, spec({ type: 'ExternalName', externalName: 'a.b' })))).toEqual(
      [],
    );
    await bench.delete('services', ...at);
    expect(
      objectsAt(await bench.list('services', 'default'), 'items').map((o) => objectAt(o, 'metadata')['name']),
    ).toEqual(['kubernetes']);
  });

  it('keeps external addresses that are not canonical', async () => {
    const bench = await Bench.open();
    const valid = of('v1', 'Service', { spec: { ports: [{ port: 80 }] } });
    const at = await store(bench, {
      what: 'services',
      valid,
      fault: spec({ externalIPs: ['192.000.002.001', 'zzz'] }),
    });
    expect(await causesOf(bench.patch('services', at, { metadata: { labels: { e: 'f' } } }))).toEqual([
      'spec.externalIPs[1]: Invalid value: "zzz": must be a valid IP address',
    ]);
    expect(await causesOf(bench.patch('services', at, spec({ externalIPs: ['192.000.002.001'] })))).toEqual([]);
  });
});

describe('a stored pod without containers', () => {
  it('has changed nothing when its labels change', async () => {
    const bench = await Bench.open();
    const at = await store(bench, { what: 'pods', valid: podOf({}), fault: spec({ containers: [] }) });
    const labels = { metadata: { labels: { e: 'f' } } };
    expect(await fieldsOf(bench.patch('pods', at, labels))).toEqual(['spec.containers']);
  });
});

describe('a stored event', () => {
  const what = 'events.events.k8s.io';
  const valid = of('events.k8s.io/v1', 'Event', {
    eventTime: '2026-01-01T00:00:00.000000Z',
    action: 'a',
    reason: 'r',
    type: 'Normal',
    reportingController: 'a.b/c',
    reportingInstance: 'i',
    regarding: { namespace: 'default' },
  });

  it.each([0, 1])('keeps a series of %d', async (count) => {
    const bench = await Bench.open();
    const series = { count, lastObservedTime: '2026-01-01T00:00:00.000000Z' };
    const at = await store(bench, { what, valid, fault: { series } });
    expect(await causesOf(bench.patch(what, at, { metadata: { labels: { e: 'f' } } }))).toEqual([]);
    expect(await fieldsOf(bench.patch(what, at, { series: { count: -1 } }))).toEqual(['series.count']);
  });
});

describe('a stored network policy', () => {
  it.each([
    ['10.1.0.0/8', ['CIDR value "10.1.0.0/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.0.0/32"?)']],
    ['010.0.0.0/8', ['non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8"']],
    ['::ffff:10.0.0.0/104', ['non-standard CIDR value "::ffff:10.0.0.0/104" is invalid: use "10.0.0.0/8"']],
    ['2001:DB8::/32', ['IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")']],
    ['10.0.0.0/8', []],
  ])('warns about the range %s', async (cidr, warnings) => {
    const bench = await Bench.open();
    const valid = of('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {} } });
    const what = 'networkpolicies.networking.k8s.io';
    const at = await store(bench, { what, valid, fault: spec({ ingress: [{ from: [{ ipBlock: { cidr } }] }] }) });
    await bench.patch(what, at, { metadata: { labels: { e: 'f' } } });
    expect(bench.warnings).toEqual(warnings.map((w) => `spec.ingress[0].from[0].ipBlock.cidr: ${w}`));
  });
});

describe('the status of a stored object with a fault', () => {
  it('of a node may be written beside wrong ranges', async () => {
    const bench = await Bench.open();
    const valid = of('v1', 'Node', {});
    const fault = spec({ podCIDR: 'zzz', podCIDRs: ['zzz'] });
    const at = await store(bench, { what: 'nodes', namespaced: false, valid, fault });
    const labels = { metadata: { labels: { e: 'f' } } };
    expect(await fieldsOf(bench.patch('nodes', at, labels))).toEqual(['spec.podCIDRs[0]']);
    expect(await causesOf(bench.patch('nodes/status', at, labels))).toEqual([]);
  });

  it('of a signing request may be both approved and denied, and may repeat a condition', async () => {
    const bench = await Bench.open();
    const what = 'certificatesigningrequests.certificates.k8s.io/v1';
    const fault = conditions('Approved', 'Denied', 'Other', 'Other');
    const at = await store(bench, { what, namespaced: false, valid: signing, fault });
    expect(await causesOf(bench.patch(`${what}/status`, at, { metadata: { labels: { e: 'f' } } }))).toEqual([]);
    const more = conditions('Approved', 'Denied', 'Other', 'Other', '');
    expect(await fieldsOf(bench.patch(`${what}/approval`, at, more))).toEqual(['status.conditions[4].type']);
  });

  it.each([
    ['ingresses.networking.k8s.io/v1', ingress({})],
    ['services', of('v1', 'Service', { spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } })],
  ])('of %s keeps an address that is not canonical', async (what, valid) => {
    const bench = await Bench.open();
    const entry = (ip: string): JsonObject => ({ ip, ...(what === 'services' && { ipMode: 'VIP' }) });
    const status = (...ips: string[]): JsonObject => ({ status: { loadBalancer: { ingress: ips.map(entry) } } });
    const at = await store(bench, { what, valid, fault: status('192.000.002.001') });
    const change = (...ips: string[]): Promise<readonly string[]> =>
      fieldsOf(bench.patch(`${what}/status`, at, status(...ips), 'merge', { dryRun: true }));
    expect(await change('192.0.2.7', '192.000.002.001')).toEqual([]);
    expect(await change('192.000.002.007')).toEqual(['status.loadBalancer.ingress[0].ip']);
  });

  it('of a claim needs access modes', async () => {
    const bench = await Bench.open();
    const valid = of('v1', 'PersistentVolumeClaim', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    const at = await store(bench, { what: 'persistentvolumeclaims', valid, fault: spec({ accessModes: null }) });
    expect(await causesOf(bench.patch('persistentvolumeclaims/status', at, { status: { phase: 'Bound' } }))).toEqual([
      'Spec.accessModes: Required value',
    ]);
  });
});
