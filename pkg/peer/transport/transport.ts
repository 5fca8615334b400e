import type { PeerCertificate } from 'node:tls';
import type { WireBundle, WireHello, WireSnapshotPart } from '../../../proto/index.js';
import { type Message, type PeerId, toPeerId } from '../../../raft/index.js';
import type { RefusalReason, StateHashes } from '../../storage/index.js';
import { type PeerNetwork, type PeerTls, TRANSPORT_LIMITS } from '../common/index.js';
import {
  type ForwardedProposal,
  type ForwardRefusal,
  fromWire,
  type Transport,
  type TransportPorts,
} from '../network/index.js';
import type { Dialing } from './credentials.js';
import { certificateProblem, identityProblem, memberProblem } from './identity.js';
import { Link, REMOVED } from './link.js';
import { type PeerServer, servePeers } from './server.js';
import type { TlsSource } from './tls.js';

/** Certificates of this peer, and how it dials others with them. */
export interface Security {
  readonly source: TlsSource;
  dial(url: string, id: PeerId): Dialing;
}

/** The connections to and from all other peers. */
export class GrpcTransport implements Transport {
  readonly #ports: TransportPorts;
  readonly #network: PeerNetwork;
  readonly #security: Security;
  readonly #links = new Map<PeerId, Link>();
  /** The URLs that peers sent in their handshakes. */
  readonly #heard = new Map<PeerId, readonly string[]>();
  readonly #unreachable = new Set<PeerId>();
  readonly #stopReports: () => void;
  #server: PeerServer | undefined;
  #stopTls: () => void = () => {};
  #flushing = false;

