/** A nominal type: a plain value that the compiler keeps apart from others of the same shape. */
export type Brand<T, Name extends string> = T & { readonly __brand: Name };

/**
 * A version of the keyspace: the index of the Raft log entry that created it. Always a safe integer; 0 means "before
 * the first entry" or "unset".
 */
export type Revision = Brand<number, 'Revision'>;

/** Converts a number from bytes or text to a revision. Throws `InvariantError` for anything but a safe integer >= 0. */
export function revision(n: number): Revision {
  invariant(Number.isSafeInteger(n) && n >= 0, `revision ${n} is not a safe non-negative integer`);
  return n as Revision;
}

/**
 * A broken invariant of the program itself, not an error of its caller. It stops the peer if thrown below the registry.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** An assertion that stays on in production. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
