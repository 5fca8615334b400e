import { errors, FieldErrors, labelName, type Shaped } from '../../../../api/index.js';
import type { Steps } from '../../../../base/index.js';
import type { shapes } from '../../../../schema/index.js';
import type { ResourceDeclaration, WriteContext } from '../../../resource.js';
import { at, listAt, numberAt, objectAt, objectsAt, textAt } from '../../access.js';
import type { ClusterConfig } from '../../cluster.js';
import { labelsText, statusSubresource, versions, withStatus } from '../../form.js';
import { AGE, age, column, table, wide } from '../../table.js';
import { cidrWarning, ipWarning } from '../../valuewarnings.js';
import { serviceProxy } from '../connections.js';
import { configuredFamilies, serviceReservation } from './allocation.js';
import { defaultService } from './defaults.js';
import { type Family, settleFamilies } from './families.js';
import { hasClusterIp, isHeadless, type Service, typeOf } from './shape.js';
import { alignClusterIps, dropWhatNoTypeHas, dropWhatTheTypeLeaves, keepAllocated } from './update.js';
import {
  addresses,
  OLD_TOPOLOGY,
  TOPOLOGY,
  validateService,
  validateServiceUpdate,
  validateStatus,
} from './validation.js';

/**
 * Validates the addresses and families of a service, and chooses what it leaves open. As in kube-apiserver this comes before every other
 * validation, whose rules depend on it.
 */
function* settleAddresses(o: Service, old: Service | undefined, configured: readonly Family[]): Steps<void> {
  if (!hasClusterIp(o)) return;
  const found = new FieldErrors();
  addresses(o, old, found);
  yield* found.steps();
  if (!found.empty) throw errors.invalid({ group: '', kind: 'Service' }, textAt(o, 'metadata', 'name'), found.list);
  settleFamilies(o, old, configured);
}

export function serviceResource(cluster: ClusterConfig): ResourceDeclaration<shapes.CoreV1Service> {
  const families = configuredFamilies(cluster);
  return {
    group: '',
    resource: 'services',
    singular: 'service',
    kind: 'Service',
    versions: versions('v1'),
    storageVersion: 'v1',
    namespaced: true,
    shortNames: ['svc'],
    categories: ['all'],
    storagePrefix: 'services/specs',
    strategy: withStatus({
      defaults: defaultService,
      create: {
        validateName: labelName,
        prepare: (o) => {
          alignClusterIps(o, undefined);
          dropWhatNoTypeHas(o);
          return settleAddresses(o, undefined, families);
        },
        validate: (o, errors) => validateService(o, undefined, errors),
      },
      update: {
        allowCreate: true,
        generation: 'none',
        prepare: (o, old) => {
          alignClusterIps(o, old);
          keepAllocated(o, old);
          dropWhatTheTypeLeaves(o, old);
          dropWhatNoTypeHas(o);
          // a service that is no longer a load balancer has no ingress points
          if (typeOf(o) !== 'LoadBalancer') o['status'] = { ...objectAt(o, 'status'), loadBalancer: {} };
          return settleAddresses(o, old, families);
        },
        validate: validateServiceUpdate,
      },
      warn,
      storage: { allocate: serviceReservation(cluster) },
      deletion: { returnsObject: true },
    }),
    subresources: {
      proxy: serviceProxy,
      status: statusSubresource({ update: { validate: validateStatus } }),
    },
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
}

function externalAddresses(o: Shaped<shapes.CoreV1Service>): string {
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
    case '':
      // A bookmark.
      return '<unknown>';
    default:
      return named.length === 0 ? '<none>' : named.join(',');
  }
}

function ports(o: Shaped<shapes.CoreV1Service>): string {
  const all = objectsAt(o, 'spec', 'ports').map((p) => {
    const nodePort = numberAt(p, 'nodePort');
    return `${numberAt(p, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${textAt(p, 'protocol')}`;
  });
  return all.length === 0 ? '<none>' : all.join(',');
}

/** Warnings about accepted services that may not work as intended. */
function warn(
  o: Shaped<shapes.CoreV1Service>,
  _old: Shaped<shapes.CoreV1Service> | undefined,
  context: WriteContext,
): void {
  if (at(o, 'metadata', 'annotations', OLD_TOPOLOGY) !== undefined)
    context.warn(`annotation ${OLD_TOPOLOGY} is deprecated, please use ${TOPOLOGY} instead`);
  const external = listAt(o, 'spec', 'externalIPs');
  addressWarnings(o, ['clusterIPs', ipWarning], context);
  if (isHeadless(o)) {
    if (textAt(o, 'spec', 'loadBalancerIP') !== '')
      context.warn('spec.loadBalancerIP is ignored for headless services');
    if (external.length > 0) context.warn('spec.externalIPs is ignored for headless services');
    if (textAt(o, 'spec', 'sessionAffinity') !== 'None')
      context.warn('spec.SessionAffinity is ignored for headless services');
  }
  addressWarnings(o, ['externalIPs', ipWarning], context);
  const isExternal = typeOf(o) === 'ExternalName';
  if (external.length > 0 && !isExternal && !isHeadless(o))
    context.warn('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  addressWarnings(o, ['loadBalancerIP', ipWarning], context);
  addressWarnings(o, ['loadBalancerSourceRanges', cidrWarning], context);
  if (external.length > 0 && isExternal) context.warn('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (typeOf(o) !== 'ExternalName' && textAt(o, 'spec', 'externalName') !== '')
    context.warn('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (textAt(o, 'spec', 'trafficDistribution') === 'PreferClose')
    context.warn('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
}

type AddressRule = readonly [
  'clusterIPs' | 'externalIPs' | 'loadBalancerIP' | 'loadBalancerSourceRanges',
  typeof ipWarning | typeof cidrWarning,
];

function addressWarnings(o: Shaped<shapes.CoreV1Service>, [field, warning]: AddressRule, context: WriteContext): void {
  const path = `spec.${field}`;
  const one = textAt(o, 'spec', field);
  if (one !== '') warning(one, path, context.warn);
  for (const [i, v] of listAt(o, 'spec', field).entries()) warning(String(v), `${path}[${i}]`, context.warn);
}