  private constructor(network: PeerNetwork, ports: TransportPorts, security: Security) {
    this.#network = network;
    this.#security = security;
    this.#ports = ports;
    // Reported once a tick, not at each loss, because the core then sends again.
    this.#stopReports = ports.world.timers.every(ports.heartbeatMs, () => {
      for (const peer of this.#unreachable) ports.sink.unreachable(peer);
      this.#unreachable.clear();
    });
  }

  /** Listens. Rejects when an address is taken. */
  static async open(network: PeerNetwork, ports: TransportPorts, security: Security): Promise<GrpcTransport> {
    const transport = new GrpcTransport(network, ports, security);
    const tls = security.source.current();
    try {
      transport.#server = await servePeers(network.listenUrls, tls, {
        greet: (hello, certificate) => transport.#greet(hello, certificate),
        bundle: (from, bundle, bytes) => transport.#receive(toPeerId(from), bundle, bytes),
        snapshot: (parts, cancelled, certificate) =>
          ports.receiveSnapshot(transport.#identified(parts, certificate), cancelled),
        members: (certificate) => {
          transport.#refuse(certificateProblem(certificate, network));
          return ports.members();
        },
        control: async (name, argument, certificate) => {
          transport.#refuse(certificateProblem(certificate, network));
          transport.#refuse(memberProblem(certificate, ports.members().members));
          return ports.control(name, argument);
        },
      });
      transport.#followTls(tls);
    } catch (error) {
      transport.#stopReports();
      throw error;
    }
    return transport;
  }

  /** Uses renewed certificates. */
  #followTls(first: PeerTls): void {
    let inUse = first;
    this.#stopTls = this.#ports.world.timers.every(TRANSPORT_LIMITS.tlsEveryMs, () => {
      const now = this.#security.source.current();
      if (now === inUse) return;
      inUse = now;
      this.#server?.replaceTls(now);
    });
  }

  #refuse(problem: string | undefined): void {
    if (problem === undefined) return;
    this.#ports.note('warn', `refused a peer: ${problem}`);
    throw new Error(problem);
  }

  /** Why the certificate does not authenticate the member `id`. */
  #identityProblem(certificate: PeerCertificate, id: number): string | undefined {
    return (
      certificateProblem(certificate, this.#network) ?? identityProblem(certificate, id, this.#ports.members().members)
    );
  }

  /** Returns the same parts, after checking that the certificate is that of the sender in the first one. */
  async *#identified(
    parts: AsyncIterable<WireSnapshotPart>,
    certificate: PeerCertificate,
  ): AsyncGenerator<WireSnapshotPart, void, void> {
    for await (const part of parts) {
      if (part.begin !== null) this.#refuse(this.#identityProblem(certificate, part.begin.from));
      yield part;
    }
  }

  /** Bound addresses. */
  get addresses(): readonly string[] {
    return this.#server?.addresses ?? [];
  }

  setPeers(peers: ReadonlyMap<PeerId, readonly string[]>): void {
    for (const [id, link] of this.#links) {
      // A new leader may connect before its membership is applied here.
      if (peers.has(id) || (this.#heard.has(id) && !this.#ports.wasRemoved(id))) continue;
      link.close();
      this.#links.delete(id);
    }
    for (const [id, urls] of peers) {
      if (id === this.#ports.self) continue;
      const known = urls.length > 0 ? urls : (this.#heard.get(id) ?? []);
      const link = this.#links.get(id);
      if (link !== undefined) link.setUrls(known);
      else if (known.length > 0) this.#links.set(id, this.#newLink(id, known));
    }
  }

  #newLink(id: PeerId, urls: readonly string[]): Link {
    const { world, metrics } = this.#ports;
    return new Link(urls, {
      world,
      traffic: metrics.traffic(id),
      dialing: (url) => this.#security.dial(url, id),
      hello: () => this.#hello(id, ''),
      describe: () => this.#ports.describe(id),
      lost: () => this.#unreachable.add(id),
      removed: () => this.#ports.sink.removed(),
      note: (level, message) => this.#ports.note(level, message),
    });
  }

  #hello(to: number, refused: string): WireHello {
    const { clusterId, self: from, version, incarnation } = this.#ports;
    const urls = this.#network.advertiseUrls;
    return { clusterId, from, to, version, protocol: TRANSPORT_LIMITS.protocol, incarnation, urls, refused };
  }

  #greet(hello: WireHello, certificate: PeerCertificate): WireHello {
    const { self, clusterId } = this.#ports;
    const refuse = (why: string): WireHello => this.#hello(hello.from, why);
    if (hello.clusterId !== clusterId) return refuse(`this peer belongs to cluster ${clusterId}`);
    if (hello.to !== self) return refuse(`this is peer ${this.#ports.describe(self)}`);
    if (hello.protocol !== TRANSPORT_LIMITS.protocol) {
      return refuse(`this peer speaks protocol ${TRANSPORT_LIMITS.protocol}`);
    }
    const problem = this.#identityProblem(certificate, hello.from);
    if (problem !== undefined) {
      this.#ports.note('warn', `refused a peer that says it is ${this.#ports.describe(hello.from)}: ${problem}`);
      return refuse(problem);
    }
    if (this.#ports.wasRemoved(hello.from)) return refuse(REMOVED);
    const from = toPeerId(hello.from);
    this.#heard.set(from, hello.urls);
    // Answer a peer that connects even if its membership is not applied here yet.
    if (!this.#links.has(from) && hello.urls.length > 0) this.#links.set(from, this.#newLink(from, hello.urls));
    return this.#hello(hello.from, '');
  }

  #receive(from: PeerId, bundle: WireBundle, bytes: number): void {
    const { sink, metrics, self } = this.#ports;
    // Ends the connection. When the peer reconnects, the answer to its handshake has the reason.
    if (this.#ports.wasRemoved(from)) throw new Error(REMOVED);
    metrics.traffic(from).receivedBytes += bytes;
    for (const { id, term, refused, message } of bundle.answers) {
      sink.refused({ id, term, refused: refused as RefusalReason, message });
    }
    for (const wire of bundle.raft) {
      if (wire.to === self && wire.from === from) sink.raft(fromWire(wire));
    }
    for (const { id, data, term } of bundle.proposals) sink.proposal(from, { id, data, term });
    if (bundle.hash !== null) sink.hash(from, bundle.hash.revision, bundle.hash);
  }

  urlsOf(peer: PeerId): readonly string[] {
    return this.#links.get(peer)?.urls ?? [];
  }

  /** Everything that is queued during one turn of the event loop is sent together. */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    this.#ports.world.timers.immediate(() => this.flush());
  }

  flush(): void {
    this.#flushing = false;
    for (const link of this.#links.values()) link.flush();
  }

  send(messages: readonly Message[]): void {
    for (const message of messages) {
      const link = this.#links.get(message.to);
      if (link?.isReady && link.queue.raft(message)) {
        this.#flushSoon();
        continue;
      }
      this.#ports.metrics.traffic(message.to).sentFailures++;
      if (message.kind === 'heartbeat') this.#ports.metrics.heartbeatSendFailures++;
      this.#unreachable.add(message.to);
    }
  }

  forward(to: PeerId, proposal: ForwardedProposal): boolean {
    const link = this.#links.get(to);
    if (link?.isReady !== true || !link.queue.proposal(proposal)) return false;
    this.#flushSoon();
    return true;
  }

  refuse(to: PeerId, refusal: ForwardRefusal): void {
    const link = this.#links.get(to);
    if (link?.isReady !== true) return;
    link.queue.refusal(refusal);
    this.#flushSoon();
  }

  sendHashes(revision: number, hashes: StateHashes): void {
    for (const link of this.#links.values()) {
      if (link.isReady) link.queue.hash(revision, hashes);
    }
    this.#flushSoon();
  }

  async close(): Promise<void> {
    this.#stopReports();
    this.#stopTls();
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
    await this.#server?.close();
  }
}
