export type { GroupVersionKind, Kind, KindInfo, Lifecycle } from './kinds.js';
export { allKinds, kindSchema, typeByName } from './load.js';
export type {
  AnySchema,
  Constraints,
  Field,
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
