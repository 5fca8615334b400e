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
