import type { JsonValue } from '../api/index.js';
import type { AnySchema, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from './types.js';

/** One answer for each form of a schema. */
export interface Visitor<T> {
  struct(schema: StructSchema): T;
  map(schema: MapSchema): T;
  list(schema: ListSchema): T;
  scalar(schema: ScalarSchema): T;
  any(schema: AnySchema): T;
}

/** A function of values that was made for one schema. */
export type Step<R> = (value: JsonValue) => R;

/**
 * Walks over values that are taken often are compiled: a closure for each schema, made once and kept as long as the schema lives,
 * that calls those of what is inside. `now` gives a schema's step; `later` one for inside another step, where the schema may be one
 * that is just being compiled: types may contain themselves.
 */
export function compilePerSchema<R>(visitor: Visitor<Step<R>>): {
  readonly now: (schema: Schema) => Step<R>;
  readonly later: (schema: Schema) => Step<R>;
} {
  const made = new WeakMap<Schema, Step<R>>();
  const compile = (schema: Schema): Step<R> => {
    switch (schema.kind) {
      case 'struct':
        return visitor.struct(schema);
      case 'map':
        return visitor.map(schema);
      case 'list':
        return visitor.list(schema);
      case 'scalar':
        return visitor.scalar(schema);
      case 'any':
        return visitor.any(schema);
    }
  };
  const now = (schema: Schema): Step<R> => {
    let step = made.get(schema);
    if (step === undefined) {
      step = compile(schema);
      made.set(schema, step);
    }
    return step;
  };
  const later = (schema: Schema): Step<R> => {
    if (schema.kind === 'scalar') return now(schema);
    let step: Step<R> | undefined;
    return (value) => {
      step ??= now(schema);
      return step(value);
    };
  };
  return { now, later };
}
