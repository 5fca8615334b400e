// One simulated machine: an address, a disk, and the process that runs on it, if any. `start` runs the production peer.

import { foundingId, PEER_RULES, type PeerRules } from '../../../pkg/peer/common/index.js';
import { type InitialMember, openPeer, PEER_DEFAULTS, type Peer, type PeerConfig } from '../../../pkg/peer/index.js';
import type { Events } from '../events.js';
import type { Random } from '../random.js';
import { type DiskProfile, MachineDisk } from './disk.js';
import type { PeerFaults } from './faults.js';
import type { SimulatedNetwork } from './network.js';
import { Process } from './process.js';
import { type PeerProfile, RELEASES } from './profile.js';

/** What happens to the process of a machine. */
export interface MachineEvents {
  /** The peer serves. */
  readonly opened: (machine: Machine, process: Process, peer: Peer) => void;
  /** The peer failed to start. */
  readonly refused: (machine: Machine, error: Error) => void;
  /** The peer stopped with a fatal error. */
  readonly fatal: (machine: Machine, error: Error) => void;
}

export interface MachineWorld extends MachineEvents {
  readonly events: Events;
  readonly random: Random;
  readonly profile: PeerProfile;
  readonly network: SimulatedNetwork;
  readonly faults: PeerFaults;
  readonly founders: readonly InitialMember[];
  /** The members that were added later, according to the operator. */
  readonly added: () => readonly InitialMember[];
  readonly trace: (line: () => string) => void;
}

export class Machine {
  readonly index: number;
  readonly name: string;
  readonly url: string;
  readonly isFounder: boolean;
  readonly #world: MachineWorld;
  readonly #rate: number;
  disk: MachineDisk;
  process: Process | undefined;
  /** Set while the peer serves. */
  peer: Peer | undefined;
  /** The id of the member whose data is on the disk; undefined if none. */
  memberId: number | undefined;
  /** Whether it should be a member, according to its operator. */
  wanted: boolean;
  /** Its disk was damaged or emptied. The next start shows whether the peer notices. */
  suspect: 'damaged' | 'emptied' | 'altered' | undefined;
  /** Its disk is unusable: an operator must replace the member. */
  lost = false;
  /** Starts with `--initial-cluster-state=existing`. */
  joins: boolean;
  /** The release that it runs, an index of `RELEASES`. */
  release: number;
  /** Its operator has gone back to this release. */
  rolledBack = false;
  /** How far its wall clock is ahead, in milliseconds. */
  clockOffsetMs = 0;
  /** Its process is a member of the cluster before the restore. */
  isOfOldCluster = false;
  /** Simulated time of the latest start. */
  startedAt = 0;
  /** The names in its `--initial-cluster` at the latest start. */
  contacts: readonly string[] = [];
  /** An operator is working on it. */
  operated = false;
  /** Its process appends what it is given, without a check. */
  isFaulty = false;

  constructor(index: number, world: MachineWorld, founder: boolean) {
    this.index = index;
    this.name = `peer${index}`;
    this.url = `https://peer${index}:2380`;
    this.#world = world;
    this.isFounder = founder;
    this.wanted = founder;
    this.joins = !founder;
    this.release = world.profile.release;
    const { random, profile } = world;
    this.#rate = 1 + (random.unit() * 2 - 1) * profile.drift;
    this.disk = new MachineDisk(random, profile.disk, world.faults);
    if (founder)
      this.memberId = foundingId({ name: this.name, peerUrls: [this.url] }, PEER_DEFAULTS.initialClusterToken);
  }

  get isUp(): boolean {
    return this.process?.alive === true;
  }

  start(): void {
    if (this.isUp) return;
    const { events, network, trace, opened, refused, fatal } = this.#world;
    const config = this.config();
    this.startedAt = events.now;
    this.contacts = config.initialCluster.map(({ name }) => name);
    this.disk.processEnded();
    const process = this.newProcess();
    this.process = process;
    trace(() => `${this.name} starts${this.joins ? ' to join' : ''}`);
    openPeer(
      config,
      process.world,
      {
        fatal: (error) => process.alive && fatal(this, error),
        note: (level, message) => process.alive && trace(() => `${this.name} ${level}: ${message}`),
      },
      {
        disk: this.disk.of(process),
        loadTransport: async () => network.provider(this.url, process),
        rules: this.#rules(),
      },
    ).then(
      (peer) => {
        if (!process.alive) return;
        this.peer = peer;
        opened(this, process, peer);
      },
      (error: Error) => {
        if (!process.alive) return;
        this.kill();
        refused(this, error);
      },
    );
  }

  #rules(): PeerRules {
    const rules = { ...PEER_RULES, ...this.#world.faults.rules };
    const checks = (): boolean => rules.checksProposals && !this.isFaulty;
    return {
      ...rules,
      get checksProposals() {
        return checks();
      },
    };
  }

  /** A process of this machine, with its clock. */
  newProcess(): Process {
    const { events, random, profile } = this.#world;
    return new Process(events, this.#rate, random.int(0, 2 ** 31), profile.busyMsMax, () => this.clockOffsetMs);
  }

  /** Its name and address, as `--initial-cluster` has them. */
  get asMember(): InitialMember {
    return { name: this.name, peerUrls: [this.url] };
  }

  config(): PeerConfig {
    const { founders, added, profile } = this.#world;
    const me = this.asMember;
    // An operator passes the current members to a joining peer.
    const others = [...founders, ...added()].filter(({ name }) => name !== this.name);
    return {
      ...PEER_DEFAULTS,
      name: this.name,
      dataDir: `/${this.name}`,
      heartbeatMs: profile.heartbeatMs,
      electionMs: profile.electionMs,
      snapshotCount: profile.snapshotCount,
      compactionRetentionMs: 0,
      hashCheckMs: profile.hashCheckMs,
      entryForms: RELEASES[this.release]!,
      diskReserveBytes: 0,
      initialCluster: this.joins ? [...others, me] : founders,
      initialClusterState: this.joins ? 'existing' : 'new',
      network: { listenUrls: [this.url], advertiseUrls: [this.url], tls: { ca: '', cert: '', key: '' } },
    };
  }

  /** SIGKILL. Written data stays. */
  kill(): void {
    this.process?.kill();
    this.peer = undefined;
  }

  powerCut(): void {
    this.kill();
    this.disk.powerCut();
  }

  /** The power fails at one of the next disk operations. */
  powerCutSoon(operations: number): void {
    this.disk.cutAfter(operations, () => this.powerCut());
  }

  /** A new, empty disk. */
  wipe(disk: DiskProfile): void {
    this.kill();
    this.disk = new MachineDisk(this.#world.random, disk, this.#world.faults);
  }
}
