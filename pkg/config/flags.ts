import { isIP } from 'node:net';
import { ACCESS_FLAGS } from './accessflags.js';
import { AUDIT_FLAGS } from './auditflags.js';
import { AUTH_FLAGS } from './authflags.js';
import { CONTROLLER_FLAGS } from './controllerflags.js';
import { type Flag, isPeerUrl, parseDuration, parseRetention } from './flag.js';
import { featureHelp } from './gates.js';
import { METRICS_FLAGS } from './metricsflags.js';
import { OUTBOUND_FLAGS } from './outboundflags.js';
import { portRange, serviceRangeProblem } from './ranges.js';
import { TLS_FLAGS } from './tlsflags.js';

/** Milliseconds. The bound of etcd. */
const ELECTION_TIME_MAX = 50_000;

const port = (text: string): string | undefined => (Number(text) <= 65535 ? undefined : 'must be a port (0 to 65535)');
const address = (text: string): string | undefined => (isIP(text) > 0 ? undefined : 'must be an IP address');
const addressOrNone = (text: string): string | undefined => (text === '' ? undefined : address(text));
const peerUrls = (text: string): string | undefined => {
  const wrong = text.split(',').find((url) => !isPeerUrl(url));
  return wrong === undefined
    ? undefined
    : `must be https://HOST:PORT, or several with commas, not ${JSON.stringify(wrong)}`;
};
const peerUrlsOrNone = (text: string): string | undefined => (text === '' ? undefined : peerUrls(text));
const electionTime = (text: string): string | undefined =>
  Number(text) > 0 && Number(text) <= ELECTION_TIME_MAX ? undefined : `must be 1 to ${ELECTION_TIME_MAX}`;
/** Negative values have a message of their own. */
const longerThanNothing = (text: string): string | undefined =>
  text.startsWith('-') || (parseDuration(text) ?? 0) > 0 ? undefined : 'must be more than 0';
const positive = (text: string): string | undefined =>
  text.startsWith('-') || Number(text) > 0 ? undefined : 'must be more than 0';
const notEmpty = (text: string): string | undefined => (text !== '' ? undefined : 'must not be empty');
const retention = (text: string): string | undefined =>
  parseRetention(text) === undefined ? 'must be a duration such as 90s, 5m or 1h30m, or a number of hours' : undefined;
const nodePorts = (text: string): string | undefined =>
  portRange(text) === undefined ? 'must be two ports, such as 30000-32767' : undefined;
const clusterState = (text: string): string | undefined =>
  text === 'new' || text === 'existing' ? undefined : 'must be "new" or "existing"';
const logLevel = (text: string): string | undefined =>
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].includes(text)
    ? undefined
    : 'must be one of trace, debug, info, warn, error, fatal, silent';

/** The default of --quota-backend-bytes. */
export const QUOTA_BYTES = 8 * 1024 ** 3;

