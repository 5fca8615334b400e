import type { Material } from './mutate.js';

/** A reader of bytes from outside. */
export interface Target extends Material {
  readonly name: string;
  /**
   * Reads an input. It may throw only the errors in `refusals`; any other error, or a failed check of the result
   * (`assert`), is a bug.
   */
  run(input: Buffer): void | Promise<void>;
  readonly refusals: readonly Refusal[];
}

// biome-ignore lint/suspicious/noExplicitAny: constructors of errors take what they like
export type Refusal = abstract new (...args: any[]) => Error;

export function texts(...seeds: readonly string[]): readonly Buffer[] {
  return seeds.map((s) => Buffer.from(s));
}
