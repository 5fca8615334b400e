/** Limits of this package. */
export const apiLimits = {
  /** The maximum number of reported field errors of one object, so that the response is not larger than the body. */
  fieldErrorsMax: 10_000,
  /** The total characters of paths and messages after which errors are dropped, because each may show a large value. */
  fieldErrorCharactersMax: 2 * 1024 * 1024,
  /** Items that a validator checks at once. Further ones are put off (`FieldErrors.each`), so that other requests run between them. */
  checkedAtOnce: 500,
} as const;
