export {
  type BodyEncoding,
  type BodyOptions,
  type DecodedBody,
  decodeBody,
  type EncodedBody,
  strictMessage,
} from './body.js';
export { encodeCbor } from './cbor/write.js';
export {
  type Decoded,
  decodeJson,
  decodeValue,
  nothingStrict,
  type ReadJson,
  readJson,
  type Strictness,
} from './json/decode.js';
export { encodeJson, encodeStored } from './json/encode.js';
export { metadataSlice, spliceResourceVersion } from './json/splice.js';
export { encodeProtobuf } from './protobuf/encode.js';
export { envelopeAround, envelopeEnd, sealEnvelope } from './protobuf/envelope.js';
