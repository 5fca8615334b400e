import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';

/** PEM texts. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  /** The authorities of client certificates. */
  readonly clientCa: string;
  /** Further certificates, by server name. */
  readonly named?: readonly NamedPair[];
}

export interface NamedPair {
  readonly cert: string;
  readonly key: string;
  /** Lower case; the first label may be `*`. Empty: the names in the certificate. */
  readonly names: readonly string[];
}

/** What the server offers in a handshake. */
export interface TlsPolicy {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** Suites of TLS 1.2, by their names in OpenSSL; empty for the default ones. */
  readonly ciphers: readonly string[];
  readonly http2: boolean;
}

export const defaultTlsPolicy: TlsPolicy = { minVersion: 'TLSv1.2', ciphers: [], http2: true };

const TLS13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/**
 * The suites of TLS 1.2 with forward secrecy and authenticated encryption, so without CBC; all suites of TLS 1.3 have
 * both.
 */
const TLS12 = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

export function secureContext(tls: TlsMaterial): { cert: string; key: string; ca: string } {
  return { cert: tls.cert, key: tls.key, ca: tls.clientCa };
}

/** The options of a server that follow from the policy. */
export function policyOptions({ minVersion, ciphers, http2 }: TlsPolicy) {
  return {
    minVersion,
    ciphers: [...TLS13, ...(ciphers.length === 0 ? TLS12 : ciphers)].join(':'),
    // A client that only offers HTTP/2 gets no connection.
    ...(http2
      ? {}
      : { ALPNCallback: ({ protocols }: { protocols: string[] }) => protocols.find((p) => p === 'http/1.1') }),
  };
}

/** Chooses the context of a server name. */
export class NamedContexts {
  readonly #policy: TlsPolicy;
  #contexts: readonly { readonly context: SecureContext; readonly fits: (name: string) => boolean }[] = [];

  constructor(policy: TlsPolicy, tls: TlsMaterial) {
    this.#policy = policy;
    this.use(tls);
  }

  /**
   * Uses these certificates for new connections. Certificates with explicit names take precedence over the names inside
   * certificates.
   */
  use({ named = [], clientCa }: TlsMaterial): void {
    const { minVersion, ciphers } = policyOptions(this.#policy);
    const sorted = [...named].sort((a, b) => Number(a.names.length === 0) - Number(b.names.length === 0));
    this.#contexts = sorted.map(({ cert, key, names }) => {
      const certificate = new X509Certificate(cert);
      return {
        context: createSecureContext({ cert, key, ca: clientCa, minVersion, ciphers }),
        fits: (name) =>
          names.length === 0 ? certificate.checkHost(name) !== undefined : names.some((n) => matches(n, name)),
      };
    });
  }

  /** Undefined: the certificate of the server. */
  of(serverName: string): SecureContext | undefined {
    const name = serverName.toLowerCase();
    return this.#contexts.find(({ fits }) => fits(name.endsWith('.') ? name.slice(0, -1) : name))?.context;
  }
}

/** `*.example.com` matches one more label. */
function matches(pattern: string, name: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === name;
  const dot = name.indexOf('.');
  return dot > 0 && name.slice(dot) === pattern.slice(1);
}
