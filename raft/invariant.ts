// Assertions that stay enabled in production: a peer whose consensus state is wrong must stop before it sends anything. The
// numbers are those of the list in README.md.

/** An invariant of README.md does not hold. The node must not be used any further. */
export class RaftInvariantError extends Error {
  readonly invariant: number;

  constructor(number: number, message: string) {
    super(`raft invariant ${number}: ${message}`);
    this.name = 'RaftInvariantError';
    this.invariant = number;
  }
}

export function invariant(holds: boolean, number: number, message: string): asserts holds {
  if (!holds) throw new RaftInvariantError(number, message);
}
