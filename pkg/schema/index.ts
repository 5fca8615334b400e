export {
  allKinds,
  type Kind,
  type KindInfo,
  kindSchema,
  type Lifecycle,
  packageGroups,
} from './kinds.js';
export { structByName, typeByName, typeNames } from './load.js';
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
