import type { Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { numberAt, objectsAt, textAt } from '../access.js';
import { whenEmpty } from '../defaults.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { endpointWarnings, validateEndpoints } from './endpointsvalidation.js';

export const endpoints: ResourceDeclaration<shapes.CoreV1Endpoints> = {
  group: '',
  resource: 'endpoints',
  singular: 'endpoints',
  kind: 'Endpoints',
  deprecated: 'v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['ep'],
  storagePrefix: 'services/endpoints',
  strategy: {
    defaults: (o) => {
      for (const subset of objectsAt(o, 'subsets'))
        for (const port of objectsAt(subset, 'ports')) whenEmpty(port, 'protocol', 'TCP');
    },
    create: { validate: validateEndpoints },
    update: { allowCreate: true, generation: 'none', validate: (o, _old, errors) => validateEndpoints(o, errors) },
    warn: (o, _old, context) => endpointWarnings(o, context.warn),
    compatibility: { checksUpdateLikeNew: true },
  },
  table: table([column('Endpoints', 'Addresses and ports that back the service.'), AGE], (o, now) => [
    addresses(o),
    age(o, now),
  ]),
};

const SHOWN = 3;

function addresses(o: Shaped<shapes.CoreV1Endpoints>): string {
  const all = objectsAt(o, 'subsets').flatMap((subset) => {
    const ports = objectsAt(subset, 'ports');
    return objectsAt(subset, 'addresses').flatMap((a) => {
      const ip = textAt(a, 'ip');
      return ports.length === 0
        ? [ip]
        : ports.map((p) => (ip.includes(':') ? `[${ip}]:${numberAt(p, 'port')}` : `${ip}:${numberAt(p, 'port')}`));
    });
  });
  if (all.length === 0) return '<none>';
  const shown = all.slice(0, SHOWN).join(',');
  return all.length > SHOWN ? `${shown} + ${all.length - SHOWN} more...` : shown;
}
