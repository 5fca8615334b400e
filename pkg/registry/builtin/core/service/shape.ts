import type { JsonObject } from '../../../../api/index.js';
import { at, listAt, numberAt, objectAt, objectsAt, textAt } from '../../access.js';

/** Questions that rules ask of a Service. What a type of service has is decided here and nowhere else. */

export const NONE = 'None';

export type Service = JsonObject;

export const specOf = (s: Service): JsonObject => objectAt(s, 'spec');
export const typeOf = (s: Service): string => textAt(s, 'spec', 'type');
export const portsOf = (s: Service): readonly JsonObject[] => objectsAt(s, 'spec', 'ports');
export const clusterIpsOf = (s: Service): readonly string[] => listAt(s, 'spec', 'clusterIPs').map(String);
export const familiesOf = (s: Service): readonly string[] => listAt(s, 'spec', 'ipFamilies').map(String);

/** Every service but an alias of an outside name has an address (or says that it wants none). */
export const hasClusterIp = (s: Service): boolean => typeOf(s) !== 'ExternalName';

export const isHeadless = (s: Service): boolean => hasClusterIp(s) && clusterIpsOf(s)[0] === NONE;

export const isHeadlessWithoutSelector = (s: Service): boolean =>
  isHeadless(s) && Object.keys(objectAt(s, 'spec', 'selector')).length === 0;

export function wantsNodePorts(s: Service): boolean {
  return (
    typeOf(s) === 'NodePort' ||
    (typeOf(s) === 'LoadBalancer' && at(s, 'spec', 'allocateLoadBalancerNodePorts') !== false)
  );
}

/** May carry node ports: a load balancer may be given some even when none are allocated for it. */
export const mayHaveNodePorts = (s: Service): boolean => typeOf(s) === 'NodePort' || typeOf(s) === 'LoadBalancer';

export function wantsHealthCheckPort(s: Service): boolean {
  return typeOf(s) === 'LoadBalancer' && textAt(s, 'spec', 'externalTrafficPolicy') === 'Local';
}

/** Reached from outside the cluster: node port, load balancer, or addresses that its owner routes to it. */
export function isExternallyAccessible(s: Service): boolean {
  const type = typeOf(s);
  return (
    type === 'LoadBalancer' ||
    type === 'NodePort' ||
    (type === 'ClusterIP' && listAt(s, 'spec', 'externalIPs').length > 0)
  );
}

export const nodePortOf = (port: JsonObject): number => numberAt(port, 'nodePort');
export const protocolOf = (port: JsonObject): string => textAt(port, 'protocol');
