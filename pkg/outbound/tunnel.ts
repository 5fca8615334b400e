import { isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  connectivityState,
  credentials,
  status,
} from '@grpc/grpc-js';
import {
  TUNNEL_METHOD,
  TUNNEL_PACKETS,
  tunnelPacketCodec,
  type WireTunnelId,
  type WireTunnelPacket,
} from '../../proto/index.js';
import type { World } from '../base/index.js';
import { identityProblem, OutboundError } from './errors.js';
import { outboundLimits } from './limits.js';
import { type Address, addressOf, hostPort, type ProxyPlace } from './target.js';
import type { CountedConnection, DialFailure, TunnelMetrics } from './tunnelmetrics.js';

type Call = ClientDuplexStream<WireTunnelPacket, WireTunnelPacket>;

interface Channel {
  readonly call: Call;
  readonly client: Client;
  readonly metrics: TunnelMetrics | undefined;
  readonly counted: CountedConnection | undefined;
}

/** A dial that failed before the proxy was reached (`connect`) or after it (`proxy`). */
export class TunnelError extends OutboundError {
  readonly stage: 'connect' | 'proxy';

  constructor(stage: 'connect' | 'proxy', reason: string) {
    super('dial', reason);
    this.stage = stage;
  }
}

/**
 * Connects to an address through a konnectivity proxy (sigs.k8s.io/apiserver-network-proxy). Each connection has a gRPC channel of its own, as in
 * kube-apiserver, so that a slow reader never fills the flow control window of another connection. Throws `TunnelError`.
 */
export function dialTunnel(
  proxy: ProxyPlace,
  address: Address,
  { world, metrics }: { readonly world: World; readonly metrics: TunnelMetrics | undefined },
  signal: AbortSignal,
): Promise<Socket> {
  const [target, trust] = 'unixSocket' in proxy ? unixTarget(proxy.unixSocket) : urlTarget(proxy);
  const client = new Client(target, trust, {
    'grpc.enable_http_proxy': 0,
    'grpc.enable_retries': 0,
    'grpc.use_local_subchannel_pool': 1,
    ...('unixSocket' in proxy ? { 'grpc.default_authority': 'localhost' } : {}),
    // An IP address is not allowed as a server name (RFC 6066, section 3). The certificate is compared with the address below.
    ...('url' in proxy ? nameOption(proxy) : {}),
  });
  const call: Call = client.makeBidiStreamRequest(TUNNEL_METHOD, tunnelPacketCodec.encode, tunnelPacketCodec.decode);
  call.on('data', ({ type }: WireTunnelPacket) => metrics?.packet('to_client', type));
  return dialed({ call, client, metrics, counted: metrics?.opened() }, address, world, signal);
}

function unixTarget(path: string): readonly [string, ChannelCredentials] {
  return [path.startsWith('@') ? `unix-abstract:${path.slice(1)}` : `unix:${path}`, credentials.createInsecure()];
}

/** The name in the certificate of a proxy. */
const nameOf = ({ url, tls }: Exclude<ProxyPlace, { unixSocket: string }>): string =>
  tls?.serverName ?? addressOf(url).host;

function nameOption(proxy: Exclude<ProxyPlace, { unixSocket: string }>): Readonly<Record<string, string>> {
  const name = nameOf(proxy);
  if (isIP(name) !== 0) return { 'grpc.ssl_target_name_override': 'proxy' };
  return proxy.tls?.serverName === undefined ? {} : { 'grpc.ssl_target_name_override': name };
}

function urlTarget(proxy: Exclude<ProxyPlace, { unixSocket: string }>): readonly [string, ChannelCredentials] {
  const { url, tls } = proxy;
  const target = `dns:///${hostPort(addressOf(url))}`;
  if (url.startsWith('http:')) return [target, credentials.createInsecure()];
  const pem = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text));
  const { ca, certificate } = tls ?? {};
  const verify = {
    checkServerIdentity: (_: string, found: Parameters<typeof identityProblem>[1]) =>
      identityProblem(nameOf(proxy), found),
  };
  return [target, credentials.createSsl(pem(ca), pem(certificate?.key), pem(certificate?.cert), verify)];
}

