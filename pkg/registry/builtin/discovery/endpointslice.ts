import type { JsonObject } from '../../../api/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, listAt, objectsAt, textAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';

export const endpointSlice: ResourceDeclaration = {
  group: 'discovery.k8s.io',
  resource: 'endpointslices',
  singular: 'endpointslice',
  kind: 'EndpointSlice',
  versions: versions('discovery', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: { generation: 'spec' },
  table: table(
    [
      column('AddressType', 'IPv4, IPv6 or FQDN.'),
      column('Ports', 'Ports of every endpoint.'),
      column('Endpoints', 'Addresses of the endpoints.'),
      AGE,
    ],
    (o, now) => [textAt(o, 'addressType'), ports(o), addresses(o), age(o, now)],
  ),
};

const SHOWN = 3;

function ports(o: JsonObject): string {
  const all = objectsAt(o, 'ports').map((p) => String(at(p, 'port') ?? (textAt(p, 'name') || '*')));
  return cut(all, '<unset>');
}

function addresses(o: JsonObject): string {
  const all = objectsAt(o, 'endpoints').flatMap((e) => listAt(e, 'addresses').map(String));
  return cut(all, '<unset>');
}

function cut(all: readonly string[], none: string): string {
  if (all.length === 0) return none;
  const shown = all.slice(0, SHOWN).join(',');
  return all.length > SHOWN ? `${shown} + ${all.length - SHOWN} more...` : shown;
}
