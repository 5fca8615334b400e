/**
 * The world is handed in: below the composition root nothing reads a clock, draws a random number or
 * sets a timer except through this. Simulation and tests hand in their own.
 */
export interface Clock {
  /** Milliseconds since the epoch. May jump. Only for what users see (timestamps, expiry). */
  now(): number;
  /** Milliseconds on a clock that never jumps. For time-outs and latencies. */
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

/** Timers of the platform that are set for longer fire at once. Real worlds wait so long instead: 24 days. */
export const timerMillisecondsMax = 2 ** 31 - 1;

export interface Random {
  /** A float in [0, 1). */
  float(): number;
  /** `n` bytes fit for identifiers and secrets. */
  bytes(n: number): Uint8Array;
  /** A random (version 4) UUID in its canonical form. */
  uuid(): string;
}

export interface World {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
}
