export { type FieldError, FieldErrors, type FieldErrorType, FieldPath } from './field.js';
export {
  apiVersionOf,
  compareVersions,
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  parseApiVersion,
} from './group.js';
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
export {
  ApiError,
  errors,
  type GroupKindName,
  type GroupResourceName,
  type Status,
  type StatusCause,
  type StatusDetails,
  type StatusListMeta,
  type StatusReason,
} from './status.js';
