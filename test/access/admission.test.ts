import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWithFlags, type TestApiServer } from '../../pkg/server/library.js';
import { type Answer, call, eventually } from './client.js';
import { certificateRequest } from './csr.js';

let server: TestApiServer;
const NODE = 'system:node:a';
let podUid = '';
let nodeUid = '';

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly as?: string;
  readonly groups?: readonly string[];
  readonly type?: string;
}

function send(path: string, { method = 'GET', body, as, groups = [], type }: Sent = {}): Promise<Answer> {
  return call({
    url: server.url,
    cert: server.cert,
    key: server.key,
    path,
    method,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(as === undefined ? {} : { 'impersonate-user': as }),
      ...(groups.length === 0 ? {} : { 'impersonate-group': groups[0]! }),
    },
  });
}
const admin = (path: string, method: string, body?: unknown, type?: string): Promise<Answer> =>
  send(path, { method, body, ...(type === undefined ? {} : { type }) });
const node = (path: string, method: string, body?: unknown, type?: string): Promise<Answer> =>
  send(path, { method, body, as: NODE, groups: ['system:nodes'], ...(type === undefined ? {} : { type }) });
const MERGE = 'application/merge-patch+json';

async function made(path: string, body: object): Promise<Answer> {
  const answer = await admin(path, 'POST', body);
  expect(answer.status, answer.body).toBe(201);
  return answer;
}

const pod = (name: string, more: object = {}, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...more },
  spec: { nodeName: 'a', containers: [{ name: 'c', image: 'i' }], ...spec },
});

beforeAll(async () => {
  server = await startWithFlags([
    '--controllers=serviceaccount-controller',
    '--enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement,PodTolerationRestriction',
    '--disable-admission-plugins=ServiceAccount',
  ]);
  await eventually(async () =>
    (await send('/api/v1/namespaces/default/serviceaccounts/default')).status === 200 ? true : undefined,
  );
  const found = await made('/api/v1/nodes', { metadata: { name: 'a' } });
  nodeUid = found.json.metadata.uid;
  await made('/api/v1/nodes', { metadata: { name: 'b' } });
  const running = await made('/api/v1/namespaces/default/pods', pod('mine', {}, { serviceAccountName: 'default' }));
  podUid = running.json.metadata.uid;
  await made('/api/v1/namespaces/default/pods', pod('other', {}, { nodeName: 'b', serviceAccountName: 'default' }));
});
afterAll(async () => {
  await server?.close();
});

