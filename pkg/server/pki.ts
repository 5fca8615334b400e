import { createPrivateKey, generateKeyPair, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { memberUri } from '../peer/index.js';
import { readIfThere, writeSecret } from './files.js';
import { issueAuthority, issueLeaf, type KeyPair } from './issue.js';
import { kubeconfigText } from './kubeconfig.js';

/** The keys and certificates that a server creates at its first start and keeps. */
export interface Pki {
  readonly ca: KeyPair;
  readonly serving: KeyPair;
  readonly admin: KeyPair;
  /** By what kubelets know the server. */
  readonly kubeletClient: KeyPair;
  /** PEM of the private key that signs service-account tokens. */
  readonly tokenKey: string;
}

const DAY = 86_400_000;
export const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;
/** Certificates with a remaining validity below this are renewed. */
const RENEW_DAYS = 30;

/** The name of the files, as in kubeadm. */
export const KUBELET_CLIENT = 'apiserver-kubelet-client';

export const ADMIN = { commonName: 'kubernetes-admin', organizations: ['system:masters'] } as const;

/** Host names of the server, besides the addresses that it listens on. */
const SERVER_NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
] as const;

export interface ServerNames {
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
}

/** `addresses` are those bound or advertised, `serviceAddress` that of the Service `kubernetes`. */
export function serverNames(addresses: readonly string[], serviceAddress: string): ServerNames {
  const bound = addresses.filter((a) => isIP(a) > 0 && a !== '0.0.0.0' && a !== '::');
  return {
    dnsNames: [...new Set([...SERVER_NAMES, hostname().toLowerCase()])].filter((n) => n !== ''),
    addresses: [...new Set(['127.0.0.1', '::1', serviceAddress, ...bound])],
  };
}

/** Creates the keys and certificates in memory. */
export async function makePki(names: ServerNames, now: number): Promise<Pki> {
  const ca = await issueAuthority('kubernetes-ca', now, AUTHORITY_DAYS);
  const [serving, admin, kubeletClient] = await Promise.all([
    issueServing(ca, names, now),
    issueAdmin(ca, now),
    issueKubeletClient(ca, now),
  ]);
  return { ca, serving, admin, kubeletClient, tokenKey: await ellipticKey() };
}

function issueServing(ca: KeyPair, names: ServerNames, now: number): Promise<KeyPair> {
  return issueLeaf(ca, { subject: { commonName: 'kube-apiserver' }, use: 'server', ...names, days: LEAF_DAYS }, now);
}

export function issueAdmin(ca: KeyPair, now: number): Promise<KeyPair> {
  return issueLeaf(ca, { subject: ADMIN, use: 'client', days: LEAF_DAYS }, now);
}

/** With the names of kubeadm. A kubelet lets the group do everything. */
function issueKubeletClient(ca: KeyPair, now: number): Promise<KeyPair> {
  const subject = { commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'] };
  return issueLeaf(ca, { subject, use: 'client', days: LEAF_DAYS }, now);
}

/**
 * Reads the set in `folder`, creates missing certificates, and renews those that expire soon or lack a name. The
 * authority itself is never replaced, because clients have copies of it.
 */
export async function keepPki(folder: string, names: ServerNames, now: number): Promise<Pki> {
  const ca = await keepAuthority(folder, 'ca', () => issueAuthority('kubernetes-ca', now, AUTHORITY_DAYS));
  const servingFits = (p: KeyPair): boolean => isOf(p, ca) && lasts(p, now) && covers(p, names);
  const serving = await keepPair(folder, 'apiserver', servingFits, () => issueServing(ca, names, now));
  const clientFits = (p: KeyPair): boolean => isOf(p, ca) && lasts(p, now);
  const admin = await keepPair(folder, 'admin', clientFits, () => issueAdmin(ca, now));
  const kubeletClient = await keepPair(folder, KUBELET_CLIENT, clientFits, () => issueKubeletClient(ca, now));
  return { ca, serving, admin, kubeletClient, tokenKey: await keepTokenKey(folder) };
}

/** The key for service-account tokens. All peers share it, so that a token is valid at every peer. */
export async function keepTokenKey(folder: string): Promise<string> {
  const file = join(folder, 'sa.key');
  const there = readIfThere(file);
  if (there !== undefined) return there;
  const made = await rsaKey();
  writeSecret(file, made);
  return made;
}

/** Makes an RSA key, which every client of OpenID Connect discovery supports. */
async function rsaKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return privatePem(privateKey);
}

/** Makes a key quickly, for a server in memory. */
async function ellipticKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return privatePem(privateKey);
}

const privatePem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string;

/** The certificate for connections between peers. */
export interface PeerPki {
  /** The authority, PEM. */
  readonly ca: string;
  readonly pair: KeyPair;
}

/** The names of a peer: its member name (`--name`) and the hosts at which others reach it. */
export interface PeerNames extends ServerNames {
  readonly member: string;
}

