import { resolve } from 'node:path';
import { type AccessConfig, accessConfigOf } from './accessconfig.js';
import { type AuditConfig, auditConfigOf } from './auditflags.js';
import { SIGNERS } from './controllerflags.js';
import { ConfigError, isPeerUrl, parseDuration, parseRetention, throwProblems } from './flag.js';
import { type FlagName, QUOTA_BYTES } from './flags.js';
import { chooseFeatures } from './gates.js';
import { type MetricsUrl, metricsUrls } from './metricsflags.js';
import type { FlagValues } from './parse.js';
import { portRange, serviceRanges } from './ranges.js';
import { readRuntimeConfig } from './runtimeconfig.js';
import { shownFlags } from './shownflags.js';
import { chanceOf, type TlsConfig, tlsConfigOf } from './tlsflags.js';

/** A signer in the names of flags: `kubelet-client` is `kubernetes.io/kube-apiserver-client-kubelet`. */
export type Signer = (typeof SIGNERS)[number];

/** The configuration of a server, frozen. Times are milliseconds. */
export interface Config {
  readonly dataDir: string;
  readonly serving: ServingConfig;
  readonly cluster: ClusterConfig;
  readonly api: ApiConfig;
  readonly access: AccessConfig;
  readonly outbound: OutboundConfig;
  readonly limits: LimitsConfig;
  readonly encryption: EncryptionConfig;
  readonly audit: AuditConfig;
  readonly controllers: readonly string[];
  readonly controllerSettings: ControllerSettings;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** The values of all flags by name, in the form in which kube-apiserver shows its flags. */
  readonly flags: Readonly<Record<string, string>>;
  /** Lines for the log: settings that are accepted and have no effect, or will be removed. */
  readonly warnings: readonly string[];
}

export interface ServingConfig {
  readonly bindAddress: string;
  readonly port: number;
  /** '' means the address on which the server listens. */
  readonly advertiseAddress: string;
  /** Files; '' if the server generates its own. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCaFile: string;
  /** The chance that a request over HTTP/2 asks its client to connect again. */
  readonly goawayChance: number;
  /** Folder of the serving certificate; '' for the one in the data folder. */
  readonly certDir: string;
  readonly tls: TlsConfig;
  /** Further addresses for metrics and health, open to everybody. */
  readonly metricsUrls: readonly MetricsUrl[];
  readonly shutdownDelay: number;
  readonly shutdownGrace: number;
}

export interface ClusterConfig {
  readonly name: string;
  /** URLs by the name of the member; empty for a cluster of one. */
  readonly initialCluster: ReadonlyMap<string, readonly string[]>;
  readonly initialState: 'new' | 'existing';
  readonly token: string;
  readonly forceNew: boolean;
  readonly listenPeerUrls: readonly string[];
  readonly advertisePeerUrls: readonly string[];
  readonly peerAllowedCommonNames: readonly string[];
  readonly peerAllowedHostnames: readonly string[];
  readonly peerCertFile: string;
  readonly peerKeyFile: string;
  readonly peerCaFile: string;
  readonly heartbeatInterval: number;
  readonly electionTimeout: number;
  readonly snapshotCount: number;
  readonly compactionRetention: number;
  readonly quotaBytes: number;
}

export interface ApiConfig {
  readonly runtimeConfig: ReadonlyMap<string, boolean>;
  /** Every known gate, and whether it is enabled. */
  readonly featureGates: ReadonlyMap<string, boolean>;
  readonly admission: {
    readonly enabled: readonly string[];
    readonly disabled: readonly string[];
    /** '' for none. */
    readonly configFile: string;
    readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number };
  };
  readonly serviceRanges: readonly string[];
  readonly nodePorts: { readonly from: number; readonly to: number };
  /** Whole seconds; 0: events do not expire. */
  readonly eventSeconds: number;
}

/** Connections that the server makes to others. */
export interface OutboundConfig {
  /** EgressSelectorConfiguration; '' for none. */
  readonly egressFile: string;
  /** Whether services are reached at their endpoints instead of the cluster IP. */
  readonly toEndpoints: boolean;
  /** The client certificate for aggregated servers. */
  readonly proxyClient: KeyFiles | undefined;
  readonly kubelets: KubeletConfig;
}

/** Connections to kubelets. */
export interface KubeletConfig {
  /** Types of node addresses, the preferred ones first. */
  readonly addressTypes: readonly string[];
  /** The client certificate of the server; undefined: one of its own authority. */
  readonly client: KeyFiles | undefined;
  /** Authorities of the kubelets' certificates; '': they are not verified. */
  readonly caFile: string;
  /** Milliseconds to connect. */
  readonly dialTime: number;
}

