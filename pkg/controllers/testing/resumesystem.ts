import type { JsonObject } from '../../api/index.js';
import { heldPorts, NODE_PORT_PREFIX } from '../../registry/index.js';
import type { Bench } from '../../registry/testing.js';
import { prefixEnd } from '../../storage/index.js';
import { bootstrapSigner } from '../bootstrap/signer.js';
import { tokenCleaner } from '../bootstrap/tokencleaner.js';
import { approvingController } from '../certificates/approving.js';
import { cleanerController } from '../certificates/cleaner.js';
import { clusterRoleAggregation } from '../clusterroleaggregation.js';
import { garbageCollector } from '../garbagecollector.js';
import { namespaceController } from '../namespace.js';
import { defaultServiceAccount, rootCaPublisher } from '../namespacecontent.js';
import { nodePortRepair } from '../network/nodeportrepair.js';
import { policyStatus } from '../policystatus.js';
import { resourceQuotaController } from '../resourcequota.js';
import { tokenSecrets } from '../tokensecrets.js';
import type { ResumeCase } from './resume.js';
import { EMPTY_REQUEST, metaIn } from './scene.js';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io/v1';
const ROLES = 'clusterroles.rbac.authorization.k8s.io/v1';
const POLICIES = 'validatingadmissionpolicies.admissionregistration.k8s.io/v1';
const HOUR = 3_600_000;

const map = (name: string, owners: readonly JsonObject[] = []): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ownerReferences: [...owners] },
});

/** A chain of three ConfigMaps, and one with two owners. The first owner is then deleted. */
const owned =
  (propagationPolicy: 'Background' | 'Foreground' | 'Orphan') =>
  async (bench: Bench): Promise<void> => {
    const make = async (name: string, owners: readonly JsonObject[]): Promise<JsonObject> => {
      const { uid } = metaIn(await bench.create('configmaps', 'default', map(name, owners)));
      return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: uid!, blockOwnerDeletion: true };
    };
    const first = await make('first', []);
    const second = await make('second', [first]);
    await make('third', [second]);
    await make('shared', [first, await make('other', [])]);
    await bench.delete('configmaps', 'default', 'first', { propagationPolicy });
  };

const bootstrapToken = (id: string, more: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'bootstrap.kubernetes.io/token',
  metadata: { name: `bootstrap-token-${id}` },
  stringData: { 'token-id': id, 'token-secret': '0123456789abcdef', ...more },
});

const certificateRequest = (name: string, signerName: string): JsonObject => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: { signerName, usages: ['client auth', 'digital signature'], request: EMPTY_REQUEST },
});

const role = (name: string, more: JsonObject): JsonObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name },
  ...more,
});

const node = {
  commonName: 'system:node:a',
  organizations: ['system:nodes'],
  dnsNames: 0,
  addresses: 0,
  emails: 0,
  uris: 0,
};

