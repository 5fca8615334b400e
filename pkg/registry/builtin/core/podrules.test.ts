import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/index.js';
import { Bench, causesOf } from '../../testing.js';

/** Rules of pods and claims where kube-apiserver 1.37 stops, or reports in another order, than one would expect. */

const LABEL = 'a lowercase RFC 1123 label must consist of';

async function podCauses(spec: JsonObject): Promise<string[]> {
  const b = await Bench.open();
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [CONTAINER], ...spec } };
  return (await causesOf(b.create('pods', 'default', pod))).map((text) => text.split(LABEL)[0]!.trim());
}

const CONTAINER = { name: 'c', image: 'i' };
const one = (more: JsonObject): JsonObject => ({ containers: [{ ...CONTAINER, ...more }] });

describe('kernel parameters', () => {
  it('of the IPC namespace, by their whole names, exclude that of the host', async () => {
    const names = [
      'kernel.shm_x',
      'kernel.shm_rmid_forced',
      'kernel/sem',
      'kernel.semx',
      'kernel.msgmax',
      'fs.mqueue.x',
    ];
    const sysctls = names.map((name) => ({ name, value: '1' }));
    const refused = (i: number): string =>
      `spec.securityContext.sysctls[${i}].name: Invalid value: "${names[i]}": may not be specified when 'hostIPC' is true`;
    expect(await podCauses({ hostIPC: true, securityContext: { sysctls } })).toEqual([1, 2, 4, 5].map(refused));
    expect(await podCauses({ securityContext: { sysctls } })).toEqual([]);
  });
});

describe('containers', () => {
  it('without names are duplicates of each other', async () => {
    expect(await podCauses({ containers: [{ image: 'i' }, { image: 'i' }] })).toEqual([
      'spec.containers[0].name: Required value',
      'spec.containers[1].name: Required value',
      'spec.containers[1].name: Duplicate value: ""',
    ]);
  });

  it('that are ephemeral and have no names are duplicates, too', async () => {
    const b = await Bench.open();
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [CONTAINER] } };
    await b.create('pods', 'default', pod);
    const debug = { image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
    const changed = b.patch('pods/ephemeralcontainers', ['default', 'p'], {
      spec: { ephemeralContainers: [debug, debug] },
    });
    expect(await causesOf(changed)).toEqual([
      'spec.ephemeralContainers[0].name: Required value',
      'spec.ephemeralContainers[1].name: Required value',
      'spec.ephemeralContainers[1].name: Duplicate value: ""',
    ]);
  });

  it('that initialize have restart rules only with a policy', async () => {
    const initContainers = [{ ...CONTAINER, name: 'n', restartPolicyRules: [{}] }];
    expect(await podCauses({ initContainers })).toHaveLength(1);
    expect(await podCauses(one({ restartPolicyRules: [{}] }))).toHaveLength(3);
  });

  it('name a request of a claim by a label, before the claim is looked up', async () => {
    const claims = [{ name: 'x', request: 'a.b' }];
    const path = 'spec.containers[0].resources.claims[0]';
    expect(await podCauses(one({ resources: { claims } }))).toEqual([
      `${path}.request: Invalid value: "a.b": must not contain dots`,
      expect.stringContaining(`${path}: Not found: "x"`),
    ]);
  });

  it('that use a whole claim use none of its requests', async () => {
    const resourceClaims = [{ name: 'x', resourceClaimName: 'y' }];
    const claims = [{ name: 'x' }, { name: 'x', request: 'b' }];
    expect(await podCauses({ ...one({ resources: { claims } }), resourceClaims })).toEqual([
      'spec.containers[0].resources.claims[1]: Duplicate value: "x"',
    ]);
  });

  it('name the volume of a file by a label, which is looked up last', async () => {
    const ref = { fileKeyRef: { volumeName: 'a_b', path: 'p', key: 'K' }, fieldRef: { fieldPath: 'metadata.name' } };
    const path = 'spec.containers[0].env[0].valueFrom';
    expect(await podCauses(one({ env: [{ name: 'A', valueFrom: ref }] }))).toEqual([
      `${path}.fileKeyRef.volumeName: Invalid value: "a_b":`,
      `${path}: Invalid value: "": may not have more than one field specified at a time`,
      `${path}.fileKeyRef.volumeName: Not found: "a_b"`,
    ]);
  });

  it('have an AppArmor profile with a type', async () => {
    const securityContext = { appArmorProfile: { localhostProfile: 'x' } };
    expect(await podCauses(one({ securityContext }))).toEqual([
      'spec.containers[0].securityContext.appArmorProfile.type: Required value: type is required when appArmorProfile is set',
    ]);
  });

  it('have block devices at different paths', async () => {
    const causes = await podCauses(one({ volumeDevices: [{}, {}] }));
    const path = 'spec.containers[0].volumeDevices[1]';
    expect(causes.filter((c) => c.includes('must be unique'))).toEqual([
      `${path}.devicePath: Invalid value: "": must be unique`,
    ]);
  });
});

