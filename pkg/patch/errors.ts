/**
 * What went wrong with a patch. The registry turns it into a Status:
 *
 * | kind | Status |
 * |---|---|
 * | `badRequest` | 400 BadRequest with the message |
 * | `tooLarge` | 413 RequestEntityTooLarge with the message |
 * | `unsupported` | 415 UnsupportedMediaType (strategic merge patch of a type without patch rules) |
 * | `rejected` | 422 Invalid, the general sentence, empty details: a JSON patch that does not apply |
 * | `invalidResult` | 422 Invalid of field `patch`; `value` is the bad value as it is shown |
 * | `malformed` | a client's mistake inside a strategic merge patch (the reference answers 500) |
 * | `schema` | an applied object that is not of its type (the reference answers 500) |
 */
export type PatchErrorKind =
  | 'badRequest'
  | 'tooLarge'
  | 'unsupported'
  | 'rejected'
  | 'invalidResult'
  | 'malformed'
  | 'schema';

export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly kind: PatchErrorKind;
  /** For `invalidResult`: what `Invalid value:` shows. */
  readonly value: string | undefined;

  constructor(kind: PatchErrorKind, message: string, value?: string) {
    super(message);
    this.kind = kind;
    this.value = value;
  }
}
