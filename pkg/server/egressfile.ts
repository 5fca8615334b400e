import { existsSync, readFileSync } from 'node:fs';
import { FieldErrors, FieldPath, type JsonValue } from '../api/index.js';
import { ConfigError, describeErrors, type FileTypes, fileErrorText, readConfigFile } from '../config/index.js';
import type { EgressConnection, EgressNetwork, ProxyTls } from '../outbound/index.js';

interface EgressFile {
  readonly egressSelections?: readonly SelectionFile[] | null;
}

interface SelectionFile {
  readonly name?: string;
  readonly connection?: ConnectionFile;
}

interface ConnectionFile {
  readonly proxyProtocol?: string;
  readonly transport?: TransportFile | null;
}

interface TransportFile {
  readonly tcp?: TcpFile | null;
  readonly uds?: { readonly udsName?: string } | null;
}

interface TcpFile {
  readonly url?: string;
  readonly tlsConfig?: TlsFile | null;
}

interface TlsFile {
  readonly caBundle?: string;
  readonly clientKey?: string;
  readonly clientCert?: string;
  readonly tlsServerName?: string;
}

const TEXT = { type: 'string' };
const OBJECT = { type: 'object', additionalProperties: false };
const ABSENT_OR_OBJECT = { type: ['object', 'null'], additionalProperties: false };
const TLS = {
  ...ABSENT_OR_OBJECT,
  title: 'TLSConfig',
  properties: { caBundle: TEXT, clientKey: TEXT, clientCert: TEXT, tlsServerName: TEXT },
};
const TRANSPORT = {
  ...ABSENT_OR_OBJECT,
  title: 'Transport',
  properties: {
    tcp: { ...ABSENT_OR_OBJECT, title: 'TCPTransport', properties: { url: TEXT, tlsConfig: TLS } },
    uds: { ...ABSENT_OR_OBJECT, title: 'UDSTransport', properties: { udsName: TEXT } },
  },
};
const CONNECTION = { ...OBJECT, title: 'Connection', properties: { proxyProtocol: TEXT, transport: TRANSPORT } };
const EGRESS = {
  title: 'EgressSelectorConfiguration',
  properties: {
    egressSelections: {
      type: ['array', 'null'],
      items: { ...OBJECT, title: 'EgressSelection', properties: { name: TEXT, connection: CONNECTION } },
    },
  },
};

const EGRESS_TYPES: FileTypes = {
  'apiserver.k8s.io/v1beta1/EgressSelectorConfiguration': EGRESS,
  'apiserver.k8s.io/v1alpha1/EgressSelectorConfiguration': EGRESS,
};

/** The names of networks; `master` is the former name of `controlplane`. */
const NETWORKS: Readonly<Record<string, EgressNetwork | undefined>> = Object.assign(Object.create(null), {
  cluster: 'cluster',
  controlplane: 'controlplane',
  master: 'controlplane',
  etcd: 'etcd',
});

/** The paths of errors are those of kube-apiserver, which do not name the fields of the file. */
const SERVICE = FieldPath.of('service');
const CONNECTIONS = SERVICE.child('connection');

/**
 * Reads an EgressSelectorConfiguration; undefined if it has no list of selections. Throws `ConfigError` with all errors, in the texts of kube-apiserver. Unlike there, GRPC over TCP
 * is valid.
 */
export async function readEgress(file: string): Promise<ReadonlyMap<EgressNetwork, EgressConnection> | undefined> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `failed to read egress selector config: unable to read egress selector configuration from ${JSON.stringify(file)} [${fileErrorText(error, file)}]`,
    );
  }
  const found = await readConfigFile<EgressFile>(text, EGRESS_TYPES);
  if (!found.ok) throw new ConfigError(`failed to read egress selector config: ${describeErrors(found.errors)}`);
  const errors = new FieldErrors();
  const selections = new Map<EgressNetwork, EgressConnection>();
  const given = found.value.egressSelections ?? undefined;
  if (given === undefined) return undefined;
  const connections = given.map(({ connection = {} }) => connectionOf(connection, errors));
  const names = new Set<string>();
  for (const [i, { name = '' }] of given.entries()) {
    const lower = name.toLowerCase();
    const network = NETWORKS[lower];
    const canonical = network ?? lower;
    if (names.has(canonical)) errors.duplicate(CONNECTIONS.index(i), canonical);
    else if (network === undefined) errors.notSupported(CONNECTIONS, canonical, ['cluster', 'controlplane', 'etcd']);
    names.add(canonical);
    const read = connections[i];
    if (network !== undefined && read !== undefined) selections.set(network, read);
  }
  if (errors.empty) return selections;
  const texts = errors.list.map((e) => `${e.field}: ${e.message}`);
  const all = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
  throw new ConfigError(`failed to validate egress selector configuration: ${all}`);
}

