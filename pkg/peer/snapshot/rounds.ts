import type { World } from '../../base/index.js';
import { SNAPSHOT_LIMITS } from '../common/index.js';

/**
 * Decides how many rounds a snapshot has: each round sends what was applied while the previous one was sent
 * (`StateMachine.openSnapshot`). While another round follows, the log need not be kept for the receiver. The last round
 * is the one after a short round, and the log is kept from its start.
 *
 *     round 1, 60 s, up to 1000        the log may be cut, because round 2 follows
 *     round 2, 3 s, up to 1600         likewise
 *     round 3, 0.2 s, up to 1630       likewise; it was short, so the next round is the last
 *     round 4, up to 1632, the last    the log is kept from 1632
 */
export class Rounds {
  readonly #world: World;
  readonly #covers: (index: number) => void;
  #began: number;
  #rounds = 1;
  #last = false;

  /** @param covers called with an index up to which the snapshot will be complete */
  constructor(world: World, covers: (index: number) => void) {
    this.#world = world;
    this.#covers = covers;
    this.#began = world.clock.monotonic();
  }

  /** All rows of a round have been sent, and everything up to `next` is applied. Returns whether there is another round. */
  again(next: number): boolean {
    if (this.#last) return false;
    const now = this.#world.clock.monotonic();
    this.#rounds++;
    this.#last = now - this.#began < SNAPSHOT_LIMITS.shortRoundMs || this.#rounds >= SNAPSHOT_LIMITS.roundsMax;
    this.#began = now;
    this.#covers(next);
    return true;
  }

  /** A piece has been sent, and everything up to `applied` is applied. */
  sent(applied: number): void {
    if (!this.#last) this.#covers(applied);
  }
}

/** Resolves when `index` is applied. Rejects when the peer stops, because nothing is applied then. */
export async function untilApplied(
  index: number,
  peer: { readonly world: World; applied(): number; stopped(): string | undefined },
): Promise<void> {
  while (peer.applied() < index) {
    const why = peer.stopped();
    if (why !== undefined) throw new Error(why);
    await new Promise<void>((resolve) => peer.world.timers.after(1, resolve));
  }
}
