import { connect, type Socket } from 'node:net';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import {
  TUNNEL_METHOD,
  TUNNEL_PACKETS,
  tunnelPacketCodec,
  type WireTunnelId,
  type WireTunnelPacket,
} from '../../../proto/index.js';

type Stream = ServerDuplexStream<WireTunnelPacket, WireTunnelPacket>;

/** A konnectivity proxy on loopback for tests: it dials itself, as a proxy and its agent do together. */
export interface TestProxy {
  readonly port: number;
  /** The packets that it received, by type, with the addresses that were dialed. */
  readonly received: string[];
  /** Streams that are open now. */
  readonly open: () => number;
  /** Ends every stream, as a proxy that restarts does. */
  cut(): void;
  close(): void;
}

export interface TestProxyOptions {
  readonly unixSocket?: string;
  /** Certificate, key, and the authority that clients need a certificate from. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa: string };
  /** Leaves dials without an answer. */
  readonly silent?: boolean;
  /** The id of connections. */
  readonly connectId?: WireTunnelId;
}

export async function testProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const received: string[] = [];
  const streams = new Set<Stream>();
  const server = new Server();
  const proxy = (stream: Stream): void => {
    streams.add(stream);
    const end = (): void => void streams.delete(stream);
    stream.on('close', end).on('end', end).on('error', end).on('cancelled', end);
    serveStream(stream, received, options);
  };
  const form = {
    path: TUNNEL_METHOD,
    requestStream: true,
    responseStream: true,
    requestSerialize: tunnelPacketCodec.encode,
    requestDeserialize: tunnelPacketCodec.decode,
    responseSerialize: tunnelPacketCodec.encode,
    responseDeserialize: tunnelPacketCodec.decode,
  };
  server.addService({ proxy: form }, { proxy });
  const { tls, unixSocket } = options;
  const pair = tls === undefined ? [] : [{ cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) }];
  const trust =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(Buffer.from(tls.clientCa), pair, true);
  const place = unixSocket === undefined ? '127.0.0.1:0' : `unix:${unixSocket}`;
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(place, trust, (error, bound) => (error === null ? resolve(bound) : reject(error))),
  );
  return {
    port,
    received,
    open: () => streams.size,
    cut: () => {
      for (const stream of streams) stream.end();
    },
    close: () => server.forceShutdown(),
  };
}

function serveStream(stream: Stream, received: string[], { silent = false, connectId = 7 }: TestProxyOptions): void {
  let upstream: Socket | undefined;
  stream.on('data', (packet: WireTunnelPacket) => {
    const { type, dialRequest, data } = packet;
    const name = Object.keys(TUNNEL_PACKETS)[Object.values(TUNNEL_PACKETS).indexOf(type as 0)] ?? String(type);
    if (type !== TUNNEL_PACKETS.data) received.push(name === 'dialRequest' ? `dial ${dialRequest!.address}` : name);
    if (type === TUNNEL_PACKETS.dialRequest && !silent) {
      const { random, address } = dialRequest!;
      const [host, port] = [
        address.slice(0, address.lastIndexOf(':')),
        Number(address.slice(address.lastIndexOf(':') + 1)),
      ];
      upstream = connect({ host, port, allowHalfOpen: true });
      upstream.once('connect', () =>
        stream.write({ type: TUNNEL_PACKETS.dialResponse, dialResponse: { connectId, random } }),
      );
      upstream.on('data', (bytes) => {
        const more = stream.write({ type: TUNNEL_PACKETS.data, data: { connectId, data: bytes } });
        if (more) return;
        upstream!.pause();
        stream.once('drain', () => upstream!.resume());
      });
      upstream.once('end', () => {
        upstream!.end();
        stream.write({ type: TUNNEL_PACKETS.closeResponse, closeResponse: { connectId } });
      });
      upstream.once('error', (error) => {
        const dialResponse = { connectId: 0, random, error: `dial tcp ${address}: ${error.message}` };
        stream.write({ type: TUNNEL_PACKETS.dialResponse, dialResponse });
      });
    } else if (type === TUNNEL_PACKETS.data) upstream!.write(data!.data);
    else if (type === TUNNEL_PACKETS.closeRequest) {
      upstream?.destroy();
      stream.write({ type: TUNNEL_PACKETS.closeResponse, closeResponse: { connectId } });
    }
  });
  stream.on('end', () => {
    upstream?.destroy();
    stream.end();
  });
}
