import { compareQuantities, formatQuantity, type JsonObject, parseQuantity, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, objectAt } from '../access.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateQuota, validateQuotaStatus, validateQuotaUpdate } from './limitvalidation.js';
import { roundAmounts } from './pod/defaults.js';

export const resourceQuota: ResourceDeclaration<shapes.CoreV1ResourceQuota> = {
  group: '',
  resource: 'resourcequotas',
  singular: 'resourcequota',
  kind: 'ResourceQuota',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['quota'],
  strategy: withStatus({
    defaults: (o) => {
      roundAmounts(objectAt(o, 'spec', 'hard'));
      for (const field of ['hard', 'used'] as const) roundAmounts(objectAt(o, 'status', field));
    },
    create: { validate: validateQuota },
    update: { generation: 'none', validate: validateQuotaUpdate },
    warn: (o, old, context) => {
      if (old !== undefined) return;
      for (const text of quotaWarnings(objectAt(o, 'spec', 'hard'))) context.warn(text);
    },
    deletion: { returnsObject: true },
  }),
  subresources: {
    status: statusSubresource({ update: { validate: validateQuotaStatus } }),
  },
  table: table(
    [column('Request', 'Requests used and allowed.'), column('Limit', 'Limits used and allowed.'), AGE],
    (o, now) => [
      used(o, (name) => !name.startsWith('limits.')),
      used(o, (name) => name.startsWith('limits.')),
      age(o, now),
    ],
  ),
};

/** Requests above the limits of the same resource can never be used up. */
function* quotaWarnings(hard: JsonObject): Iterable<string> {
  for (const resource of ['cpu', 'memory', 'storage', 'ephemeral-storage']) {
    const bare = resource === 'cpu' || resource === 'memory' ? resource : '';
    const name = Object.hasOwn(hard, `requests.${resource}`) ? `requests.${resource}` : bare;
    const [request, limit] = [hard[name], hard[`limits.${resource}`]].map((v) => parseQuantity(String(v ?? '')));
    if (request === undefined || limit === undefined || compareQuantities(request, limit) <= 0) continue;
    yield `ResourceQuota ${name} (${formatQuantity(request)}) should be less than limits.${resource} (${formatQuantity(limit)})`;
  }
}

function used(o: Shaped<shapes.CoreV1ResourceQuota>, wanted: (name: string) => boolean): string {
  return Object.keys(objectAt(o, 'status', 'hard'))
    .filter(wanted)
    .sort()
    .map((name) => `${name}: ${String(at(o, 'status', 'used', name) ?? '0')}/${String(at(o, 'status', 'hard', name))}`)
    .join(', ');
}
