import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { Bench, causesOf } from '../testing.js';

/** Rules of several kinds, as kube-apiserver 1.37 applies them. */

async function causes(plural: string, o: JsonObject, namespace = 'default'): Promise<readonly string[]> {
  const b = await Bench.open();
  return causesOf(b.create(plural, namespace, o));
}
const object = (
  apiVersion: string,
  kind: string,
  spec: JsonObject,
  metadata: JsonObject = { name: 'q' },
): JsonObject => ({
  apiVersion,
  kind,
  metadata,
  spec,
});
const template = (image: string): JsonObject => ({
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image }] },
});
const selector = { matchLabels: { a: 'b' } };

describe('the request policy of a capacity', () => {
  const policy = (requestPolicy: JsonObject, allowMultipleAllocations = true): Promise<readonly string[]> =>
    causes(
      'resourceslices.resource.k8s.io/v1',
      object('resource.k8s.io/v1', 'ResourceSlice', {
        driver: 'a.b',
        nodeName: 'n',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'd', allowMultipleAllocations, capacity: { c: { value: '10', requestPolicy } } }],
      }),
      '',
    );
  const PATH = 'spec.devices[0].capacity[c].requestPolicy';

  it('needs a device that is allocated several times, and is not validated otherwise', async () => {
    expect(await policy({ validValues: ['1'] }, false)).toEqual([
      `${PATH}: Forbidden: allowMultipleAllocations must be true`,
    ]);
  });

  it('stays within the capacity', async () => {
    expect(await policy({ default: '2', validRange: { min: '20', max: '30', step: '7' } })).toEqual([
      `${PATH}.validRange.min: Invalid value: "20": min is larger than capacity value: 10`,
      `${PATH}.validRange.default: Invalid value: "2": default is less than min: 20`,
      `${PATH}.validRange.max: Invalid value: "30": max is larger than capacity value: 10`,
      `${PATH}.validRange.step: Invalid value: "7": one step 27 is larger than capacity value: 10`,
      `${PATH}.validRange.step: Invalid value: "2": value is not a multiple of a given step (7) from (20)`,
      `${PATH}.validRange.step: Invalid value: "30": value is not a multiple of a given step (7) from (20)`,
    ]);
    expect(await policy({ default: '0', validRange: { min: '0', max: '0', step: '0' } })).toEqual([
      `${PATH}.validRange.step: Invalid value: "0": must be greater than zero`,
    ]);
  });

  it('has at most ten values, in order, one of which is the default', async () => {
    expect(await policy({ default: '2', validValues: ['12', '2'] })).toEqual([
      `${PATH}.validValues[1]: Invalid value: "2": values must be sorted in ascending order`,
      `${PATH}.validValues[0]: Invalid value: "12": option is larger than capacity value: 10`,
    ]);
    const eleven = Array.from({ length: 11 }, (_, i) => String(i));
    expect(await policy({ default: '2', validValues: eleven })).toEqual([
      `${PATH}.validValues: Too many: 11: must have at most 10 items`,
      `${PATH}.validValues: Invalid value: "2": default value is not valid according to the requestPolicy`,
    ]);
  });
});

