import { equalJson, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, listAt, objectsAt, textAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { ipWarning } from '../valuewarnings.js';
import { validateEndpointSlice, validateEndpointSliceUpdate } from './validation.js';

const PARTS = ['addressType', 'endpoints', 'ports'] as const;

export const endpointSlice: ResourceDeclaration<shapes.DiscoveryV1EndpointSlice> = {
  group: 'discovery.k8s.io',
  resource: 'endpointslices',
  singular: 'endpointslice',
  kind: 'EndpointSlice',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: {
    defaults: (o) => {
      for (const port of objectsAt(o, 'ports')) {
        if (port['name'] === undefined) port['name'] = '';
        if (port['protocol'] === undefined) port['protocol'] = 'TCP';
      }
    },
    create: {
      prepare: dropTopology,
      validate: (o, errors) => validateEndpointSlice(o, errors),
    },
    update: {
      // Labels count too: they say which service the endpoints belong to.
      generation: (o, old) =>
        !equalJson(at(o, 'metadata', 'labels') ?? {}, at(old, 'metadata', 'labels') ?? {}) ||
        PARTS.some((part) => !equalJson(at(o, part) ?? null, at(old, part) ?? null)),
      generationOfSent: true,
      prepare: dropTopology,
      validate: validateEndpointSliceUpdate,
    },
    *warn(o, old, context) {
      if (old === undefined && textAt(o, 'addressType') === 'FQDN')
        context.warn('spec.addressType: FQDN endpoints are deprecated');
      for (const [i, endpoint] of objectsAt(o, 'endpoints').entries())
        for (const [j, address] of listAt(endpoint, 'addresses').entries()) {
          ipWarning(String(address), `endpoints[${i}].addresses[${j}]`, context.warn);
          yield;
        }
    },
    compatibility: { checksUpdateLikeNew: true },
  },
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

/** v1 cannot write `deprecatedTopology`. */
function dropTopology(o: Shaped<shapes.DiscoveryV1EndpointSlice>): void {
  for (const endpoint of objectsAt(o, 'endpoints')) delete endpoint['deprecatedTopology'];
}

const SHOWN = 3;

function ports(o: Shaped<shapes.DiscoveryV1EndpointSlice>): string {
  const all = objectsAt(o, 'ports').map((p) => String(at(p, 'port') ?? (textAt(p, 'name') || '*')));
  return cut(all, '<unset>');
}

function addresses(o: Shaped<shapes.DiscoveryV1EndpointSlice>): string {
  const all = objectsAt(o, 'endpoints').flatMap((e) => listAt(e, 'addresses').map(String));
  return cut(all, '<unset>');
}

function cut(all: readonly string[], none: string): string {
  if (all.length === 0) return none;
  const shown = all.slice(0, SHOWN).join(',');
  return all.length > SHOWN ? `${shown} + ${all.length - SHOWN} more...` : shown;
}
