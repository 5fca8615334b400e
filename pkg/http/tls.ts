/** PEM texts. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  /** The authorities of client certificates. */
  readonly clientCa: string;
}

/**
 * The suites of TLS 1.2 with forward secrecy and authenticated encryption, so without CBC; all suites of TLS 1.3 have
 * both.
 */
export const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

export function secureContext(tls: TlsMaterial): { cert: string; key: string; ca: string } {
  return { cert: tls.cert, key: tls.key, ca: tls.clientCa };
}
