import { type KindSchema, kindSchema } from './kinds.js';
import { structByName } from './load.js';
import type { StructSchema } from './types.js';

/** The types of the API machinery, which no resource declares, as values. Each is loaded when it is first read. */
export const machinery = {
  get listMeta(): StructSchema {
    return structByName('meta/v1.ListMeta');
  },
  get partialObjectMetadata(): StructSchema {
    return structByName('meta/v1.PartialObjectMetadata');
  },
  get deleteOptions(): KindSchema {
    return kindSchema({ group: '', version: 'v1', kind: 'DeleteOptions' })!;
  },
  get scale(): KindSchema {
    return kindSchema({ group: 'autoscaling', version: 'v1', kind: 'Scale' })!;
  },
};
