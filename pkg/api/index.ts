export {
  cloneJson,
  equalJson,
  getOwn,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setOwn,
} from './json.js';
