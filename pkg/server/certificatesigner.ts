import { createPrivateKey, type KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import {
  type CertificateRequestParts,
  COMMON_NAME,
  certificateRequestIn,
  namesOf,
  ORGANIZATION,
  signatureProblemOf,
} from '../api/index.js';
import type { World } from '../base/index.js';
import { ConfigError, type Signer, type SigningConfig } from '../config/index.js';
import type { CertificateAuthority, RequestedIdentity, SigningTerms } from '../controllers/index.js';
import { issuedSubject } from './certificatesubject.js';
import { givenPair } from './given.js';
import type { KeyPair } from './issue.js';

/**
 * Signs certificates for CertificateSigningRequests. The library that reads and writes them is loaded at the first request, because it
 * takes longer to load than the server takes to start.
 */

/** The names of signers in flags. */
const FLAG_NAMES: Readonly<Record<string, Signer>> = {
  'kubernetes.io/kubelet-serving': 'kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet': 'kubelet-client',
  'kubernetes.io/kube-apiserver-client': 'kube-apiserver-client',
  'kubernetes.io/legacy-unknown': 'legacy-unknown',
};

/** The start of a certificate is this far in the past, for clients whose clocks are behind. */
const BACKDATED = 300_000;
/** Certificates valid for less than this keep their full duration after the start. */
const SHORT = 8 * 3_600_000;
/** The kinds of alternative names in certificates, in their order there. */
const ALTERNATIVE_NAMES = ['dns', 'email', 'ip', 'url'] as const;

export interface SignerParts {
  readonly world: World;
  readonly config: SigningConfig;
  /** The authority of the server itself, used if flags name no other. */
  readonly own: () => KeyPair;
}

export function certificateSigner({ world, config, own }: SignerParts): CertificateAuthority {
  // An invalid file is an error of the start.
  const given = new Map<Signer, KeyPair>();
  for (const [signer, { certFile, keyFile }] of config.authorities)
    given.set(
      signer,
      givenPair(
        { flag: `cluster-signing-${signer}-cert-file`, path: certFile },
        { flag: `cluster-signing-${signer}-key-file`, path: keyFile },
      ),
    );
  const common =
    config.authority === undefined
      ? undefined
      : givenPair(
          { flag: 'cluster-signing-cert-file', path: config.authority.certFile },
          { flag: 'cluster-signing-key-file', path: config.authority.keyFile },
        );
  for (const { cert } of [...given.values(), ...(common === undefined ? [] : [common])])
    if (!new X509Certificate(cert).ca)
      throw new ConfigError('--cluster-signing-cert-file: the certificate is no authority');
  const authorityOf = (signer: string): KeyPair => {
    const own_ = given.get(FLAG_NAMES[signer]!);
    if (own_ !== undefined) return own_;
    if (common !== undefined) return common;
    // If only some signers have authorities, the others do not sign, as in kube-controller-manager.
    if (given.size > 0) throw new Error(`no authority is configured for ${signer}`);
    return own();
  };
  return {
    read: identityOf,
    sign: async (signer, request, terms) => sign(authorityOf(signer), request, terms, world.clock.now()),
  };
}

type Library = typeof import('@peculiar/x509');
type Request = InstanceType<Library['Pkcs10CertificateRequest']>;

async function library(): Promise<Library> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

interface Parsed {
  readonly request: Request;
  readonly parts: CertificateRequestParts;
  readonly names: readonly AlternativeName[];
}

interface AlternativeName {
  readonly type: (typeof ALTERNATIVE_NAMES)[number];
  readonly value: string;
}

/** Throws if the text is no certificate request. */
async function parsed(text: string): Promise<Parsed> {
  const parts = certificateRequestIn(text);
  if (typeof parts === 'string') throw new Error(`unable to parse certificate request: ${parts}`);
  const { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } = await library();
  const request = new Pkcs10CertificateRequest(text);
  const all = request.extensions.find((e) => e instanceof SubjectAlternativeNameExtension)?.names.items ?? [];
  // Other kinds are not part of an issued certificate.
  const names = ALTERNATIVE_NAMES.flatMap((type) =>
    all.filter((name) => name.type === type).map(({ value }) => ({ type, value })),
  );
  return { request, parts, names };
}

async function identityOf(text: string): Promise<RequestedIdentity> {
  const { parts, names } = await parsed(text);
  const count = (type: AlternativeName['type']): number => names.filter((name) => name.type === type).length;
  return {
    // As in the authentication of the certificate, the last one counts.
    commonName: namesOf(parts.subject, COMMON_NAME)?.at(-1) ?? '',
    organizations: namesOf(parts.subject, ORGANIZATION) ?? [],
    dnsNames: count('dns'),
    addresses: count('ip'),
    emails: count('email'),
    uris: count('url'),
  };
}

async function sign(authority: KeyPair, text: string, terms: SigningTerms, now: number): Promise<string> {
  const x509 = await library();
  const { request, parts, names } = await parsed(text);
  const problem = signatureProblemOf(parts);
  if (problem !== undefined) throw new Error(`unable to verify certificate request signature: ${problem}`);
  const issuer = new x509.X509Certificate(authority.cert);
  const end = issuer.notAfter.getTime();
  if (now >= end) throw new Error(`the signer has expired: NotAfter=${issuer.notAfter.toISOString()}`);
  const notAfter = now + terms.duration - (terms.duration < SHORT ? 0 : BACKDATED);
  const { keyUsages, extendedUsages } = usagesOf(x509, terms.usages);
  const subject = new x509.Name(issuedSubject(parts.subject));
  const isNameless = parts.subject.content.length === 0;
  const { key, algorithm } = await signingKey(createPrivateKey(authority.key));
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject,
    issuer: issuer.subjectName,
    notBefore: new Date(now - BACKDATED),
    notAfter: new Date(Math.min(notAfter, end)),
    publicKey: request.publicKey,
    signingKey: key,
    signingAlgorithm: algorithm,
    extensions: [
      ...(keyUsages === 0 ? [] : [new x509.KeyUsagesExtension(keyUsages, true)]),
      ...(extendedUsages.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension([...extendedUsages])]),
      new x509.BasicConstraintsExtension(false, undefined, true),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      // Names are critical if there is no subject (RFC 5280, 4.2.1.6).
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension([...names], isNameless)]),
    ],
  });
  const pem = certificate.toString('pem');
  return pem.endsWith('\n') ? pem : `${pem}\n`;
}

