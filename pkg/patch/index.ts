export { ConfigurationError, mergeConfiguration, untyped } from './apply/configuration.js';
export type { ApplyConflict, ConflictCause } from './apply/conflict.js';
export { managedFieldsOf, tryDecodeOwners, withoutManagedFields } from './apply/managed.js';
export {
  type Applied,
  type ApplyInput,
  applyObject,
  applySteps,
  type ConvertedObject,
  managedFieldsError,
  managedFieldsSteps,
  type TrackedResource,
  type UpdateInput,
  updateManagedFields,
} from './apply/manager.js';
export { entriesAfterScale, entriesOfScale, type ReplicasPaths } from './apply/scale.js';
export { keepTimesOfNoop, type NoopComparison } from './apply/times.js';
export { PatchError, type PatchErrorKind } from './errors.js';
export { jsonTypeName } from './json-patch.js';
export { jsonPatchOperationsMax } from './limits.js';
export { applyPatch, type Patched, type PatchInput, patchSteps } from './patch.js';
