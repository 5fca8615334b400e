import type { Socket } from 'node:net';
import type { World } from '../base/index.js';
import { type Dialer, dialDirect, dialUnix, startTls } from './dial.js';
import type { EgressMetrics } from './egressmetrics.js';
import { OutboundError } from './errors.js';
import { outboundLimits } from './limits.js';
import { type Address, addressOf, type EgressNetwork, hostPort, type ProxyPlace } from './target.js';
import { dialTunnel, TunnelError } from './tunnel.js';

/** How one network is reached. */
export type EgressConnection = { readonly kind: 'direct' } | ({ readonly kind: 'httpConnect' | 'grpc' } & ProxyPlace);

/** The dialers of an EgressSelectorConfiguration. A network without a selection is dialed directly. */
export function egressDialers(
  selections: ReadonlyMap<EgressNetwork, EgressConnection>,
  world: World,
  metrics?: EgressMetrics,
): (network: EgressNetwork) => Dialer {
  const dialers = new Map<EgressNetwork, Dialer>();
  for (const [network, connection] of selections)
    dialers.set(network, connection.kind === 'direct' ? dialDirect : throughProxy(connection, world, metrics));
  return (network) => dialers.get(network) ?? dialDirect;
}

type Proxy = Exclude<EgressConnection, { kind: 'direct' }>;

function throughProxy(proxy: Proxy, world: World, metrics: EgressMetrics | undefined): Dialer {
  const name = 'url' in proxy ? new URL(proxy.url).host : proxy.unixSocket;
  const labels = [proxy.kind === 'grpc' ? 'grpc' : 'http_connect', 'url' in proxy ? 'tcp' : 'uds'] as const;
  return async (address, signal) => {
    const ended = metrics?.dialStarted(...labels);
    let stage: 'connect' | 'proxy' = 'connect';
    try {
      let socket: Socket;
      if (proxy.kind === 'grpc') socket = await dialTunnel(proxy, address, world, signal);
      else {
        const open = await openProxy(proxy, world, signal);
        stage = 'proxy';
        socket = await throughConnect(open, name, address, signal);
      }
      ended?.();
      return socket;
    } catch (error) {
      if (error instanceof TunnelError) stage = error.stage;
      ended?.(stage);
      const { message } = error as Error;
      throw new OutboundError('dial', stage === 'connect' ? `dialing proxy "${name}" failed: ${message}` : message);
    }
  };
}

/** HTTP CONNECT (RFC 9110, section 9.3.6) over a connection to the proxy. */
async function throughConnect(socket: Socket, name: string, address: Address, signal: AbortSignal): Promise<Socket> {
  const target = hostPort(address);
  try {
    const { status, text } = await connectThrough(socket, target, signal);
    if (status === 200) return socket;
    throw new Error(`proxy error from ${name} while dialing ${target}, code ${status}: ${text}`);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** A connection to the proxy: TCP, with or without TLS, or a UNIX domain socket. */
async function openProxy(proxy: ProxyPlace, world: World, signal: AbortSignal): Promise<Socket> {
  if ('unixSocket' in proxy) return dialUnix(proxy.unixSocket, signal);
  const address = addressOf(proxy.url);
  const socket = await dialDirect(address, signal);
  if (proxy.tls === undefined) return socket;
  const { ca, certificate } = proxy.tls;
  const parts = { name: address.host, protocols: ['http/1.1'], ...(ca === undefined ? {} : { ca }) };
  return startTls(
    socket,
    { ...parts, ...(certificate === undefined ? {} : { credentials: { certificate } }) },
    world,
    signal,
  );
}

/** Sends CONNECT and reads the header of the response; the bytes after it belong to the connection. */
function connectThrough(
  socket: Socket,
  target: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const finish = (): void => {
      socket.removeListener('data', read);
      socket.removeListener('error', reject);
      socket.removeListener('close', closed);
      signal.removeEventListener('abort', late);
    };
    const closed = (): void =>
      reject(new Error(`reading HTTP response from CONNECT to ${target} via proxy failed: EOF`));
    const late = (): void => reject(new Error(`CONNECT to ${target} via proxy: i/o timeout`));
    const read = (piece: Buffer): void => {
      head = Buffer.concat([head, piece]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) {
        if (head.length > outboundLimits.proxyResponseBytesMax)
          reject(new Error('the response of the proxy is too long'));
        return;
      }
      finish();
      socket.pause();
      const rest = head.subarray(end + 4);
      if (rest.length > 0) socket.unshift(rest);
      const [, status = '0', text = ''] = /^HTTP\/1\.[01] (\d{3})(?: ([^\r\n]*))?/.exec(head.toString('latin1')) ?? [];
      resolve({ status: Number(status), text: `${status} ${text}` });
    };
    socket.on('data', read);
    socket.once('error', reject);
    socket.once('close', closed);
    signal.addEventListener('abort', late, { once: true });
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  });
}
