import { isObject, type Shaped, setOwn } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { objectAt, objectIn, objectsAt, textAt } from '../access.js';
import { versions } from '../form.js';
import { validateLimitRange } from './limitvalidation.js';

export const limitRange: ResourceDeclaration<shapes.CoreV1LimitRange> = {
  group: '',
  resource: 'limitranges',
  singular: 'limitrange',
  kind: 'LimitRange',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['limits'],
  strategy: {
    defaults,
    create: { validate: validateLimitRange },
    update: { allowCreate: true, generation: 'none', validate: (o, _old, errors) => validateLimitRange(o, errors) },
  },
};

type Amounts = 'default' | 'defaultRequest' | 'max' | 'min';

/** For containers: the default falls back to max, and the default request to the default, else to min. */
function defaults(o: Shaped<shapes.CoreV1LimitRange>): void {
  for (const item of objectsAt(o, 'spec', 'limits')) {
    if (textAt(item, 'type') !== 'Container') continue;
    follow(item, 'default', 'max');
    follow(item, 'defaultRequest', 'default');
    follow(item, 'defaultRequest', 'min');
  }
}

function follow(item: Shaped<shapes.CoreV1LimitRangeItem>, field: Amounts, source: Amounts): void {
  const from = objectAt(item, source);
  for (const [name, quantity] of Object.entries(from)) {
    const into = objectIn(item, field);
    if (!Object.hasOwn(into, name)) setOwn(into, name, quantity);
  }
  if (!isObject(item[field])) delete item[field];
}
