import type { Schema, StructSchema } from '../types.js';

const embedding = new WeakMap<StructSchema, boolean>();

/** Reports whether the schema has embedded objects below the root. */
export function embedsObjects(schema: StructSchema): boolean {
  let known = embedding.get(schema);
  if (known === undefined) {
    const below = (s: Schema, depth: number): boolean => {
      if (s.kind === 'list') return below(s.items, depth);
      if (s.kind === 'map') return below(s.values, depth);
      if (s.kind !== 'struct') return false;
      if (depth > 0 && s.embeddedResource) return true;
      return s.fields.some((f) => !(s.embeddedResource && f.name === 'metadata') && below(f.schema, depth + 1));
    };
    known = below(schema, 0);
    embedding.set(schema, known);
  }
  return known;
}