export interface ControllerSettings {
  /** Whether the endpoints of the Service `kubernetes` are kept. */
  readonly keepsOwnEndpoints: boolean;
  readonly endpointsPerSlice: number;
  readonly mirroredPerSubset: number;
  readonly signing: SigningConfig;
}

export interface SigningConfig {
  /** Milliseconds. */
  readonly duration: number;
  /** The authority for every signer without its own; undefined: the authority of this server. */
  readonly authority: KeyFiles | undefined;
  /** By signer, without `kubernetes.io/`. */
  readonly authorities: ReadonlyMap<Signer, KeyFiles>;
}

export interface KeyFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface EncryptionConfig {
  /** The file of the EncryptionConfiguration; '' for none. */
  readonly configFile: string;
  /** Whether changes of the file are applied. */
  readonly reload: boolean;
}

export interface LimitsConfig {
  /** Whether priority and fairness divides the sum of both limits. */
  readonly fairness: boolean;
  readonly requestsInFlight: number;
  readonly mutatingInFlight: number;
  readonly requestTimeout: number;
  readonly watchTimeout: number;
}

const NOT_NEGATIVE = [
  'max-requests-inflight',
  'max-mutating-requests-inflight',
  'request-timeout',
  'min-request-timeout',
] as const satisfies readonly FlagName[];

/**
 * Builds the configuration from the texts of all flags. `given` are the names of the flags on the command line: some
 * exclude others only if they are set. Throws `ConfigError` if flags contradict each other.
 */
export function configOf(
  values: FlagValues,
  flagWarnings: readonly string[] = [],
  given: ReadonlySet<string> = new Set(),
): Config {
  const text = (name: FlagName): string => values[name];
  const integer = (name: FlagName): number => Number(values[name]);
  const duration = (name: FlagName): number => parseDuration(values[name]) ?? 0;
  const list = (name: FlagName): readonly string[] => values[name].split(',').filter((s) => s !== '');
  const { chance, problems } = chanceOf(text('goaway-chance'));
  throwProblems([
    ...NOT_NEGATIVE.filter((name) => values[name].startsWith('-')).map((name) => `--${name} can not be negative value`),
    ...problems,
  ]);

  if ((text('tls-cert-file') === '') !== (text('tls-private-key-file') === ''))
    throw new ConfigError('missing filename for serving cert');
  if (integer('election-timeout') < 5 * integer('heartbeat-interval'))
    throw new ConfigError('--election-timeout must be at least five times --heartbeat-interval');
  const initialCluster = membersOf(text('initial-cluster'));
  if (initialCluster.size > 0 && !initialCluster.has(text('name')))
    throw new ConfigError(`--initial-cluster does not name this peer, ${text('name')}`);
  const peerFiles = [text('peer-cert-file'), text('peer-key-file'), text('peer-trusted-ca-file')];
  if (new Set(peerFiles.map((f) => f === '')).size > 1)
    throw new ConfigError('--peer-cert-file, --peer-key-file and --peer-trusted-ca-file must be set together');
  if (list('peer-cert-allowed-cn').length > 0 && list('peer-cert-allowed-hostname').length > 0)
    throw new ConfigError('--peer-cert-allowed-cn and --peer-cert-allowed-hostname exclude each other');
  const advertised = list('initial-advertise-peer-urls');
  if (text('encryption-provider-config-automatic-reload') === 'true' && text('encryption-provider-config') === '')
    throw new ConfigError(
      '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config',
    );
  const features = chooseFeatures(text('feature-gates'));

  return deepFreeze({
    dataDir: resolve(text('data-dir')),
    serving: {
      bindAddress: text('bind-address'),
      port: integer('secure-port'),
      advertiseAddress: text('advertise-address'),
      certFile: text('tls-cert-file'),
      keyFile: text('tls-private-key-file'),
      clientCaFile: text('client-ca-file'),
      certDir: text('tls-cert-file') === '' ? text('cert-dir') : '',
      tls: tlsConfigOf(values),
      goawayChance: chance,
      metricsUrls: metricsUrls(list('listen-metrics-urls')),
      shutdownDelay: duration('shutdown-delay-duration'),
      shutdownGrace: duration('shutdown-grace-duration'),
    },
    cluster: {
      name: text('name'),
      initialCluster,
      initialState: text('initial-cluster-state') as 'new' | 'existing',
      token: text('initial-cluster-token'),
      forceNew: text('force-new-cluster') === 'true',
      listenPeerUrls: list('listen-peer-urls'),
      advertisePeerUrls: advertised.length > 0 ? advertised : list('listen-peer-urls'),
      peerAllowedCommonNames: list('peer-cert-allowed-cn'),
      peerAllowedHostnames: list('peer-cert-allowed-hostname'),
      peerCertFile: text('peer-cert-file'),
      peerKeyFile: text('peer-key-file'),
      peerCaFile: text('peer-trusted-ca-file'),
      heartbeatInterval: integer('heartbeat-interval'),
      electionTimeout: integer('election-timeout'),
      snapshotCount: integer('snapshot-count'),
      compactionRetention: parseRetention(text('auto-compaction-retention'))!,
      quotaBytes: integer('quota-backend-bytes') || QUOTA_BYTES,
    },
    api: {
      runtimeConfig: readRuntimeConfig(text('runtime-config')),
      featureGates: features.enabled,
      admission: {
        enabled: list('enable-admission-plugins'),
        disabled: list('disable-admission-plugins'),
        configFile: text('admission-control-config-file'),
        tolerationSeconds: {
          notReady: integer('default-not-ready-toleration-seconds'),
          unreachable: integer('default-unreachable-toleration-seconds'),
        },
      },
      serviceRanges: serviceRanges(text('service-cluster-ip-range')),
      nodePorts: portRange(text('service-node-port-range'))!,
      eventSeconds: Math.floor(duration('event-ttl') / 1000),
    },
    access: accessConfigOf(values, given),
    outbound: {
      egressFile: text('egress-selector-config-file'),
      toEndpoints: values['enable-aggregator-routing'] === 'true',
      proxyClient:
        text('proxy-client-cert-file') === ''
          ? undefined
          : { certFile: text('proxy-client-cert-file'), keyFile: text('proxy-client-key-file') },
      kubelets: {
        addressTypes: list('kubelet-preferred-address-types'),
        client:
          text('kubelet-client-certificate') === ''
            ? undefined
            : { certFile: text('kubelet-client-certificate'), keyFile: text('kubelet-client-key') },
        caFile: text('kubelet-certificate-authority'),
        dialTime: duration('kubelet-timeout'),
      },
    },
    flags: shownFlags(values),
    audit: auditConfigOf(text),
    encryption: {
      configFile: text('encryption-provider-config'),
      reload: text('encryption-provider-config-automatic-reload') === 'true',
    },
    limits: {
      fairness: values['enable-priority-and-fairness'] === 'true',
      requestsInFlight: integer('max-requests-inflight'),
      mutatingInFlight: integer('max-mutating-requests-inflight'),
      requestTimeout: duration('request-timeout'),
      watchTimeout: integer('min-request-timeout') * 1000,
    },
    controllers: list('controllers'),
    controllerSettings: {
      keepsOwnEndpoints: text('endpoint-reconciler-type') !== 'none',
      endpointsPerSlice: integer('max-endpoints-per-slice'),
      mirroredPerSubset: integer('mirroring-max-endpoints-per-subset'),
      signing: signingConfig(text, duration('cluster-signing-duration')),
    },
    logLevel: integer('v') >= 8 ? 'trace' : integer('v') >= 4 ? 'debug' : (text('log-level') as Config['logLevel']),
    warnings: [...flagWarnings, ...features.warnings],
  });
}

