/** The fields of the built-in types, for `Shaped` and `Strategy` of `pkg/api` and `pkg/registry`: `shapes.CoreV1Pod`. */

export { compilePerSchema, type Visitor } from './compile.js';
export { type DeclarativeOptions, declarativeErrors, hasDeclarative, inFieldOrder } from './declarative/index.js';
export { applySchemaDefaults, schemaDefaultSteps } from './defaults.js';
export { equalAs, equalBy } from './equality.js';
export { dropDisabledFields } from './gates.js';
export type * as shapes from './gen/shapes.js';
export { INTERNAL_TEXT_CHARS_MAX, internalDifference, internalText } from './internal/index.js';
export {
  allKinds,
  isCustom,
  type KindInfo,
  type KindSchema,
  kindSchema,
  type Lifecycle,
  packageGroups,
} from './kinds.js';
export { structByName, typeByName, typeNames } from './load.js';
export { machinery } from './machinery.js';
export {
  type ApiDescription,
  type ApiGroupVersion,
  type ApiResource,
  type ApiSubresource,
  type CustomSchema,
  createOpenApi,
  type DatedDocument,
  type DocumentForm,
  OPENAPI_V2_PROTOBUF,
  OPENAPI_V3_PROTOBUF,
  type OpenApi,
  type OpenApiOptions,
  type RemoteDocument,
  remoteDocument,
} from './openapi/index.js';
export { prune } from './prune.js';
export { inKeyOrder, sortRawExtensions } from './raworder.js';
export { planner } from './reach.js';
export {
  compileStructuralSchema,
  customKind,
  dropNulls,
  embedsObjects,
  inStatus,
  isFormatOf,
  isUnchanged,
  patternProblem,
  structuralName,
  validateStatus,
  validateStructure,
  validateValue,
} from './structural/index.js';
export type {
  AnySchema,
  Constraints,
  Field,
  InlineMessage,
  ListSchema,
  ListType,
  MapSchema,
  PatchStrategy,
  ScalarSchema,
  ScalarType,
  Schema,
  StructSchema,
  Union,
} from './types.js';
export { isContainer, leftOutWhenZero, scalarZero, zeroObject } from './zero.js';