describe('workloads', () => {
  it('may have padded images in templates', async () => {
    expect(
      await causes('deployments.apps', object('apps/v1', 'Deployment', { selector, template: template(' i ') })),
    ).toEqual([]);
    expect(await causes('pods', { ...object('v1', 'Pod', template(' i ')['spec'] as JsonObject) })).toHaveLength(1);
  });

  it('name the service of a stateful set once', async () => {
    const b = await Bench.open();
    const set = (serviceName: string): JsonObject =>
      object('apps/v1', 'StatefulSet', { selector, template: template('i'), serviceName });
    expect(await causesOf(b.create('statefulsets.apps', 'default', set('A_')))).toHaveLength(1);
    await b.create('statefulsets.apps', 'default', set('s'));
    expect(await causesOf(b.update('statefulsets.apps', 'default', set('A_')))).toEqual([
      'spec.serviceName: Invalid value: "A_": field is immutable',
    ]);
  });

  it('of a set are recreated all at once only with the feature gate', async () => {
    const set = (name: string, updateStrategy: JsonObject): JsonObject => ({
      ...object('apps/v1', 'StatefulSet', { selector, template: template('i'), updateStrategy }),
      metadata: { name },
    });
    const create = async (b: Bench, o: JsonObject) => causesOf(b.create('statefulsets.apps', 'default', o));
    const types = "must be 'RollingUpdate', 'OnDelete', or 'Recreate'";
    const on = await Bench.open();
    expect(await create(on, set('a', { type: 'Recreate' }))).toEqual([]);
    expect((await create(on, set('b', { type: 'Once' })))[0]).toContain(types);
    expect((await create(on, set('c', { type: 'Recreate', rollingUpdate: {} })))[0]).toContain('only allowed for');
    const off = await Bench.open([], undefined, {}, ['StatefulSetRecreateStrategy']);
    expect((await create(off, set('a', { type: 'Recreate' })))[0]).toMatch(/must be 'RollingUpdate' or 'OnDelete'$/);
  });

  it('of daemons show the numbers of a rolling update that they do not use', async () => {
    const b = await Bench.open();
    const updateStrategy = { type: 'OnDelete', rollingUpdate: {} };
    const made = await b.create(
      'daemonsets.apps',
      'default',
      object('apps/v1', 'DaemonSet', { selector, template: template('i'), updateStrategy }),
    );
    expect(made['spec']).toMatchObject({ updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } });
  });

  it('with an invalid selector are not matched with their template', async () => {
    const pods = template('i');
    const spec = {
      manualSelector: true,
      selector: { matchLabels: { a: 'Not Valid!' } },
      template: { ...pods, spec: { ...(pods['spec'] as JsonObject), restartPolicy: 'Never' } },
    };
    expect(await causes('jobs.batch', object('batch/v1', 'Job', spec))).toHaveLength(1);
  });

  it('are measured by metrics with any selector', async () => {
    const metric = { name: 'm', selector: { matchExpressions: [{ key: 'a b', operator: 'X' }] } };
    const spec = {
      maxReplicas: 2,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      metrics: [{ type: 'External', external: { metric, target: { type: 'Value', value: '1' } } }],
    };
    expect(
      await causes(
        'horizontalpodautoscalers.autoscaling/v2',
        object('autoscaling/v2', 'HorizontalPodAutoscaler', spec),
      ),
    ).toEqual([]);
  });
});

describe('names', () => {
  it('of disruption budgets are any path segment', async () => {
    const budget = (name: string): Promise<readonly string[]> =>
      causes(
        'poddisruptionbudgets.policy',
        object('policy/v1', 'PodDisruptionBudget', { selector, minAvailable: 1 }, { name }),
      );
    expect(await budget('A_b')).toEqual([]);
    expect(await budget('a/b')).toEqual(['metadata.name: Invalid value: "a/b": may not contain \'/\'']);
  });

  it('of trust bundles have the prefix of the signer, generated ones, too', async () => {
    const made = await causes(
      'clustertrustbundles.certificates.k8s.io',
      object(
        'certificates.k8s.io/v1',
        'ClusterTrustBundle',
        { signerName: 'a.b/c', trustBundle: 'x' },
        { generateName: 'x-' },
      ),
      '',
    );
    expect(made[0]).toBe(
      'metadata.generateName: Invalid value: "x-": ClusterTrustBundle for signerName a.b/c must be named with prefix a.b:c:',
    );
  });

  it('of features of a node are in order', async () => {
    const b = await Bench.open();
    await b.create('nodes', '', object('v1', 'Node', {}));
    const status = { declaredFeatures: ['B', 'A', 'A', 'b'] };
    expect(await causesOf(b.patch('nodes/status', ['', 'q'], { status }))).toEqual([
      'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically',
      'status.declaredFeatures[2]: Duplicate value: "A"',
      expect.stringContaining('status.declaredFeatures[3]: Invalid value: "b": invalid feature name "b": must start'),
    ]);
  });
});

describe('a secret with credentials', () => {
  const secret = (text: string): Promise<readonly string[]> =>
    causes('secrets', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'q' },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
    });
  const PATH = 'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>":';

  it('reports the fault of its JSON', async () => {
    expect(await secret('---')).toEqual([`${PATH} invalid character '-' in numeric literal`]);
    expect(await secret('{} x')).toEqual([`${PATH} invalid character 'x' after top-level value`]);
    expect(await secret('[]')).toEqual([
      `${PATH} json: cannot unmarshal array into Go value of type map[string]interface {}`,
    ]);
    expect(await secret('null')).toEqual([]);
  });
});

