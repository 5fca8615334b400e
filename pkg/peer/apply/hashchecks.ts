import type { StateHashes } from '../../storage/index.js';
import { CHECK_LIMITS } from '../common/index.js';

export interface CheckPorts {
  readonly self: number;
  voters(): readonly number[];
  send(revision: number, hashes: StateHashes): void;
  /** This peer's state is not what most peers have. */
  differs(message: string): void;
  note(level: 'warn' | 'error', message: string): void;
}

/**
 * Compares the hashes over everything applied, and over everything that is there, between peers at equal index. A `check` entry of the
 * log makes every peer compute and tell its own; what is compared is compared among those who tell it. When a majority of the voters
 * agrees on another hash than this peer's, this peer is the one that is wrong, and stops. Without such a majority nobody can tell who
 * is right: it is only reported.
 */
export class HashChecks {
  readonly #ports: CheckPorts;
  /** By revision, oldest first: what each peer said. */
  readonly #told = new Map<number, Map<number, StateHashes>>();

  #confirmed = false;

  constructor(ports: CheckPorts) {
    this.#ports = ports;
  }

  /** Whether, since it was opened, this peer was once found to have the state that most have. */
  get confirmed(): boolean {
    return this.#confirmed;
  }

  /** This peer's own hashes, as it applies a `check` entry. */
  own(revision: number, hashes: StateHashes): void {
    this.#ports.send(revision, hashes);
    this.heard(this.#ports.self, revision, hashes);
  }

  heard(peer: number, revision: number, { hash, history }: StateHashes): void {
    let told = this.#told.get(revision);
    if (told === undefined) {
      told = new Map();
      this.#told.set(revision, told);
      // What is not decided after so many rounds will not be.
      if (this.#told.size > CHECK_LIMITS.roundsMax) this.#told.delete(this.#told.keys().next().value!);
    }
    told.set(peer, { hash, history });
    if (!told.has(this.#ports.self)) return;
    const whole = new Map([...told].map(([of, hashes]) => [of, hashes.hash]));
    if (!this.#judge(revision, whole, 'state')) return;
    // One of an earlier version tells none.
    const telling = [...told].filter(([, { history: its }]) => its !== '');
    const histories = new Map(telling.map(([of, { history: its }]) => [of, its]));
    if (histories.has(this.#ports.self) && !this.#judge(revision, histories, 'history')) return;
    const alone = histories.size <= 1;
    this.#confirmed ||= this.#isAgreed(whole) && (alone || this.#isAgreed(histories));
  }

  /** Whether most peers tell what this one does. */
  #isAgreed(told: ReadonlyMap<number, string>): boolean {
    const mine = told.get(this.#ports.self);
    return mine !== undefined && agreed(told, this.#ports.voters()) === mine;
  }

  /** False when this peer is told to stop. */
  #judge(revision: number, told: ReadonlyMap<number, string>, what: 'state' | 'history'): boolean {
    const mine = told.get(this.#ports.self);
    const majority = agreed(told, this.#ports.voters());
    if ([...told.values()].every((hash) => hash === mine)) return true;
    if (majority === undefined) {
      this.#ports.note('error', `peers differ in their ${what} at revision ${revision}, and no majority agrees`);
    } else if (majority !== mine) {
      this.#ports.differs(
        `the ${what} of this peer differs from that of most peers at revision ${revision} (hash ${mine}, theirs ${majority}): ` +
          'it must not serve any more. Remove this member, empty its data directory and add it again',
      );
      return false;
    } else {
      const wrong = [...told].filter(([, hash]) => hash !== majority).map(([peer]) => peer.toString(16));
      this.#ports.note('error', `the ${what} of peer ${wrong.join(', ')} differs at revision ${revision}`);
    }
    return true;
  }
}

/** The hash that a majority of the voters tells. */
function agreed(told: ReadonlyMap<number, string>, voters: readonly number[]): string | undefined {
  const counts = new Map<string, number>();
  for (const [peer, hash] of told) if (voters.includes(peer)) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return [...counts].find(([, count]) => count > voters.length / 2)?.[0];
}