describe('NodeRestriction', () => {
  it.each<[string, () => Promise<Answer>, number, string]>([
    [
      'labels that steer pods',
      () =>
        node(
          '/api/v1/nodes/a',
          'PATCH',
          { metadata: { labels: { 'node-restriction.kubernetes.io/x': '1', 'foo.k8s.io/y': '' } } },
          MERGE,
        ),
      403,
      'nodes "a" is forbidden: is not allowed to modify labels: foo.k8s.io/y, node-restriction.kubernetes.io/x',
    ],
    [
      'its own labels',
      () =>
        node('/api/v1/nodes/a', 'PATCH', { metadata: { labels: { mine: '', 'kubernetes.io/os': 'linux' } } }, MERGE),
      200,
      '',
    ],
    [
      'taints',
      () => node('/api/v1/nodes/a', 'PATCH', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }, MERGE),
      403,
      'nodes "a" is forbidden: node "a" is not allowed to modify taints',
    ],
    [
      'another node',
      () => node('/api/v1/nodes/b/status', 'PATCH', { status: { phase: 'Running' } }, MERGE),
      403,
      'nodes "b" is forbidden: node "a" is not allowed to modify node "b"',
    ],
    [
      'a pod that is no mirror',
      () => node('/api/v1/namespaces/default/pods', 'POST', pod('x')),
      403,
      'pods "x" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node "a" can only create mirror pods',
    ],
    [
      'a mirror pod of another node',
      () =>
        node(
          '/api/v1/namespaces/default/pods',
          'POST',
          pod('x', { annotations: { 'kubernetes.io/config.mirror': '1' } }, { nodeName: 'b' }),
        ),
      403,
      'pods "x" is forbidden: node "a" can only create pods with spec.nodeName set to itself',
    ],
    [
      'the status of its pod',
      () => node('/api/v1/namespaces/default/pods/mine/status', 'PATCH', { status: { message: 'm' } }, MERGE),
      200,
      '',
    ],
    [
      'labels by way of the status',
      () => node('/api/v1/namespaces/default/pods/mine/status', 'PATCH', { metadata: { labels: { a: 'b' } } }, MERGE),
      403,
      'pods "mine" is forbidden: node "a" cannot update labels through pod status',
    ],
    [
      'the status of another pod',
      () => node('/api/v1/namespaces/default/pods/other/status', 'PATCH', { status: { message: 'm' } }, MERGE),
      403,
      'pods "other" is forbidden: node "a" can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      'the deletion of another pod',
      () => node('/api/v1/namespaces/default/pods/other', 'DELETE'),
      403,
      'pods "other" is forbidden: node "a" can only delete pods with spec.nodeName set to itself',
    ],
    [
      'the eviction of another pod',
      () =>
        node('/api/v1/namespaces/default/pods/other/eviction', 'POST', {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'other' },
        }),
      403,
      'pods "other" is forbidden: node a can only evict pods with spec.nodeName set to itself',
    ],
    [
      'a lease elsewhere',
      () =>
        node('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', 'POST', {
          metadata: { name: 'b' },
          spec: {},
        }),
      403,
      'leases.coordination.k8s.io "b" is forbidden: can only access node lease with the same name as the requesting node',
    ],
    [
      'its lease',
      () =>
        node('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', 'POST', {
          metadata: { name: 'a' },
          spec: {},
        }),
      201,
      '',
    ],
    [
      'the CSINode of another node',
      () => node('/apis/storage.k8s.io/v1/csinodes', 'POST', { metadata: { name: 'b' }, spec: { drivers: [] } }),
      403,
      'csinodes.storage.k8s.io "b" is forbidden: can only access CSINode with the same name as the requesting node',
    ],
  ])('%s', async (_name, ask, status, message) => {
    const answer = await ask();
    expect([answer.status, status < 300 ? '' : answer.json.message]).toEqual([status, message]);
  });

  const mirror = (owner: object, spec: object = {}): object =>
    pod(
      'mirror',
      {
        annotations: { 'kubernetes.io/config.mirror': '1' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: nodeUid, controller: true, ...owner }],
      },
      spec,
    );

  it('a mirror pod belongs to its node and refers to no other object', async () => {
    const post = (body: object): Promise<Answer> => node('/api/v1/namespaces/default/pods', 'POST', body);
    const messages = [
      (await post(mirror({ controller: false }))).json.message,
      (await post(mirror({ blockOwnerDeletion: true }))).json.message,
      (await post(mirror({ uid: 'u' }))).json.message,
      (await post(mirror({}, { volumes: [{ name: 'v', secret: { secretName: 's' } }] }))).json.message,
      (await post(mirror({}, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 's' } }] }))).json.message,
    ].map((text: string) => text.slice('pods "mirror" is forbidden: '.length));
    expect(messages).toEqual([
      'node "a" can only create pods with a controller owner reference set to itself',
      'node "a" must not set blockOwnerDeletion on an owner reference',
      `node a UID mismatch: expected u got ${nodeUid}`,
      'node "a" can not create pods that reference secrets',
      'node "a" can not create pods that reference persistentvolumeclaims',
    ]);
    expect((await post(mirror({}))).status).toBe(201);
  });

  it('tokens are for pods on the node', async () => {
    const ask = async (ref: object | undefined, audiences: readonly string[] = []): Promise<[number, string]> => {
      const spec = { ...(ref === undefined ? {} : { boundObjectRef: ref }), audiences };
      const { status, json } = await node('/api/v1/namespaces/default/serviceaccounts/default/token', 'POST', { spec });
      return [status, json.message ?? ''];
    };
    const ref = { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: podUid };
    const refused = (why: string): [number, string] => [403, `serviceaccounts "default" is forbidden: ${why}`];
    expect(await ask(undefined)).toEqual(refused('node requested token not bound to a pod'));
    expect(await ask({ ...ref, uid: '' })).toEqual(refused('node requested token with a pod binding without a uid'));
    const other = await send('/api/v1/namespaces/default/pods/other');
    expect(await ask({ ...ref, name: 'other', uid: other.json.metadata.uid })).toEqual(
      refused('node requested token bound to a pod scheduled on a different node'),
    );
    expect(await ask(ref, ['elsewhere'])).toEqual(
      refused('system:node:a is not authorized to request tokens for audience "elsewhere"'),
    );
  });

  it('a certificate request has the name of the node', async () => {
    const request = async (name: string): Promise<object> => {
      return {
        metadata: { generateName: 'csr-' },
        spec: {
          request: await certificateRequest(name, 'system:nodes'),
          signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
          usages: ['digital signature', 'client auth'],
        },
      };
    };
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const refused = await node(path, 'POST', await request('system:node:b'));
    expect([refused.status, refused.json.message]).toEqual([
      403,
      expect.stringContaining('can only create a node CSR with CN=system:node:a'),
    ]);
    expect((await node(path, 'POST', await request('system:node:a'))).status).toBe(201);
  });
});