function signingConfig(text: (name: FlagName) => string, duration: number): SigningConfig {
  const files = (certificate: FlagName, privateKey: FlagName): KeyFiles | undefined => {
    const [certFile, keyFile] = [text(certificate), text(privateKey)];
    if ((certFile === '') !== (keyFile === ''))
      throw new ConfigError(`--${certificate} and --${privateKey} must be set together`);
    return certFile === '' ? undefined : { certFile, keyFile };
  };
  const authorities = new Map<Signer, KeyFiles>();
  for (const signer of SIGNERS) {
    const own = files(`cluster-signing-${signer}-cert-file`, `cluster-signing-${signer}-key-file`);
    if (own !== undefined) authorities.set(signer, own);
  }
  const authority = files('cluster-signing-cert-file', 'cluster-signing-key-file');
  if (authority !== undefined && authorities.size > 0)
    throw new ConfigError('--cluster-signing-cert-file and the files of single signers exclude each other');
  return { duration, authority, authorities };
}

/** Reads `a=https://x:1,b=https://y:1`; a name may be repeated, once for each of its URLs. */
function membersOf(text: string): ReadonlyMap<string, readonly string[]> {
  const members = new Map<string, string[]>();
  for (const part of text.split(',')) {
    if (part === '') continue;
    const eq = part.indexOf('=');
    const url = eq > 0 ? part.slice(eq + 1) : '';
    if (!isPeerUrl(url))
      throw new ConfigError(`--initial-cluster: ${JSON.stringify(part)} is not NAME=https://HOST:PORT`);
    const name = part.slice(0, eq);
    if ([...members.values()].flat().includes(url))
      throw new ConfigError(`--initial-cluster: ${url} occurs twice; every peer needs its own`);
    members.set(name, [...(members.get(name) ?? []), url]);
  }
  return members;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !(value instanceof Map)) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