describe('a network peer', () => {
  it('with an invalid block is not checked for exceptions', async () => {
    const from = [{ ipBlock: { cidr: 'a/b', except: ['x'] }, podSelector: {} }];
    const found = await causes(
      'networkpolicies.networking.k8s.io',
      object('networking.k8s.io/v1', 'NetworkPolicy', { podSelector: {}, ingress: [{ from }] }),
    );
    expect(found).toEqual([
      expect.stringContaining('spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "a/b"'),
      'spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer',
    ]);
  });
});

describe('the strategy of a lease candidate', () => {
  it('that is not the known one is a qualified name', async () => {
    const b = await Bench.open([['coordination.k8s.io/v1beta1', true]]);
    const candidate = (strategy: string) =>
      causesOf(
        b.create(
          'leasecandidates.coordination.k8s.io/v1beta1',
          'default',
          object('coordination.k8s.io/v1beta1', 'LeaseCandidate', {
            leaseName: 'l',
            binaryVersion: '1.2.3',
            emulationVersion: '1.2.3',
            strategy,
          }),
        ),
      );
    expect(await candidate('/x')).toEqual([
      'spec.strategy.strategy: Invalid value: "/x": prefix part must be non-empty',
    ]);
    expect(await candidate('a.b/c')).toEqual([]);
  });
});

describe('a driver', () => {
  it('has each audience once, and keeps tokens in secrets only if it asks for tokens', async () => {
    const driver = (spec: JsonObject): Promise<readonly string[]> =>
      causes('csidrivers.storage.k8s.io', object('storage.k8s.io/v1', 'CSIDriver', spec), '');
    const tokenRequests = [{ audience: 'a' }, { audience: 'a', expirationSeconds: 0 }];
    expect(await driver({ tokenRequests })).toEqual(['spec.tokenRequests[1].audience: Duplicate value: "a"']);
    expect(await driver({ serviceAccountTokenInSecrets: false })).toEqual([
      'spec.serviceAccountTokenInSecrets: Invalid value: false: serviceAccountTokenInSecrets is set but no tokenRequests are specified',
    ]);
  });
});

describe('an endpoint slice of another address type', () => {
  it('keeps endpoints that it does not change', async () => {
    const b = await Bench.open();
    const slice = (addressType: string): JsonObject => ({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'q' },
      addressType,
      endpoints: [{ addresses: ['10.0.0.1'] }],
    });
    await b.create('endpointslices.discovery.k8s.io', 'default', slice('IPv4'));
    const update = (addressType: string) =>
      causesOf(b.update('endpointslices.discovery.k8s.io', 'default', slice(addressType)));
    expect(await update('IPv6')).toEqual(['addressType: Invalid value: null: field is immutable']);
    expect(await update('X')).toEqual([
      'addressType: Unsupported value: "X": supported values: "FQDN", "IPv4", "IPv6"',
      'addressType: Invalid value: null: field is immutable',
    ]);
  });
});

describe('a repeated request for devices', () => {
  it('is shown with its fields in the order of the API', async () => {
    const exactly = { deviceClassName: 'c' };
    const spec = {
      devices: {
        requests: [
          { name: 'r', exactly },
          { exactly, name: 'r' },
        ],
      },
    };
    expect(
      await causes('resourceclaims.resource.k8s.io/v1', object('resource.k8s.io/v1', 'ResourceClaim', spec)),
    ).toEqual([
      'spec.devices.requests[1]: Duplicate value: {"name":"r","exactly":{"deviceClassName":"c","allocationMode":"ExactCount","count":1}}',
    ]);
  });
});

describe('the addresses of a service', () => {
  const service = (spec: JsonObject, metadata: JsonObject = {}): JsonObject =>
    object('v1', 'Service', { ports: [{ port: 80, protocol: 'X' }], ...spec }, { name: 'q', ...metadata });

  it('are validated and settled before everything else', async () => {
    const metadata = { labels: { a: 'b c' } };
    expect(await causes('services', service({ ipFamilies: ['IPv4', 'IPv4'] }, metadata))).toEqual([
      'spec.ipFamilies[1]: Duplicate value: "IPv4"',
    ]);
    const ips = ['10.96.5.5', '10.96.5.6'];
    expect(await causes('services', service({ clusterIP: ips[0]!, clusterIPs: ips }))).toEqual([
      'spec.clusterIPs: Invalid value: ["10.96.5.5","10.96.5.6"]: may specify no more than one IP for each IP family',
    ]);
    expect(await causes('services', service({ ipFamilyPolicy: 'RequireDualStack' }))).toEqual([
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ]);
    expect(await causes('services', service({}, metadata))).toHaveLength(2);
  });
});
