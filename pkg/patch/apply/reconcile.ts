import { type FieldSet, hasChildren, leaf, type MutableSet } from './field-set.js';
import { elementSchema, isAtomic, type Node } from './shape.js';

/**
 * Updates a set to the present schema: if a container has become atomic since the set was written, the owner of a member owns the whole
 * value. Returns the same set if nothing changed. (A container that is no longer atomic remains owned as it is.)
 */
export function reconcileSet(set: FieldSet, schema: Node): FieldSet {
  if (schema === undefined || schema.kind === 'scalar' || schema.kind === 'any') return set;
  let out: MutableSet | undefined;
  for (const element in set) {
    if (element === '.') continue;
    const node = set[element]!;
    if (!hasChildren(node)) continue;
    const child = elementSchema(schema, element);
    if (child === undefined) continue;
    const kept = isAtomic(child) ? leaf : reconcileSet(node, child);
    if (kept === node) continue;
    out ??= { ...set };
    out[element] = kept === leaf || node['.'] === undefined ? kept : { ...kept, '.': leaf };
  }
  return out ?? set;
}
