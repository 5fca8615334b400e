import type { GroupVersionKind, Kind, KindInfo } from './kinds.js';
import type { Schema } from './types.js';

/** The schema of a declared type by its full name (`core/v1.PodSpec`, `resource.Quantity`); throws when nothing declares it. */
export function typeByName(name: string): Schema {
  throw new Error(`schema: unknown type ${name}`);
}

/** Facts and schema of a built-in kind (lists and options included), or undefined. The schema is parsed at first need. */
export function kindSchema(_gvk: GroupVersionKind): Kind | undefined {
  return undefined;
}

/** Every built-in kind of every group version, lists and options included. Reads only the index, no declaration file. */
export function allKinds(): readonly KindInfo[] {
  return [];
}
