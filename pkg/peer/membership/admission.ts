import type { NodeStatus } from '../../../raft/index.js';
import type { World } from '../../base/index.js';
import { CONTROL_LIMITS, type Identity, type NoteLevel, type PeerConfig } from '../common/index.js';
import { founderProblem } from './join.js';
import type { HasStarted } from './types.js';

export interface AdmissionPorts {
  readonly config: PeerConfig;
  readonly world: World;
  readonly identity: Identity;
  /** Whether this peer is a founder whose log is empty: it has never voted or stored anything, or has forgotten it. */
  readonly isBlank: boolean;
  /** This peer must not take part. */
  fail(error: Error): void;
  note(level: NoteLevel, message: string): void;
}

/** Whether this is the state of a founder whose log is empty. A member that joins has no configuration yet. */
export function isBlank({ term, firstIndex, lastIndex, config }: NodeStatus): boolean {
  return term === 0 && firstIndex === 1 && lastIndex === 0 && config.voters.length > 0;
}

/** The two control calls by which a founder asks another one about itself. */
export interface AdmissionCalls {
  hasStarted(url: string, deadline: number): Promise<HasStarted>;
  hasStartedConfirmed(url: string, deadline: number): Promise<HasStarted>;
}

/**
 * When a founder with an empty log may take part in consensus. It looks the same on its first start as after the loss of its disk, and
 * then it must not vote: it has forgotten its votes, and entries that counted as committed because it stored them. So it first
 * asks the other founders, and takes part when one of these holds and none of them says that it took part before:
 *
 *     1. A leader confirms it. That leader has a quorum without this peer, so nothing is committed only because of this peer.
 *     2. So many founders have answered that every majority that counted on this peer has one of them.
 *     3. As many have answered as it needs for a majority, and their logs are empty, too: the cluster begins.
 *
 * Until then it listens and answers the same question, so founders may start in any order. README.md discusses what remains.
 */
export class Admission {
  readonly #ports: AdmissionPorts;
  readonly #others: readonly (readonly string[])[];
  readonly #founders: number;
  /** The founders that have answered that this peer did not take part, and whether their own logs were empty. */
  readonly #answers = new Map<number, { readonly blank: boolean }>();
  readonly #asking = new Set<string>();
  #isOpen: boolean;
  #stop: () => void = () => {};

  constructor(ports: AdmissionPorts) {
    const { initialCluster, name } = ports.config;
    this.#ports = ports;
    this.#others = initialCluster.filter((member) => member.name !== name).map(({ peerUrls }) => peerUrls);
    this.#founders = initialCluster.length;
    this.#isOpen = !ports.isBlank || this.#others.length === 0;
  }

  /** Whether this peer takes part. Until then it drops what the consensus core would receive. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Begins to ask. The peer must listen already. */
  begin(calls: AdmissionCalls): void {
    if (this.#isOpen) return;
    const { world, note } = this.#ports;
    const urls = this.#others.flatMap((peerUrls, founder) => peerUrls.map((url) => ({ url, founder })));
    const askAll = (): void => {
      for (const { url, founder } of urls) void this.#ask(calls, url, founder);
    };
    let stopAsking = (): void => {};
    const askAgainAfter = (milliseconds: number): void => {
      stopAsking = world.timers.after(milliseconds, () => {
        askAll();
        if (!this.#isOpen) askAgainAfter(Math.min(2 * milliseconds, CONTROL_LIMITS.admitAfterMsMax));
      });
    };
    askAgainAfter(CONTROL_LIMITS.admitAfterMs);
    const stopNoting = world.timers.after(CONTROL_LIMITS.admitNoteMs, () =>
      note(
        'warn',
        'the log of this founder is empty, and too few of the others answer to know whether it has lost its disk: it takes part when ' +
          'a leader, or more of the founders, can be reached',
      ),
    );
    this.#stop = () => {
      stopAsking();
      stopNoting();
    };
    askAll();
  }

  stop(): void {
    this.#stop();
  }

  async #ask(calls: AdmissionCalls, url: string, founder: number): Promise<void> {
    if (this.#asking.has(url)) return;
    this.#asking.add(url);
    const { clock } = this.#ports.world;
    try {
      const answer = await calls.hasStarted(url, clock.now() + CONTROL_LIMITS.callMs);
      if (!this.#mayBeNew(url, answer)) return;
      const blank = answer.blank === true;
      this.#answers.set(founder, { blank });
      this.#decide();
      if (blank || this.#isOpen) return;
      // The cluster has begun, so there may be a leader.
      const confirmed = await calls.hasStartedConfirmed(url, clock.now() + CONTROL_LIMITS.callMs);
      if (this.#mayBeNew(url, confirmed)) this.#open();
    } catch {
      // Not up yet, not reachable, or without a leader: it is asked again.
    } finally {
      this.#asking.delete(url);
    }
  }

  /** Returns false, and stops this peer, when it must not take part. */
  #mayBeNew(url: string, answer: HasStarted): boolean {
    if (this.#isOpen) return false;
    const problem = founderProblem(this.#ports.identity, url, answer);
    if (problem === undefined) return true;
    this.#stop();
    this.#ports.fail(new Error(problem));
    return false;
  }

  #decide(): void {
    const answers = [...this.#answers.values()];
    // A majority that counted on this peer has floor(n/2) of the n - 1 others, so ceil(n/2) of them have one of it.
    const intersecting = Math.ceil(this.#founders / 2);
    const majority = Math.floor(this.#founders / 2);
    if (answers.length >= intersecting) this.#open();
    else if (answers.length >= majority && answers.every(({ blank }) => blank)) this.#open();
  }

  #open(): void {
    this.#isOpen = true;
    this.#stop();
  }
}
