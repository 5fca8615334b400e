import { structByName } from '../load.js';
import type { Field } from '../types.js';

/** The fields of every object. Their rules are general and not a part of a schema. */
export function objectFields(): Field[] {
  const common = { proto: 0, required: false, omitEmpty: true, pointer: true, patchStrategy: [], deprecated: false };
  const text = { kind: 'scalar', type: 'string' } as const;
  return [
    { name: 'kind', schema: text, ...common },
    { name: 'apiVersion', schema: text, ...common },
    { name: 'metadata', schema: structByName('meta/v1.ObjectMeta'), ...common },
  ];
}
