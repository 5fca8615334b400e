import { ConfigError, type Flag } from './flag.js';
import type { FlagValues } from './parse.js';

/** TLS of the serving port, beside its certificate. */
export interface TlsConfig {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** Suites of TLS 1.2 by their names in OpenSSL; empty: the default ones. Those of TLS 1.3 are always offered. */
  readonly ciphers: readonly string[];
  readonly http2: boolean;
  /** Certificates by server name. */
  readonly named: readonly NamedFiles[];
}

export interface NamedFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Names, the first label of which may be `*`; empty: those in the certificate. */
  readonly names: readonly string[];
}

/** Suites of Go's crypto/tls with their names in OpenSSL. Those of RC4 and 3DES are not in OpenSSL 3. */
const SUITES: ReadonlyMap<string, string> = new Map([
  ...(['ECDSA', 'RSA'] as const).flatMap((key): [string, string][] => [
    [`TLS_ECDHE_${key}_WITH_AES_128_GCM_SHA256`, `ECDHE-${key}-AES128-GCM-SHA256`],
    [`TLS_ECDHE_${key}_WITH_AES_256_GCM_SHA384`, `ECDHE-${key}-AES256-GCM-SHA384`],
    [`TLS_ECDHE_${key}_WITH_CHACHA20_POLY1305_SHA256`, `ECDHE-${key}-CHACHA20-POLY1305`],
    [`TLS_ECDHE_${key}_WITH_CHACHA20_POLY1305`, `ECDHE-${key}-CHACHA20-POLY1305`],
    [`TLS_ECDHE_${key}_WITH_AES_128_CBC_SHA256`, `ECDHE-${key}-AES128-SHA256`],
    [`TLS_ECDHE_${key}_WITH_AES_128_CBC_SHA`, `ECDHE-${key}-AES128-SHA`],
    [`TLS_ECDHE_${key}_WITH_AES_256_CBC_SHA`, `ECDHE-${key}-AES256-SHA`],
  ]),
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'AES128-SHA256'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
]);
/** They cannot be selected: every connection with TLS 1.3 has them. */
const ALWAYS: ReadonlySet<string> = new Set([
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
]);

function suites(text: string): string | undefined {
  if (text === '') return undefined;
  const unknown = text.split(',').find((name) => !SUITES.has(name) && !ALWAYS.has(name));
  return unknown === undefined ? undefined : `Cipher suite ${unknown} not supported or doesn't exist`;
}

/** etcd's names are accepted as well. TLS 1.0 and 1.1 are never offered. */
const VERSIONS: Readonly<Record<string, TlsConfig['minVersion']>> = {
  VersionTLS10: 'TLSv1.2',
  VersionTLS11: 'TLSv1.2',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
  'TLS1.2': 'TLSv1.2',
  'TLS1.3': 'TLSv1.3',
};

const version = (text: string): string | undefined =>
  text === '' || Object.hasOwn(VERSIONS, text) ? undefined : `unknown tls version ${JSON.stringify(text)}`;

const named = (text: string): string | undefined => {
  const found = namedFiles(text);
  return typeof found === 'string' ? found : undefined;
};

/** `cert,key` or `cert,key:name,name`; otherwise the message of kube-apiserver. */
function namedFiles(text: string): NamedFiles | string {
  const colon = text.indexOf(':');
  const files = (colon < 0 ? text : text.slice(0, colon)).split(',').map((s) => s.trim());
  const names = colon < 0 ? '' : text.slice(colon + 1).trim();
  if (colon >= 0 && names === '') return 'empty names list is not allowed';
  const [certFile = '', keyFile = ''] = files;
  if (files.length !== 2) return 'expected comma separated certificate and key file paths';
  return { certFile, keyFile, names: names === '' ? [] : names.split(',').map((s) => s.trim().toLowerCase()) };
}

export const TLS_FLAGS = [
  {
    name: 'tls-min-version',
    kind: 'string',
    default: '',
    group: 'Serving',
    value: 'VERSION',
    help: 'Oldest version of TLS: VersionTLS12 (also for older ones) or VersionTLS13.',
  },
  {
    name: 'tls-cipher-suites',
    kind: 'list',
    repeats: true,
    default: '',
    group: 'Serving',
    value: 'NAME,...',
    help: 'Suites of TLS 1.2 by their names in Go; empty for those with forward secrecy and authenticated encryption.',
  },
  {
    name: 'tls-sni-cert-key',
    kind: 'string',
    repeats: true,
    separator: '\n',
    default: '',
    group: 'Serving',
    check: named,
    value: 'CERT,KEY[:NAME,...]',
    help: 'A further serving certificate, for these server names or those in it. May be repeated.',
  },
  {
    name: 'disable-http2-serving',
    kind: 'boolean',
    default: 'false',
    group: 'Serving',
    help: 'Offer HTTP/1.1 only.',
  },
  {
    name: 'goaway-chance',
    kind: 'string',
    default: '0',
    group: 'Serving',
    value: 'CHANCE',
    help: 'Chance (0 to 0.02) that a request over HTTP/2 asks its client to connect again, so that clients spread over the servers behind a load balancer.',
  },
] as const satisfies readonly Flag[];

/** `--goaway-chance`, as Go parses and kube-apiserver checks it: the chance, or the problems. */
export function chanceOf(value: string): { readonly chance: number; readonly problems: readonly string[] } {
  const chance = /^[-+.\deE]+$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(chance))
    throw new ConfigError(
      `invalid argument ${JSON.stringify(value)} for "--goaway-chance" flag: strconv.ParseFloat: parsing ${JSON.stringify(value)}: invalid syntax`,
    );
  const fits = chance >= 0 && chance <= 0.02;
  return { chance, problems: fits ? [] : ['--goaway-chance can not be less than 0 or greater than 0.02'] };
}

/** HTTP/2 needs one of these suites with TLS 1.2 (RFC 9113). */
const HTTP2_SUITES = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'] as const;

function http2Problem(values: FlagValues): string | undefined {
  const given = values['tls-cipher-suites'].split(',').filter((name) => name !== '');
  if (given.length === 0 || HTTP2_SUITES.some((name) => given.includes(name))) return undefined;
  if (values['disable-http2-serving'] === 'true' || VERSIONS[values['tls-min-version']] === 'TLSv1.3') return undefined;
  return `error configuring http2: http2: TLSConfig.CipherSuites is missing an HTTP/2-required AES_128_GCM_SHA256 cipher (need at least one of ${HTTP2_SUITES.join(' or ')})`;
}

export function tlsConfigOf(values: FlagValues): TlsConfig {
  const problem = suites(values['tls-cipher-suites']) ?? version(values['tls-min-version']) ?? http2Problem(values);
  if (problem !== undefined) throw new ConfigError(problem);
  const given = values['tls-sni-cert-key'].split('\n').filter((text) => text !== '');
  return {
    minVersion: VERSIONS[values['tls-min-version']] ?? 'TLSv1.2',
    ciphers: [...new Set(values['tls-cipher-suites'].split(',').flatMap((name) => SUITES.get(name) ?? []))],
    http2: values['disable-http2-serving'] !== 'true',
    named: given.map((text) => {
      const found = namedFiles(text);
      if (typeof found === 'string') throw new ConfigError(`--tls-sni-cert-key=${text}: ${found}`);
      return found;
    }),
  };
}
