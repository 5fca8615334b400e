import { CHECK_LIMITS } from './limits.js';

export interface CheckPorts {
  readonly self: number;
  voters(): readonly number[];
  tell(revision: number, hash: string): void;
  /** This peer's state is not what most peers have. */
  differs(message: string): void;
  note(level: 'warn' | 'error', message: string): void;
}

/**
 * Compares the hash over everything applied, and over everything that is there, between peers at equal index. A `check` entry of the log makes every
 * peer compute and tell its own. When a majority of the voters agrees on another hash than this peer's, this peer is the one
 * that is wrong, and stops. Without such a majority nobody can tell who is right: it is only reported.
 */
export class HashChecks {
  readonly #ports: CheckPorts;
  /** By revision, oldest first: what each peer said. */
  readonly #told = new Map<number, Map<number, string>>();

  #confirmed = false;

  constructor(ports: CheckPorts) {
    this.#ports = ports;
  }

  /** Whether, since it was opened, this peer was once found to have the state that most have. */
  get confirmed(): boolean {
    return this.#confirmed;
  }

  /** This peer's own hash, as it applies a `check` entry. */
  own(revision: number, hash: string): void {
    this.#ports.tell(revision, hash);
    this.heard(this.#ports.self, revision, hash);
  }

  heard(peer: number, revision: number, hash: string): void {
    let told = this.#told.get(revision);
    if (told === undefined) {
      told = new Map();
      this.#told.set(revision, told);
      // What is not decided after so many rounds will not be.
      if (this.#told.size > CHECK_LIMITS.roundsMax) this.#told.delete(this.#told.keys().next().value!);
    }
    told.set(peer, hash);
    this.#judge(revision, told);
  }

  #judge(revision: number, told: ReadonlyMap<number, string>): void {
    const mine = told.get(this.#ports.self);
    if (mine === undefined) return;
    const voters = this.#ports.voters();
    const counts = new Map<string, number>();
    for (const [peer, hash] of told) if (voters.includes(peer)) counts.set(hash, (counts.get(hash) ?? 0) + 1);
    const majority = [...counts].find(([, count]) => count > voters.length / 2)?.[0];
    this.#confirmed ||= majority === mine;
    if ([...told.values()].every((hash) => hash === mine)) return;
    if (majority === undefined) {
      this.#ports.note('error', `peers differ in their state at revision ${revision}, and no majority agrees`);
    } else if (majority !== mine) {
      this.#ports.differs(
        `the state of this peer differs from that of most peers at revision ${revision} (hash ${mine}, theirs ${majority}): ` +
          'it must not serve any more. Remove this member, empty its data directory and add it again',
      );
    } else {
      const wrong = [...told].filter(([, hash]) => hash !== majority).map(([peer]) => peer.toString(16));
      this.#ports.note('error', `the state of peer ${wrong.join(', ')} differs at revision ${revision}`);
    }
  }
}
