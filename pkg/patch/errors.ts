/**
 * The reason why a patch fails. The registry converts it to a Status:
 *
 * | kind | Status |
 * |---|---|
 * | `badRequest` | 400 BadRequest with the message |
 * | `tooLarge` | 413 RequestEntityTooLarge with the message |
 * | `unsupported` | 415 UnsupportedMediaType (strategic merge patch of a type without patch rules) |
 * | `rejected` | 422 Invalid with the general message and empty details: a JSON patch that does not apply |
 * | `invalidResult` | 422 Invalid of field `patch`; `value` is the text of the invalid value |
 * | `malformed` | an invalid strategic merge patch (kube-apiserver answers 500) |
 * | `schema` | an applied object that does not match its schema (kube-apiserver answers 500) |
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
  /** For `invalidResult`: the text after `Invalid value:`. */
  readonly value: string | undefined;

  constructor(kind: PatchErrorKind, message: string, value?: string) {
    super(message);
    this.kind = kind;
    this.value = value;
  }
}
