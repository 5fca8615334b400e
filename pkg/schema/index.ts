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
