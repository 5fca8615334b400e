import type { Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { numberAt, objectsAt, textAt } from '../access.js';
import { whenEmpty } from '../defaults.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { endpointWarnings, validateEndpoints, validateEndpointsUpdate } from './endpointsvalidation.js';

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
    update: { allowCreate: true, generation: 'none', validate: validateEndpointsUpdate },
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
  const subsets = objectsAt(o, 'subsets');
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap((subset) => {
    const ports = objectsAt(subset, 'ports');
    const ips = objectsAt(subset, 'addresses').map((a) => textAt(a, 'ip'));
    const hosts = ips.map((ip) => (ip.includes(':') ? `[${ip}]` : ip));
    return ports.length === 0 ? ips : ports.flatMap((p) => hosts.map((host) => `${host}:${numberAt(p, 'port')}`));
  });
  const shown = all.slice(0, SHOWN).join(',');
  return all.length > SHOWN ? `${shown} + ${all.length - SHOWN} more...` : shown;
}