/** The files of a peer's certificate in a folder. */
export function peerPkiFiles(folder: string) {
  return { ca: join(folder, 'peer-ca.crt'), cert: join(folder, 'peer.crt'), key: join(folder, 'peer.key') };
}

/**
 * The certificate of a peer. It is signed by an authority for peers only, so a client certificate does not open the
 * peer port. It is kept in `folder` as `peer.crt` and `peer.key`, and issued again when it expires soon or its names
 * have changed.
 */
export async function keepPeerCertificate(
  folder: string,
  authority: KeyPair,
  { member, dnsNames, addresses }: PeerNames,
  now: number,
): Promise<KeyPair> {
  const uri = memberUri(member);
  const names = { dnsNames, addresses };
  const fits = (p: KeyPair): boolean =>
    isOf(p, authority) &&
    lasts(p, now) &&
    covers(p, names) &&
    (new X509Certificate(p.cert).subjectAltName ?? '').includes(`URI:${uri}`);
  const request = { subject: { commonName: member }, use: 'peer', ...names, uris: [uri], days: LEAF_DAYS } as const;
  return keepPair(folder, 'peer', fits, () => issueLeaf(authority, request, now));
}

/** The certificate of a peer that founds a single-peer cluster. Creates the authority of the peers as well. */
export async function keepPeerPki(folder: string, names: PeerNames, now: number): Promise<PeerPki> {
  const ca = await keepAuthority(folder, 'peer-ca', () => issueAuthority('trireme-peer-ca', now, AUTHORITY_DAYS));
  return { ca: ca.cert, pair: await keepPeerCertificate(folder, ca, names, now) };
}

/** The texts of both files of a pair, undefined for a file that is missing. */
function readPair(folder: string, name: string) {
  const [certFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  return { certFile, keyFile, cert: readIfThere(certFile), key: readIfThere(keyFile) };
}

function writePair(folder: string, name: string, pair: KeyPair): KeyPair {
  // Write the key first: a certificate that does not match its key is detected at the next start, and both are created
  // again.
  writeSecret(join(folder, `${name}.key`), pair.key);
  writeSecret(join(folder, `${name}.crt`), pair.cert);
  return pair;
}

/** Reads a pair, or creates one if it is missing or invalid. */
export async function keepPair(
  folder: string,
  name: string,
  fits: (pair: KeyPair) => boolean,
  make: () => Promise<KeyPair>,
): Promise<KeyPair> {
  const { cert, key } = readPair(folder, name);
  if (cert !== undefined && key !== undefined && isPair({ cert, key }) && fits({ cert, key })) return { cert, key };
  return writePair(folder, name, await make());
}

/** Reads or creates an authority. An existing one is never replaced, even if it is damaged. */
export async function keepAuthority(folder: string, name: string, make: () => Promise<KeyPair>): Promise<KeyPair> {
  const { certFile, keyFile, cert, key } = readPair(folder, name);
  if (cert === undefined && key === undefined) return writePair(folder, name, await make());
  const instead = `restore it, or remove ${folder} to make a new authority`;
  if (cert === undefined || key === undefined)
    throw new Error(`${cert === undefined ? certFile : keyFile} is missing: ${instead}`);
  if (!isPair({ cert, key })) throw new Error(`${keyFile} is not the key of the certificate ${certFile}: ${instead}`);
  return { cert, key };
}

/** Reports whether a certificate and a key can be parsed and belong together. */
export function isPair({ cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

export function isOf(pair: KeyPair, ca: KeyPair): boolean {
  try {
    return new X509Certificate(pair.cert).verify(new X509Certificate(ca.cert).publicKey);
  } catch {
    return false;
  }
}

export function lasts(pair: KeyPair, now: number): boolean {
  return Date.parse(new X509Certificate(pair.cert).validTo) - now > RENEW_DAYS * DAY;
}

/** A warning when the authority expires soon: it is not renewed automatically, and its certificates expire with it. */
export function authorityWarning(authority: KeyPair, now: number): string | undefined {
  if (lasts(authority, now)) return undefined;
  const { subject, validTo } = new X509Certificate(authority.cert);
  const ends = Date.parse(validTo) > now ? 'ends' : 'ended';
  return `the authority ${subject} ${ends} at ${new Date(validTo).toISOString()}: clients and peers that trust it need a new one`;
}

function covers(pair: KeyPair, names: ServerNames): boolean {
  const certificate = new X509Certificate(pair.cert);
  return (
    names.dnsNames.every((n) => certificate.checkHost(n) !== undefined) &&
    names.addresses.every((a) => certificate.checkIP(a) !== undefined)
  );
}

/** Writes `admin.kubeconfig`, readable by its owner only, unless it is up to date. */
export function keepKubeconfig(file: string, url: string, pki: Pki): void {
  const text = kubeconfigText({
    url,
    ca: pki.ca.cert,
    user: 'kubernetes-admin',
    cert: pki.admin.cert,
    key: pki.admin.key,
  });
  if (readIfThere(file) !== text) writeSecret(file, text);
}