describe('permissions for signers', () => {
  it('approving and signing need a permission for the signer', async () => {
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    await made(path, {
      metadata: { name: 'jane' },
      spec: {
        request: await certificateRequest('jane'),
        signerName: 'example.com/s',
        usages: ['client auth'],
      },
    });
    await made('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: 'csr' },
      rules: [
        {
          apiGroups: ['certificates.k8s.io'],
          resources: [
            'certificatesigningrequests',
            'certificatesigningrequests/approval',
            'certificatesigningrequests/status',
          ],
          verbs: ['get', 'update', 'patch'],
        },
        {
          apiGroups: ['certificates.k8s.io'],
          resources: ['signers'],
          resourceNames: ['example.com/*'],
          verbs: ['approve'],
        },
      ],
    });
    await made('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'csr' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'csr' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'approver' }],
    });
    const condition = (type: string): object => ({ status: { conditions: [{ type, status: 'True', reason: 'r' }] } });
    const as = (sub: string, body: object): Promise<Answer> =>
      send(`${path}/jane/${sub}`, { method: 'PATCH', body, as: 'approver', type: MERGE });
    expect((await as('approval', condition('Approved'))).status).toBe(200);
    const signed = await as('status', { status: { certificate: Buffer.from(server.cert).toString('base64') } });
    expect([signed.status, signed.json.message]).toEqual([
      403,
      'certificatesigningrequests.certificates.k8s.io "jane" is forbidden: user not permitted to sign requests with signerName "example.com/s"',
    ]);
  });
});

describe('OwnerReferencesPermissionEnforcement', () => {
  it('setting owners needs the permission to delete, and blockOwnerDeletion the permission for finalizers', async () => {
    await made('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: 'maps' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get', 'update', 'patch'] }],
    });
    await made('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'maps' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'maps' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'joe' }],
    });
    const path = '/api/v1/namespaces/default/configmaps';
    const owner = (more: object = {}): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name: 'mine',
      uid: podUid,
      ...more,
    });
    const joe = async (method: string, to: string, body: object): Promise<[number, string]> => {
      const { status, json } = await send(to, {
        method,
        body,
        as: 'joe',
        ...(method === 'PATCH' ? { type: MERGE } : {}),
      });
      return [status, json.message ?? ''];
    };
    expect((await joe('POST', path, { metadata: { name: 'a', ownerReferences: [owner()] } }))[0]).toBe(201);
    expect(await joe('PATCH', `${path}/a`, { metadata: { ownerReferences: [] } })).toEqual([
      403,
      'configmaps "a" is forbidden: cannot set an ownerRef on a resource you can\'t delete: , <nil>',
    ]);
    expect(
      await joe('POST', path, { metadata: { name: 'b', ownerReferences: [owner({ blockOwnerDeletion: true })] } }),
    ).toEqual([
      403,
      'configmaps "b" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: , <nil>',
    ]);
    const unknown = { apiVersion: 'no.example/v1', kind: 'None', name: 'x', uid: 'u', blockOwnerDeletion: true };
    expect((await joe('POST', path, { metadata: { name: 'c', ownerReferences: [unknown] } }))[1]).toContain(
      'cannot find RESTMapping for APIVersion no.example/v1 Kind None: no matches for kind "None" in version "no.example/v1"',
    );
  });
});