/** Sends DIAL_REQ and waits for its response. An abort ends the dial on the side of the proxy, too. */
function dialed(channel: Channel, address: Address, world: World, signal: AbortSignal): Promise<Socket> {
  const { call, client, metrics, counted } = channel;
  const random = randomId(world);
  const reached = (): boolean => client.getChannel().getConnectivityState(false) === connectivityState.READY;
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      signal.removeEventListener('abort', late);
      call.removeListener('data', answered);
      call.removeListener('end', ended);
      call.removeListener('error', failed);
    };
    const fail = (why: DialFailure | undefined, reason: string): void => {
      finish();
      abandon(channel);
      if (why !== undefined) metrics?.dialFailed(why);
      reject(new TunnelError(why === undefined ? 'connect' : 'proxy', reason));
    };
    const failed = (error: Error): void => {
      if (isUnreached(error)) {
        fail(undefined, problemOf(error));
        return;
      }
      metrics?.streamFailed(codeOf(error));
      fail('tunnelclosed', problemOf(error));
    };
    const ended = (): void => fail('tunnelclosed', 'tunnel closed');
    const late = (): void => {
      if (!reached()) {
        fail(undefined, 'i/o timeout');
        return;
      }
      finish();
      call.on('error', () => {});
      // The cancellation comes after the packet: without it the proxy keeps the connection that it is opening.
      const cancel = world.timers.after(outboundLimits.tunnelCloseTime, () => abandon(channel));
      send(channel, { type: TUNNEL_PACKETS.closeDial, closeDial: { random } }, () => {
        cancel();
        abandon(channel);
      });
      metrics?.dialFailed('context');
      reject(new TunnelError('proxy', 'dial timeout, context'));
    };
    const answered = ({ type, dialResponse, closeDial }: WireTunnelPacket): void => {
      if (type === TUNNEL_PACKETS.closeDial && String(closeDial?.random) === String(random))
        fail('dialclosed', 'dial closed');
      if (type !== TUNNEL_PACKETS.dialResponse || String(dialResponse?.random) !== String(random)) return;
      if (dialResponse!.error) {
        fail('endpoint', dialResponse!.error);
        return;
      }
      finish();
      counted?.is('ok');
      resolve(new Tunnel(channel, dialResponse!.connectId, world) as unknown as Socket);
    };
    call.on('data', answered);
    call.on('end', ended);
    call.on('error', failed);
    if (signal.aborted) {
      late();
      return;
    }
    signal.addEventListener('abort', late, { once: true });
    const dialRequest = { protocol: 'tcp', address: hostPort(address), random };
    counted?.is('dialing');
    send(channel, { type: TUNNEL_PACKETS.dialRequest, dialRequest });
  });
}

function send({ call, metrics }: Channel, packet: WireTunnelPacket, done?: () => void): void {
  metrics?.packet('from_client', packet.type);
  call.write(packet, done);
}

/** Ends a channel whose connection is closed, or never was one. */
function abandon({ call, client, counted }: Channel): void {
  counted?.ended();
  call.on('error', () => {});
  call.cancel();
  client.close();
}

/** 48 bits, of the 64 that the protocol has for the id of a dial. */
function randomId({ random }: World): number {
  return random.bytes(6).reduce((number, byte) => number * 256 + byte, 0);
}

const codeOf = (error: Error): number | undefined => (error as { readonly code?: number }).code;
const isUnreached = (error: Error): boolean => codeOf(error) === status.UNAVAILABLE;

/** What gRPC says about a call, without its prefix for connections that failed and what OpenSSL adds to an alert. */
function problemOf(error: Error): string {
  const { code, details = error.message } = error as { readonly code?: number; readonly details?: string };
  if (code !== status.UNAVAILABLE) return `rpc error: code = ${status[code ?? 2]} desc = ${details}`;
  const after = (text: string, mark: string): string =>
    text.slice(text.indexOf(mark) < 0 ? 0 : text.indexOf(mark) + mark.length);
  const [reason = ''] = after(after(details, 'Last error: '), 'Error: ').split('. Resolution note:', 1);
  const [, alert] = after(reason, ':SSL routines:').split(':');
  return reason.includes(':SSL routines:') ? `remote error: tls: ${alert}` : reason;
}

/**
 * A connection through a konnectivity proxy, with the methods of `net.Socket` that HTTP agents use. The protocol has no half-closed
 * connections: after `end` the other end can still send, until it has been silent for `tunnelCloseTime`.
 */
