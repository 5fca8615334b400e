import type { ResourceDeclaration } from '../../resource.js';
import { boolAt, textAt } from '../access.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateAttachment, validateAttachmentUpdate } from './validation.js';

export const volumeAttachment: ResourceDeclaration = {
  group: 'storage.k8s.io',
  resource: 'volumeattachments',
  singular: 'volumeattachment',
  kind: 'VolumeAttachment',
  versions: versions('storage', 'v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: withStatus({
    validate: validateAttachment,
    validateUpdate: validateAttachmentUpdate,
    generation: 'none',
    unconditionalUpdate: false,
    returnsDeleted: true,
  }),
  subresources: { status: statusSubresource({ validateUpdate: validateAttachmentUpdate }) },
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
