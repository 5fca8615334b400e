/** Inputs that once did what none may, each with what it was. They are tried on every run. */
export interface Found {
  /** Name of the target. */
  readonly target: string;
  readonly was: string;
  readonly input: Buffer;
}

export const FOUND: readonly Found[] = [];
