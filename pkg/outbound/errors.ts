import { getServers } from 'node:dns';
import { isIP, type Socket } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import type { CertificateFault } from './certificatemetrics.js';
import { type Address, hostPort } from './target.js';

/** The part of a call that failed. */
export type OutboundPhase = 'resolve' | 'dial' | 'timeout' | 'canceled' | 'exchange' | 'body';

/** A call without a complete response. The message is that of Go's HTTP client: `Post "https://a/b": EOF`. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly phase: OutboundPhase;
  /** The message without the method and the URL. */
  readonly reason: string;
  /** Set if the certificate of the server is outdated. */
  readonly fault: CertificateFault | undefined;

  constructor(
    phase: OutboundPhase,
    reason: string,
    call?: { readonly method: string; readonly url: string },
    fault?: CertificateFault,
  ) {
    const verb = call === undefined ? '' : call.method[0] + call.method.slice(1).toLowerCase();
    super(
      call === undefined
        ? reason
        : phase === 'body'
          ? `unexpected error when reading response body. Please retry. Original error: ${reason}`
          : `${verb} "${call.url}": ${reason}`,
    );
    this.phase = phase;
    this.reason = reason;
    this.fault = fault;
  }
}

/** The texts of failed system calls, as Go has them. */
const SYSTEM: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  EADDRNOTAVAIL: 'connect: cannot assign requested address',
  EACCES: 'connect: permission denied',
  ENOENT: 'connect: no such file or directory',
  ETIMEDOUT: 'i/o timeout',
  EMFILE: 'socket: too many open files',
};

/** A failed connection attempt. */
export function dialProblem(error: unknown, { host, port }: Address, network = 'tcp'): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOTFOUND') {
    const [server] = getServers();
    const asked =
      server === undefined ? '' : ` on ${isIP(server) === 0 ? server : hostPort({ host: server, port: 53 })}`;
    return `dial ${network}: lookup ${host}${asked}: no such host`;
  }
  if (code === 'EAI_AGAIN') return `dial ${network}: lookup ${host}: Temporary failure in name resolution`;
  const where = network === 'unix' ? host : hostPort({ host, port });
  // A name with several addresses fails with all of them.
  const errors = (error as { readonly errors?: readonly NodeJS.ErrnoException[] }).errors;
  const first = errors?.[0];
  if (first !== undefined) {
    const { address, port: at } = first as { readonly address?: string; readonly port?: number };
    const known = address === undefined ? where : hostPort({ host: address, port: at ?? port });
    return `dial ${network} ${known}: ${SYSTEM[first.code ?? ''] ?? first.message}`;
  }
  const known = (error as { readonly address?: string }).address;
  const at = known === undefined || network === 'unix' ? where : hostPort({ host: known, port });
  return `dial ${network} ${at}: ${SYSTEM[code] ?? message}`;
}

const ALERTS: Readonly<Record<string, string>> = {
  UNKNOWN_CA: 'unknown certificate authority',
  CERTIFICATE_EXPIRED: 'expired certificate',
  CERTIFICATE_REVOKED: 'revoked certificate',
  CERTIFICATE_UNKNOWN: 'unknown certificate',
  PROTOCOL_VERSION: 'protocol version not supported',
  UNRECOGNIZED_NAME: 'unrecognized name',
};

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'INVALID_CA',
  'CERT_UNTRUSTED',
]);

const VERIFY = 'tls: failed to verify certificate: x509: ';

/** A TLS handshake that failed. `certificate` is that of the server, if it sent one. */
export function tlsProblem(
  error: unknown,
  {
    certificate,
    now,
    socket,
  }: { readonly certificate?: PeerCertificate | undefined; readonly now: number; readonly socket: Socket },
): string {
  if (error instanceof CertificateProblem) return VERIFY + error.message;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (UNTRUSTED.has(code)) return `${VERIFY}certificate signed by unknown authority`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const isLate = code === 'CERT_HAS_EXPIRED';
    const limit = isLate ? certificate?.valid_to : certificate?.valid_from;
    const at = limit === undefined ? '' : ` is ${isLate ? 'after' : 'before'} ${rfc3339(Date.parse(limit))}`;
    return `${VERIFY}certificate has expired or is not yet valid: current time ${rfc3339(now)}${at}`;
  }
  if (code === 'INVALID_PURPOSE') return `${VERIFY}certificate specifies an incompatible key usage`;
  const [, alert] = code.split('_ALERT_', 2);
  if (alert !== undefined) return `remote error: tls: ${ALERTS[alert] ?? alert.toLowerCase().replaceAll('_', ' ')}`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'http: server gave HTTP response to HTTPS client';
  if (code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') return 'tls: first record does not look like a TLS handshake';
  if (code === 'ECONNRESET')
    return message.startsWith('read') ? `read tcp ${endsOf(socket)}: read: connection reset by peer` : 'EOF';
  return `tls: ${message}`;
}

/** `sha1WithRSAEncryption` and `ecdsa-with-SHA1` as DER, with the names that Go has for them. */
const SHA1_SIGNATURES = [
  [Buffer.from('06092a864886f70d010105', 'hex'), 'SHA1-RSA'],
  [Buffer.from('06072a8648ce3d0401', 'hex'), 'ECDSA-SHA1'],
] as const;

