import type { JsonValue } from '../api/index.js';
import type { AnySchema, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from './types.js';

/** One result for each form of a schema. */
export interface Visitor<T> {
  struct(schema: StructSchema): T;
  map(schema: MapSchema): T;
  list(schema: ListSchema): T;
  scalar(schema: ScalarSchema): T;
  any(schema: AnySchema): T;
}

/** A function on values that is compiled for one schema. */
export type Step<R> = (value: JsonValue) => R;

/**
 * Compiles frequent walks over values: one closure for each schema, which calls the closures of its members and is kept as long as the
 * schema. `now` returns the step of a schema. `later` returns a step for use inside another one; its schema may still be in compilation,
 * because types may be recursive.
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
