import type { JsonObject } from '../../../api/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, listAt, numberAt, objectsAt, textAt } from '../access.js';
import { labelsText, statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, table, wide } from '../table.js';

export const service: ResourceDeclaration = {
  group: '',
  resource: 'services',
  singular: 'service',
  kind: 'Service',
  versions: versions('core', 'v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['svc'],
  categories: ['all'],
  storagePrefix: 'services/specs',
  strategy: withStatus({ generation: 'none' }),
  subresources: { status: statusSubresource() },
  selectableFields: {
    'spec.clusterIP': (o) => textAt(o, 'spec', 'clusterIP'),
    'spec.type': (o) => textAt(o, 'spec', 'type'),
  },
  table: table(
    [
      column('Type', 'How the service is exposed.'),
      column('Cluster-IP', 'Address inside the cluster.'),
      column('External-IP', 'Addresses outside the cluster.'),
      column('Port(s)', 'Ports, with node ports where there are some.'),
      AGE,
      wide('Selector', 'Labels of the pods behind it.'),
    ],
    (o, now) => [
      textAt(o, 'spec', 'type'),
      textAt(o, 'spec', 'clusterIP') || '<none>',
      externalAddresses(o),
      ports(o),
      age(o, now),
      labelsText(at(o, 'spec', 'selector')) || '<none>',
    ],
  ),
};

function externalAddresses(o: JsonObject): string {
  const named = listAt(o, 'spec', 'externalIPs').map(String);
  switch (textAt(o, 'spec', 'type')) {
    case 'ExternalName':
      return textAt(o, 'spec', 'externalName');
    case 'LoadBalancer': {
      const ingress = objectsAt(o, 'status', 'loadBalancer', 'ingress').map(
        (i) => textAt(i, 'ip') || textAt(i, 'hostname'),
      );
      const all = [...new Set(ingress)].sort().concat(named);
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    default:
      return named.length === 0 ? '<none>' : named.join(',');
  }
}

function ports(o: JsonObject): string {
  const all = objectsAt(o, 'spec', 'ports').map((p) => {
    const nodePort = numberAt(p, 'nodePort');
    return `${numberAt(p, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${textAt(p, 'protocol')}`;
  });
  return all.length === 0 ? '<none>' : all.join(',');
}
