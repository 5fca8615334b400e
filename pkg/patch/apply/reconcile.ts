import { elementSchema, type FieldSet, leaf, type MutableSet } from './field-set.js';
import { isAtomic, type Node } from './shape.js';

/**
 * A set brought up to what the schema says now: where a container has become one value since the set was written, whoever owned
 * something in it owns the whole. The set itself when nothing has changed. (A container that is no longer one value stays owned
 * as it is.)
 */
export function reconcileSet(set: FieldSet, schema: Node): FieldSet {
  if (schema === undefined || schema.kind === 'scalar' || schema.kind === 'any') return set;
  let out: MutableSet | undefined;
  for (const element in set) {
    if (element === '.') continue;
    const node = set[element]!;
    if (node === leaf) continue;
    let below = false;
    for (const k in node) {
      if (k !== '.') {
        below = true;
        break;
      }
    }
    if (!below) continue;
    const child = elementSchema(schema, element);
    if (child === undefined) continue;
    const kept = isAtomic(child) ? leaf : reconcileSet(node, child);
    if (kept === node) continue;
    out ??= { ...set };
    out[element] = kept === leaf || node['.'] === undefined ? kept : { ...kept, '.': leaf };
  }
  return out ?? set;
}