describe('PodTolerationRestriction', () => {
  it('adds the defaults of the namespace and enforces its whitelist', async () => {
    const annotations = {
      'scheduler.alpha.kubernetes.io/defaultTolerations': '[{"key":"d","operator":"Exists"}]',
      'scheduler.alpha.kubernetes.io/tolerationsWhitelist':
        '[{"key":"d","operator":"Exists"},{"key":"node.kubernetes.io/not-ready","operator":"Exists"},{"key":"node.kubernetes.io/unreachable","operator":"Exists"}]',
    };
    await made('/api/v1/namespaces', { metadata: { name: 'tolerant', annotations } });
    const post = (name: string, spec: object): Promise<Answer> =>
      admin('/api/v1/namespaces/tolerant/pods', 'POST', pod(name, {}, spec));
    const fine = await post('fine', { tolerations: [{ key: 'd', operator: 'Equal', value: 'v' }] });
    expect(fine.json.spec.tolerations).toContainEqual({ key: 'd', operator: 'Exists' });
    const refused = await post('refused', { tolerations: [{ key: 'else', operator: 'Exists' }] });
    expect([refused.status, refused.json.message]).toEqual([
      403,
      'pods "refused" is forbidden: pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
    ]);
  });
});

describe('PodResizeValidator', () => {
  it('enforces the resources of the node', async () => {
    await admin('/api/v1/nodes/a/status', 'PATCH', { status: { allocatable: { cpu: '1', memory: '1Gi' } } }, MERGE);
    const spec = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m', memory: '1Mi' } } }] };
    await made('/api/v1/namespaces/default/pods', pod('sized', {}, spec));
    const resize = (cpu: string): Promise<Answer> =>
      admin(
        '/api/v1/namespaces/default/pods/sized/resize',
        'PATCH',
        { spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] } },
        'application/strategic-merge-patch+json',
      );
    expect((await resize('200m')).status).toBe(200);
    const { status, json } = await resize('1500m');
    expect([status, json.message, json.details.causes]).toEqual([
      403,
      'pods "sized" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 1500, allocatable: 1000',
      [{ reason: 'NodeCapacity' }],
    ]);
  });
});

describe('parameters of policies', () => {
  it('are allowed only for users who may read them', async () => {
    await made('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: 'policies' },
      rules: [{ apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['create'] }],
    });
    await made('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'policies' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'policies' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'author' }],
    });
    const path = '/apis/admissionregistration.k8s.io/v1';
    const policy = (paramKind?: object): object => ({
      metadata: { name: 'p' },
      spec: {
        ...(paramKind === undefined ? {} : { paramKind }),
        matchConstraints: {
          resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['*'] }],
        },
        validations: [{ expression: 'true' }],
      },
    });
    const author = async (resource: string, body: object): Promise<[number, string, string]> => {
      const { status, json } = await send(`${path}/${resource}?dryRun=All`, { method: 'POST', body, as: 'author' });
      const cause = json.details?.causes?.[0];
      return [status, cause?.field ?? '', cause?.message ?? ''];
    };
    const param = { apiVersion: 'v1', kind: 'ConfigMap' };
    expect(await author('validatingadmissionpolicies', policy())).toEqual([201, '', '']);
    expect(await author('validatingadmissionpolicies', policy(param))).toEqual([
      422,
      'spec.paramKind',
      expect.stringContaining(
        'must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)',
      ),
    ]);
    const binding = {
      metadata: { name: 'b' },
      spec: {
        policyName: 'none',
        validationActions: ['Deny'],
        paramRef: { name: 'x', namespace: 'default', parameterNotFoundAction: 'Deny' },
      },
    };
    expect(await author('validatingadmissionpolicybindings', binding)).toEqual([
      422,
      'spec.paramRef',
      expect.stringContaining('does not have "get" permission for all groups, versions and resources'),
    ]);
  });
});
