import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FieldErrors } from '../api/index.js';
import { ConfigError, type FlagName, fileErrorText } from '../config/index.js';
import type { KeyPair } from './issue.js';
import { pairProblem } from './pairproblem.js';
import { isPair } from './pki.js';

/** Files named by flags. An unusable file is an error that names its flag. */

export interface GivenFile {
  readonly flag: FlagName;
  readonly path: string;
}

/** PEM of one or more certificate authorities. */
export function givenAuthorities({ flag, path }: GivenFile): string {
  const text = givenText({ flag, path });
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  const bundle = BUNDLES[flag];
  throw new ConfigError(
    bundle === undefined
      ? `--${flag}: ${path} has no PEM certificate`
      : `error loading CA bundle for "${bundle}::${path}": data does not contain any valid RSA or ECDSA certificates`,
  );
}

/** Flags whose authorities kube-apiserver reads, by its names for them. */
const BUNDLES: Readonly<Partial<Record<FlagName, string>>> = {
  'client-ca-file': 'client-ca-bundle',
  'requestheader-client-ca-file': 'request-header',
};

/**
 * Authorities of front proxies that also sign clients: without allowed names, any client could name another user in its headers. As in
 * kube-apiserver, the server does not start then.
 */
export function refuseOverlap(clientCa: string, proxyCa: string, allowedNames: readonly string[]): void {
  if (allowedNames.length > 0) return;
  const clients = new Set(certificatesIn(clientCa));
  if (certificatesIn(proxyCa).some((certificate) => clients.has(certificate)))
    throw new ConfigError(
      '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
    );
}

/** The encoded certificates of a PEM text. */
const certificatesIn = (pem: string): readonly string[] =>
  pem
    .split('-----BEGIN CERTIFICATE-----')
    .slice(1)
    .map((text) => text.split('-----END', 1)[0]!.replace(/\s+/g, ''));

/** Flags whose files kube-apiserver reads, with what its errors begin with. */
const PREFIXES: Readonly<Partial<Record<FlagName, string>>> = {
  'tls-cert-file': '',
  'cert-dir': '',
  'tls-sni-cert-key': 'failed to load SNI cert and key: ',
};

export function givenPair(certificate: GivenFile, privateKey: GivenFile): KeyPair {
  const prefix = PREFIXES[certificate.flag];
  if (prefix !== undefined) return pairAsInGo(certificate.path, privateKey.path, prefix);
  const pair = { cert: givenAuthorities(certificate), key: givenText(privateKey) };
  if (!isPair(pair))
    throw new ConfigError(
      `--${privateKey.flag}: ${privateKey.path} is not the key of the certificate ${certificate.path} (--${certificate.flag})`,
    );
  return pair;
}

function pairAsInGo(certFile: string, keyFile: string, prefix: string): KeyPair {
  if (certFile === '' || keyFile === '') throw new ConfigError(`${prefix}missing filename for serving cert`);
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      throw new ConfigError(prefix + fileErrorText(error, path));
    }
  };
  const pair = { cert: read(certFile), key: read(keyFile) };
  const problem = pairProblem(pair);
  if (problem !== undefined) throw new ConfigError(prefix + problem);
  return pair;
}

/** Returns the text of a file that a flag names. */
export function givenText({ flag, path }: GivenFile): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`--${flag}: ${fileErrorText(error, path)}`);
  }
}

const IN_CERT_DIR = { cert: 'apiserver.crt', key: 'apiserver.key' } as const;

/** Returns the serving certificate in the folder of `--cert-dir`, if there is one. */
export function pairInCertDir(folder: string): KeyPair | undefined {
  const [certificate, privateKey] = certDirFiles(folder);
  if (certificate === undefined || privateKey === undefined) return undefined;
  if (!existsSync(certificate) || !existsSync(privateKey)) return undefined;
  return givenPair({ flag: 'cert-dir', path: certificate }, { flag: 'cert-dir', path: privateKey });
}

/** The files of certificate and key in the folder of `--cert-dir`, if there is one. */
export const certDirFiles = (folder: string): readonly string[] =>
  folder === '' ? [] : [join(folder, IN_CERT_DIR.cert), join(folder, IN_CERT_DIR.key)];

/** Writes the serving certificate to the folder of `--cert-dir`, as kube-apiserver does with a generated one. */
export function keepCertDir(folder: string, pair: KeyPair): void {
  if (folder === '') return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, IN_CERT_DIR.cert), pair.cert);
  writeFileSync(join(folder, IN_CERT_DIR.key), pair.key, { mode: 0o600 });
}

/** Field errors in one line, as Go prints an aggregate: each with its path. */
export function aggregateText({ list }: FieldErrors): string {
  const lines = list.map(({ field, message }) => `${field}: ${message}`);
  return lines.length === 1 ? lines[0]! : `[${lines.join(', ')}]`;
}
