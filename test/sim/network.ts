// The simulated network: loses, delays, duplicates and reorders messages, and cuts directions on request of the
// nemesis.

import type { Message, MessageKind } from '../../raft/index.js';
import type { Events } from './events.js';
import type { Profile } from './profile.js';
import type { Random } from './random.js';

/** As between processes on one machine. */
const PERFECT_DELAY = 5;
/**
 * Messages that may be delivered again, long after they were sent: the newest of those that carry a vote, an
 * acknowledgement or entries.
 */
const CLAIMS: ReadonlySet<MessageKind> = new Set([
  'voteRequest',
  'voteReply',
  'appendAccepted',
  'readReply',
  'timeoutNow',
]);
const CLAIMS_MAX = 128;

export class Network {
  readonly #events: Events;
  readonly #random: Random;
  readonly #profile: Profile;
  readonly #deliver: (message: Message) => void;
  /** Directions that are cut, as `from * 1000 + to`. */
  readonly #cuts = new Set<number>();
  #perfect = false;
  #claims: Message[] = [];
  sent = 0;

  constructor(world: {
    readonly events: Events;
    readonly random: Random;
    readonly profile: Profile;
    readonly deliver: (message: Message) => void;
  }) {
    this.#events = world.events;
    this.#random = world.random;
    this.#profile = world.profile;
    this.#deliver = world.deliver;
  }

  /** From now on no message is lost, duplicated or reordered. Messages in flight arrive at their time. */
  makePerfect(): void {
    this.#perfect = true;
    this.#cuts.clear();
  }

  cut(from: number, to: number): void {
    this.#cuts.add(from * 1000 + to);
  }

  heal(): void {
    this.#cuts.clear();
  }

  isCut(from: number, to: number): boolean {
    return this.#cuts.has(from * 1000 + to);
  }

  /** False when the sender can tell that the message will not arrive. */
  send(message: Message): boolean {
    this.sent++;
    if (CLAIMS.has(message.kind)) this.#claims.push(message);
    if (this.#claims.length > 2 * CLAIMS_MAX) this.#claims = this.#claims.slice(-CLAIMS_MAX);
    const { loss, duplication } = this.#profile;
    if (this.isCut(message.from, message.to)) return !this.#random.chance(0.5);
    if (!this.#perfect && loss > 0 && this.#random.chance(loss)) return !this.#random.chance(0.2);
    this.#carry(message);
    if (!this.#perfect && duplication > 0 && this.#random.chance(duplication)) this.#carry(message);
    return true;
  }

  /** Delivers many of the recent messages to a peer again, or late. */
  echo(to: number): void {
    if (this.#perfect) return;
    for (const message of this.#claims) {
      if (message.to !== to || !this.#random.chance(0.7)) continue;
      this.#events.after(this.#random.int(1, 4 * this.#profile.delayMax), () => this.#deliver(message));
    }
  }

  /** Multiplies the usual delay by `size`. */
  delay(size = 1): number {
    const { delayMax, stragglers, stragglerMax } = this.#profile;
    if (this.#perfect) return PERFECT_DELAY * size;
    if (stragglers > 0 && this.#random.chance(stragglers)) return this.#random.int(1, stragglerMax);
    return this.#random.int(1, delayMax) * size;
  }

  #carry(message: Message): void {
    this.#events.after(this.delay(), () => this.#deliver(message));
  }
}
