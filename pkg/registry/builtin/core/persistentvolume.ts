import { FieldPath, formatTime, isObject, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration, WriteContext } from '../../resource.js';
import { at, objectAt, objectIn, textAt } from '../access.js';
import { accessModes } from '../core/persistentvolumeclaim.js';
import { whenAbsent } from '../defaults.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, table, wide } from '../table.js';
import { defaultVolumeSource, fill, roundAmounts } from './pod/defaults.js';
import { deadVolumeWarnings, nodeSelectorWarnings } from './pod/validation/index.js';
import { VOLUME_SOURCES, volumeSpec, volumeUpdate } from './volumerules.js';

const SPEC = FieldPath.in<shapes.CoreV1PersistentVolume>().child('spec');
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export const persistentVolume: ResourceDeclaration<shapes.CoreV1PersistentVolume> = {
  group: '',
  resource: 'persistentvolumes',
  singular: 'persistentvolume',
  kind: 'PersistentVolume',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  shortNames: ['pv'],
  strategy: withStatus({
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      fill(spec, 'persistentVolumeReclaimPolicy', 'Retain');
      whenAbsent(spec, 'volumeMode', 'Filesystem');
      for (const name of VOLUME_SOURCES) {
        const source = spec[name];
        if (isObject(source)) defaultVolumeSource(name, source);
      }
      roundAmounts(objectAt(spec, 'capacity'));
      fill(objectIn(o, 'status'), 'phase', 'Pending');
    },
    create: {
      prepare: (o, context) => {
        o['status'] = { phase: 'Pending', lastPhaseTransitionTime: formatTime(context.world.clock.now()) };
      },
      validate: (o, errors) => volumeSpec(objectAt(o, 'spec'), SPEC, false, errors, textAt(o, 'metadata', 'name')),
    },
    update: {
      generation: 'none',
      validate: (o, old, errors) => {
        // reported twice: by the rule for every volume and by the rule for updates
        for (let i = 0; i < 2; i++)
          volumeSpec(objectAt(o, 'spec'), SPEC, false, errors, textAt(o, 'metadata', 'name'), objectAt(old, 'spec'));
        volumeUpdate(o, old, errors);
      },
    },
    warn: (o, _old, context) => {
      if (at(o, 'metadata', 'annotations', CLASS_ANNOTATION) !== undefined)
        context.warn(
          `metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`,
        );
      nodeSelectorWarnings(at(o, 'spec', 'nodeAffinity', 'required'), 'spec.nodeAffinity.required', context.warn);
      if (textAt(o, 'spec', 'persistentVolumeReclaimPolicy') === 'Recycle')
        context.warn(
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        );
      deadVolumeWarnings(objectAt(o, 'spec'), 'spec', context.warn);
    },
    deletion: { returnsObject: true },
    compatibility: { checksUpdateLikeNew: true },
  }),
  subresources: { status: statusSubresource({ update: { prepare: stampPhase } }) },
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

/** Sets the time of the last phase transition when the client omits it. */
function stampPhase(
  o: Shaped<shapes.CoreV1PersistentVolume>,
  old: Shaped<shapes.CoreV1PersistentVolume>,
  context: WriteContext,
): void {
  const given = textAt(o, 'status', 'lastPhaseTransitionTime');
  if (textAt(o, 'status', 'phase') === textAt(old, 'status', 'phase')) {
    const kept = at(old, 'status', 'lastPhaseTransitionTime');
    if (given === '' && kept !== undefined) objectIn(o, 'status')['lastPhaseTransitionTime'] = kept;
    return;
  }
  if (given === '' || given === textAt(old, 'status', 'lastPhaseTransitionTime'))
    objectIn(o, 'status')['lastPhaseTransitionTime'] = formatTime(context.world.clock.now());
}
