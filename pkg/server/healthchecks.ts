import type { HealthCheck, HealthChecks } from '../http/index.js';
import type { Keyspace } from '../storage/index.js';

export interface HealthCheckParts {
  readonly keyspace: Pick<Keyspace, 'status'>;
  /** False as soon as the server shuts down. */
  readonly isReady: () => boolean;
  /** The health of KMS plug-ins; absent without them. */
  readonly kms: (() => Promise<string | undefined>) | undefined;
  /** Changes of the encryption configuration are applied. */
  readonly reloadsEncryption: boolean;
  /** Requests pass priority and fairness. */
  readonly fairness: boolean;
  /** RBAC is one of the authorizers. */
  readonly rbac: boolean;
  /** Coordinated leader election is on. */
  readonly elections: boolean;
}

/**
 * The checks of `/healthz`, `/livez` and `/readyz`, with the names and in the order of kube-apiserver 1.37, as far as they have a
 * meaning here (there is no loopback certificate and no peer proxy; an aggregator always has a client certificate). `etcd` is the store: on `/livez` that of this peer alone, because
 * a restart does not bring back a majority; on the other paths it needs a leader.
 */
export function healthChecks(parts: HealthCheckParts): HealthChecks {
  const { keyspace, isReady, kms: checkKms } = parts;
  const leader = (): string | undefined => (keyspace.status().hasLeader ? undefined : 'the store has no leader');
  const alive = [ok('ping'), ok('log')];
  const kms: HealthCheck[] = checkKms === undefined ? [] : [{ name: 'kms-providers', check: checkKms }];
  const started = startSteps(parts).map(ok);
  const shutdown: HealthCheck = {
    name: 'shutdown',
    check: () => (isReady() ? undefined : 'process is shutting down'),
  };
  return {
    healthz: [...alive, { name: 'etcd', check: leader }, ...kms, ...started],
    // The store of this peer stops the process when it fails.
    livez: [...alive, ok('etcd'), ...started],
    readyz: [
      ...alive,
      { name: 'etcd', check: leader },
      { name: 'etcd-readiness', check: leader },
      ...kms,
      ok('informer-sync'),
      ...started,
      shutdown,
    ],
  };
}

const ok = (name: string): HealthCheck => ({ name, check: () => undefined });

/** The start steps of kube-apiserver that this server has too. All of them are done before it listens. */
function startSteps({ reloadsEncryption, fairness, rbac, elections }: HealthCheckParts): readonly string[] {
  return [
    ...(reloadsEncryption ? ['poststarthook/start-encryption-provider-config-automatic-reload'] : []),
    'poststarthook/start-apiserver-admission-initializer',
    'poststarthook/generic-apiserver-start-informers',
    ...(fairness
      ? ['poststarthook/priority-and-fairness-config-consumer', 'poststarthook/priority-and-fairness-filter']
      : ['poststarthook/max-in-flight-filter']),
    'poststarthook/storage-object-count-tracker-hook',
    'poststarthook/start-apiextensions-informers',
    'poststarthook/start-apiextensions-controllers',
    'poststarthook/crd-informer-synced',
    'poststarthook/start-system-namespaces-controller',
    ...(elections ? ['poststarthook/start-kube-apiserver-coordinated-leader-election-controller'] : []),
    'poststarthook/start-cluster-authentication-info-controller',
    'poststarthook/start-kube-apiserver-identity-lease-controller',
    'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
    'poststarthook/storage-readiness',
    'poststarthook/start-legacy-token-tracking-controller',
    'poststarthook/start-service-ip-repair-controllers',
    ...(rbac ? ['poststarthook/rbac/bootstrap-roles'] : []),
    'poststarthook/scheduling/bootstrap-system-priority-classes',
    'poststarthook/priority-and-fairness-config-producer',
    'poststarthook/bootstrap-controller',
    'poststarthook/start-kubernetes-service-cidr-controller',
    'poststarthook/aggregator-reload-proxy-client-cert',
    'poststarthook/start-kube-aggregator-informers',
    'poststarthook/apiservice-status-local-available-controller',
    'poststarthook/apiservice-status-remote-available-controller',
    'poststarthook/apiservice-registration-controller',
    'poststarthook/apiservice-discovery-controller',
    'poststarthook/kube-apiserver-autoregistration',
    'autoregister-completion',
    'poststarthook/apiservice-openapi-controller',
    'poststarthook/apiservice-openapiv3-controller',
  ];
}
