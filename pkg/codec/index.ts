export {
  type AnswerOptions,
  answerSteps,
  encodeAnswer,
  hasProtobuf,
  partialMetadata,
  prettySteps,
  prettyText,
} from './answer.js';
export {
  type BodyEncoding,
  type BodyOptions,
  bodySteps,
  type DecodedBody,
  decodeBody,
  type EncodedBody,
  type ReadBody,
  readBody,
  readSteps,
  strictMessage,
} from './body.js';
export { type ReadCbor, readCbor } from './cbor/read.js';
export { encodeCbor } from './cbor/write.js';
export { decodeAs, decodeAsSteps } from './custom.js';
export {
  type Decoded,
  decodeJson,
  decodeValue,
  nothingStrict,
  type ReadJson,
  readJson,
  readJsonBody,
  type Strictness,
} from './json/decode.js';
export { encodeJson, encodeJsonSteps, encodeStored, type StoredForm, storedSteps } from './json/encode.js';
export { topOf } from './json/node.js';
export { metadataSlice, spliceResourceVersion } from './json/splice.js';
export { writeValue as jsonText } from './json/write.js';
export { interpretNode, notConvertible, notRegistered, type TypeMeta } from './kind.js';
export { codecLimits } from './limits.js';
export {
  cborList,
  jsonItemOffset,
  jsonListHead,
  type ListHead,
  protobufItemBytes,
  protobufList,
  yamlList,
} from './list.js';
export { decodeProtobuf } from './protobuf/decode.js';
export { encodeProtobuf } from './protobuf/encode.js';
export {
  type Envelope,
  envelopeAround,
  envelopeEnd,
  type Opened,
  openEnvelope,
  sealEnvelope,
} from './protobuf/envelope.js';
export { encodeStoredProtobuf } from './protobuf/stored.js';
export { canonicalTime as wireTime } from './scalar/time.js';
export {
  cborWatchFraming,
  jsonWatchFraming,
  protobufWatchFraming,
  type WatchEventType,
  type WatchFraming,
  watchFrame,
  websocketFramings,
} from './watch.js';
export { type ReadYaml, readYaml, yamlSteps } from './yaml/read.js';
export { encodeYaml, encodeYamlSteps } from './yaml/write.js';
