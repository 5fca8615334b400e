/** Thrown when an evaluation cannot go on before `until`: a decision is pending, or other work is to run. It then runs again. */
export class Suspended extends Error {
  readonly until: Promise<void>;

  constructor(until: Promise<void>) {
    super('suspended');
    this.until = until;
  }
}
