/**
 * Thrown if an evaluation cannot continue before `until`: a decision is pending, or other work must run. It then runs
 * again.
 */
export class Suspended extends Error {
  readonly until: Promise<void>;

  constructor(until: Promise<void>) {
    super('suspended');
    this.until = until;
  }
}
