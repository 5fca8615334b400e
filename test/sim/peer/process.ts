// One run of the peer on a simulated machine: its clock, timers and random numbers. All its effects, and all input, go through
// `run`. A killed process therefore has no further effects, and a paused one has them later.

import type { World } from '../../../pkg/base/index.js';
import type { Events } from '../events.js';
import { Random } from '../random.js';

/** Milliseconds since the epoch at which the simulated wall clock starts. */
const EPOCH_MS = 1_700_000_000_000;

export class Process {
  readonly world: World;
  readonly #events: Events;
  #alive = true;
  #pausedUntil = 0;
  /** Set when the process has exited by itself: `events.fatal` of the peer. */
  stopReason: string | undefined;

  /**
   * @param rate speed of its clock; 1 is right
   * @param seed seed of all its random numbers
   * @param busyMsMax longest time that its thread is busy before it runs an immediate callback
   * @param offsetMs how far the wall clock of the machine is ahead
   */
  constructor(events: Events, rate: number, seed: number, busyMsMax: number, offsetMs: () => number = () => 0) {
    this.#events = events;
    const random = new Random(seed);
    const wait = (milliseconds: number): number => Math.max(0, milliseconds) / rate;
    const bytes = (n: number): Uint8Array => Uint8Array.from({ length: n }, () => random.int(0, 255));
    this.world = {
      clock: { now: () => EPOCH_MS + events.now * rate + offsetMs(), monotonic: () => events.now * rate },
      timers: {
        after: (milliseconds, f) => this.#timer((again) => this.after(wait(milliseconds), again), f),
        immediate: (f) => this.after(busyMsMax === 0 ? 0 : random.unit() * busyMsMax, f),
        every: (milliseconds, f) => {
          const period = wait(milliseconds);
          let on = true;
          const next = (): void =>
            this.after(period, () => {
              if (!on) return;
              f();
              next();
            });
          next();
          return () => {
            on = false;
          };
        },
      },
      random: { float: random.unit, bytes, uuid: () => uuidOf(bytes(16)) },
    };
  }

  get alive(): boolean {
    return this.#alive;
  }

  kill(): void {
    this.#alive = false;
  }

  /** SIGSTOP for this many milliseconds. Input is processed afterwards. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#events.now + milliseconds);
  }

  resume(): void {
    this.#pausedUntil = 0;
  }

  /** Runs `f` now, or after the pause, or never if the process has exited by then. */
  run(f: () => void): void {
    if (!this.#alive) return;
    const left = this.#pausedUntil - this.#events.now;
    if (left > 0) this.#events.after(left, () => this.run(f));
    else f();
  }

  /** Runs `f` after this many milliseconds of simulated time. */
  after(milliseconds: number, f: () => void): void {
    this.#events.after(milliseconds, () => this.run(f));
  }

  /** Resolves after this many milliseconds; never if the process has exited by then. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  #timer(plan: (run: () => void) => void, f: () => void): () => void {
    let on = true;
    plan(() => {
      if (on) f();
    });
    return () => {
      on = false;
    };
  }
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
