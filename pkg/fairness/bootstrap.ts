import type { JsonObject } from '../api/index.js';

/**
 * The flow schemas and priority levels of every cluster, as in Kubernetes 1.37. The mandatory ones (`exempt`,
 * `catch-all`) always apply, whatever is stored; the others are suggestions, which administrators may change.
 */

/** The annotation by which an object follows the suggestions of the server. */
export const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec';

const GROUP_VERSION = 'flowcontrol.apiserver.k8s.io/v1';
export const MANDATORY: ReadonlySet<string> = new Set(['exempt', 'catch-all']);

export interface BootstrapFlowControl {
  readonly prioritylevelconfigurations: readonly JsonObject[];
  readonly flowschemas: readonly JsonObject[];
}

/** In the order in which they are created. */
export function bootstrapFlowControl(): BootstrapFlowControl {
  const named = (kind: string, all: Readonly<Record<string, JsonObject>>): readonly JsonObject[] =>
    Object.entries(all).map(([name, spec]) => ({
      apiVersion: GROUP_VERSION,
      kind,
      metadata: { name, annotations: { [AUTO_UPDATE]: 'true' } },
      spec,
    }));
  return {
    prioritylevelconfigurations: named('PriorityLevelConfiguration', LEVELS),
    flowschemas: named('FlowSchema', SCHEMAS),
  };
}

interface LimitedLevel {
  readonly shares: number;
  readonly lendable: number;
  readonly queues: number;
  readonly hand: number;
}

const queued = ({ shares, lendable, queues, hand }: LimitedLevel): JsonObject => ({
  type: 'Limited',
  limited: {
    nominalConcurrencyShares: shares,
    lendablePercent: lendable,
    limitResponse: { type: 'Queue', queuing: { queues, handSize: hand, queueLengthLimit: 50 } },
  },
});

const LEVELS: Readonly<Record<string, JsonObject>> = {
  exempt: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  'catch-all': {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
  },
  system: queued({ shares: 30, lendable: 33, queues: 64, hand: 6 }),
  'node-high': queued({ shares: 40, lendable: 25, queues: 64, hand: 6 }),
  'leader-election': queued({ shares: 10, lendable: 0, queues: 16, hand: 4 }),
  'workload-high': queued({ shares: 40, lendable: 50, queues: 128, hand: 6 }),
  'workload-low': queued({ shares: 100, lendable: 90, queues: 128, hand: 6 }),
  'global-default': queued({ shares: 20, lendable: 50, queues: 128, hand: 6 }),
};

const group = (name: string): JsonObject => ({ kind: 'Group', group: { name } });
const user = (name: string): JsonObject => ({ kind: 'User', user: { name } });
const serviceAccounts = (namespace: string): JsonObject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace, name: '*' },
});

const EVERYONE: readonly JsonObject[] = [group('system:unauthenticated'), group('system:authenticated')];

const resources = (verbs: string[], groups: string[], names: string[], clusterScope: boolean): JsonObject => ({
  verbs,
  apiGroups: groups,
  resources: names,
  ...(clusterScope ? { clusterScope } : {}),
  namespaces: ['*'],
});

/** A rule for all requests of the subjects. */
const everything = (subjects: readonly JsonObject[]): JsonObject => ({
  subjects: [...subjects],
  resourceRules: [resources(['*'], ['*'], ['*'], true)],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
});

function schema(level: string, precedence: number, method: string, rule: JsonObject): JsonObject {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(method === '' ? {} : { distinguisherMethod: { type: method } }),
    rules: [rule],
  };
}

const CONTROLLER_MANAGER = user('system:kube-controller-manager');
const SCHEDULER = user('system:kube-scheduler');
const NODES = group('system:nodes');

const SCHEMAS: Readonly<Record<string, JsonObject>> = {
  exempt: schema('exempt', 1, '', everything([group('system:masters')])),
  'catch-all': schema('catch-all', 10_000, 'ByUser', everything(EVERYONE)),
  'system-nodes': schema('system', 500, 'ByUser', everything([NODES])),
  'system-node-high': schema('node-high', 400, 'ByUser', {
    subjects: [NODES],
    resourceRules: [
      resources(['*'], [''], ['nodes', 'nodes/status'], true),
      resources(['*'], ['coordination.k8s.io'], ['leases'], false),
    ],
  }),
  probes: schema('exempt', 2, '', {
    subjects: [...EVERYONE],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
  'system-leader-election': schema('leader-election', 100, 'ByUser', {
    subjects: [CONTROLLER_MANAGER, SCHEDULER, serviceAccounts('kube-system')],
    resourceRules: [resources(['get', 'create', 'update'], ['coordination.k8s.io'], ['leases'], false)],
  }),
  'kube-controller-manager': schema('workload-high', 800, 'ByNamespace', everything([CONTROLLER_MANAGER])),
  'kube-scheduler': schema('workload-high', 800, 'ByNamespace', everything([SCHEDULER])),
  'kube-system-service-accounts': schema(
    'workload-high',
    900,
    'ByNamespace',
    everything([serviceAccounts('kube-system')]),
  ),
  'service-accounts': schema('workload-low', 9000, 'ByUser', everything([group('system:serviceaccounts')])),
  'global-default': schema('global-default', 9900, 'ByUser', everything(EVERYONE)),
};