/** Controllers of owners, namespaces, access and policies. */
export const SYSTEM: readonly ResumeCase[] = [
  ...(['Background', 'Foreground', 'Orphan'] as const).map(
    (policy): ResumeCase => ({
      name: `dependents: ${policy}`,
      make: (context) => garbageCollector(context),
      act: owned(policy),
      resources: ['configmaps'],
    }),
  ),
  {
    name: 'deletion of a namespace',
    make: (context) => namespaceController(context),
    act: async (bench) => {
      await bench.create('namespaces', '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
      for (const name of ['a', 'b']) await bench.create('configmaps', 'n', map(name));
      const containers = [{ name: 'c', image: 'i' }];
      await bench.create('pods', 'n', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } });
      await bench.delete('namespaces', '', 'n');
    },
    resources: ['namespaces', 'configmaps', 'pods'],
  },
  {
    name: 'service accounts of namespaces',
    make: defaultServiceAccount,
    act: (bench) => bench.create('namespaces', '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }),
    resources: ['serviceaccounts'],
  },
  {
    name: 'authorities of namespaces',
    make: (context) => rootCaPublisher(context, 'certificates'),
    act: async (bench) => {
      await bench.create('namespaces', '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
      await bench.create('configmaps', 'n', { ...map('kube-root-ca.crt'), data: { 'ca.crt': 'stale' } });
    },
    resources: ['configmaps'],
  },
  {
    name: 'aggregated roles',
    make: clusterRoleAggregation,
    act: async (bench) => {
      for (const [name, verb] of [
        ['a', 'get'],
        ['b', 'list'],
      ] as const) {
        const rules = [{ apiGroups: [''], resources: ['pods'], verbs: [verb] }];
        await bench.create(ROLES, '', role(name, { metadata: { name, labels: { part: name } }, rules }));
        const clusterRoleSelectors = [{ matchLabels: { part: name } }];
        await bench.create(ROLES, '', role(`whole-${name}`, { aggregationRule: { clusterRoleSelectors }, rules: [] }));
      }
    },
    resources: [ROLES],
  },
  {
    name: 'type checks of policies',
    make: policyStatus,
    act: async (bench) => {
      const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] };
      for (const name of ['a', 'b'])
        await bench.create(POLICIES, '', {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingAdmissionPolicy',
          metadata: { name },
          spec: {
            matchConstraints: { resourceRules: [rule] },
            validations: [{ expression: 'object.spec.none == 1' }],
          },
        });
    },
    resources: [POLICIES],
  },
  {
    name: 'token Secrets',
    make: (context) => tokenSecrets(context, { rootCa: 'certificates', issue: async () => 'token' }),
    act: async (bench) => {
      await bench.create('serviceaccounts', 'default', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'account' },
      });
      for (const [name, account] of [
        ['kept', 'account'],
        ['gone', 'none'],
      ] as const)
        await bench.create('secrets', 'default', {
          apiVersion: 'v1',
          kind: 'Secret',
          type: 'kubernetes.io/service-account-token',
          metadata: { name, annotations: { 'kubernetes.io/service-account.name': account } },
        });
    },
    resources: ['secrets'],
  },
  {
    name: 'quotas',
    make: resourceQuotaController,
    act: async (bench) => {
      for (const name of ['a', 'b']) {
        await bench.create('configmaps', 'default', map(name));
        await bench.create('resourcequotas', 'default', {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name },
          spec: { hard: { configmaps: '5' } },
        });
      }
    },
    resources: ['resourcequotas'],
  },
  {
    name: 'the signature of cluster-info',
    make: bootstrapSigner,
    act: async (bench) => {
      await bench.create('configmaps', 'kube-public', { ...map('cluster-info'), data: { kubeconfig: 'k' } });
      for (const id of ['aaaaaa', 'bbbbbb'])
        await bench.create('secrets', 'kube-system', bootstrapToken(id, { 'usage-bootstrap-signing': 'true' }));
    },
    resources: ['configmaps'],
  },
  {
    name: 'tokens that have expired',
    make: tokenCleaner,
    act: async (bench) => {
      const expiration = new Date(bench.world.clock.now() + HOUR).toISOString();
      for (const id of ['aaaaaa', 'bbbbbb'])
        await bench.create('secrets', 'kube-system', bootstrapToken(id, { expiration }));
      await bench.create('secrets', 'kube-system', bootstrapToken('cccccc', {}));
      bench.world.advance(2 * HOUR);
    },
    resources: ['secrets'],
  },
  {
    name: 'approval of certificate requests',
    make: (context) =>
      approvingController(context, { authority: { read: async () => node }, mayCreate: async () => true }),
    act: async (bench) => {
      for (const name of ['a', 'b'])
        await bench.create(REQUESTS, '', certificateRequest(name, 'kubernetes.io/kube-apiserver-client-kubelet'));
    },
    resources: [REQUESTS],
  },
  {
    name: 'certificate requests without a decision',
    make: (context) => cleanerController(context, { expiryOf: () => undefined }),
    act: async (bench) => {
      for (const name of ['a', 'b']) await bench.create(REQUESTS, '', certificateRequest(name, 'x.example/signer'));
      bench.world.advance(25 * HOUR);
      await bench.create(REQUESTS, '', certificateRequest('new', 'x.example/signer'));
    },
    resources: [REQUESTS],
  },
  {
    name: 'repair of node ports',
    make: nodePortRepair,
    act: async (bench) => {
      const ports: number[] = [];
      for (const name of ['s', 't'])
        ports.push(
          ...heldPorts(
            await bench.create('services', 'default', {
              apiVersion: 'v1',
              kind: 'Service',
              metadata: { name },
              spec: { type: 'NodePort', ports: [{ port: 80 }] },
            }),
          ),
        );
      const lost = ports.map((port) => ({ kind: 'delete' as const, key: `${NODE_PORT_PREFIX}${port}` }));
      const leaked = { kind: 'put' as const, key: `${NODE_PORT_PREFIX}30999`, value: Buffer.from('default/gone') };
      await bench.keyspace.txn({ compares: [], ops: [...lost, leaked] });
    },
    resources: ['services'],
    more: async ({ keyspace }) => {
      const read = await keyspace.range({ start: NODE_PORT_PREFIX, end: prefixEnd(NODE_PORT_PREFIX) });
      return read.kind === 'ok' && read.items.map(({ key, value }) => [key, Buffer.from(value).toString()]);
    },
  },
];
