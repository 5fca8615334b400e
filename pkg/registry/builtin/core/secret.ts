import type { ResourceDeclaration } from '../../resource.js';
import { objectAt, textAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';

export const secret: ResourceDeclaration = {
  group: '',
  resource: 'secrets',
  singular: 'secret',
  kind: 'Secret',
  versions: versions('core', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: {
    generation: 'none',
    defaults: (o) => {
      if (textAt(o, 'type') === '') o['type'] = 'Opaque';
    },
  },
  selectableFields: { type: (o) => textAt(o, 'type') },
  table: table([column('Type', 'What the secret is for.'), column('Data', 'Number of keys.'), AGE], (o, now) => [
    textAt(o, 'type'),
    String(Object.keys(objectAt(o, 'data')).length),
    age(o, now),
  ]),
};
