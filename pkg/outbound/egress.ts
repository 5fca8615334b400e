import type { Socket } from 'node:net';
import type { World } from '../base/index.js';
import { type Dialer, dialDirect } from './dial.js';
import type { EgressMetrics } from './egressmetrics.js';
import { OutboundError } from './errors.js';
import { nameOf, openProxy, throughConnect } from './httpconnect.js';
import type { EgressNetwork, ProxyPlace } from './target.js';
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
  const name = nameOf(proxy);
  const labels = [proxy.kind === 'grpc' ? 'grpc' : 'http_connect', 'url' in proxy ? 'tcp' : 'uds'] as const;
  return async (address, signal) => {
    const ended = metrics?.dialStarted(...labels);
    let stage: 'connect' | 'proxy' = 'connect';
    try {
      let socket: Socket;
      if (proxy.kind === 'grpc')
        socket = await dialTunnel(proxy, address, { world, metrics: metrics?.tunnels }, signal);
      else {
        const open = await openProxy(proxy, world, signal);
        stage = 'proxy';
        socket = await throughConnect(open, { proxy, address, signal });
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
