import { isObject, type Shaped } from '../../../../api/index.js';
import type { shapes } from '../../../../schema/index.js';
import { objectIn, objectsAt, textAt } from '../../access.js';
import { fill } from '../pod/defaults.js';
import { hasClusterIp, isExternallyAccessible, portsOf, typeOf } from './shape.js';

const AFFINITY_SECONDS = 10800;

export function defaultService(s: Shaped<shapes.CoreV1Service>): void {
  const spec = objectIn(s, 'spec');
  fill(spec, 'sessionAffinity', 'None');
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] === 'ClientIP') {
    const clientIp = objectIn(objectIn(spec, 'sessionAffinityConfig'), 'clientIP');
    if (clientIp['timeoutSeconds'] === undefined) clientIp['timeoutSeconds'] = AFFINITY_SECONDS;
  }
  fill(spec, 'type', 'ClusterIP');
  for (const port of portsOf(s)) {
    fill(port, 'protocol', 'TCP');
    const target = port['targetPort'];
    if ((target === undefined || target === 0 || target === '') && port['port'] !== undefined)
      port['targetPort'] = port['port'];
  }
  if (isExternallyAccessible(s)) fill(spec, 'externalTrafficPolicy', 'Cluster');
  if (spec['internalTrafficPolicy'] === undefined && hasClusterIp(s) && KNOWN.has(typeOf(s)))
    spec['internalTrafficPolicy'] = 'Cluster';
  if (typeOf(s) === 'LoadBalancer') {
    if (spec['allocateLoadBalancerNodePorts'] === undefined) spec['allocateLoadBalancerNodePorts'] = true;
    for (const ingress of objectsAt(s, 'status', 'loadBalancer', 'ingress')) {
      if (textAt(ingress, 'ip') !== '' && ingress['ipMode'] === undefined) ingress['ipMode'] = 'VIP';
    }
  }
  const status = objectIn(s, 'status');
  if (!isObject(status['loadBalancer'])) status['loadBalancer'] = {};
}

const KNOWN: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer']);
