/**
 * Clock, timers and random numbers as a parameter: below the composition root no code uses the real ones directly.
 * Simulations and tests pass their own.
 */
export interface Clock {
  /** Milliseconds since the epoch. May jump. Only for what users see (timestamps, expiry). */
  now(): number;
  /** Milliseconds on a clock that never jumps. For timeouts and latencies. */
  monotonic(): number;
}

export interface Timers {
  /** Runs `f` once after `milliseconds`; returns the function that cancels it. */
  after(milliseconds: number, f: () => void): () => void;
  /** Runs `f` once, when all input of the current turn of the event loop has been delivered. */
  immediate(f: () => void): void;
  /** Runs `f` every `milliseconds`; returns the function that stops it. */
  every(milliseconds: number, f: () => void): () => void;
}

/**
 * The longest delay of a timer, 24 days: longer timers of the platform fire at once, so the real world waits this long
 * repeatedly.
 */
export const timerMillisecondsMax = 2 ** 31 - 1;

export interface Random {
  /** A float in [0, 1). */
  float(): number;
  /** `n` random bytes, suitable for identifiers and secrets. */
  bytes(n: number): Uint8Array;
  /** A random (version 4) UUID in its canonical form. */
  uuid(): string;
}

export interface World {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
}