describe('volumes', () => {
  it('that are invalid do not take their name', async () => {
    const volumes = [
      { name: 'w', emptyDir: {}, nfs: { server: 's', path: '/a' } },
      { name: 'w', emptyDir: {} },
    ];
    expect(await podCauses({ ...one({ volumeMounts: [{ name: 'w', mountPath: '/x' }] }), volumes })).toEqual([
      'spec.volumes[0].nfs: Forbidden: may not specify more than 1 volume type',
    ]);
  });
});

describe('search domains', () => {
  it('may begin their labels with an underscore', async () => {
    const searches = ['_x', 'a_b.c', 'a..b', 'a_'];
    const causes = await podCauses({ dnsConfig: { searches } });
    expect(causes.map((c) => c.split(': ')[0])).toEqual(['spec.dnsConfig.searches[2]', 'spec.dnsConfig.searches[3]']);
    expect(causes[0]).toContain("regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(");
  });
});

describe('the status of a pod', () => {
  it('has host addresses that begin with the host address', async () => {
    const b = await Bench.open();
    const spec = { containers: [CONTAINER] };
    await b.create('pods', 'default', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
    const status = { hostIPs: [{ ip: '50%' }, { ip: '' }] };
    const causes = await causesOf(b.patch('pods/status', ['default', 'p'], { status }));
    expect(causes.slice(0, 1)).toEqual(['status.hostIPs[0].ip: Invalid value: "50%": must be equal to `hostIP`']);
    expect(causes).toContain(
      'status.hostIPs: Internal error: failed to check for dual stack with error:invalid IP[0]: 50%',
    );
  });
});

describe('a claim', () => {
  const claim = (spec: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'q' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1.00001' } }, ...spec },
  });

  it('has amounts in thousandths', async () => {
    const b = await Bench.open();
    const made = await b.create('persistentvolumeclaims', 'default', claim({}));
    expect(made['spec']).toMatchObject({ resources: { requests: { storage: '1001m' } } });
  });

  it('ignores a data source of another kind in an update, too', async () => {
    const b = await Bench.open();
    await b.create('persistentvolumeclaims', 'default', claim({}));
    const dataSource = { kind: 'X', name: 'n' };
    const changed = await b.patch('persistentvolumeclaims', ['default', 'q'], { spec: { dataSource } });
    expect(changed['spec']).not.toHaveProperty('dataSource');
  });

  it('may change the group of a data source to any, if it had one', async () => {
    const b = await Bench.open();
    const dataSourceRef = { apiGroup: 'example.com', kind: 'X', name: 'n' };
    await b.create('persistentvolumeclaims', 'default', claim({ dataSourceRef }));
    const causes = await causesOf(
      b.patch('persistentvolumeclaims', ['default', 'q'], { spec: { dataSourceRef: { apiGroup: '-a' } } }),
    );
    expect(causes.filter((c) => c.includes('apiGroup: '))).toEqual([]);
    expect(
      await causesOf(
        b.create(
          'persistentvolumeclaims',
          'default',
          claim({ dataSource: dataSourceRef, dataSourceRef: { ...dataSourceRef, apiGroup: '-a' } }),
        ),
      ),
    ).toContainEqual(expect.stringContaining('spec.dataSourceRef.apiGroup: Invalid value: "-a"'));
  });

  it('names the resources of which it allocates, and known states', async () => {
    const b = await Bench.open();
    await b.create('persistentvolumeclaims', 'default', claim({}));
    const status = {
      allocatedResources: { foo: '1', 'x.y/z': '1' },
      allocatedResourceStatuses: { storage: 'x', 'x.y/z': 'NodeResizePending' },
    };
    expect(await causesOf(b.patch('persistentvolumeclaims/status', ['default', 'q'], { status }))).toEqual([
      expect.stringContaining('status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "Con'),
      'status.allocatedResources: Unsupported value: "foo": supported values: "storage"',
    ]);
  });
});
