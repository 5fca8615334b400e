/**
 * The bounds of the codecs. They protect the event loop against small inputs with a high cost. The size of a body is bounded by pkg/http.
 */
export const codecLimits = {
  /** Nesting of a JSON or YAML text, in brackets, as in the decoders of kube-apiserver. */
  textDepthMax: 10_000,
  /** Nesting of a decoded value (raw extensions, recursive types), because walks over values are recursive. */
  valueDepthMax: 1_000,
  /** Texts nested deeper are parsed by the exact reader, which checks the depth; the fast one is recursive. */
  fastDepthMax: 400,
  /**
   * JSON texts of at least this many bytes are counted before they are parsed, other encodings while they are parsed. Bodies with
   * more values are refused.
   */
  countedBytesMin: 100_000,
  valuesMax: 100_000,
  /**
   * Keys of one object in a body. More are refused while the body is read: listing the keys of a larger object takes tens of milliseconds
   * in one piece. The registry accepts fewer (`listItemsMax`) and names the field.
   */
  keysMax: 20_000,
  /** Characters of one number in such a text. Reading a number of megabytes takes tens of milliseconds in one piece. */
  digitsMax: 10_000,
  /** Nesting of protobuf messages and CBOR items. */
  binaryDepthMax: 256,
  /** Strict findings of one body; further ones are dropped, as in kube-apiserver. */
  strictFindingsMax: 100,
  /**
   * Characters of all findings of one body, because a path may be as long as the body. Further findings are dropped.
   */
  strictCharactersMax: 1024 * 1024,
  /** Nodes that the aliases of one YAML document may add. */
  yamlAliasedNodesMax: 100_000,
  /** Characters of scalars and keys that the aliases may add. It is larger than the largest body. */
  yamlAliasedCharactersMax: 4 * 1024 * 1024,
} as const;

/** The error for a body with more values than the limit. */
export const tooManyValues = (what: string, max: number = codecLimits.valuesMax): string =>
  `the ${what} has more than ${max} values`;

/** The error for a body with a number of too many digits. */
export const tooManyDigits = (what: string): string =>
  `the ${what} has a number with more than ${codecLimits.digitsMax} digits`;

/** The error for a body with an object that has more keys than the limit. */
export const tooManyKeys = (what: string): string =>
  `the ${what} has more than ${codecLimits.keysMax} keys in one object`;
