// Live assertions. They stay on in production: a peer whose consensus state is wrong must stop, loudly, before
// it tells anyone. The numbers are those of the list in README.md.

/** A numbered promise of README.md does not hold. The node must not be used any further. */
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
