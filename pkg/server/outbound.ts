import { readFileSync } from 'node:fs';
import type { WebhookCalls } from '../admission/index.js';
import type { World } from '../base/index.js';
import { type Config, ConfigError, describeErrors, type FileTypes, readConfigFile } from '../config/index.js';
import {
  type EgressConnection,
  type EgressMetrics,
  type EgressNetwork,
  egressDialers,
  KubeconfigError,
  Outbound,
  OutboundKubeconfig,
  type ProxyTls,
  type WebhookClientParts,
  WebhookClients,
} from '../outbound/index.js';

/** Creates the outgoing calls of a server, through the proxies of `--egress-selector-config-file`. */
export async function openOutbound(
  { outbound: { egressFile } }: Config,
  world: World,
  metrics: EgressMetrics,
): Promise<Outbound> {
  if (egressFile === '') return new Outbound({ world });
  return new Outbound({ world, egress: egressDialers(await readEgress(egressFile), world, metrics) });
}

export interface WebhookCallParts extends Pick<WebhookClientParts, 'outbound' | 'resolve'> {
  readonly metrics: WebhookCalls['metrics'];
  readonly note: WebhookCalls['note'];
  /** Files with credentials, by plug-in; '' for none. */
  readonly kubeconfigs: Readonly<Record<string, string>>;
}

/** The calls of the two webhook plug-ins: each uses the credentials of its kubeconfig. */
export function webhookCalls(parts: WebhookCallParts): Readonly<Record<'mutating' | 'validating', WebhookCalls>> {
  const { outbound, resolve, metrics, note, kubeconfigs } = parts;
  const calls = (plugin: string): WebhookCalls => {
    const file = kubeconfigs[plugin] ?? '';
    const kubeconfig = file === '' ? undefined : outboundKubeconfig(file);
    const credentials = kubeconfig === undefined ? {} : { credentials: (to: string) => kubeconfig.credentialsFor(to) };
    return { clients: new WebhookClients({ outbound, resolve, ...credentials }), metrics, note };
  };
  return { mutating: calls('MutatingAdmissionWebhook'), validating: calls('ValidatingAdmissionWebhook') };
}

/** Reads a kubeconfig for outgoing calls of the server. Throws `ConfigError`. */
export function outboundKubeconfig(file: string): OutboundKubeconfig {
  try {
    return new OutboundKubeconfig({ file, read: (path) => readFileSync(path, 'utf8') });
  } catch (error) {
    if (error instanceof KubeconfigError) throw new ConfigError(`kubeconfig ${error.message}`);
    throw error;
  }
}

interface EgressFile {
  readonly egressSelections?: readonly { readonly name: string; readonly connection: ConnectionFile }[];
}

interface ConnectionFile {
  readonly proxyProtocol: 'Direct' | 'HTTPConnect' | 'GRPC';
  readonly transport?: {
    readonly tcp?: {
      readonly url: string;
      readonly tlsConfig?: { readonly caBundle?: string; readonly clientKey?: string; readonly clientCert?: string };
    };
    readonly uds?: { readonly udsName: string };
  };
}

