import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { boolAt, textAt } from '../access.js';
import { statusAlone, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateAttachment, validateAttachmentUpdate } from './validation.js';

export const volumeAttachment: ResourceDeclaration<shapes.StorageV1VolumeAttachment> = {
  group: 'storage.k8s.io',
  resource: 'volumeattachments',
  singular: 'volumeattachment',
  kind: 'VolumeAttachment',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: withStatus({
    compatibility: { checksUpdateLikeNew: true },
    create: { validate: validateAttachment },
    update: { allowUnconditional: false, generation: 'none', validate: validateAttachmentUpdate },
    deletion: { returnsObject: true },
  }),
  subresources: {
    status: statusAlone({
      compatibility: { checksUpdateLikeNew: true },
      update: { validate: validateAttachmentUpdate },
    }),
  },
  table: table(
    [
      column('Attacher', 'The driver that attaches the volume.', { format: 'name' }),
      column('PV', 'The volume.'),
      column('Node', 'The node that it is attached to.'),
      column('Attached', 'Whether it is attached.', { type: 'boolean' }),
      AGE,
    ],
    (o, now) => [
      textAt(o, 'spec', 'attacher'),
      textAt(o, 'spec', 'source', 'persistentVolumeName'),
      textAt(o, 'spec', 'nodeName'),
      boolAt(o, 'status', 'attached'),
      age(o, now),
    ],
  ),
};
