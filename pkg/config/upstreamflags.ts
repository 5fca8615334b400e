/**
 * The flags of kube-apiserver 1.37 and etcd 3.7 without an effect in this server. A flag that can be ignored is
 * accepted with one warning; a flag for safety or for the location of data is refused. `flags.ts` takes precedence over
 * this table: a flag that is implemented later needs no change here.
 */
export interface UpstreamFlag {
  /** Why it has no effect, or why it is refused; '' if the name is sufficient. */
  readonly reason: string;
  readonly refused: boolean;
  /** Values that are accepted nevertheless, because the server behaves that way anyway. */
  readonly accepted: readonly string[];
  /** A switch: it takes a value only after `=`. */
  readonly boolean: boolean;
}

const STORE = 'the store is built in';
const LOG = 'the log is written to standard output as JSON lines';
const PEERS = 'every peer serves every resource';
const EMULATION = 'only API level 1.37 is served';
const DISCOVERY = 'members are named by --initial-cluster or added with triremectl';
const CLIENT_GRPC = 'the store has no client port';
const PEER_TLS = 'peers always use mutual TLS';

/** Name: reason. A name that ends in `?` is a switch. */
const NO_EFFECT: Readonly<Record<string, string>> = {
  'aggregator-reject-forwarding-redirect?': '',
  'allow-metric-labels': '',
  'allow-metric-labels-manifest': '',
  'audit-webhook-batch-initial-backoff': 'see --audit-webhook-initial-backoff',
  'contention-profiling?': '',
  ...sharing('', [
    ...['coordinated-leadership-lease-duration', 'coordinated-leadership-renew-deadline'],
    'coordinated-leadership-retry-period',
  ]),
  'cors-allowed-origins': 'cross-origin requests are not answered',
  'debug-socket-path': '',
  'delete-collection-workers': '',
  'disabled-metrics': '',
  'enable-garbage-collector?': 'see --controllers',
  'enable-logs-handler?': '',
  ...sharing(STORE, [
    ...['etcd-compaction-interval', 'etcd-count-metric-poll-period', 'etcd-db-metric-poll-interval'],
    ...['etcd-healthcheck-timeout', 'etcd-readycheck-timeout', 'storage-initialization-timeout'],
    ...['lease-reuse-duration-seconds', 'storage-media-type', 'watch-cache?', 'watch-cache-sizes'],
  ]),
  'external-hostname': '',
  'http2-max-streams-per-connection': '',
  'kubernetes-service-node-port': '',
  'livez-grace-period': '',
  ...sharing(LOG, [
    ...['log-flush-frequency', 'log-json-info-buffer-size', 'log-json-split-stream?', 'log-text-info-buffer-size'],
    ...['log-text-split-stream?', 'logging-format', 'vmodule'],
  ]),
  'max-connection-bytes-per-sec': '',
  ...sharing(PEERS, ['peer-advertise-ip', 'peer-advertise-port', 'peer-ca-file']),
  'permit-address-sharing?': '',
  'permit-port-sharing?': '',
  'profiling?': 'there are no profiles under /debug/pprof',
  'service-account-lookup?': 'tokens are always compared with their service account and bound object',
  'show-hidden-metrics-for-version': '',
  'shutdown-send-retry-after?': '',
  'shutdown-watch-termination-grace-period': 'see --shutdown-grace-duration',
  'strict-transport-security-directives': '',
  'tls-curve-preferences': '',
  'tracing-config-file': 'traces are not exported',
  // etcd
  ...sharing(STORE, [
    ...['wal-dir', 'max-snapshots', 'max-wals', 'backend-bbolt-freelist-type', 'backend-batch-interval'],
    ...['backend-batch-limit', 'max-txn-ops', 'max-request-bytes', 'pre-vote?', 'strict-reconfig-check?'],
    ...['initial-election-tick-advance?', 'raft-read-timeout', 'raft-write-timeout', 'auto-compaction-mode'],
    ...['v2-deprecation', 'corrupt-check-time', 'compact-hash-check-time', 'compaction-batch-limit'],
    ...['watch-progress-notify-interval', 'warning-apply-duration', 'warning-unary-request-duration', 'max-learners'],
    ...[
      'bootstrap-defrag-threshold-megabytes',
      'compaction-sleep-interval',
      'downgrade-check-time',
      'memory-mlock?',
      'snapshot-catchup-entries',
      'self-signed-cert-validity',
      'bcrypt-cost',
      'auth-token',
      'auth-token-ttl',
    ],
  ]),
  ...sharing(CLIENT_GRPC, [
    ...[
      'listen-client-urls',
      'listen-client-http-urls',
      'enable-grpc-gateway?',
      'advertise-client-urls',
      'max-concurrent-streams',
    ],
    ...['grpc-keepalive-min-time', 'grpc-keepalive-interval', 'grpc-keepalive-timeout', 'cert-file', 'key-file'],
    ...['client-cert-auth?', 'client-cert-file', 'client-key-file', 'client-crl-file', 'client-cert-allowed-hostname'],
    ...['trusted-ca-file', 'auto-tls?', 'cors', 'host-whitelist', 'metrics'],
  ]),
  ...sharing(DISCOVERY, [
    ...['discovery', 'discovery-token', 'discovery-endpoints', 'discovery-dial-timeout', 'discovery-request-timeout'],
    ...['discovery-keepalive-time', 'discovery-keepalive-timeout', 'discovery-insecure-transport?'],
    ...['discovery-insecure-skip-tls-verify?', 'discovery-cert', 'discovery-key', 'discovery-cacert', 'discovery-user'],
    ...['discovery-password', 'discovery-fallback', 'discovery-proxy', 'discovery-srv', 'discovery-srv-name'],
  ]),
  ...sharing(PEER_TLS, ['peer-client-cert-auth?', 'peer-auto-tls?', 'peer-client-cert-file', 'peer-client-key-file']),
  'socket-reuse-port?': '',
  'socket-reuse-address?': '',
  'enable-pprof?': '',
  ...sharing(LOG, ['logger', 'log-outputs', 'log-format', 'enable-log-rotation?', 'log-rotation-config-json']),
  ...sharing('traces are not exported', [
    ...['enable-distributed-tracing?', 'distributed-tracing-address', 'distributed-tracing-service-name'],
    ...['distributed-tracing-instance-id', 'distributed-tracing-sampling-rate'],
  ]),
  'unsafe-no-fsync?': 'acknowledged writes are always synced to disk',
};

