import type { StateHashes } from '../../storage/index.js';
import { CHECK_LIMITS, type NoteLevel, type PeerRules } from '../common/index.js';

export interface CheckPorts {
  readonly self: number;
  readonly rules: Pick<PeerRules, 'suspendsUndecided'>;
  voters(): readonly number[];
  /** The peer as log lines name it. */
  describe(peer: number): string;
  /** Sends this peer's hashes at a revision to the others. */
  send(revision: number, hashes: StateHashes): void;
  /** This peer's state differs from the state of most peers. */
  differs(message: string): void;
  note(level: NoteLevel, message: string): void;
}

/**
 * Compares the hashes over everything applied, and over everything that is stored, between peers at equal index. A `check` entry of the
 * log makes every peer compute and send its own.
 *
 *     a majority of the voters has another hash than this peer    this peer is wrong, and stops permanently
 *     a majority has the same hash as this peer                   it continues
 *     voters differ, and no majority agrees                       the right state is unknown: it serves nothing (`suspended`)
 *                                                                 until a later check finds a majority
 */
export class HashChecks {
  readonly #ports: CheckPorts;
  /** By revision, oldest first: the hashes of each peer. */
  readonly #rounds = new Map<number, Map<number, StateHashes>>();
  #confirmed = false;
  /** The newest round in which voters differed without a majority. */
  #undecided: { readonly revision: number; readonly why: string } | undefined;

  constructor(ports: CheckPorts) {
    this.#ports = ports;
  }

  /** Whether this peer, since it was opened, was found to have the state of most peers. */
  get confirmed(): boolean {
    return this.#confirmed;
  }

  /** Why this peer must not answer: its state may be the wrong one. */
  get suspended(): string | undefined {
    return this.#undecided?.why;
  }

  /** Records this peer's own hashes when it applies a `check` entry. */
  own(revision: number, hashes: StateHashes): void {
    this.#ports.send(revision, hashes);
    this.heard(this.#ports.self, revision, hashes);
  }

  heard(peer: number, revision: number, { hash, history }: StateHashes): void {
    const round = this.#round(revision);
    round.set(peer, { hash, history });
    if (!round.has(this.#ports.self)) return;
    const states = new Map([...round].map(([of, hashes]) => [of, hashes.hash]));
    // A peer of an earlier version sends no hash of its history.
    const histories = new Map(
      [...round].filter(([, hashes]) => hashes.history !== '').map(([of, hashes]) => [of, hashes.history]),
    );
    const verdicts = [this.#judge(revision, states, 'state')];
    if (verdicts[0] !== 'stopped' && histories.has(this.#ports.self)) {
      verdicts.push(this.#judge(revision, histories, 'history'));
    }
    if (verdicts.includes('stopped')) return;
    const alone = histories.size <= 1;
    if (!this.#isAgreed(states) || !(alone || this.#isAgreed(histories))) return;
    this.#confirmed = true;
    if (!verdicts.includes('undecided')) this.#resume(revision);
  }

  #round(revision: number): Map<number, StateHashes> {
    let round = this.#rounds.get(revision);
    if (round === undefined) {
      round = new Map();
      this.#rounds.set(revision, round);
      // A round that is still incomplete after this many further rounds is dropped.
      if (this.#rounds.size > CHECK_LIMITS.roundsMax) this.#rounds.delete(this.#rounds.keys().next().value!);
    }
    return round;
  }

  #isAgreed(hashes: ReadonlyMap<number, string>): boolean {
    const mine = hashes.get(this.#ports.self);
    return mine !== undefined && agreed(hashes, this.#ports.voters()) === mine;
  }

  #judge(
    revision: number,
    hashes: ReadonlyMap<number, string>,
    what: 'state' | 'history',
  ): 'equal' | 'minority of others' | 'undecided' | 'stopped' {
    const { self, voters, differs, note, describe } = this.#ports;
    const mine = hashes.get(self)!;
    const majority = agreed(hashes, voters());
    const others = [...hashes].filter(([, hash]) => hash !== mine);
    if (others.length === 0) return 'equal';
    if (majority === undefined) {
      note('error', `peers differ in their ${what} at revision ${revision}, and no majority agrees`);
      // Only a learner may differ: the voters agree, so they continue.
      if (others.some(([peer]) => voters().includes(peer))) this.#suspend(revision, what);
      return 'undecided';
    }
    if (majority !== mine) {
      differs(
        `the ${what} of this peer differs from that of most peers at revision ${revision} (hash ${mine}, theirs ${majority}): ` +
          'it must not serve any more. Remove this member, empty its data directory and add it again',
      );
      return 'stopped';
    }
    note(
      'error',
      `the ${what} of peer ${others.map(([peer]) => describe(peer)).join(', ')} differs at revision ${revision}`,
    );
    return 'minority of others';
  }

  #suspend(revision: number, what: string): void {
    if (!this.#ports.rules.suspendsUndecided) return;
    if (this.#undecided !== undefined && this.#undecided.revision > revision) return;
    const why =
      `peers differ in their ${what} at revision ${revision}, and no majority agrees which is right: this peer answers nothing until ` +
      'one does. Start the missing peers, or remove the member that is wrong';
    this.#undecided = { revision, why };
  }

  #resume(revision: number): void {
    if (this.#undecided === undefined || this.#undecided.revision > revision) return;
    this.#undecided = undefined;
    this.#ports.note('info', `a majority of the peers agrees at revision ${revision}: this peer answers again`);
  }
}

/** The hash that a majority of the voters has. */
function agreed(hashes: ReadonlyMap<number, string>, voters: readonly number[]): string | undefined {
  const counts = new Map<string, number>();
  for (const [peer, hash] of hashes) if (voters.includes(peer)) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return [...counts].find(([, count]) => count > voters.length / 2)?.[0];
}
