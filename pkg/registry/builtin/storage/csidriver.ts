import { equalJson, type FieldName, type Value } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, listAt, objectIn, objectsAt, textAt } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateCsiDriver, validateCsiDriverUpdate } from './validation.js';

export const csiDriver: ResourceDeclaration<shapes.StorageV1CSIDriver> = {
  group: 'storage.k8s.io',
  resource: 'csidrivers',
  singular: 'csidriver',
  kind: 'CSIDriver',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: {
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      whenAbsent(spec, 'attachRequired', true);
      whenAbsent(spec, 'podInfoOnMount', false);
      whenAbsent(spec, 'storageCapacity', false);
      whenAbsent(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType');
      if (listAt(spec, 'volumeLifecycleModes').length === 0) spec['volumeLifecycleModes'] = ['Persistent'];
      whenAbsent(spec, 'requiresRepublish', false);
      whenAbsent(spec, 'seLinuxMount', false);
      whenAbsent(spec, 'preventPodSchedulingIfMissing', false);
    },
    create: {
      // The generation of a driver is set at its first change.
      keepsGeneration: true,
      validate: validateCsiDriver,
    },
    update: { allowUnconditional: false, generation: 'spec', validate: validateCsiDriverUpdate },
    warn: (o, old, context) => {
      const wanted = listAt(o, 'spec', 'tokenRequests');
      const isNew =
        wanted.length > 0 && (old === undefined || !equalJson(wanted, listAt(old, 'spec', 'tokenRequests')));
      if (isNew && at(o, 'spec', 'serviceAccountTokenInSecrets') === undefined) {
        context.warn(
          'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
        );
      }
    },
    deletion: { returnsObject: true },
  },
  table: table(
    [
      column('AttachRequired', 'Whether volumes are attached before they are mounted.', { type: 'boolean' }),
      column('PodInfoOnMount', 'Whether the driver learns of the pod.', { type: 'boolean' }),
      column('StorageCapacity', 'Whether scheduling looks at reported capacity.', { type: 'boolean' }),
      column('TokenRequests', 'Audiences of tokens that the driver gets.'),
      column('RequiresRepublish', 'Whether volumes are published again and again.', { type: 'boolean' }),
      column('Modes', 'Kinds of volume that it supports.'),
      AGE,
    ],
    (o, now) => {
      const flag = (
        name: FieldName<shapes.StorageV1CSIDriverSpec>,
        otherwise: boolean,
      ): Value<readonly shapes.StorageV1TokenRequest[]> => at(o, 'spec', name) ?? otherwise;
      const tokens = objectsAt(o, 'spec', 'tokenRequests').map((t) => textAt(t, 'audience'));
      return [
        flag('attachRequired', true),
        flag('podInfoOnMount', false),
        flag('storageCapacity', false),
        tokens.length === 0 ? '<unset>' : tokens.join(','),
        flag('requiresRepublish', false),
        listAt(o, 'spec', 'volumeLifecycleModes').map(String).join(',') || '<none>',
        age(o, now),
      ];
    },
  ),
};