const TEXT = { type: 'string' };
const EGRESS = {
  properties: {
    egressSelections: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'connection'],
        additionalProperties: false,
        properties: {
          name: TEXT,
          connection: {
            type: 'object',
            required: ['proxyProtocol'],
            additionalProperties: false,
            properties: {
              proxyProtocol: { type: 'string', enum: ['Direct', 'HTTPConnect', 'GRPC'] },
              transport: {
                type: 'object',
                additionalProperties: false,
                properties: {
                  tcp: {
                    type: 'object',
                    required: ['url'],
                    additionalProperties: false,
                    properties: {
                      url: TEXT,
                      tlsConfig: {
                        type: 'object',
                        additionalProperties: false,
                        properties: { caBundle: TEXT, clientKey: TEXT, clientCert: TEXT },
                      },
                    },
                  },
                  uds: {
                    type: 'object',
                    required: ['udsName'],
                    additionalProperties: false,
                    properties: { udsName: TEXT },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

const EGRESS_TYPES: FileTypes = {
  'apiserver.k8s.io/v1beta1/EgressSelectorConfiguration': EGRESS,
  'apiserver.k8s.io/v1alpha1/EgressSelectorConfiguration': EGRESS,
};

const NETWORKS: Readonly<Record<string, EgressNetwork>> = {
  cluster: 'cluster',
  controlplane: 'controlplane',
  etcd: 'etcd',
};

/** Reads an EgressSelectorConfiguration. Throws `ConfigError` with the path of the invalid field. */
export async function readEgress(file: string): Promise<ReadonlyMap<EgressNetwork, EgressConnection>> {
  const found = await readConfigFile<EgressFile>(textOf(file), EGRESS_TYPES);
  if (!found.ok) throw new ConfigError(`--egress-selector-config-file: ${file}: ${describeErrors(found.errors)}`);
  const selections = new Map<EgressNetwork, EgressConnection>();
  for (const [i, { name, connection }] of (found.value.egressSelections ?? []).entries()) {
    const wrong = (path: string, why: string): ConfigError =>
      new ConfigError(`--egress-selector-config-file: ${file}: egressSelections[${i}]${path}: ${why}`);
    const network = NETWORKS[name.toLowerCase()];
    if (network === undefined) throw wrong('.name', `"${name}" is not one of controlplane, etcd, cluster`);
    if (selections.has(network)) throw wrong('.name', `"${name}" is selected twice`);
    selections.set(
      network,
      connectionOf(connection, (path, why) => wrong(`.connection${path}`, why)),
    );
  }
  return selections;
}

function connectionOf(
  { proxyProtocol, transport }: ConnectionFile,
  wrong: (path: string, why: string) => ConfigError,
): EgressConnection {
  if (proxyProtocol === 'Direct') {
    if (transport !== undefined) throw wrong('.transport', 'must be absent for Direct');
    return { kind: 'direct' };
  }
  const kind = proxyProtocol === 'GRPC' ? 'grpc' : 'httpConnect';
  const { tcp, uds } = transport ?? {};
  if ((tcp === undefined) === (uds === undefined)) throw wrong('.transport', 'exactly one of tcp and uds is required');
  if (uds !== undefined) {
    if (uds.udsName === '') throw wrong('.transport.uds.udsName', 'must not be empty');
    return { kind, unixSocket: uds.udsName };
  }
  const { url, tlsConfig } = tcp!;
  const isSecure = url.startsWith('https://');
  if ((!isSecure && !url.startsWith('http://')) || !URL.canParse(url))
    throw wrong('.transport.tcp.url', 'must be an http or https URL');
  if (!isSecure) {
    if (tlsConfig !== undefined) throw wrong('.transport.tcp.tlsConfig', 'must be absent for http');
    return { kind, url, tls: undefined };
  }
  return { kind, url, tls: proxyTls(tlsConfig ?? {}, wrong) };
}

function proxyTls(
  { caBundle = '', clientKey = '', clientCert = '' }: { caBundle?: string; clientKey?: string; clientCert?: string },
  wrong: (path: string, why: string) => ConfigError,
): ProxyTls {
  const at = '.transport.tcp.tlsConfig';
  if ((clientKey === '') !== (clientCert === '')) throw wrong(at, 'clientKey and clientCert must be set together');
  const read = (field: string, path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      throw wrong(`${at}.${field}`, (error as Error).message);
    }
  };
  return {
    ...(caBundle === '' ? {} : { ca: read('caBundle', caBundle) }),
    ...(clientKey === ''
      ? {}
      : { certificate: { cert: read('clientCert', clientCert), key: read('clientKey', clientKey) } }),
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`--egress-selector-config-file: ${(error as Error).message}`);
  }
}