/** Name: reason, and the values that are accepted. A name that ends in `?` is a switch. */
const REFUSED: Readonly<Record<string, readonly [reason: string, ...accepted: string[]]>> = {
  'admission-control': ['it was removed; see --enable-admission-plugins and --disable-admission-plugins', ''],
  'allow-privileged?': ['privileged containers are always allowed; enforce Pod Security to forbid them', 'true'],
  'emulated-version': [EMULATION, '1.37', 'kube=1.37', 'v1.37', 'kube=v1.37', ''],
  'emulation-forward-compatible?': [EMULATION, 'false'],
  'etcd-cafile': [`${STORE} and does not use etcd; see --data-dir`, ''],
  'etcd-certfile': [`${STORE} and does not use etcd; see --data-dir`, ''],
  'etcd-keyfile': [`${STORE} and does not use etcd; see --data-dir`, ''],
  'etcd-prefix': [`${STORE} and does not use etcd; see --data-dir`, '/registry', ''],
  'etcd-servers': [`${STORE} and does not use etcd; see --data-dir`, ''],
  'etcd-servers-overrides': [`${STORE} and does not use etcd; see --data-dir`, ''],
  'min-compatibility-version': [EMULATION, '1.36', '1.37', 'kube=1.36', 'kube=1.37', ''],
  'runtime-config-emulation-forward-compatible?': [EMULATION, 'false'],
  'service-account-signing-endpoint': ['keys are read from files', ''],
  'storage-backend': [`${STORE} and keeps the data itself`, 'etcd3', ''],
  // etcd
  'cipher-suites': ['the suites of Node.js are used', ''],
  'force-new-cluster?': ['restore a snapshot with triremectl instead', 'false'],
  'peer-cert-allowed-cn': ['every certificate of the authority of the peers is accepted', ''],
  'peer-cert-allowed-hostname': ['every certificate of the authority of the peers is accepted', ''],
  'peer-crl-file': ['certificates are not checked against revocation lists', ''],
  'peer-skip-client-san-verification?': [PEER_TLS, 'false'],
  'tls-max-version': ['the newest version of TLS that both sides know is used', 'TLS1.3', ''],
};

function sharing(reason: string, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}

/** By name, without dashes in front. */
export const UPSTREAM_FLAGS: ReadonlyMap<string, UpstreamFlag> = new Map(
  [
    ...Object.entries(NO_EFFECT).map(([name, reason]) => ({ name, reason, refused: false, accepted: [] as string[] })),
    ...Object.entries(REFUSED).map(([name, [reason, ...accepted]]) => ({ name, reason, refused: true, accepted })),
  ].map(({ name, ...flag }) => [name.replace(/\?$/, ''), { ...flag, boolean: name.endsWith('?') }]),
);
