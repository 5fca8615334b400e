import { FieldPath, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, listAt, objectAt, objectIn, textAt } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, table, wide } from '../table.js';
import {
  alignDataSources,
  claimSpec,
  claimWarnings,
  dropForeignSource,
  dropUnknownSource,
  namesGroup,
} from './claimspec.js';
import { claimStatus, claimUpdate } from './claimupdate.js';
import { fill, roundAmounts, roundClaim } from './pod/defaults.js';

const SPEC = FieldPath.in<shapes.CoreV1PersistentVolumeClaim>().child('spec');
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export const persistentVolumeClaim: ResourceDeclaration<shapes.CoreV1PersistentVolumeClaim> = {
  group: '',
  resource: 'persistentvolumeclaims',
  singular: 'persistentvolumeclaim',
  kind: 'PersistentVolumeClaim',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['pvc'],
  strategy: withStatus({
    defaults: (o) => {
      whenAbsent(objectIn(o, 'spec'), 'volumeMode', 'Filesystem');
      fill(objectIn(o, 'status'), 'phase', 'Pending');
      roundClaim(objectAt(o, 'spec'));
      for (const field of ['capacity', 'allocatedResources'] as const) roundAmounts(objectAt(o, 'status', field));
    },
    create: {
      prepare: (o, context) => {
        o['status'] = { phase: 'Pending' };
        const spec = objectIn(o, 'spec');
        dropForeignSource(spec, undefined, context);
        dropUnknownSource(spec);
        alignDataSources(spec);
      },
      validate: (o, errors) => claimSpec(objectAt(o, 'spec'), SPEC, errors),
    },
    update: {
      generation: 'none',
      prepare: (o, old, context) => {
        const spec = objectIn(o, 'spec');
        const before = objectAt(old, 'spec');
        dropForeignSource(spec, before, context);
        if (before['dataSource'] === undefined && before['dataSourceRef'] === undefined) dropUnknownSource(spec);
        alignDataSources(spec);
      },
      validate: (o, old, errors) => {
        claimSpec(objectAt(o, 'spec'), SPEC, errors, namesGroup(objectAt(old, 'spec')));
        claimUpdate(o, old, errors);
      },
    },
    warn: (o, _old, context) => {
      if (at(o, 'metadata', 'annotations', CLASS_ANNOTATION) !== undefined)
        context.warn(
          `metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`,
        );
      claimWarnings(objectAt(o, 'spec'), 'spec', context.warn);
    },
    deletion: { returnsObject: true },
    compatibility: { checksUpdateLikeNew: true },
  }),
  subresources: {
    status: statusSubresource({
      update: { validate: (o, _old, errors) => claimStatus(o, errors) },
    }),
  },
  table: table(
    [
      column('Status', 'Phase of the claim.'),
      column('Volume', 'The volume that it is bound to.'),
      column('Capacity', 'Size of the bound volume.'),
      column('Access Modes', 'Ways in which the volume can be mounted.'),
      column('StorageClass', 'Storage class that the claim asks for.'),
      column('VolumeAttributesClass', 'Attributes class that the claim asks for.'),
      AGE,
      wide('VolumeMode', 'Filesystem or Block.'),
    ],
    (o, now) => {
      const bound = textAt(o, 'spec', 'volumeName') !== '';
      return [
        textAt(o, 'metadata', 'deletionTimestamp') === '' ? textAt(o, 'status', 'phase') : 'Terminating',
        textAt(o, 'spec', 'volumeName'),
        bound ? String(at(o, 'status', 'capacity', 'storage') ?? '0') : '',
        bound ? accessModes(o, 'status') : '',
        textAt(o, 'metadata', 'annotations', CLASS_ANNOTATION) || textAt(o, 'spec', 'storageClassName'),
        textAt(o, 'spec', 'volumeAttributesClassName') || '<unset>',
        age(o, now),
        textAt(o, 'spec', 'volumeMode') || '<unset>',
      ];
    },
  ),
};

const SHORT_MODES = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

/** Unique access modes as abbreviations, in a fixed order. */
export function accessModes(o: Shaped<shapes.CoreV1PersistentVolumeClaim>, part: 'spec' | 'status'): string {
  const modes = new Set(listAt(o, part, 'accessModes'));
  return SHORT_MODES.filter(([mode]) => modes.has(mode))
    .map(([, short]) => short)
    .join(',');
}
