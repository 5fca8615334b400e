import type { ResourceDeclaration } from '../../resource.js';
import { at, objectAt, textAt } from '../access.js';
import { accessModes } from '../core/persistentvolumeclaim.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, table, wide } from '../table.js';

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export const persistentVolume: ResourceDeclaration = {
  group: '',
  resource: 'persistentvolumes',
  singular: 'persistentvolume',
  kind: 'PersistentVolume',
  versions: versions('core', 'v1'),
  storageVersion: 'v1',
  namespaced: false,
  shortNames: ['pv'],
  strategy: withStatus({
    checksUpdateLikeNew: true,
    generation: 'none',
    returnsDeleted: true,
    prepareForCreate: (o) => {
      o['status'] = { phase: 'Pending' };
    },
  }),
  subresources: { status: statusSubresource() },
  selectableFields: { name: (o) => textAt(o, 'metadata', 'name') },
  table: table(
    [
      column('Capacity', 'Size of the volume.'),
      column('Access Modes', 'Ways in which it can be mounted.'),
      column('Reclaim Policy', 'What happens when its claim is deleted.'),
      column('Status', 'Phase of the volume.'),
      column('Claim', 'The claim that it is bound to.'),
      column('StorageClass', 'Storage class of the volume.'),
      column('VolumeAttributesClass', 'Attributes class of the volume.'),
      column('Reason', 'Why the volume is in its phase.'),
      AGE,
      wide('VolumeMode', 'Filesystem or Block.'),
    ],
    (o, now) => {
      const claim = objectAt(o, 'spec', 'claimRef');
      return [
        String(at(o, 'spec', 'capacity', 'storage') ?? '0'),
        accessModes(o, 'spec'),
        textAt(o, 'spec', 'persistentVolumeReclaimPolicy'),
        textAt(o, 'metadata', 'deletionTimestamp') === '' ? textAt(o, 'status', 'phase') : 'Terminating',
        textAt(claim, 'name') === '' ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`,
        textAt(o, 'metadata', 'annotations', CLASS_ANNOTATION) || textAt(o, 'spec', 'storageClassName'),
        textAt(o, 'spec', 'volumeAttributesClassName') || '<unset>',
        textAt(o, 'status', 'reason'),
        age(o, now),
        textAt(o, 'spec', 'volumeMode') || '<unset>',
      ];
    },
  ),
};
