import type { Field, Schema, StructSchema } from './types.js';

/** The part of a struct that a walk has to look at. */
export interface Plan {
  /** Fields that have the property themselves. */
  readonly own: readonly Field[];
  /** Fields below which some field has it: all others are never looked into. */
  readonly descend: readonly Field[];
  /** All of these, in declaration order. */
  readonly all: readonly Field[];
}

/**
 * Plans for walks that look for fields with some property (a default, a feature gate, a rule). Most of an object has none:
 * a Pod's plan for defaults is a few fields. Made once a struct, kept as long as the schema lives.
 */
export function planner(has: (field: Field) => boolean): {
  readonly plan: (schema: StructSchema) => Plan;
  /** Is there anything for this walk in or below `schema`? */
  readonly reaches: (schema: Schema) => boolean;
} {
  const plans = new WeakMap<StructSchema, Plan>();
  const reached = new WeakMap<StructSchema, boolean>();

  const structReaches = (start: StructSchema): boolean => {
    const known = reached.get(start);
    if (known !== undefined) return known;
    // Types may contain themselves: a search, not a recursion.
    const seen = new Set<StructSchema>([start]);
    for (const schema of seen) {
      if (reached.get(schema) === true || schema.fields.some(has)) {
        reached.set(start, true);
        return true;
      }
      for (const field of schema.fields) {
        const next = structBelow(field.schema);
        if (next !== undefined && reached.get(next) !== false) seen.add(next);
      }
    }
    for (const schema of seen) reached.set(schema, false);
    return false;
  };

  const reaches = (schema: Schema): boolean => {
    const struct = structBelow(schema);
    return struct !== undefined && structReaches(struct);
  };

  return {
    reaches,
    plan(schema) {
      let plan = plans.get(schema);
      if (plan === undefined) {
        const own = schema.fields.filter(has);
        const descend = schema.fields.filter((f) => reaches(f.schema));
        plan = { own, descend, all: schema.fields.filter((f) => own.includes(f) || descend.includes(f)) };
        plans.set(schema, plan);
      }
      return plan;
    },
  };
}

/** The struct that values of this schema are, or hold as items or values. */
function structBelow(schema: Schema): StructSchema | undefined {
  for (let at: Schema = schema; ; ) {
    switch (at.kind) {
      case 'struct':
        return at;
      case 'list':
        at = at.items;
        break;
      case 'map':
        at = at.values;
        break;
      case 'any':
        return at.either?.object;
      case 'scalar':
        return undefined;
    }
  }
}
