import { isObject, type Shaped, setOwn } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration, WriteContext } from '../../resource.js';
import { objectAt, objectIn, objectsAt, textAt } from '../access.js';
import { versions } from '../form.js';
import { validateLimitRange } from './limitvalidation.js';
import { roundAmounts } from './pod/defaults.js';

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
    compatibility: { checksUpdateLikeNew: true },
    defaults,
    create: { prepare: nameByUid, validate: validateLimitRange },
    update: { allowCreate: true, generation: 'none', validate: (o, _old, errors) => validateLimitRange(o, errors) },
  },
};

/** A limit range without a name has a UUID as its name. */
function nameByUid(o: Shaped<shapes.CoreV1LimitRange>, { world }: WriteContext): void {
  const meta = objectIn(o, 'metadata');
  if (textAt(meta, 'name') === '') meta['name'] = world.random.uuid();
}

const AMOUNTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type Amounts = 'default' | 'defaultRequest' | 'max' | 'min';

/** For containers: the default falls back to max, and the default request to the default, else to min. */
function defaults(o: Shaped<shapes.CoreV1LimitRange>): void {
  for (const item of objectsAt(o, 'spec', 'limits')) {
    for (const field of AMOUNTS) roundAmounts(objectAt(item, field));
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
