import type { CallPurpose } from './certificatemetrics.js';

/** A network address; `host` is a name or an IP address without brackets. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The credentials of the server for a target. */
export interface Credentials {
  /** Client certificate and key, PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** The value of the Authorization header, read for every request so that a changed token file takes effect. */
  readonly authorization?: () => string | undefined;
  /** Further headers, such as those for impersonation. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Client certificate and authorities for a proxy, PEM. */
export interface ProxyTls {
  readonly ca?: string;
  /** The name in the certificate of the proxy; absent: its host. */
  readonly serverName?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** Where a proxy listens. `tls` is undefined for `http:`. */
export type ProxyPlace = { readonly unixSocket: string } | { readonly url: string; readonly tls: ProxyTls | undefined };

/** The networks of an EgressSelectorConfiguration. */
export type EgressNetwork = 'cluster' | 'controlplane' | 'etcd';

/** A server to call. Create one and keep it: connections are shared between calls with equal targets. */
export interface OutboundTarget {
  /** `https://host:port`, as errors name it. `http:` is allowed if the caller allows it. */
  readonly origin: string;
  /** Decides at each call where to connect; the host and port of the origin by default. Throws to fail the call. */
  readonly address?: () => Address;
  /** The name in the server's certificate; the host of the origin by default. */
  readonly serverName?: string;
  /** Authorities, PEM; those of the system by default. */
  readonly ca?: string;
  /** Accept any certificate. */
  readonly insecure?: boolean;
  readonly credentials?: Credentials;
  /** The network of the target; `controlplane` by default. */
  readonly network?: EgressNetwork;
  /** The URL of an HTTP proxy that supports CONNECT (`proxy-url` of a kubeconfig). The network is the way to it. */
  readonly proxy?: string;
  /** Why it is called, if outdated certificates are counted. */
  readonly purpose?: CallPurpose;
  /** Whether HTTP/2 may be negotiated. It is by default. */
  readonly http2?: boolean;
  /** Milliseconds to connect, the TLS handshake included; `outboundLimits.dialTime` by default. */
  readonly dialTime?: number;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer;
  /** Milliseconds until the response must be complete. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
  readonly bodyBytesMax?: number;
  /**
   * A request that changes something: if its connection is closed before the response, it is not sent again on another one. Reads and reviews are,
   * when a server closes a connection that was idle.
   */
  readonly once?: boolean;
}

export interface OutboundResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** The first value of a response header; '' without one. */
export function headerOf({ headers }: Pick<OutboundResponse, 'headers'>, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** The address of an origin. */
export function addressOf(origin: string): Address {
  const { hostname, port, protocol } = new URL(origin);
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return { host, port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port) };
}

/** `10.0.0.1:443`, `[::1]:443` */
export function hostPort({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
