import { describe, expect, it } from 'vitest';
import type { AdmissionOperation, AdmissionRequest, JsonObject } from '../api/index.js';
import { nodeRestrictionStep } from './noderestriction.js';
import { admissionRequest, storedObjects } from './testing.js';

const NODE = { metadata: { name: 'n1', uid: 'n1-uid' } };
const USER = { name: 'system:node:n1', groups: ['system:nodes'] };
const claim = (name: string, volumeName: string): JsonObject => ({ metadata: { name }, spec: { volumeName } });
const pod = (name: string, ...volumes: readonly JsonObject[]): JsonObject => ({
  metadata: { name, uid: name },
  spec: { nodeName: 'n1', volumes: volumes.map((v, i) => ({ name: `v${i}`, ...v })) },
});
const onClaim = (claimName: string): JsonObject => ({ persistentVolumeClaim: { claimName } });

const STORED = storedObjects({
  nodes: [NODE],
  pods: [
    pod('none', { emptyDir: {} }),
    pod('inline', { azureFile: {} }, { azureFile: {} }),
    pod('bound', onClaim('disk'), { csi: { driver: 'served' } }),
    pod('lost', onClaim('unbound'), onClaim('gone'), { ephemeral: { volumeClaimTemplate: {} } }),
  ],
  persistentvolumeclaims: [claim('disk', 'disk'), claim('unbound', '')],
  persistentvolumes: [{ metadata: { name: 'disk' }, spec: { awsElasticBlockStore: {} } }],
  'storage.k8s.io/csidrivers': [{ metadata: { name: 'served' }, spec: { tokenRequests: [{ audience: 'a' }] } }],
});

/** Returns the message of the refusal of a request of node n1; '' if it is admitted. */
async function refusal(what: string, given: Partial<AdmissionRequest> & { group?: string }): Promise<string> {
  const step = nodeRestrictionStep(
    STORED,
    async () => ({ allowed: false, reason: '', error: '' }),
    (gate) => gate === 'ServiceAccountNodeAudienceRestriction',
  );
  try {
    await step.mutate!(admissionRequest(what, { user: USER, ...given }));
    return '';
  } catch (e) {
    return (e as Error).message.replace(/^.* is forbidden: /, '');
  }
}

describe('a mirror pod of a node', () => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'n1-uid', controller: true };
  const mirror = (spec: JsonObject, user = USER, name = 'n1'): Promise<string> =>
    refusal('pods', {
      user,
      object: {
        metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [{ ...owner, name }] },
        spec: { nodeName: name, ...spec },
      },
    });

  it.each<[JsonObject, string]>([
    [{ imagePullSecrets: [{}] }, ''],
    [{ imagePullSecrets: [{ name: 's' }] }, 'secrets'],
    [{ containers: [{ envFrom: [{ configMapRef: { name: '' } }] }] }, ''],
    [{ containers: [{ envFrom: [{ configMapRef: { name: 'c' } }] }] }, 'configmaps'],
    [{ volumes: [{ secret: {} }] }, 'secrets (via secret volumes)'],
    [{ volumes: [{ secret: { secretName: 's' } }] }, 'secrets'],
    [{ volumes: [{ cephfs: { secretRef: {} } }] }, ''],
  ])('refers to nothing by an empty name: %j', async (spec, reference) => {
    expect(await mirror(spec)).toBe(reference && `node "n1" can not create pods that reference ${reference}`);
  });

  it('needs its node', async () => {
    const user = { ...USER, name: 'system:node:n3' };
    expect(await mirror({}, user, 'n3')).toBe('node "n3" not found');
  });
});

it('the pods of a deleted collection are not checked', async () => {
  const deleting = { operation: 'delete' as AdmissionOperation, old: { ...pod('p'), spec: { nodeName: 'n2' } } };
  expect(await refusal('pods', { ...deleting, name: '' })).toBe('');
  expect(await refusal('pods', { ...deleting, name: 'p' })).toContain('can only delete pods with spec.nodeName');
});

it('a refused change of the status of a claim is shown', async () => {
  const old = { metadata: { name: 'c', namespace: 'n' }, status: { capacity: { storage: '1Gi' } } };
  const update = (object: JsonObject): Promise<string> =>
    refusal('persistentvolumeclaims/status', { operation: 'update', old, object });
  expect(await update({ ...old, status: { capacity: { storage: '2Gi' } } })).toBe('');
  expect(await update({ ...old, metadata: { ...old.metadata, labels: { a: 'b' } } })).toBe(
    'node "n1" is not allowed to update fields other than status.quantity and status.conditions: ' +
      '@@ -1,6 +1,9 @@\n {\n  "name": "c",\n  "namespace": "n",\n+ "labels": {\n+  "a": "b"\n+ },\n' +
      '  "Spec": {\n   "AccessModes": null,\n   "Selector": null,\n',
  );
});

describe('a token that a node requests', () => {
  const request = (name: string): Promise<string> =>
    refusal('serviceaccounts/token', {
      object: { spec: { audiences: ['a'], boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid: name } } },
    });
  const lost = [
    'persistentvolume "" not found',
    'persistentvolumeclaim "gone" not found',
    'persistentvolumeclaim "lost-v2" not found',
  ];

  it.each([
    ['none', 'system:node:n1 is not authorized to request tokens for audience "a"'],
    // Volumes of types that were part of Kubernetes have drivers.
    ['inline', 'error validating audience "a": csidriver.storage.k8s.io "file.csi.azure.com" not found'],
    ['bound', ''],
    ['lost', `error validating audience "a": [${lost.join(', ')}]`],
    ['missing', 'pod "missing" not found'],
  ])('needs a volume for its audience: pod %s', async (name, message) => {
    expect(await request(name)).toBe(message);
  });
});

describe('a certificate request of a node', () => {
  const signing = (request: string): Promise<string> =>
    refusal('certificatesigningrequests', {
      group: 'certificates.k8s.io',
      object: { spec: { signerName: 'kubernetes.io/kubelet-serving', request } },
    });
  const der = (tag: number, ...content: readonly Buffer[]): Buffer => {
    const inner = Buffer.concat(content);
    return Buffer.concat([Buffer.from([tag, 0x81, inner.length]), inner]);
  };
  const naming = (...names: readonly string[]): string => {
    const sets = names.map((n) =>
      der(0x31, der(0x30, der(0x06, Buffer.from([0x55, 0x04, 0x03])), der(0x0c, Buffer.from(n)))),
    );
    const info = der(0x30, der(0x02, Buffer.from([0])), der(0x30, ...sets), der(0x30), der(0xa0));
    const body = der(0x30, info, der(0x30), der(0x03, Buffer.alloc(8))).toString('base64');
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`;
    return Buffer.from(pem).toString('base64');
  };
  const WRONG = 'can only create a node CSR with CN=system:node:n1';

  it.each([
    [naming('system:node:n1'), ''],
    [naming('system:node:n2'), WRONG],
    [naming(), WRONG],
    // The last name is the one that authentication reads.
    [naming('system:node:n2', 'system:node:n1'), ''],
    [naming('system:node:n1', 'system:node:n2'), WRONG],
    ['', 'unable to parse csr: PEM block type must be CERTIFICATE REQUEST'],
  ])('%#', async (request, message) => {
    expect(await signing(request)).toBe(message);
  });
});
