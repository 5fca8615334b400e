import type { Field, Schema, StructSchema } from './types.js';

/** The fields of a struct that a walk visits. */
export interface Plan {
  /** The fields with the property. */
  readonly own: readonly Field[];
  /** The fields with a descendant that has the property; no other field is descended into. */
  readonly descend: readonly Field[];
  /** All of these, in declaration order. */
  readonly all: readonly Field[];
}

/**
 * Plans for walks over fields with a property (a default, a feature gate, a rule). Most fields do not have it: the plan for the defaults of
 * a Pod has a few fields. A plan is made once for each struct and kept as long as the schema.
 */
export function planner(has: (field: Field) => boolean): {
  readonly plan: (schema: StructSchema) => Plan;
  /** Reports whether the walk has fields to visit in or below `schema`. */
  readonly reaches: (schema: Schema) => boolean;
} {
  const plans = new WeakMap<StructSchema, Plan>();
  const reached = new WeakMap<StructSchema, boolean>();

  const structReaches = (start: StructSchema): boolean => {
    const known = reached.get(start);
    if (known !== undefined) return known;
    // An iterative search, because types may be recursive.
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

/** Returns the struct of this schema, of its items or of its values. */
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
