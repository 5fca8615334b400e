import { NO_PEER, type SoftState, toPeerId } from '../../../raft/index.js';
import type { Applied } from '../../storage/index.js';
import { PROPOSAL_LIMITS } from '../common/index.js';
import type { PeerControl } from '../control/index.js';
import { quarantine } from '../durability/index.js';
import type { PeerKeyspace } from '../requests/index.js';
import { Connections } from './connections.js';
import { assemble, connectMembers, type Parts, type PeerBase } from './parts.js';
import type { Peer } from './peer.js';

/** The life of a peer: start, ticks, failure, close. `parts.ts` connects its parts. */
export class RunningPeer implements Peer {
  readonly #base: PeerBase;
  readonly #parts: Parts;
  readonly #connections: Connections;
  #stopTicking: (() => void) | undefined;
  #stopped: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(base: PeerBase) {
    this.#base = base;
    const fail = (error: unknown): void => this.fail(error);
    const stopped = (): string | undefined => this.#stopped;
    this.#connections = new Connections(base, () => this.#parts, { fail, stopped });
    this.#parts = assemble(base, {
      fail,
      stopped,
      connections: this.#connections,
      differs: (message) => this.#differs(message),
      close: () => this.close(),
    });
  }

  get keyspace(): PeerKeyspace {
    return this.#parts.keyspace;
  }

  get control(): PeerControl {
    return this.#parts.controls.control;
  }

  get addresses(): readonly string[] {
    return this.#parts.transport.addresses;
  }

  /** Starts to take part in the cluster. */
  async start(): Promise<void> {
    const { config, state, log } = this.#base;
    const { members, raft } = this.#parts;
    await members.load(state.machine);
    this.#stopTicking = this.#tick();
    this.#startConsensus();
    const { voters } = raft.config;
    const alone = voters.length === 1 && voters[0] === toPeerId(log.identity.peerId);
    // A single voter does not wait for an election timeout.
    if (alone) raft.campaign();
    if (config.network === undefined) return;
    const opening = this.#connections.open();
    // Nor does it wait until others can join. A permanent failure to listen must still be reported.
    if (voters.length === 1) opening.catch((error) => this.fail(error));
    else await opening;
  }

  #startConsensus(): void {
    const { raft, transport, applier, receiver, reads, sole, members } = this.#parts;
    raft.start({
      send: (messages) => transport.send(messages),
      flush: () => transport.flush(),
      apply: (entries) => applier.push(entries),
      install: (write, persist) => receiver.install(write, persist),
      readSettled: (outcome) => reads.settled(outcome),
      roleChanged: (now, before) => this.#roleChanged(now, before),
      membersChanged: () => {
        sole.reconfigured();
        connectMembers(members, transport);
      },
    });
  }

  #tick(): () => void {
    const { config, world, metrics } = this.#base;
    const { raft, proposals, reads, admission } = this.#parts;
    let due = world.clock.monotonic() + config.heartbeatMs;
    return world.timers.every(config.heartbeatMs, () => {
      const now = world.clock.monotonic();
      metrics.heartbeatLateness.observe(Math.max(0, now - due) / 1000);
      due = now + config.heartbeatMs;
      if (admission.isOpen) raft.tick();
      proposals.expire();
      reads.expire();
    });
  }

  #roleChanged(now: SoftState, before: SoftState): void {
    const { metrics, events } = this.#base;
    const { members, proposals, raft } = this.#parts;
    if (now.leader !== before.leader && raft.hasLeader) metrics.leaderChanges++;
    this.#noteLeader(now, before);
    if (before.role === 'leader' && now.role !== 'leader') members.lostLeadership(raft.status().commit);
    proposals.retryHeld();
    events.progressed?.();
  }

  #noteLeader(now: SoftState, before: SoftState): void {
    if (now.leader === before.leader && (now.term === before.term || now.leader === NO_PEER)) return;
    const { members } = this.#parts;
    const text =
      now.leader === NO_PEER
        ? `lost peer ${members.describe(before.leader)}, the leader of term ${before.term}`
        : `peer ${members.describe(now.leader)} leads in term ${now.term}`;
    this.#base.events.note?.('info', text);
  }

  /** A batch of the state found no space. */
  stateBlocked(): void {
    if (this.#stopped === undefined) this.#parts.fullDisk.stateBlocked();
  }

  /** Called when a batch has been written, before its watches and answers. */
  batchApplied({ events }: Applied): void {
    const { metrics } = this.#base;
    const { fullDisk, members } = this.#parts;
    fullDisk.stateWritten();
    if (events.length === 0) return;
    members.applied(events);
    for (const { changes } of events) {
      for (const { kind } of changes) {
        if (kind === 'put') metrics.puts++;
        else metrics.deletes++;
      }
    }
  }

  /** The state differs from most peers: neither this process nor the next may serve it. */
  #differs(message: string): void {
    const { disk, events } = this.#base;
    try {
      if (disk !== undefined) quarantine(disk.files, message);
    } catch (error) {
      events.note?.('error', `could not record that the state must not be served: ${(error as Error).message}`);
    }
    this.fail(new Error(message));
  }

  /** Stops the peer after a broken invariant or a disk failure. It answers nothing more, and its owner is notified. */
  fail(cause: unknown): void {
    if (this.#stopped !== undefined) return;
    const error = cause instanceof Error ? cause : new Error(String(cause));
    this.#stop(`this peer has stopped: ${error.message}`);
    this.#connections.abandon();
    this.#base.events.fatal?.(error);
  }

  #stop(why: string): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    const { raft, tasks, space, proposals, reads, sole, members, receiver, journal, admission } = this.#parts;
    this.#stopTicking?.();
    admission.stop();
    raft.stop();
    tasks.stop();
    void space.stop();
    this.#base.state.giveUp();
    proposals.stop(why);
    reads.stop(why);
    sole.end();
    members.giveUp();
    receiver.close();
    journal.giveUp(why);
    this.#base.state.hub.stop(why);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { raft, applier, compactor, receiver, space, journal } = this.#parts;
    if (this.#stopped === undefined) await this.#drain();
    this.#stop('this peer is closed');
    // The next process needs the addresses.
    await this.#connections.close();
    await applier.settled();
    await compactor.settled();
    // Finish or abort the installation of a snapshot before the folder belongs to the next process.
    await raft.settled();
    await receiver.settled();
    await space.stop();
    await journal.close();
    await this.#base.state.close('this peer is closed');
  }

  /**
   * Waits, up to a limit, until every accepted proposal is answered. A leader with other voters then transfers its
   * leadership.
   */
  async #drain(): Promise<void> {
    const { raft, proposals } = this.#parts;
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#base.world.timers.after(PROPOSAL_LIMITS.drainMs, resolve);
    });
    const handOver = async (): Promise<void> => {
      await proposals.drain('this peer is closing');
      const others = raft.config.voters.length > 1;
      if (others && raft.isLeader) await this.control.moveLeader(0);
    };
    await Promise.race([handOver(), late]);
    cancel();
  }
}
