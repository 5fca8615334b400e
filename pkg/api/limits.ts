/** Limits of this package. */
export const apiLimits = {
  /** The maximum number of reported field errors of one object, so that the response is not larger than the body. */
  fieldErrorsMax: 10_000,
  /** The total characters of paths and messages after which errors are dropped, because each may show a large value. */
  fieldErrorCharactersMax: 2 * 1024 * 1024,
  /** Items that a validator checks at once. Further ones are put off (`FieldErrors.each`), so that other requests run between them. */
  checkedAtOnce: 500,
  /**
   * Instructions of a regular expression (`patternSize`). A larger one in a definition is refused (422), and fails in CEL. Compiling cannot
   * yield.
   */
  patternSizeMax: 16_384,
  /**
   * The product of the size of a pattern and the length of a text, which takes up to half a second of CPU time. Beyond it, the text does not
   * match. A lower bound would refuse texts that users have: this one allows 200 kB for a pattern of 80 instructions.
   */
  patternStepsMax: 16 * 1024 * 1024,
  /** The same for a match that is made at once, which takes up to 10 ms. Longer ones are made in steps. */
  patternStepsAtOnce: 256 * 1024,
  /** The same for all searches of one `findAll`, which yields between them. */
  allSearchesStepsMax: 256 * 1024 * 1024,
} as const;
