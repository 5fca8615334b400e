import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import type { PeerNetwork, PeerTls } from '../common/index.js';

/** The certificates for new handshakes. */
export interface TlsSource {
  /** The newest usable certificates. The same object as long as nothing has changed. */
  current(): PeerTls;
}

/**
 * Certificates that are read again when their files change, so that they can be renewed without a restart. Open
 * connections keep theirs. Files that do not match (an incomplete renewal) are ignored until they do.
 */
export function tlsSource({ tls, tlsFiles }: PeerNetwork, note: (message: string) => void): TlsSource {
  if (tlsFiles === undefined) return { current: () => tls };
  const files = [tlsFiles.ca, tlsFiles.cert, tlsFiles.key];
  const stamp = (): string =>
    files
      .map((file) => {
        const { mtimeMs, size, ino } = statSync(file);
        return `${mtimeMs}/${size}/${ino}`;
      })
      .join();
  let current = tls;
  // Not known for the files in use: they may have changed since they were read.
  let seen = '';
  let noted = '';
  return {
    current: () => {
      try {
        const now = stamp();
        if (now === seen) return current;
        const [ca = '', cert = '', key = ''] = files.map((file) => readFileSync(file, 'utf8'));
        createSecureContext({ ca, cert, key });
        seen = now;
        noted = '';
        if (ca !== current.ca || cert !== current.cert || key !== current.key) {
          current = { ca, cert, key };
          note(`read the peer certificate ${tlsFiles.cert} again`);
        }
      } catch (error) {
        const message = `cannot use the peer certificate files, keeping the last ones: ${(error as Error).message}`;
        if (message !== noted) note(message);
        noted = message;
      }
      return current;
    },
  };
}

/**
 * Credentials of the peer port, which can be replaced while it is open. Clients must present a certificate of the peer
 * CA.
 */
export class PeerServerCredentials extends ServerCredentials {
  constructor(tls: PeerTls) {
    super({ requestCert: true, rejectUnauthorized: true }, contextOf(tls));
  }

  replace(tls: PeerTls): void {
    this.updateSecureContextOptions(contextOf(tls));
  }

  override _equals(other: ServerCredentials): boolean {
    return other === this;
  }
}

function contextOf({ ca, cert, key }: PeerTls): SecureContextOptions {
  return { ca: Buffer.from(ca), cert: [Buffer.from(cert)], key: [Buffer.from(key)] };
}
