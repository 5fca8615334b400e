import type { Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { listAt, objectIn, objectsAt, textAt } from '../access.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateIngress, validateIngressStatus, validateIngressUpdate, warnAboutClass } from './ingressvalidation.js';

export const ingress: ResourceDeclaration<shapes.NetworkingV1Ingress> = {
  group: 'networking.k8s.io',
  resource: 'ingresses',
  singular: 'ingress',
  kind: 'Ingress',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['ing'],
  storagePrefix: 'ingress',
  strategy: withStatus({
    compatibility: { checksUpdateLikeNew: true },
    defaults: (o) => {
      objectIn(objectIn(o, 'status'), 'loadBalancer');
    },
    create: { validate: validateIngress },
    update: { validate: validateIngressUpdate },
    warn: (o, old, context) => {
      if (old === undefined) warnAboutClass(o, context.warn);
    },
  }),
  subresources: {
    status: statusSubresource({ update: { validate: validateIngressStatus } }),
  },
  table: table(
    [
      column('Class', 'The ingress class that it names.'),
      column('Hosts', 'Hosts of its rules.'),
      column('Address', 'Addresses that reach it.'),
      column('Ports', 'Ports that it listens on.'),
      AGE,
    ],
    (o, now) => [
      textAt(o, 'spec', 'ingressClassName') || '<none>',
      hosts(o),
      objectsAt(o, 'status', 'loadBalancer', 'ingress')
        .map((i) => textAt(i, 'ip') || textAt(i, 'hostname'))
        .filter((a) => a !== '')
        .join(','),
      listAt(o, 'spec', 'tls').length > 0 ? '80, 443' : '80',
      age(o, now),
    ],
  ),
};

const SHOWN = 3;

function hosts(o: Shaped<shapes.NetworkingV1Ingress>): string {
  const all = objectsAt(o, 'spec', 'rules')
    .map((r) => textAt(r, 'host'))
    .filter((h) => h !== '');
  if (all.length === 0) return '*';
  const shown = all.slice(0, SHOWN).join(',');
  return all.length > SHOWN ? `${shown} + ${all.length - SHOWN} more...` : shown;
}
