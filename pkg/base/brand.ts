/** A nominal type: a plain value that the compiler keeps apart from others of the same shape. */
export type Brand<T, Name extends string> = T & { readonly __brand: Name };

/**
 * A version of the keyspace: the Raft log index of the entry that made it (DESIGN decision 1).
 * Always a safe integer; 0 means "before the first entry" or, where a caller asks, "unset".
 */
export type Revision = Brand<number, 'Revision'>;

/** Checks where bytes or text become a revision. Throws `InvariantError` on anything but a safe integer >= 0. */
export function revision(n: number): Revision {
  invariant(Number.isSafeInteger(n) && n >= 0, `revision ${n} is not a safe non-negative integer`);
  return n as Revision;
}

/** A broken promise of the program itself, never of its caller. Stops the peer when thrown below the registry. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** An assertion that stays on in production. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
