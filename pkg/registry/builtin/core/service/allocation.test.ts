import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../../../api/index.js';
import { prefixEnd } from '../../../../storage/index.js';
import { Bench, causesOf } from '../../../testing.js';
import { listAt } from '../../access.js';
import { NODE_PORT_PREFIX } from './nodeports.js';

/** When and how kube-apiserver 1.37.2 gives out addresses and node ports. */

const service = (spec: JsonObject, name = 'a'): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec,
});
const nodePortService = (...ports: readonly JsonObject[]): JsonObject =>
  service({ type: 'NodePort', ports: ports.map((port, i) => ({ name: `p${i}`, port: 80, ...port })) });
const specOf = (o: JsonObject): JsonObject => objectAt(o, 'spec');
const nodePortsOf = (o: JsonObject): readonly unknown[] =>
  (listAt(o, 'spec', 'ports') as readonly JsonObject[]).map((port) => port['nodePort']);

async function reserved(b: Bench): Promise<readonly string[]> {
  const keys = [NODE_PORT_PREFIX, '/registry/ipaddresses/'];
  const reads = await Promise.all(keys.map((start) => b.keyspace.range({ start, end: prefixEnd(start) })));
  return reads.flatMap((read) => (read.kind === 'ok' ? read.items.map((item) => item.key) : []));
}

const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const LOCAL = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', allocateLoadBalancerNodePorts: false };

describe('an address outside the range', () => {
  it('is refused in a dry run with the range', async () => {
    const bench = await Bench.open();
    const o = service({ clusterIP: '192.0.2.1', ports: [{ port: 80 }] });
    const text = 'the provided IP (192.0.2.1) is not in the valid range. The range of valid IPs is 10.96.0.0/12';
    expect((await causesOf(bench.create('services', 'default', o, { dryRun: true })))[0]).toContain(text);
  });
});