class Tunnel extends Duplex {
  readonly #channel: Channel;
  readonly #id: WireTunnelId;
  readonly #world: World;
  /** Whether the proxy closed the connection, or the call ended. */
  #over = false;
  #lastActive: number;
  #cancelTimeout = (): void => {};
  #cancelClose = (): void => {};

  constructor(channel: Channel, id: WireTunnelId, world: World) {
    super({ allowHalfOpen: true });
    this.#channel = channel;
    this.#id = id;
    this.#world = world;
    this.#lastActive = world.clock.monotonic();
    const { call } = channel;
    call.on('data', (packet: WireTunnelPacket) => this.#received(packet));
    call.on('end', () => this.#broken());
    call.on('error', (error: Error) => {
      if (!this.#over) channel.metrics?.streamFailed(codeOf(error));
      this.#broken();
    });
    call.pause();
  }

  #received({ type, data, closeResponse }: WireTunnelPacket): void {
    if (type === TUNNEL_PACKETS.data && String(data?.connectId) === String(this.#id)) {
      this.#lastActive = this.#world.clock.monotonic();
      const { buffer, byteOffset, byteLength } = data!.data;
      if (this.destroyed || byteLength === 0) return;
      if (!this.push(Buffer.from(buffer, byteOffset, byteLength))) this.#channel.call.pause();
    } else if (type === TUNNEL_PACKETS.closeResponse && String(closeResponse?.connectId) === String(this.#id)) {
      this.#over = true;
      if (this.destroyed) this.#release();
      else if (closeResponse!.error) this.destroy(new Error(closeResponse!.error));
      else {
        this.push(null);
        this.end();
      }
    }
  }

  /** The proxy is gone: what arrived may be incomplete. */
  #broken(): void {
    if (this.#over) return;
    this.#over = true;
    this.#channel.counted?.ended();
    if (this.destroyed) this.#release();
    else this.destroy(Object.assign(new Error('read: tunnel closed'), { code: 'ECONNRESET' }));
  }

  override _read(): void {
    this.#channel.call.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#over) {
      done(Object.assign(new Error('write: broken pipe'), { code: 'EPIPE' }));
      return;
    }
    this.#lastActive = this.#world.clock.monotonic();
    const size = outboundLimits.tunnelPacketBytes;
    for (let at = 0; at < chunk.length; at += size) {
      const data = { connectId: this.#id, data: chunk.subarray(at, at + size) };
      const isLast = at + size >= chunk.length;
      send(this.#channel, { type: TUNNEL_PACKETS.data, data }, isLast ? () => done() : undefined);
    }
    if (chunk.length === 0) done();
  }

  override _final(done: () => void): void {
    done();
    if (!this.#over) this.#closeWhenSilent(outboundLimits.tunnelCloseTime);
  }

  #closeWhenSilent(milliseconds: number): void {
    this.#cancelClose = this.#world.timers.after(milliseconds, () => {
      const left = this.#lastActive + outboundLimits.tunnelCloseTime - this.#world.clock.monotonic();
      if (left > 0) this.#closeWhenSilent(left);
      else this.destroy();
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#cancelTimeout();
    this.#cancelClose();
    done(error);
    if (this.#over) {
      this.#release();
      return;
    }
    const { call } = this.#channel;
    this.#channel.counted?.is('closing');
    send(this.#channel, { type: TUNNEL_PACKETS.closeRequest, closeRequest: { connectId: this.#id } });
    // CLOSE_RSP follows, behind data that is not read.
    call.resume();
    this.#cancelClose = this.#world.timers.after(outboundLimits.tunnelCloseTime, () => {
      this.#over = true;
      this.#release();
    });
  }

  #release(): void {
    this.#cancelClose();
    abandon(this.#channel);
  }

  setTimeout(milliseconds: number, listener?: () => void): this {
    if (listener !== undefined) this.once('timeout', listener);
    this.#cancelTimeout();
    const wait = (left: number): void => {
      this.#cancelTimeout = this.#world.timers.after(left, () => {
        const rest = this.#lastActive + milliseconds - this.#world.clock.monotonic();
        if (rest > 0) wait(rest);
        else this.emit('timeout');
      });
    };
    this.#lastActive = this.#world.clock.monotonic();
    if (milliseconds > 0) wait(milliseconds);
    return this;
  }

  // A tunnel has none of these settings of a TCP connection.
  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
