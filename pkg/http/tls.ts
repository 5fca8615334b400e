import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { isDns1123Subdomain } from '../api/index.js';

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

interface Named {
  readonly context: SecureContext;
  readonly certificate: X509Certificate;
}

/** Without one, OpenSSL refuses to resume a session of a client with a certificate. */
const SESSIONS = 'trireme';

/** Chooses the context of a server name. */
export class NamedContexts {
  readonly #policy: TlsPolicy;
  #byName: ReadonlyMap<string, Named> = new Map();
  #main: X509Certificate | undefined;
  /** The certificate of the server, for connections that began with that of their address; absent without addresses among the names. */
  #mainContext: SecureContext | undefined;

  constructor(policy: TlsPolicy, tls: TlsMaterial) {
    this.#policy = policy;
    this.use(tls);
  }

  /**
   * Uses these certificates for new connections. Names that are given take precedence over those inside certificates; of several
   * certificates with the same name, the first has it.
   */
  use({ named = [], clientCa, cert: main, key: mainKey }: TlsMaterial): void {
    const { minVersion, ciphers } = policyOptions(this.#policy);
    const contextOf = (pair: { readonly cert: string; readonly key: string }): SecureContext =>
      createSecureContext({ ...pair, ca: clientCa, minVersion, ciphers, sessionIdContext: SESSIONS });
    const byName = new Map<string, Named>();
    const sorted = [...named].sort((a, b) => Number(a.names.length === 0) - Number(b.names.length === 0));
    for (const { cert, key, names } of sorted) {
      const certificate = new X509Certificate(cert);
      const one = { context: contextOf({ cert, key }), certificate };
      for (const name of names.length > 0 ? names : namesIn(certificate)) if (!byName.has(name)) byName.set(name, one);
    }
    this.#byName = byName;
    this.#main = byName.size === 0 ? undefined : new X509Certificate(main);
    const hasAddress = [...byName.keys()].some((name) => isIP(name) !== 0);
    this.#mainContext = hasAddress ? contextOf({ cert: main, key: mainKey }) : undefined;
  }

  /** The context of a client that names no server: that whose names include the local address of the connection, if any. */
  ofAddress(local: string | undefined): SecureContext | undefined {
    return this.#byName.get((local ?? '').replace(/^::ffff:/, ''))?.context;
  }

  /**
   * Undefined: the certificate of the server. The name itself comes before a wildcard for its first label, and a certificate that
   * has the name, but was given for others, comes last.
   */
  of(serverName: string): SecureContext | undefined {
    if (this.#main === undefined) return undefined;
    const lower = serverName.toLowerCase();
    const name = lower.endsWith('.') ? lower.slice(0, -1) : lower;
    const found = this.#byName.get(name) ?? this.#byName.get(name.replace(/^[^.]*/, '*'));
    if (found !== undefined) return found.context;
    const fits = (certificate: X509Certificate): boolean =>
      (isIP(name) === 0 ? certificate.checkHost(name, { subject: 'never' }) : certificate.checkIP(name)) !== undefined;
    if (fits(this.#main)) return this.#mainContext;
    return [...this.#byName.values()].find(({ certificate }) => fits(certificate))?.context ?? this.#mainContext;
  }
}

/** A server of node:tls. Its own context is a property that its types do not list. */
interface TlsServer {
  _sharedCreds: SecureContext;
}

/**
 * Begins the handshake of a connection. Node reads the context for clients without a server name in this call: it has no callback for
 * them.
 */
export function beginWith(server: object, context: SecureContext | undefined, begin: () => void): void {
  if (context === undefined) {
    begin();
    return;
  }
  const tls = server as TlsServer;
  const own = tls._sharedCreds;
  tls._sharedCreds = context;
  try {
    begin();
  } finally {
    tls._sharedCreds = own;
  }
}

/** The names of a certificate in lower case: its common name if that is a name of a host, and its DNS names. */
function namesIn(certificate: X509Certificate): readonly string[] {
  const common = /(?:^|\n)CN=(.*)/.exec(certificate.subject)?.[1] ?? '';
  const isName = common === '*' || isDns1123Subdomain(common.replace(/^\*\./, '')).length === 0;
  const alternative = [...(certificate.subjectAltName ?? '').matchAll(/(?:^|, )DNS:([^,"]+)/g)].map(
    ([, name]) => name!,
  );
  return [...(isName && isIP(common) === 0 ? [common] : []), ...alternative.map((name) => name.toLowerCase())];
}