/** The problem of a certificate that an authority signed with SHA-1, which OpenSSL refuses without a code of its own. */
export function sha1Problem({ code }: { readonly code?: string }, certificate: PeerCertificate): Error | undefined {
  if (code !== 'UNSPECIFIED' || certificate.raw === undefined) return undefined;
  const algorithm = SHA1_SIGNATURES.find(([oid]) => certificate.raw.includes(oid))?.[1];
  if (algorithm === undefined) return undefined;
  const { CN, O } = certificate.issuer ?? {};
  return new CertificateProblem(
    `certificate signed by unknown authority (possibly because of "x509: cannot verify signature: insecure algorithm ${algorithm}" ` +
      `while trying to verify candidate authority certificate ${JSON.stringify(CN ?? O ?? '')})`,
    'insecureSha1',
  );
}

const rfc3339 = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** A certificate that does not match the name of the target. */
export class CertificateProblem extends Error {
  override readonly name = 'CertificateProblem';
  readonly fault: CertificateFault | undefined;

  constructor(message: string, fault?: CertificateFault) {
    super(message);
    this.fault = fault;
  }
}

/** Compares the name of the target with a certificate by the rules of RFC 6125, without its Common Name. */
export function identityProblem(name: string, { subjectaltname = '', subject }: PeerCertificate): Error | undefined {
  const entries = subjectaltname === '' ? [] : subjectaltname.split(', ');
  const of = (type: string): readonly string[] =>
    entries.filter((e) => e.startsWith(type)).map((e) => e.slice(type.length).replaceAll('"', ''));
  const [names, addresses] = [of('DNS:'), of('IP Address:')];
  if (isIP(name) !== 0) {
    if (addresses.some((a) => sameIp(a, name))) return undefined;
    if (addresses.length === 0)
      return new CertificateProblem(`cannot validate certificate for ${name} because it doesn't contain any IP SANs`);
    return new CertificateProblem(`certificate is valid for ${addresses.map(shortIp).join(', ')}, not ${name}`);
  }
  if (names.some((n) => matchesName(n.toLowerCase(), name.toLowerCase()))) return undefined;
  if (entries.length === 0 && String(subject?.CN ?? '').toLowerCase() === name.toLowerCase())
    return new CertificateProblem('certificate relies on legacy Common Name field, use SANs instead', 'missingSan');
  if (names.length === 0)
    return new CertificateProblem(`certificate is not valid for any names, but wanted to match ${name}`);
  return new CertificateProblem(`certificate is valid for ${names.join(', ')}, not ${name}`);
}

/** A wildcard matches the whole first label. */
function matchesName(pattern: string, name: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === name;
  const dot = name.indexOf('.');
  return dot > 0 && name.slice(dot) === pattern.slice(1);
}

/** An IP address in the form of a URL, which is canonical. */
function shortIp(ip: string): string {
  return isIP(ip) === 6 ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip;
}

const sameIp = (a: string, b: string): boolean => shortIp(a) === shortIp(b);

/** An exchange over HTTP/1.1 or HTTP/2 that failed before the header of the response was complete. */
export function exchangeProblem(error: unknown, socket: Socket | undefined): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code.startsWith('HPE_')) {
    const { rawPacket } = error as { readonly rawPacket?: Buffer };
    const line = rawPacket?.toString('latin1').split(/\r?\n/, 1)[0] ?? '';
    return `net/http: HTTP/1.x transport connection broken: ${malformed(line)}`;
  }
  if (code === 'ECONNRESET' && message.startsWith('socket hang up')) return 'EOF';
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    const [what, text] = code === 'EPIPE' ? ['write', 'broken pipe'] : ['read', 'connection reset by peer'];
    return `${what} tcp ${endsOf(socket)}: ${what}: ${text}`;
  }
  if (code.startsWith('ERR_HTTP2')) return `http2: ${message}`;
  return message;
}

/** What is wrong with the first line of a response. */
function malformed(line: string): string {
  const [, protocol = '', code] = /^([^ ]*) +([^ ]*)/.exec(line) ?? [];
  if (code === undefined) return `malformed HTTP response ${JSON.stringify(line.slice(0, 200))}`;
  if (!/^\d{3}$/.test(code)) return `malformed HTTP status code ${JSON.stringify(code.slice(0, 200))}`;
  if (!/^HTTP\/\d\.\d$/.test(protocol)) return `malformed HTTP version ${JSON.stringify(protocol.slice(0, 200))}`;
  return `malformed HTTP response ${JSON.stringify(line.slice(0, 200))}`;
}

type Ends = Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort'>;

const ends = new WeakMap<Socket, Ends>();

/** Keeps the addresses of a connection, because a broken one no longer has them. */
export function rememberEnds(
  socket: Socket,
  { localAddress, localPort, remoteAddress, remotePort }: Socket = socket,
): void {
  ends.set(socket, { localAddress, localPort, remoteAddress, remotePort } as Ends);
}

function endsOf(socket: Socket | undefined): string {
  const { localAddress, localPort, remoteAddress, remotePort } =
    (socket === undefined ? undefined : (ends.get(socket) ?? socket)) ?? ({} as Partial<Ends>);
  const end = (host: string | undefined, port: number | undefined): string =>
    host === undefined || port === undefined ? '' : hostPort({ host, port });
  return `${end(localAddress, localPort)}->${end(remoteAddress, remotePort)}`;
}
