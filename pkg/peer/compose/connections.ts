import { NO_PEER, toPeerId } from '../../../raft/index.js';
import { CONTROL_LIMITS } from '../common/index.js';
import { HAS_STARTED, HAS_STARTED_CONFIRMED, type HasStarted, wasRemovedUnreached } from '../membership/index.js';
import type { SnapshotStream, TransportProvider } from '../network/index.js';
import { SnapshotSender } from '../snapshot/index.js';
import { incoming, REMOVED } from './incoming.js';
import { connectMembers, type Owner, type Parts, type PeerBase } from './parts.js';

/** The connections of a peer to the others. They are opened after the peer has started. */
export class Connections {
  readonly #base: PeerBase;
  readonly #parts: () => Parts;
  readonly #owner: Pick<Owner, 'fail' | 'stopped'>;
  /** Settled when the transport is open, or has failed to open. */
  #opening: Promise<void> = Promise.resolve();
  #provider: TransportProvider | undefined;
  #sender: SnapshotSender | undefined;
  #stopTending: (() => void) | undefined;
  #stopAsking: (() => void) | undefined;

  constructor(base: PeerBase, parts: () => Parts, owner: Pick<Owner, 'fail' | 'stopped'>) {
    this.#base = base;
    this.#parts = parts;
    this.#owner = owner;
  }

  /** Listens, and connects to the members. Rejects if an address cannot be bound. */
  open(): Promise<void> {
    const opening = this.#open();
    this.#opening = opening.catch(() => {});
    return opening;
  }

  async #open(): Promise<void> {
    const { config, world, metrics, log, events, loadTransport, rules } = this.#base;
    const { raft, transport, members, receiver, controls, proposals, checks, admission } = this.#parts();
    const provider = await loadTransport();
    if (this.#owner.stopped() !== undefined) return;
    const note = events.note ?? (() => {});
    const { clusterId } = log.identity;
    const opened = await provider.open({
      world,
      metrics,
      self: toPeerId(log.identity.peerId),
      clusterId,
      version: config.version,
      incarnation: Math.floor(world.random.float() * 2 ** 48),
      heartbeatMs: config.heartbeatMs,
      sink: incoming({
        raft,
        proposals,
        checks,
        transport,
        rules,
        members,
        admission,
        reads: config.entryForms?.reads,
        fail: this.#owner.fail,
      }),
      receiveSnapshot: async (snapshot, cancelled) => {
        if (!admission.isOpen) throw new Error('this peer does not take part yet');
        return receiver.receive(snapshot, cancelled);
      },
      members: () => ({ clusterId, members: members.list() }),
      control: (name, argument) => controls.forwarded(name, argument),
      describe: (id) => members.describe(id),
      wasRemoved: (id) => members.wasRemoved(id),
      note,
    });
    if (this.#owner.stopped() !== undefined) return opened.close();
    this.#provider = provider;
    this.#sender = this.#snapshotSender(provider);
    transport.attach(opened, this.#sender);
    this.#stopTending = world.timers.every(CONTROL_LIMITS.tendEveryMs, () => void members.tend());
    connectMembers(members, transport);
    const ask = (name: string) => async (url: string, deadline: number) =>
      (await provider.callControl(url, deadline, name, log.identity.peerId)) as HasStarted;
    admission.begin({ hasStarted: ask(HAS_STARTED), hasStartedConfirmed: ask(HAS_STARTED_CONFIRMED) });
    this.#stopAsking = world.timers.every(
      CONTROL_LIMITS.unreachedEveryMs,
      () => void this.#askWhetherRemoved(provider),
    );
    return undefined;
  }

  /** For a peer that no member has reached yet. */
  async #askWhetherRemoved(provider: TransportProvider): Promise<void> {
    if (this.#parts().raft.config.voters.length > 0 || !this.#base.rules.asksWhetherRemoved) {
      this.#stopAsking?.();
      return;
    }
    const { fail, stopped } = this.#owner;
    const removed = await wasRemovedUnreached(this.#base, this.#base.log.identity, provider);
    if (removed && stopped() === undefined) fail(new Error(REMOVED));
  }

  #snapshotSender(provider: TransportProvider): SnapshotSender {
    const { config, world, metrics, state, log, events } = this.#base;
    return new SnapshotSender({
      world,
      metrics,
      raft: this.#parts().raft,
      state,
      clusterId: log.identity.clusterId,
      electionMs: config.electionMs,
      openStream: (to, url): SnapshotStream => provider.openSnapshotStream(to, url),
      describe: (peer) => this.#parts().members.describe(peer),
      stopped: () => this.#owner.stopped(),
      note: events.note ?? (() => {}),
    });
  }

  /** Forwards a control call to the leader. Rejects if the leader is unknown or does not answer. */
  askLeader(name: string, argument: unknown): Promise<unknown> {
    const { raft, members } = this.#parts();
    const { leader } = raft.soft;
    const url = leader === NO_PEER ? undefined : members.info(leader).peerUrls[0];
    if (this.#provider === undefined || url === undefined) return Promise.reject(new Error('no leader is known'));
    const deadline = this.#base.world.clock.now() + CONTROL_LIMITS.callMs;
    return this.#provider.callControl(url, deadline, name, argument);
  }

  #stopTimers(): void {
    this.#stopTending?.();
    this.#stopAsking?.();
  }

  /** Ends all connections. Resolves when the addresses are free again. */
  async close(): Promise<void> {
    this.#stopTimers();
    this.#sender?.close();
    await this.#opening;
    this.#stopTimers();
    this.#sender?.close();
    await this.#parts().transport.close();
  }

  /** Ends the connections of a failed peer. */
  abandon(): void {
    this.#stopTimers();
    this.#sender?.close();
    void this.#parts().transport.close();
  }
}
