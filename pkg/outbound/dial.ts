import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { World } from '../base/index.js';
import {
  CertificateProblem,
  dialProblem,
  identityProblem,
  OutboundError,
  rememberEnds,
  sha1Problem,
  tlsProblem,
} from './errors.js';
import { outboundLimits } from './limits.js';
import type { Address, OutboundTarget } from './target.js';

/** Makes a connection to an address, directly or through a proxy. Throws `OutboundError`. */
export type Dialer = (address: Address, signal: AbortSignal) => Promise<Socket>;

/** Connects without a proxy. */
export const dialDirect: Dialer = (address, signal) => connected({ ...address, noDelay: true }, address, 'tcp', signal);

/** Connects to a UNIX domain socket. */
export function dialUnix(path: string, signal: AbortSignal): Promise<Socket> {
  return connected({ path }, { host: path, port: 0 }, 'unix', signal);
}

type Place = { readonly path: string } | (Address & { readonly noDelay: boolean });

function connected(place: Place, address: Address, network: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new OutboundError('dial', 'i/o timeout'));
    const socket = connectTcp({ ...place, autoSelectFamily: true } as Parameters<typeof connectTcp>[0] & object);
    const stop = (): void => void socket.destroy(Object.assign(new Error('i/o timeout'), { code: 'ETIMEDOUT' }));
    signal.addEventListener('abort', stop, { once: true });
    const failed = (error: Error): void => {
      signal.removeEventListener('abort', stop);
      reject(new OutboundError('dial', dialProblem(error, address, network)));
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      signal.removeEventListener('abort', stop);
      socket.removeListener('error', failed);
      rememberEnds(socket);
      resolve(socket);
    });
  });
}

type TlsParts = Pick<OutboundTarget, 'ca' | 'insecure' | 'credentials'> & {
  /** The name in the certificate. */
  readonly name: string;
  readonly protocols: readonly string[];
};

/** Starts TLS on a connection, and verifies the certificate of the server. Throws `OutboundError`. */
export function startTls(
  socket: Socket,
  parts: TlsParts,
  world: Pick<World, 'clock'>,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const { name, protocols, ca, insecure = false, credentials } = parts;
  return new Promise((resolve, reject) => {
    let certificate: PeerCertificate | undefined;
    const options: ConnectionOptions & { allowPartialTrustChain: boolean } = {
      socket,
      // RFC 6066: a server name is never an IP address.
      ...(isIP(name) === 0 ? { servername: name } : { servername: '' }),
      ...(ca === undefined ? {} : { ca }),
      ...credentials?.certificate,
      rejectUnauthorized: false,
      allowPartialTrustChain: true,
      ALPNProtocols: [...protocols],
      // The name is compared below, by the rules of Go.
      checkServerIdentity: () => undefined,
    };
    const secure = connectTls(options);
    const stop = (): void => void secure.destroy(new Error('net/http: TLS handshake timeout'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const failed = (error: Error): void => {
      signal.removeEventListener('abort', stop);
      const reason = signal.aborted
        ? error.message
        : tlsProblem(error, { certificate, now: world.clock.now(), socket });
      reject(
        new OutboundError('dial', reason, undefined, error instanceof CertificateProblem ? error.fault : undefined),
      );
      secure.destroy();
    };
    secure.once('error', failed);
    // A server that closes the connection during the handshake.
    const ended = (): void => failed(Object.assign(new Error('EOF'), { code: 'ECONNRESET' }));
    secure.once('end', ended);
    secure.once('close', ended);
    secure.once('secureConnect', () => {
      if (!insecure) {
        certificate = secure.getPeerCertificate();
        const trust = secure.authorized ? undefined : authorizationError(secure.authorizationError);
        const problem = verificationProblem(name, certificate, trust);
        if (problem !== undefined) return failed(problem);
      }
      signal.removeEventListener('abort', stop);
      secure.removeListener('error', failed);
      secure.removeListener('end', ended);
      secure.removeListener('close', ended);
      rememberEnds(secure, socket);
      resolve(secure);
    });
  });
}

/** The first problem in the order of Go: dates, the name, the chain. */
function verificationProblem(
  name: string,
  certificate: PeerCertificate,
  trust: (Error & { readonly code?: string }) | undefined,
): Error | undefined {
  if (trust !== undefined && DATES.has(trust.code ?? '')) return trust;
  return (
    identityProblem(name, certificate) ?? (trust === undefined ? undefined : (sha1Problem(trust, certificate) ?? trust))
  );
}

const DATES: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** Node reports an untrusted chain as an error or as the code alone. */
function authorizationError(found: Error | string | null | undefined): Error & { readonly code?: string } {
  if (found instanceof Error) return found;
  return Object.assign(new Error(String(found)), { code: String(found) });
}

/** An abort signal after the timeout for dialing. */
export function dialSignal(
  world: World,
  time: number = outboundLimits.dialTime,
): { readonly signal: AbortSignal; readonly done: () => void } {
  const controller = new AbortController();
  const done = world.timers.after(time, () => controller.abort());
  return { signal: controller.signal, done };
}
