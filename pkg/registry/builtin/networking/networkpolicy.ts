import { differsAsGiven } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, listAt, objectIn, objectsAt } from '../access.js';
import { whenAbsent } from '../defaults.js';
import { selectorText, versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { policyWarnings, validateNetworkPolicy } from './networkpolicyvalidation.js';

export const networkPolicy: ResourceDeclaration<shapes.NetworkingV1NetworkPolicy> = {
  group: 'networking.k8s.io',
  resource: 'networkpolicies',
  singular: 'networkpolicy',
  kind: 'NetworkPolicy',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['netpol'],
  strategy: {
    defaults: (o) => {
      const spec = objectIn(o, 'spec');
      for (const rule of [...objectsAt(spec, 'ingress'), ...objectsAt(spec, 'egress')]) {
        for (const port of objectsAt(rule, 'ports')) whenAbsent(port, 'protocol', 'TCP');
      }
      // a policy without egress rules does not restrict egress
      if (listAt(spec, 'policyTypes').length === 0)
        spec['policyTypes'] = listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
    },
    create: { validate: (o, errors) => validateNetworkPolicy(o, errors) },
    update: {
      generation: (o, old) => differsAsGiven(at(o, 'spec'), at(old, 'spec')),
      validate: (o, old, errors) => validateNetworkPolicy(o, errors, old),
    },
    warn: (o, _old, context) => policyWarnings(o, context.warn),
  },
  table: table([column('Pod-Selector', 'Labels of the pods that it is for.'), AGE], (o, now) => [
    selectorText(at(o, 'spec', 'podSelector')) || '<none>',
    age(o, now),
  ]),
};
