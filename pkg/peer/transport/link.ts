import { Client, type ClientDuplexStream } from '@grpc/grpc-js';
import { bundleCodec, PEER_METHODS, type WireBundle, type WireHello } from '../../../proto/index.js';
import type { World } from '../../base/index.js';
import { type PeerTraffic, TRANSPORT_LIMITS } from '../common/index.js';
import { sentenceOf } from './calls.js';
import { type Dialing, identity } from './credentials.js';
import { OutgoingQueue } from './queue.js';

export interface LinkPorts {
  readonly world: World;
  readonly traffic: PeerTraffic;
  /** How to dial the peer at `url`, with the current certificates. */
  dialing(url: string): Dialing;
  hello(): WireHello;
  /** That peer as log lines name it. */
  describe(): string;
  /** Messages to this peer were probably lost. */
  lost(): void;
  /** That peer reports that this one was removed from the cluster. */
  removed(): void;
  note(level: 'info' | 'warn', message: string): void;
}

/** The reason of a permanent refusal in the handshake. */
export const REMOVED = 'the member has been removed from the cluster';

type Stream = ClientDuplexStream<Buffer, Buffer>;

/**
 * The outgoing connection to one peer: a stream with a handshake, which is opened again if it breaks. While it is down,
 * Raft messages are dropped, because the core sends them again, and proposals are reported as not sent.
 */
export class Link {
  readonly #ports: LinkPorts;
  readonly #queue = new OutgoingQueue();
  #urls: readonly string[];
  #nextUrl = 0;
  #client: Client | undefined;
  #stream: Stream | undefined;
  #ready = false;
  /** The stream accepts no more until it drains. */
  #blocked = false;
  #failures = 0;
  #cancelRetry: (() => void) | undefined;
  #cancelHello: (() => void) | undefined;
  readonly #stopPings: () => void;
  #closed = false;
  #lastNote = '';

  constructor(urls: readonly string[], ports: LinkPorts) {
    this.#urls = urls;
    this.#ports = ports;
    this.#stopPings = ports.world.timers.every(TRANSPORT_LIMITS.pingEveryMs, () => {
      if (!this.#ready) return;
      this.#queue.ping(this.#ports.world.clock.monotonic());
      this.flush();
    });
    this.#dial();
  }

  get queue(): OutgoingQueue {
    return this.#queue;
  }

  /** Whether a message that is queued now will be sent. */
  get isReady(): boolean {
    return this.#ready;
  }

  get urls(): readonly string[] {
    return this.#urls;
  }

  setUrls(urls: readonly string[]): void {
    if (urls.length === 0 || urls.join() === this.#urls.join()) return;
    this.#urls = urls;
    this.#break('its URL has changed');
  }

  /** Sends queued messages as far as the stream accepts them; the rest when it drains. */
  flush(): void {
    while (this.#ready && !this.#blocked && !this.#queue.isEmpty) {
      const bytes = this.#queue.take();
      this.#ports.traffic.sentBytes += bytes.length;
      if (this.#stream!.write(bytes) === false) this.#blocked = true;
    }
  }

  #dial(): void {
    if (this.#closed || this.#urls.length === 0) return;
    const url = this.#urls[this.#nextUrl++ % this.#urls.length]!;
    let to: Dialing;
    try {
      to = this.#ports.dialing(url);
    } catch (error) {
      // The URL comes from the replicated state. A bad one must not stop this peer.
      this.#break(`it cannot be dialled: ${(error as Error).message}`, TRANSPORT_LIMITS.refusedMs);
      return;
    }
    const client = new Client(to.target, to.credentials, to.options);
    const stream: Stream = client.makeBidiStreamRequest(PEER_METHODS.connect, identity, identity);
    this.#client = client;
    this.#stream = stream;
    stream.on('data', (bytes: Buffer) => this.#receive(stream, bytes));
    stream.on('drain', () => {
      if (stream !== this.#stream) return;
      this.#blocked = false;
      this.flush();
    });
    stream.on('error', (error) => stream === this.#stream && this.#break(sentenceOf(error)));
    stream.on('end', () => stream === this.#stream && this.#break('the other side ended the connection'));
    stream.write(bundleCodec.encode({ hello: this.#ports.hello() }));
    this.#cancelHello = this.#ports.world.timers.after(TRANSPORT_LIMITS.helloMs, () => {
      if (stream === this.#stream && !this.#ready) this.#break('it does not answer');
    });
  }

  #receive(stream: Stream, bytes: Buffer): void {
    if (stream !== this.#stream) return;
    this.#ports.traffic.receivedBytes += bytes.length;
    let bundle: WireBundle;
    try {
      bundle = bundleCodec.decode(bytes);
    } catch (error) {
      this.#break(`it sent a malformed message: ${String(error)}`);
      return;
    }
    if (bundle.hello !== null && !this.#ready) this.#greeted(bundle.hello);
    if (bundle.pong !== null) {
      const elapsed = this.#ports.world.clock.monotonic() - bundle.pong.sent;
      if (elapsed >= 0) this.#ports.traffic.roundTrip.observe(elapsed / 1000);
    }
  }

  #greeted(hello: WireHello): void {
    this.#cancelHello?.();
    if (hello.refused === REMOVED) this.#ports.removed();
    if (hello.refused !== '') {
      this.#break(`it refuses: ${hello.refused}`, TRANSPORT_LIMITS.refusedMs);
      return;
    }
    this.#ready = true;
    this.#failures = 0;
    this.#ports.traffic.active = 1;
    this.#note('info', `connected to peer ${this.#ports.describe()}, version ${hello.version}`);
    this.flush();
  }

  #break(why: string, waitMs?: number): void {
    if (this.#closed) return;
    this.#cancelHello?.();
    const stream = this.#stream;
    this.#stream = undefined;
    const wasReady = this.#ready;
    this.#ready = false;
    this.#blocked = false;
    this.#ports.traffic.active = 0;
    this.#ports.traffic.sentFailures++;
    stream?.cancel();
    this.#client?.close();
    this.#client = undefined;
    if (this.#queue.clear() || wasReady) this.#ports.lost();
    this.#note('warn', `no connection to peer ${this.#ports.describe()} at ${this.#urls.join(', ')}: ${why}`);
    this.#cancelRetry?.();
    this.#cancelRetry = this.#ports.world.timers.after(waitMs ?? this.#backoff(), () => this.#dial());
  }

  #backoff(): number {
    const full = Math.min(TRANSPORT_LIMITS.reconnectMs * 2 ** this.#failures, TRANSPORT_LIMITS.reconnectMsMax);
    this.#failures = Math.min(this.#failures + 1, 16);
    return full / 2 + (full / 2) * this.#ports.world.random.float();
  }

  /** Logs a message unless it repeats the last one. */
  #note(level: 'info' | 'warn', message: string): void {
    if (message === this.#lastNote) return;
    this.#lastNote = message;
    this.#ports.note(level, message);
  }

  close(): void {
    this.#closed = true;
    this.#ready = false;
    this.#stopPings();
    this.#cancelHello?.();
    this.#cancelRetry?.();
    this.#ports.traffic.active = 0;
    this.#stream?.end();
    this.#stream?.cancel();
    this.#client?.close();
  }
}
