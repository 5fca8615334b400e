import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { textAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateAttributesClass, validateAttributesClassUpdate } from './validation.js';

export const volumeAttributesClass: ResourceDeclaration<shapes.StorageV1VolumeAttributesClass> = {
  group: 'storage.k8s.io',
  resource: 'volumeattributesclasses',
  singular: 'volumeattributesclass',
  kind: 'VolumeAttributesClass',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  shortNames: ['vac'],
  strategy: {
    compatibility: { checksUpdateLikeNew: true },
    create: { validate: validateAttributesClass },
    update: { generation: 'none', validate: validateAttributesClassUpdate },
    deletion: { returnsObject: true },
  },
  table: table([column('DriverName', 'The driver that the class is for.'), AGE], (o, now) => [
    textAt(o, 'driverName'),
    age(o, now),
  ]),
};