describe('a service that is refused', () => {
  it.each<readonly [string, JsonObject, string]>([
    [
      'a node port outside the range',
      { type: 'NodePort', sessionAffinity: 'x', ports: [{ port: 80, nodePort: 1 }] },
      'spec.ports[0].nodePort: Invalid value: 1: provided port is not in the valid range. The range of valid ports is 30000-32767',
    ],
    [
      'an address in use',
      { clusterIP: '10.96.0.1', sessionAffinity: 'x', ports: [{ port: 80 }] },
      'spec.clusterIPs: Invalid value: ["10.96.0.1"]: failed to allocate IP 10.96.0.1: provided IP is already allocated',
    ],
    [
      'the address of the network',
      { clusterIP: '10.96.0.0', ports: [{ port: 80 }] },
      'spec.clusterIPs: Invalid value: ["10.96.0.0"]: failed to allocate IP 10.96.0.0: the provided network does not match the current range',
    ],
    [
      'the broadcast address',
      { clusterIP: '10.111.255.255', ports: [{ port: 80 }] },
      'spec.clusterIPs: Invalid value: ["10.111.255.255"]: failed to allocate IP 10.111.255.255: the provided network does not match the current range',
    ],
    [
      'one node port for two numbers',
      {
        type: 'NodePort',
        ports: [
          { port: 80, nodePort: 30000 },
          { port: 81, nodePort: 30000, protocol: 'UDP' },
        ],
      },
      'spec.ports[1].nodePort: Invalid value: 30000: provided port is already allocated',
    ],
  ])('names %s alone: allocation comes before validation', async (_what, spec, cause) => {
    const b = await Bench.open();
    expect(await causesOf(b.create('services', 'default', service(spec)))).toEqual([cause]);
  });

  it.each<readonly [string, JsonObject, JsonObject, readonly string[]]>([
    [
      'the spec',
      {},
      { loadBalancerSourceRanges: [' x ', '010.0.0.0/8', '10.0.0.1/8', ' 10.0.0.0/8 '] },
      ['"x"', '"010.0.0.0/8"', '"10.0.0.1/8"'],
    ],
    ['the annotation', { [RANGES]: ' 10.0.0.0/8, x ,' }, {}, ['"x"', '""']],
    ['a blank annotation', { [RANGES]: ' ' }, {}, []],
    ['an annotation that the spec supersedes', { [RANGES]: 'x' }, { loadBalancerSourceRanges: ['10.0.0.0/8'] }, []],
  ])('names the source ranges of %s', async (_what, annotations, spec, values) => {
    const b = await Bench.open();
    const wanted = service({ type: 'LoadBalancer', ports: [{ port: 80 }], ...spec });
    const made = b.create('services', 'default', { ...wanted, metadata: { name: 'a', annotations } });
    if (values.length === 0) await made;
    else expect((await causesOf(made)).map((cause) => /Invalid value: ("[^"]*"):/.exec(cause)?.[1])).toEqual(values);
  });

  it('names an empty annotation of source ranges without a load balancer', async () => {
    const b = await Bench.open();
    const wanted = { ...service({ ports: [{ port: 80 }] }), metadata: { name: 'a', annotations: { [RANGES]: '' } } };
    expect(await causesOf(b.create('services', 'default', wanted))).toEqual([
      `metadata.annotations[${RANGES}]: Forbidden: may only be used when \`type\` is 'LoadBalancer'`,
    ]);
  });

  it('is not refused in a dry run for an address in use', async () => {
    const b = await Bench.open();
    const wanted = service({ clusterIP: '10.96.0.1', ports: [{ port: 80 }] });
    const made = await b.create('services', 'default', wanted, { dryRun: true });
    expect(specOf(made)['clusterIP']).toBe('10.96.0.1');
    const any = await b.create('services', 'default', service({ ports: [{ port: 80 }] }), { dryRun: true });
    expect(specOf(any)['clusterIP']).toBe('10.96.0.0');
  });

  it('by validation shows the node port that it got, and keeps nothing', async () => {
    const b = await Bench.open();
    const before = await reserved(b);
    const repeated = nodePortService({ nodePort: 30000 }, {});
    expect(await causesOf(b.create('services', 'default', repeated))).toEqual([
      'spec.ports[1].nodePort: Duplicate value: 30000',
      expect.stringContaining('spec.ports[1]: Duplicate value: '),
    ]);
    expect(await reserved(b)).toEqual(before);
    const good = await b.create('services', 'default', nodePortService({ nodePort: 30000 }));
    const held = await reserved(b);
    const changed = {
      ...good,
      spec: { ...specOf(good), sessionAffinity: 'x', ports: [{ port: 80, nodePort: 30001 }] },
    };
    expect(await causesOf(b.update('services', 'default', changed))).toHaveLength(1);
    expect(await reserved(b)).toEqual(held);
  });
});

describe('the node ports', () => {
  it('of a new service are shared by ports with one number, and each port of an update has its own', async () => {
    const b = await Bench.open();
    const [udp, tcp, other] = [{ protocol: 'UDP' }, { protocol: 'TCP', nodePort: 30500 }, { port: 81 }];
    const made = await b.create('services', 'default', nodePortService(udp, tcp, other));
    const [first, second, third] = nodePortsOf(made);
    expect([first, second]).toEqual([30500, 30500]);
    expect(third).not.toBe(30500);
    const more = nodePortService(udp, tcp, other, { port: 81, protocol: 'UDP' });
    const [, , kept, added] = nodePortsOf(await b.update('services', 'default', more));
    expect(kept).toBe(third);
    expect([30500, third]).not.toContain(added);
  });

  it('of a load balancer stay when allocation is disabled, until its type changes', async () => {
    const b = await Bench.open();
    const made = await b.create('services', 'default', service({ type: 'LoadBalancer', ports: [{ port: 80 }] }));
    const patched = (spec: JsonObject) => b.patch('services', ['default', 'a'], { spec });
    const disabled = await patched({ allocateLoadBalancerNodePorts: false });
    expect(nodePortsOf(disabled)).toEqual(nodePortsOf(made));
    expect(nodePortsOf(await patched({ type: 'ClusterIP' }))).toEqual([undefined]);
  });

  it('of a dry run follow those that the service names, whatever the range', async () => {
    const b = await Bench.open();
    const tried = async (spec: JsonObject) =>
      specOf(await b.create('services', 'default', service(spec), { dryRun: true }));
    const unnamed = await tried({
      type: 'NodePort',
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 81 },
      ],
    });
    expect(nodePortsOf({ spec: unnamed })).toEqual([32769, 32770]);
    expect(await tried({ ...LOCAL, ports: [{ port: 80, nodePort: 1 }] })).toMatchObject({ healthCheckNodePort: 2 });
    expect(await tried({ ...LOCAL, ports: [{ port: 80, nodePort: -1 }] })).toMatchObject({ healthCheckNodePort: 1 });
  });
});