/** Returns undefined, with an error reported, if the connection is invalid. */
function connectionOf(
  { proxyProtocol = '', transport }: ConnectionFile,
  errors: FieldErrors,
): EgressConnection | undefined {
  switch (proxyProtocol) {
    case 'Direct':
      if (isGiven(transport))
        errors.invalid(CONNECTIONS.child('transport'), 'direct', 'config must be absent for direct connect');
      return { kind: 'direct' };
    case 'HTTPConnect':
    case 'GRPC':
      if (isGiven(transport)) return proxyOf(proxyProtocol === 'GRPC' ? 'grpc' : 'httpConnect', transport, errors);
      errors.required(CONNECTIONS.child('transport'), `transport must be set for ${proxyProtocol}`);
      return undefined;
    default:
      errors.notSupported(CONNECTIONS.child('protocol'), proxyProtocol, ['Direct', 'HTTPConnect', 'GRPC']);
      return undefined;
  }
}

function proxyOf(
  kind: 'grpc' | 'httpConnect',
  { tcp, uds }: TransportFile,
  errors: FieldErrors,
): EgressConnection | undefined {
  if (isGiven(uds)) {
    if (isGiven(tcp) && kind === 'httpConnect')
      errors.invalid(CONNECTIONS.child('tcp'), printed(tcp), 'TCP and UDS cannot both be set');
    const { udsName = '' } = uds;
    if (udsName === '') errors.invalid(CONNECTIONS.child('udsName'), 'nil', 'must be present for UDS connections');
    return { kind, unixSocket: udsName };
  }
  if (!isGiven(tcp)) {
    errors.required(CONNECTIONS.child('tcp'), 'One of TCP or UDS must be set');
    return undefined;
  }
  const { url = '', tlsConfig } = tcp;
  if (url.startsWith('https://') && URL.canParse(url)) return { kind, url, tls: proxyTls(tlsConfig, errors) };
  if (!url.startsWith('http://') || !URL.canParse(url))
    errors.invalid(CONNECTIONS.child('url'), url, 'supported connection protocols are http:// and https://');
  else if (isGiven(tlsConfig))
    errors.invalid(CONNECTIONS.child('tlsConfig'), 'nil', 'config must not be present when using HTTP');
  return { kind, url, tls: undefined };
}

const isGiven = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** As Go prints it. */
const printed = ({ url = '', tlsConfig }: TcpFile): JsonValue => ({
  URL: url,
  TLSConfig: isGiven(tlsConfig)
    ? {
        CABundle: tlsConfig.caBundle ?? '',
        ClientKey: tlsConfig.clientKey ?? '',
        ClientCert: tlsConfig.clientCert ?? '',
        TLSServerName: tlsConfig.tlsServerName ?? '',
      }
    : null,
});

function proxyTls(config: TlsFile | null | undefined, errors: FieldErrors): ProxyTls | undefined {
  const at = CONNECTIONS.child('tlsConfig');
  if (!isGiven(config)) {
    errors.required(at, 'TLSConfig must be present when using HTTPS');
    return undefined;
  }
  const read = (field: keyof TlsFile, absent: string, missing: string): string => {
    const path = config[field] ?? '';
    if (path === '' && absent !== '') errors.invalid(at.child(field), 'nil', absent);
    else if (path !== '' && !existsSync(path)) errors.invalid(at.child(field), path, missing);
    else if (path !== '') return textOf(path);
    return '';
  };
  const ca = read('caBundle', '', 'TLS config ca bundle does not exist');
  const cert = read('clientCert', 'Using TLS requires clientCert', 'TLS client cert does not exist');
  const key = read('clientKey', 'Using TLS requires requires clientKey', 'TLS client key does not exist');
  const serverName = config.tlsServerName ?? '';
  return { ...(ca === '' ? {} : { ca }), ...(serverName === '' ? {} : { serverName }), certificate: { cert, key } };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`--egress-selector-config-file: ${fileErrorText(error, file)}`);
  }
}
