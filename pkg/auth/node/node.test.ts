import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import type { ResourceAttributes } from '../attributes.js';
import { TestObjects } from '../testing.js';
import { nodeAuthorizer } from './authorizer.js';
import { NodeGraph } from './graph.js';

const kubelet = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
let objects: TestObjects;

const ask = async (
  verb: string,
  resource: string,
  name: string,
  more: Partial<ResourceAttributes> = {},
  user = kubelet,
) => {
  const [plural = '', subresource = ''] = resource.split('/');
  const a: ResourceAttributes = {
    kind: 'resource',
    verb,
    group: '',
    version: 'v1',
    resource: plural,
    subresource,
    namespace: 'ns',
    name,
    ...more,
  };
  return nodeAuthorizer(graph, objects, () => false).authorize(user, a);
};
let graph: NodeGraph;
const allowed = async (...of: Parameters<typeof ask>) => (await ask(...of)).kind === 'allow';

const pod = (name: string, spec: JsonObject, metadata: JsonObject = {}) =>
  objects.put({ group: '', resource: 'pods' }, 'ns', name, { metadata: { name, namespace: 'ns', ...metadata }, spec });

beforeEach(() => {
  objects = new TestObjects();
  graph = new NodeGraph(objects);
});

describe('the Node authorizer', () => {
  it('has no opinion about users that are not nodes', async () => {
    expect(await ask('get', 'secrets', 's', {}, { name: 'system:node:n1', groups: [] })).toEqual({
      kind: 'noOpinion',
      reason: '',
    });
    expect((await ask('get', 'secrets', 's', {}, { name: 'system:node:', groups: ['system:nodes'] })).reason).toContain(
      'unknown node',
    );
  });

  it('lets a node read the objects that its pods use, as long as the pods exist', async () => {
    pod('p', {
      nodeName: 'n1',
      serviceAccountName: 'sa',
      imagePullSecrets: [{ name: 'pull' }],
      containers: [
        {
          name: 'c',
          env: [{ valueFrom: { secretKeyRef: { name: 'env' } } }],
          envFrom: [{ configMapRef: { name: 'cm' } }],
        },
      ],
      volumes: [
        { name: 'v', secret: { secretName: 'vol' } },
        { name: 'w', projected: { sources: [{ configMap: { name: 'root' } }] } },
        { name: 'x', ephemeral: {} },
        { name: 'y', persistentVolumeClaim: { claimName: 'pvc' } },
      ],
    });
    for (const secret of ['pull', 'env', 'vol']) expect(await allowed('get', 'secrets', secret)).toBe(true);
    for (const map of ['cm', 'root']) expect(await allowed('watch', 'configmaps', map)).toBe(true);
    for (const claim of ['p-x', 'pvc']) expect(await allowed('get', 'persistentvolumeclaims', claim)).toBe(true);
    expect(await allowed('create', 'serviceaccounts/token', 'sa')).toBe(true);
    expect(await allowed('get', 'pods', 'p')).toBe(true);
    expect(await ask('get', 'secrets', 'other')).toEqual({
      kind: 'noOpinion',
      reason: "no relationship found between node 'n1' and this object",
    });
    expect(await allowed('get', 'secrets', 'vol', {}, { ...kubelet, name: 'system:node:n2' })).toBe(false);
    expect(await allowed('update', 'secrets', 'vol')).toBe(false);
    objects.put({ group: '', resource: 'pods' }, 'ns', 'p', undefined);
    expect(await allowed('get', 'secrets', 'vol')).toBe(false);
  });

  it('keeps access to objects that another pod of the node still uses', async () => {
    const spec = { nodeName: 'n1', volumes: [{ name: 'v', secret: { secretName: 's' } }] };
    pod('a', spec);
    pod('b', spec);
    objects.put({ group: '', resource: 'pods' }, 'ns', 'a', undefined);
    expect(await allowed('get', 'secrets', 's')).toBe(true);
    pod('b', { nodeName: 'n2', volumes: [] });
    expect(await allowed('get', 'secrets', 's')).toBe(false);
  });

  it('follows claims to their volumes and the secrets of those', async () => {
    pod('p', { nodeName: 'n1', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'pvc' } }] });
    const volume = {
      claimRef: { namespace: 'ns', name: 'pvc' },
      csi: { nodeStageSecretRef: { name: 's', namespace: 'csi' } },
    };
    objects.put({ group: '', resource: 'persistentvolumes' }, '', 'pv', { metadata: { name: 'pv' }, spec: volume });
    expect(await allowed('get', 'persistentvolumes', 'pv', { namespace: '' })).toBe(true);
    expect(await allowed('get', 'secrets', 's', { namespace: 'csi' })).toBe(true);
    objects.put({ group: '', resource: 'persistentvolumes' }, '', 'pv', undefined);
    expect(await allowed('get', 'secrets', 's', { namespace: 'csi' })).toBe(false);
  });

  it('grants no secrets through a mirror pod', async () => {
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    pod('p', { nodeName: 'n1', volumes: [{ name: 'v', secret: { secretName: 's' } }] }, { annotations });
    expect(await allowed('get', 'pods', 'p')).toBe(true);
    expect(await allowed('get', 'secrets', 's')).toBe(false);
  });

  it('lets a node list its own pods, read its own node and keep its own lease', async () => {
    const fieldSelector = [{ field: 'spec.nodeName', equal: true, value: 'n1' }];
    expect(await allowed('list', 'pods', '', { namespace: '', fieldSelector })).toBe(true);
    expect(await allowed('list', 'pods', '', { namespace: '' })).toBe(false);
    expect(await allowed('get', 'nodes', 'n1', { namespace: '' })).toBe(true);
    expect(await allowed('get', 'nodes', 'n2', { namespace: '' })).toBe(false);
    expect(await allowed('list', 'nodes', '', { namespace: '' })).toBe(false);
    const lease = { group: 'coordination.k8s.io', namespace: 'kube-node-lease' };
    expect(await allowed('update', 'leases', 'n1', lease)).toBe(true);
    expect(await allowed('update', 'leases', 'n2', lease)).toBe(false);
    expect(await allowed('update', 'leases', 'n1', { ...lease, namespace: 'ns' })).toBe(false);
    expect(await allowed('list', 'services', '', { namespace: '' })).toBe(true);
    expect(await allowed('delete', 'services', 's')).toBe(false);
  });
});