it('a service that is no longer a load balancer keeps the conditions of its status', async () => {
  const b = await Bench.open();
  await b.create('services', 'default', service({ type: 'LoadBalancer', ports: [{ port: 80 }] }));
  const condition = {
    type: 'A',
    status: 'True',
    reason: 'r',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await b.patch('services/status', ['default', 'a'], {
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] }, conditions: [condition] },
  });
  const changed = await b.patch('services', ['default', 'a'], { spec: { type: 'ClusterIP' } });
  expect(changed['status']).toEqual({ loadBalancer: {}, conditions: [condition] });
});

it('the address of a service is an object whose fields the server owns', async () => {
  const b = await Bench.open();
  const { clusterIP } = specOf(await b.create('services', 'default', service({ ports: [{ port: 80 }] })));
  const address = await b.get('ipaddresses.networking.k8s.io/v1', '', String(clusterIP));
  expect(listAt(address, 'metadata', 'managedFields')).toEqual([
    {
      manager: 'kube-apiserver',
      operation: 'Update',
      apiVersion: 'networking.k8s.io/v1',
      time: objectAt(address, 'metadata')['creationTimestamp'],
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:metadata': {
          'f:labels': {
            '.': {},
            'f:ipaddress.kubernetes.io/ip-family': {},
            'f:ipaddress.kubernetes.io/managed-by': {},
          },
        },
        'f:spec': { 'f:parentRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:resource': {} } },
      },
    },
  ]);
});

describe('families that the cluster does not have', () => {
  const POLICY =
    'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services';
  const FAMILY = 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster';

  it.each<readonly [string, JsonObject, readonly string[]]>([
    ['are reported after the policy', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] }, [POLICY, FAMILY]],
    [
      'are reported by an address only if they are not in the list',
      { clusterIP: 'fd00::5', ipFamilies: ['IPv6'] },
      [FAMILY],
    ],
    [
      'are reported by an address before the policy',
      { ipFamilyPolicy: 'RequireDualStack', clusterIP: 'fd00::5' },
      ['spec.clusterIPs[0]: Invalid value: ["fd00::5"]: IPv6 is not configured on this cluster'],
    ],
  ])('%s', async (_, more, expected) => {
    const bench = await Bench.open();
    const made = bench.create('services', 'default', service({ ports: [{ port: 80 }], ...more }));
    expect(await causesOf(made)).toEqual(expected);
  });
});

describe('the addresses of an update', () => {
  const dual = { serviceIpRanges: ['10.96.0.0/12', 'fd00:1234::/108'] };
  const IPS = ['10.96.0.50', 'fd00:1234::50'];
  const spec = { ipFamilyPolicy: 'RequireDualStack', clusterIP: IPS[0]!, clusterIPs: IPS, ports: [{ port: 80 }] };

  it.each<readonly [string, JsonObject, readonly string[]]>([
    [
      'are both immutable',
      { clusterIP: '10.96.0.51', clusterIPs: ['10.96.0.51', 'fd00:1234::51'], sessionAffinity: 'x' },
      [
        'spec.clusterIPs[0]: Invalid value: ["10.96.0.51","fd00:1234::51"]: may not change once set',
        'spec.clusterIPs[1]: Invalid value: ["10.96.0.51","fd00:1234::51"]: may not change once set',
        'spec.sessionAffinity: Unsupported value: "x": supported values: "ClientIP", "None"',
      ],
    ],
    [
      'keep their order',
      { clusterIP: IPS[1]!, clusterIPs: [IPS[1]!, IPS[0]!], ipFamilies: ['IPv6', 'IPv4'] },
      [
        'spec.clusterIPs[0]: Invalid value: ["fd00:1234::50","10.96.0.50"]: may not change once set',
        'spec.clusterIPs[1]: Invalid value: ["fd00:1234::50","10.96.0.50"]: may not change once set',
        'spec.ipFamilies[0]: Invalid value: ["fd00:1234::50","10.96.0.50"]: may not change once set',
      ],
    ],
    [
      'are released with the policy of a single stack only',
      { ipFamilyPolicy: 'PreferDualStack', clusterIPs: [IPS[0]!], ipFamilies: ['IPv4'], sessionAffinity: 'x' },
      [
        'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be \'SingleStack\' to release the secondary IP family',
        'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be \'SingleStack\' to release the secondary cluster IP',
      ],
    ],
  ])('%s', async (_rule, changes, causes) => {
    const b = await Bench.open([], undefined, dual);
    await b.create('services', 'default', service(spec));
    const found = await causesOf(b.update('services', 'default', service({ ...spec, ...changes })));
    expect([...found].sort()).toEqual(causes);
  });
});
