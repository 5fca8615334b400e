import { goQuote, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { objectsAt, textAt } from '../access.js';
import { AGE, age, column, table } from '../table.js';
import { sliceVersions } from './conversion.js';
import { validateSlice, validateSliceUpdate } from './slicevalidation.js';
import { stampTaints } from './validation.js';

export const resourceSlice: ResourceDeclaration<shapes.ResourceV1ResourceSlice> = {
  group: 'resource.k8s.io',
  resource: 'resourceslices',
  singular: 'resourceslice',
  kind: 'ResourceSlice',
  versions: sliceVersions,
  storageVersion: 'v1',
  namespaced: false,
  strategy: {
    defaults: (o, now) => {
      if (now !== undefined) stamp(o, now);
    },
    // Mutating admission may have removed the times again.
    create: { prepare: (o, context) => stamp(o, context.world.clock.now()), validate: validateSlice },
    update: {
      generation: 'spec',
      generationOfSent: true,
      prepare: (o, _old, context) => stamp(o, context.world.clock.now()),
      validate: validateSliceUpdate,
    },
    warn: (o, _old, context) => {
      const driver = textAt(o, 'spec', 'driver');
      if (driver !== driver.toLowerCase())
        context.warn(`spec.driver: driver names should be lowercase; ${goQuote(driver)} contains uppercase characters`);
    },
    deletion: { returnsObject: true },
  },
  unknownFieldLabel: (label, version) =>
    `field label not supported for resource.k8s.io/${version}, Kind=ResourceSlice: ${label}`,
  selectableFields: {
    'spec.nodeName': (o) => textAt(o, 'spec', 'nodeName'),
    'spec.driver': (o) => textAt(o, 'spec', 'driver'),
  },
  table: table(
    [
      column('Node', 'The node that has the devices.'),
      column('Driver', 'The driver that reports them.'),
      column('Pool', 'The pool that they belong to.'),
      AGE,
    ],
    (o, now) => [
      textAt(o, 'spec', 'nodeName'),
      textAt(o, 'spec', 'driver'),
      textAt(o, 'spec', 'pool', 'name'),
      age(o, now),
    ],
  ),
};

function stamp(o: Shaped<shapes.ResourceV1ResourceSlice>, now: number): void {
  for (const device of objectsAt(o, 'spec', 'devices')) stampTaints(objectsAt(device, 'taints'), now);
}