/** Every flag. API flags have the names of kube-apiserver, flags of the store and its peers those of etcd. */
export const FLAGS = [
  {
    name: 'data-dir',
    kind: 'string',
    default: './.trireme',
    group: 'Storage and cluster',
    check: notEmpty,
    value: 'FOLDER',
    help: 'Folder of the store, the keys and the kubeconfig of the administrator.',
  },
  {
    name: 'name',
    kind: 'string',
    default: 'default',
    group: 'Storage and cluster',
    check: notEmpty,
    value: 'NAME',
    help: 'Name of this peer.',
  },
  {
    name: 'initial-cluster',
    kind: 'list',
    default: '',
    group: 'Storage and cluster',
    value: 'NAME=URL,...',
    help: 'The members of a new cluster; empty for a cluster of one.',
  },
  {
    name: 'initial-cluster-state',
    kind: 'string',
    default: 'new',
    group: 'Storage and cluster',
    check: clusterState,
    value: 'new|existing',
    help: 'Whether this peer founds a cluster or joins one.',
  },
  {
    name: 'initial-cluster-token',
    kind: 'string',
    default: 'trireme-cluster',
    group: 'Storage and cluster',
    value: 'TOKEN',
    help: 'Distinguishes clusters with the same members.',
  },
  {
    name: 'listen-peer-urls',
    kind: 'list',
    default: 'https://127.0.0.1:2380',
    group: 'Storage and cluster',
    check: peerUrls,
    value: 'URL,...',
    help: 'URLs that this peer listens on for other peers.',
  },
  {
    name: 'force-new-cluster',
    kind: 'boolean',
    default: 'false',
    group: 'Storage and cluster',
    help: 'Create a cluster of this peer alone from its data, after the loss of a majority. Use it for one start only.',
  },
  {
    name: 'initial-advertise-peer-urls',
    kind: 'list',
    default: '',
    group: 'Storage and cluster',
    check: peerUrlsOrNone,
    value: 'URL,...',
    help: 'URLs at which other peers reach this one; empty for --listen-peer-urls.',
  },
  {
    name: 'peer-cert-file',
    kind: 'string',
    default: '',
    group: 'Storage and cluster',
    value: 'FILE',
    help: 'Certificate for connections between peers.',
  },
  {
    name: 'peer-key-file',
    kind: 'string',
    default: '',
    group: 'Storage and cluster',
    value: 'FILE',
    help: 'Private key of that certificate.',
  },
  {
    name: 'peer-trusted-ca-file',
    kind: 'string',
    default: '',
    group: 'Storage and cluster',
    value: 'FILE',
    help: 'Certificate authority of the peers.',
  },
  {
    name: 'peer-cert-allowed-cn',
    kind: 'list',
    default: '',
    group: 'Storage and cluster',
    value: 'NAME,...',
    help: 'Common names that certificates of other peers may have; empty for any.',
  },
  {
    name: 'peer-cert-allowed-hostname',
    kind: 'list',
    default: '',
    group: 'Storage and cluster',
    value: 'HOST,...',
    help: 'Hosts, one of which the certificate of another peer must name; empty for any.',
  },
  {
    name: 'heartbeat-interval',
    kind: 'integer',
    default: '100',
    group: 'Storage and cluster',
    check: positive,
    value: 'MS',
    help: 'Interval of the heartbeats of the leader, in milliseconds.',
  },
  {
    name: 'election-timeout',
    kind: 'integer',
    default: '1000',
    group: 'Storage and cluster',
    check: electionTime,
    value: 'MS',
    help: 'Time without a leader after which an election starts, in milliseconds.',
  },
  {
    name: 'snapshot-count',
    kind: 'integer',
    default: '10000',
    group: 'Storage and cluster',
    check: positive,
    value: 'N',
    help: 'Number of log entries to keep for peers that lag behind.',
  },
  {
    name: 'auto-compaction-retention',
    kind: 'string',
    default: '5m',
    group: 'Storage and cluster',
    check: retention,
    value: 'DURATION',
    help: 'How long to keep old revisions; a plain number means hours, 0 keeps all.',
  },
  {
    name: 'quota-backend-bytes',
    kind: 'bytes',
    default: String(QUOTA_BYTES),
    group: 'Storage and cluster',
    value: 'BYTES',
    help: 'Size of the store above which writes are refused; 0 means the default.',
  },

  {
    name: 'bind-address',
    kind: 'string',
    default: '127.0.0.1',
    group: 'Serving',
    check: address,
    value: 'ADDRESS',
    help: 'Address to listen on; 0.0.0.0 for all.',
  },
  {
    name: 'secure-port',
    kind: 'integer',
    default: '6443',
    group: 'Serving',
    check: port,
    value: 'PORT',
    help: 'Port to listen on; 0 for any free port.',
  },
  {
    name: 'advertise-address',
    kind: 'string',
    default: '',
    group: 'Serving',
    check: addressOrNone,
    value: 'ADDRESS',
    help: 'Address advertised to clients; empty for --bind-address.',
  },
  {
    name: 'tls-cert-file',
    kind: 'string',
    default: '',
    group: 'Serving',
    value: 'FILE',
    help: 'Serving certificate; empty for one that is generated at the first start.',
  },
  {
    name: 'tls-private-key-file',
    kind: 'string',
    default: '',
    group: 'Serving',
    value: 'FILE',
    help: 'Private key of that certificate.',
  },
  ...TLS_FLAGS,
  ...METRICS_FLAGS,
  {
    name: 'cert-dir',
    kind: 'string',
    default: '',
    group: 'Serving',
    value: 'FOLDER',
    help: 'Folder of apiserver.crt and apiserver.key, which are written at the first start. Ignored with --tls-cert-file.',
  },
  {
    name: 'client-ca-file',
    kind: 'string',
    default: '',
    group: 'Serving',
    value: 'FILE',
    help: 'Certificate authority of clients; empty for the one that is generated at the first start.',
  },
  {
    name: 'shutdown-delay-duration',
    kind: 'duration',
    default: '0s',
    group: 'Serving',
    value: 'DURATION',
    help: 'Time after SIGTERM during which /readyz fails and requests are still served.',
  },
  {
    name: 'shutdown-grace-duration',
    kind: 'duration',
    default: '10s',
    group: 'Serving',
    value: 'DURATION',
    help: 'Time that requests get to finish after that.',
  },

  {
    name: 'runtime-config',
    kind: 'pairs',
    repeats: true,
    default: '',
    group: 'API',
    value: 'KEY=BOOL,...',
    help: 'Enables or disables versions and resources; the most specific key wins. Alpha and beta versions are disabled by default.',
    options: () => [
      'v1=true|false for the core API group',
      '<group>/<version>=true|false for a version of another group, such as apps/v1=true',
      '<group>/<version>/<resource>=true|false for one resource of it, such as resource.k8s.io/v1beta1/resourceclaims=true',
      'api/all=true|false for all versions',
      'api/ga=true|false for all versions of the form v[0-9]+',
      'api/beta=true|false for all versions of the form v[0-9]+beta[0-9]+',
      'api/alpha=true|false for all versions of the form v[0-9]+alpha[0-9]+',
    ],
  },
  {
    name: 'feature-gates',
    kind: 'pairs',
    repeats: true,
    default: '',
    group: 'API',
    value: 'GATE=BOOL,...',
    help: 'Enables or disables features: Name=BOOL or kube:Name=BOOL.',
    options: featureHelp,
  },
  {
    name: 'enable-admission-plugins',
    kind: 'list',
    repeats: true,
    default: '',
    group: 'API',
    value: 'NAME,...',
    help: 'Admission plug-ins to enable in addition to those that are enabled by default.',
  },
  {
    name: 'disable-admission-plugins',
    kind: 'list',
    repeats: true,
    default: '',
    group: 'API',
    value: 'NAME,...',
    help: 'Admission plug-ins to disable although they are enabled by default.',
  },
  {
    name: 'admission-control-config-file',
    kind: 'string',
    default: '',
    group: 'API',
    value: 'FILE',
    help: 'An AdmissionConfiguration: settings of PodSecurity, EventRateLimit, ResourceQuota and PodNodeSelector.',
  },
  {
    name: 'default-not-ready-toleration-seconds',
    kind: 'integer',
    default: '300',
    group: 'API',
    value: 'SECONDS',
    help: 'How long DefaultTolerationSeconds lets a pod stay on a node that is not ready.',
  },
  {
    name: 'default-unreachable-toleration-seconds',
    kind: 'integer',
    default: '300',
    group: 'API',
    value: 'SECONDS',
    help: 'How long DefaultTolerationSeconds lets a pod stay on a node that is unreachable.',
  },
  {
    name: 'service-cluster-ip-range',
    kind: 'string',
    default: '10.96.0.0/12',
    group: 'API',
    check: serviceRangeProblem,
    value: 'CIDR[,CIDR]',
    help: 'Range of cluster IPs; two for dual stack.',
  },
  {
    name: 'service-node-port-range',
    kind: 'string',
    default: '30000-32767',
    group: 'API',
    check: nodePorts,
    value: 'FROM-TO',
    help: 'Range of node ports; FROM+SIZE is accepted as well.',
  },

  {
    name: 'event-ttl',
    kind: 'duration',
    default: '1h0m0s',
    group: 'API',
    value: 'DURATION',
    help: 'Time after its last write until an event is deleted, in whole seconds; events are kept if it is less than 1s.',
  },

  ...ACCESS_FLAGS,
  ...AUDIT_FLAGS,
  ...AUTH_FLAGS,
  ...OUTBOUND_FLAGS,

  {
    name: 'enable-priority-and-fairness',
    kind: 'boolean',
    default: 'true',
    group: 'Limits',
    help: 'Whether FlowSchemas and PriorityLevelConfigurations are applied; otherwise the two limits below apply separately.',
  },
  {
    name: 'max-requests-inflight',
    kind: 'integer',
    signed: true,
    default: '400',
    group: 'Limits',
    value: 'N',
    help: 'Limit of concurrent read requests; further ones wait, then get 429. 0 means no limit. Priority levels divide the sum of both limits.',
  },
  {
    name: 'max-mutating-requests-inflight',
    kind: 'integer',
    signed: true,
    default: '200',
    group: 'Limits',
    value: 'N',
    help: 'The same limit for mutating requests.',
  },
  {
    name: 'request-timeout',
    kind: 'duration',
    signed: true,
    default: '1m0s',
    group: 'Limits',
    check: longerThanNothing,
    value: 'DURATION',
    help: 'Time after which a request fails with 504.',
  },
  {
    name: 'min-request-timeout',
    kind: 'integer',
    signed: true,
    default: '1800',
    group: 'Limits',
    check: positive,
    value: 'SECONDS',
    help: 'Minimum duration of a watch without timeoutSeconds; the duration is random, less than twice this.',
  },

  ...CONTROLLER_FLAGS,

  {
    name: 'v',
    kind: 'integer',
    default: '0',
    group: 'Log',
    value: 'N',
    help: 'Verbosity: 4 or more logs at debug level, 8 or more at trace level.',
  },
  {
    name: 'log-level',
    kind: 'string',
    default: 'info',
    group: 'Log',
    check: logLevel,
    value: 'LEVEL',
    help: 'Lowest level that is logged.',
  },
] as const satisfies readonly Flag[];

export type { AuthorizationMode } from './accessflags.js';
export type FlagName = (typeof FLAGS)[number]['name'];