/** The usages of `spec.usages` as extensions (RFC 5280, 4.2.1.3 and 4.2.1.12). */
function usagesOf(x509: Library, usages: readonly string[]): { keyUsages: number; extendedUsages: readonly string[] } {
  const { KeyUsageFlags: flags, ExtendedKeyUsage: extended } = x509;
  const bits: Readonly<Record<string, number>> = {
    signing: flags.digitalSignature,
    'digital signature': flags.digitalSignature,
    'content commitment': flags.nonRepudiation,
    'key encipherment': flags.keyEncipherment,
    'key agreement': flags.keyAgreement,
    'data encipherment': flags.dataEncipherment,
    'cert sign': flags.keyCertSign,
    'crl sign': flags.cRLSign,
    'encipher only': flags.encipherOnly,
    'decipher only': flags.decipherOnly,
  };
  const identifiers: Readonly<Record<string, string>> = {
    any: '2.5.29.37.0',
    'server auth': extended.serverAuth,
    'client auth': extended.clientAuth,
    'code signing': extended.codeSigning,
    'email protection': extended.emailProtection,
    's/mime': extended.emailProtection,
    'ipsec end system': '1.3.6.1.5.5.7.3.5',
    'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
    'ipsec user': '1.3.6.1.5.5.7.3.7',
    timestamping: extended.timeStamping,
    'ocsp signing': extended.ocspSigning,
    'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
    'netscape sgc': '2.16.840.1.113730.4.1',
  };
  let keyUsages = 0;
  const extendedUsages = new Set<string>();
  for (const usage of usages) {
    const bit = bits[usage];
    const identifier = identifiers[usage];
    if (bit !== undefined) keyUsages |= bit;
    else if (identifier !== undefined) extendedUsages.add(identifier);
    else throw new Error(`unrecognized usage: ${usage}`);
  }
  return { keyUsages, extendedUsages: [...extendedUsages] };
}

interface SigningKey {
  readonly key: webcrypto.CryptoKey;
  readonly algorithm: { readonly name: string; readonly hash: string };
}

const CURVES: Readonly<Record<string, readonly [curve: string, hash: string]>> = {
  prime256v1: ['P-256', 'SHA-256'],
  secp384r1: ['P-384', 'SHA-384'],
  secp521r1: ['P-521', 'SHA-512'],
};

async function signingKey(key: KeyObject): Promise<SigningKey> {
  const der = key.export({ type: 'pkcs8', format: 'der' });
  const curve = CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (curve !== undefined) {
    const [namedCurve, hash] = curve;
    const imported = await webcrypto.subtle.importKey('pkcs8', der, { name: 'ECDSA', namedCurve }, false, ['sign']);
    return { key: imported, algorithm: { name: 'ECDSA', hash } };
  }
  if (key.asymmetricKeyType !== 'rsa')
    throw new Error(`a key of type ${key.asymmetricKeyType} cannot sign certificates`);
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
  return { key: await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']), algorithm };
}

/** 16 random bytes, positive. */
function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

/** The end of a certificate, in milliseconds; undefined if it cannot be parsed. */
export function certificateExpiry(pem: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    // External signers may write anything: such a request is kept for the usual time.
    return undefined;
  }
}
