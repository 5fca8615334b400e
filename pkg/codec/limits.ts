/**
 * Bounds of the codecs. All of them guard the event loop against small inputs that cost much; the size of a body is
 * bounded before it gets here (pkg/http).
 */
export const codecLimits = {
  /** Nesting of a JSON or YAML text, counted in brackets. As the reference's decoders. */
  textDepthMax: 10_000,
  /** Nesting of a value that is kept (raw extensions, recursive types): everything that walks values recurses. */
  valueDepthMax: 1_000,
  /** Texts nested deeper are read by the exact reader, which counts; the fast one recurses without counting. */
  fastDepthMax: 400,
  /** JSON texts of so many bytes are counted before they are parsed. JSON and YAML with more values are refused. */
  countedBytesMin: 100_000,
  valuesMax: 100_000,
  /** Nesting of protobuf messages and CBOR items. */
  binaryDepthMax: 256,
  /** Strict findings kept of one body; further ones are dropped, as the reference does. */
  strictFindingsMax: 100,
  /** Characters after which no further ones are kept: each says its path, which may be as long as the body. */
  strictCharactersMax: 1024 * 1024,
  /** Nodes that the aliases of one YAML document may add to those written out. */
  yamlAliasedNodesMax: 100_000,
  /** Characters of scalars, keys among them, that its aliases may add: more than a body may have. */
  yamlAliasedCharactersMax: 4 * 1024 * 1024,
} as const;
