import type { Pace, World } from '../base/index.js';
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../outbound/index.js';

/** The parts of what polls an aggregated server for a document. */
export interface RemoteParts {
  readonly world: World;
  readonly pace: Pace;
  /** Asks the server. Throws `OutboundError`. */
  readonly send: (request: OutboundRequest) => Promise<OutboundResponse>;
  /** Called when the document has changed. */
  readonly changed: () => void;
  /** Called with an error that is not an `OutboundError`: the server answered, and its answer cannot be used. */
  readonly unusable: (error: unknown) => void;
}

export interface RemotePollParts extends Pick<RemoteParts, 'unusable'> {
  readonly timers: World['timers'];
  /** Asks the server once. False, or an error, is a failure. `isCurrent` is false once the server has become unavailable. */
  readonly ask: (isCurrent: () => boolean) => Promise<boolean>;
  /** Milliseconds after a success, after the first failure, and at most: each further failure doubles the time. */
  readonly every: number;
  readonly again: number;
  readonly againMax: number;
}

/** Asks an aggregated server again and again while it is available, beginning when it becomes so. */
export class RemotePoll {
  readonly #parts: RemotePollParts;
  #isAvailable = false;
  #failures = 0;
  /** Incremented to ignore the answer to an earlier question. */
  #round = 0;
  #cancel = (): void => {};

  constructor(parts: RemotePollParts) {
    this.#parts = parts;
  }

  setAvailable(isAvailable: boolean): void {
    if (isAvailable === this.#isAvailable) return;
    this.#isAvailable = isAvailable;
    this.#round++;
    this.#cancel();
    this.#failures = 0;
    if (isAvailable) void this.#ask(this.#round);
  }

  async #ask(round: number): Promise<void> {
    const { timers, every, again, againMax } = this.#parts;
    const answered = await this.#answers(() => round === this.#round);
    if (round !== this.#round) return;
    this.#failures = answered ? 0 : this.#failures + 1;
    const wait = answered ? every : Math.min(again * 2 ** (this.#failures - 1), againMax);
    this.#cancel = timers.after(wait, () => void this.#ask(round));
  }

  /** Nothing that a server answers may stop this process. */
  async #answers(isCurrent: () => boolean): Promise<boolean> {
    try {
      return await this.#parts.ask(isCurrent);
    } catch (error) {
      if (!(error instanceof OutboundError)) this.#parts.unusable(error);
      return false;
    }
  }
}
