/** Every bound of this room. */
export const apiLimits = {
  /** Field errors of one object that are told; a refusal of a body of megabytes is not to be larger than the body. */
  fieldErrorsMax: 10_000,
  /** Characters of their paths and sentences after which no further ones are: each may show a value of megabytes. */
  fieldErrorCharactersMax: 2 * 1024 * 1024,
} as const;
