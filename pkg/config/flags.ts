import { isIP } from 'node:net';
import { ACCESS_FLAGS } from './accessflags.js';
import { type Flag, isPeerUrl, parseDuration, parseRetention } from './flag.js';
import { featureHelp } from './gates.js';
import { portRange, serviceRangeProblem } from './ranges.js';

/** Milliseconds, as etcd bounds it: a cluster that is longer without a leader is not worth waiting for. */
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
const longerThanNothing = (text: string): string | undefined =>
  (parseDuration(text) ?? 0) > 0 ? undefined : 'must be more than 0';
const positive = (text: string): string | undefined => (Number(text) > 0 ? undefined : 'must be more than 0');
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

/** Of the store, where nobody says another. */
export const QUOTA_BYTES = 8 * 1024 ** 3;

/**
 * Every flag. Those of the API side are named as kube-apiserver names them, those of the store and its peers as etcd does, so
 * that what people know and what their unit files say goes on to work.
 */
export const FLAGS = [
  {
    name: 'data-dir',
    kind: 'string',
    default: './.trireme',
    group: 'Storage and cluster',
    check: notEmpty,
    value: 'FOLDER',
    help: 'Where the store, the keys and the admin kubeconfig live.',
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
    help: 'All peers of a new cluster; empty: this one alone.',
  },
  {
    name: 'initial-cluster-state',
    kind: 'string',
    default: 'new',
    group: 'Storage and cluster',
    check: clusterState,
    value: 'new|existing',
    help: 'Whether this peer begins a cluster or joins one.',
  },
  {
    name: 'initial-cluster-token',
    kind: 'string',
    default: 'trireme-cluster',
    group: 'Storage and cluster',
    value: 'TOKEN',
    help: 'Keeps clusters apart that were set up alike.',
  },
  {
    name: 'listen-peer-urls',
    kind: 'list',
    default: 'https://127.0.0.1:2380',
    group: 'Storage and cluster',
    check: peerUrls,
    value: 'URL,...',
    help: 'Where this peer listens for its peers.',
  },
  {
    name: 'force-new-cluster',
    kind: 'boolean',
    default: 'false',
    group: 'Storage and cluster',
    help: 'Make a cluster of this peer alone out of its data, after the loss of a majority. Use it for one start only.',
  },
  {
    name: 'initial-advertise-peer-urls',
    kind: 'list',
    default: '',
    group: 'Storage and cluster',
    check: peerUrlsOrNone,
    value: 'URL,...',
    help: 'Where the other peers reach this one; empty: as listened on.',
  },
  {
    name: 'peer-cert-file',
    kind: 'string',
    default: '',
    group: 'Storage and cluster',
    value: 'FILE',
    help: 'Certificate shown to peers.',
  },
  { name: 'peer-key-file', kind: 'string', default: '', group: 'Storage and cluster', value: 'FILE', help: 'Its key.' },
  {
    name: 'peer-trusted-ca-file',
    kind: 'string',
    default: '',
    group: 'Storage and cluster',
    value: 'FILE',
    help: 'Authority of the peers.',
  },
  {
    name: 'peer-cert-allowed-cn',
    kind: 'list',
    default: '',
    group: 'Storage and cluster',
    value: 'NAME,...',
    help: 'Common names that certificates of other peers may have; empty: any.',
  },
  {
    name: 'peer-cert-allowed-hostname',
    kind: 'list',
    default: '',
    group: 'Storage and cluster',
    value: 'HOST,...',
    help: 'Hosts of which a certificate of another peer must be for one; empty: any.',
  },
  {
    name: 'heartbeat-interval',
    kind: 'integer',
    default: '100',
    group: 'Storage and cluster',
    check: positive,
    value: 'MS',
    help: 'Milliseconds between heartbeats of the leader.',
  },
  {
    name: 'election-timeout',
    kind: 'integer',
    default: '1000',
    group: 'Storage and cluster',
    check: electionTime,
    value: 'MS',
    help: 'Milliseconds without a leader after which one is elected.',
  },
  {
    name: 'snapshot-count',
    kind: 'integer',
    default: '10000',
    group: 'Storage and cluster',
    check: positive,
    value: 'N',
    help: 'Log entries that are kept for peers that lag behind.',
  },
  {
    name: 'auto-compaction-retention',
    kind: 'string',
    default: '5m',
    group: 'Storage and cluster',
    check: retention,
    value: 'DURATION',
    help: 'How long history is kept, for watches and lists of the past; a number alone is hours, 0 keeps all.',
  },
  {
    name: 'quota-backend-bytes',
    kind: 'bytes',
    default: String(QUOTA_BYTES),
    group: 'Storage and cluster',
    value: 'BYTES',
    help: 'Writes are refused when the store is larger; 0: the default.',
  },

  {
    name: 'bind-address',
    kind: 'string',
    default: '127.0.0.1',
    group: 'Serving',
    check: address,
    value: 'ADDRESS',
    help: 'Address to serve on; 0.0.0.0 for all.',
  },
  {
    name: 'secure-port',
    kind: 'integer',
    default: '6443',
    group: 'Serving',
    check: port,
    value: 'PORT',
    help: 'Port to serve on; 0 for any that is free.',
  },
  {
    name: 'advertise-address',
    kind: 'string',
    default: '',
    group: 'Serving',
    check: addressOrNone,
    value: 'ADDRESS',
    help: 'Address that clients are told; empty: the one served on.',
  },
  {
    name: 'tls-cert-file',
    kind: 'string',
    default: '',
    group: 'Serving',
    value: 'FILE',
    help: 'Serving certificate; empty: made on the first start.',
  },
  { name: 'tls-private-key-file', kind: 'string', default: '', group: 'Serving', value: 'FILE', help: 'Its key.' },
  {
    name: 'cert-dir',
    kind: 'string',
    default: '',
    group: 'Serving',
    value: 'FOLDER',
    help: 'Folder of apiserver.crt and apiserver.key; written there on the first start. Ignored with --tls-cert-file.',
  },
  {
    name: 'client-ca-file',
    kind: 'string',
    default: '',
    group: 'Serving',
    value: 'FILE',
    help: 'Authority of client certificates; empty: the one made on the first start.',
  },
  {
    name: 'shutdown-delay-duration',
    kind: 'duration',
    default: '0s',
    group: 'Serving',
    value: 'DURATION',
    help: 'After SIGTERM, how long to serve on while /readyz fails.',
  },
  {
    name: 'shutdown-grace-duration',
    kind: 'duration',
    default: '10s',
    group: 'Serving',
    value: 'DURATION',
    help: 'After that, how long requests may take to finish.',
  },

  {
    name: 'runtime-config',
    kind: 'pairs',
    repeats: true,
    default: '',
    group: 'API',
    value: 'KEY=BOOL,...',
    help: 'Versions and resources on or off; the narrower key counts. Versions that are not stable are off by default.',
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
    help: 'Features on or off, each as Name=BOOL or kube:Name=BOOL.',
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
    help: 'Cluster IPs of services come from here.',
  },
  {
    name: 'service-node-port-range',
    kind: 'string',
    default: '30000-32767',
    group: 'API',
    check: nodePorts,
    value: 'FROM-TO',
    help: 'Node ports of services come from here; FROM+SIZE does as well.',
  },

  ...ACCESS_FLAGS,

  {
    name: 'max-requests-inflight',
    kind: 'integer',
    default: '400',
    group: 'Limits',
    value: 'N',
    help: 'Reading requests served at a time; further ones wait, then get 429. 0: no limit.',
  },
  {
    name: 'max-mutating-requests-inflight',
    kind: 'integer',
    default: '200',
    group: 'Limits',
    value: 'N',
    help: 'The same for changing requests.',
  },
  {
    name: 'request-timeout',
    kind: 'duration',
    default: '1m0s',
    group: 'Limits',
    check: longerThanNothing,
    value: 'DURATION',
    help: 'A request that takes longer gets 504.',
  },
  {
    name: 'min-request-timeout',
    kind: 'integer',
    default: '1800',
    group: 'Limits',
    check: positive,
    value: 'SECONDS',
    help: 'A watch that names no time-out lasts this long at least, and less than twice.',
  },

  {
    name: 'controllers',
    kind: 'list',
    repeats: true,
    default: '*',
    group: 'Controllers',
    value: 'NAME,...',
    help: 'Which run here: * for all, -NAME for all but that, NAME for that alone.',
  },

  {
    name: 'v',
    kind: 'integer',
    default: '0',
    group: 'Log',
    value: 'N',
    help: 'Verbosity: 4 and more is debug, 8 and more trace.',
  },
  {
    name: 'log-level',
    kind: 'string',
    default: 'info',
    group: 'Log',
    check: logLevel,
    value: 'LEVEL',
    help: 'Least level that is logged.',
  },
] as const satisfies readonly Flag[];

export type { AuthorizationMode } from './accessflags.js';
export type FlagName = (typeof FLAGS)[number]['name'];
