import type { JsonObject } from '../../../../api/index.js';
import { at, listAt, numberAt, objectAt, objectsAt, textAt } from '../../access.js';

/** Properties of a Service that follow from its type. */

export const NONE = 'None';

export type Service = JsonObject;

export const specOf = (s: Service): JsonObject => objectAt(s, 'spec');
export const typeOf = (s: Service): string => textAt(s, 'spec', 'type');
export const portsOf = (s: Service): readonly JsonObject[] => objectsAt(s, 'spec', 'ports');
export const clusterIpsOf = (s: Service): readonly string[] => listAt(s, 'spec', 'clusterIPs').map(String);
export const familiesOf = (s: Service): readonly string[] => listAt(s, 'spec', 'ipFamilies').map(String);

/** Every service except ExternalName has a cluster IP or is headless. */
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

/** May have node ports: a load balancer may set some even when none are allocated for it. */
export const mayHaveNodePorts = (s: Service): boolean => typeOf(s) === 'NodePort' || typeOf(s) === 'LoadBalancer';

export function wantsHealthCheckPort(s: Service): boolean {
  return typeOf(s) === 'LoadBalancer' && textAt(s, 'spec', 'externalTrafficPolicy') === 'Local';
}

/** Whether it is reachable from outside the cluster: by node port, load balancer or external IPs. */
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
