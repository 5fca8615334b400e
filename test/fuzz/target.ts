import type { Material } from './mutate.js';

/** Something that reads bytes which others made. */
export interface Target extends Material {
  readonly name: string;
  /**
   * Reads an input. What it may throw is listed in `refusals`; anything else is a fault of ours, and so is a promise about what
   * was read that does not hold (`assert`).
   */
  run(input: Buffer): void | Promise<void>;
  readonly refusals: readonly Refusal[];
}

// biome-ignore lint/suspicious/noExplicitAny: constructors of errors take what they like
export type Refusal = abstract new (...args: any[]) => Error;

export function texts(...seeds: readonly string[]): readonly Buffer[] {
  return seeds.map((s) => Buffer.from(s));
}
