/** The limits of this package. Times are milliseconds. */
export const outboundLimits = {
  /** Time to connect, including a proxy and the TLS handshake. */
  dialTime: 30_000,
  /** Time after which a connection without requests is closed. */
  idleTime: 90_000,
  /** Idle HTTP/1.1 connections kept for one address. */
  idleConnectionsMax: 25,
  /** Concurrent calls to one address. More calls wait, within their own timeout. */
  callsMax: 256,
  /** Size of a response body, unless the caller sets another limit. */
  bodyBytesMax: 16 * 1024 * 1024,
  /** Values of a response that is a list of objects. Reviews may have as many as the body of a request. */
  valuesMax: 1_000_000,
  /** Bytes of a response that are parsed at once. */
  parsedBytesMax: 16 * 1024,
  /** Milliseconds of one turn of the event loop in which responses are parsed. */
  parseTime: 8,
  /** Targets whose connections are kept. */
  targetsMax: 512,
  /** Size of the response of a proxy to CONNECT. */
  proxyResponseBytesMax: 16 * 1024,
  /** Bytes of one packet to a konnectivity proxy. A proxy refuses messages of more than 4 MiB. */
  tunnelPacketBytes: 64 * 1024,
  /** Time without data after which a tunnel that has ended here is closed, and time to wait for the response of the proxy to that. */
  tunnelCloseTime: 10_000,
} as const;
