import { equalJson, type JsonObject } from '../../../../api/index.js';
import { at, listAt, numberAt, objectsAt, textAt } from '../../access.js';
import {
  clusterIpsOf,
  hasClusterIp,
  isExternallyAccessible,
  mayHaveNodePorts,
  nodePortOf,
  portsOf,
  protocolOf,
  type Service,
  specOf,
  typeOf,
  wantsHealthCheckPort,
  wantsNodePorts,
} from './shape.js';

/**
 * Handling of allocated values on update: a client that omits them keeps them, and a change of type
 * drops those that the new type does not use, unless the client changed them.
 */

/** `clusterIP` and the first of `clusterIPs` are one value with two names; clients that know only the older one write only that. */
export function alignClusterIps(s: Service, old: Service | undefined): void {
  const spec = specOf(s);
  const ip = textAt(spec, 'clusterIP');
  if (old === undefined) {
    if (ip !== '' && clusterIpsOf(s).length === 0) spec['clusterIPs'] = [ip];
    return;
  }
  const given = listAt(s, 'spec', 'clusterIPs');
  if (ip === textAt(old, 'spec', 'clusterIP')) return;
  if (given.length > 0 && !equalJson(given, listAt(old, 'spec', 'clusterIPs'))) return;
  if (ip === '') delete spec['clusterIPs'];
  else spec['clusterIPs'] = [ip];
}

/** Copies allocated values from `old` where the update omits them. */
export function keepAllocated(s: Service, old: Service): void {
  const spec = specOf(s);
  if (hasClusterIp(s) && hasClusterIp(old)) {
    if (textAt(spec, 'clusterIP') === '') copy(spec, specOf(old), 'clusterIP');
    if (clusterIpsOf(s).length === 0 && textAt(spec, 'clusterIP') === textAt(old, 'spec', 'clusterIP'))
      copy(spec, specOf(old), 'clusterIPs');
  }
  if (wantsNodePorts(s) && wantsNodePorts(old)) keepNodePorts(s, old);
  if (wantsHealthCheckPort(s) && wantsHealthCheckPort(old) && numberAt(spec, 'healthCheckNodePort') === 0)
    copy(spec, specOf(old), 'healthCheckNodePort');
}

function keepNodePorts(s: Service, old: Service): void {
  const taken = new Set(portsOf(s).map((p) => `${protocolOf(p)}/${nodePortOf(p)}`));
  for (const port of portsOf(s)) {
    if (nodePortOf(port) !== 0) continue;
    const before = portsOf(old).find(
      (o) => protocolOf(o) === protocolOf(port) && numberAt(o, 'port') === numberAt(port, 'port'),
    );
    if (before === undefined || nodePortOf(before) === 0 || taken.has(`${protocolOf(port)}/${nodePortOf(before)}`))
      continue;
    port['nodePort'] = nodePortOf(before);
    taken.add(`${protocolOf(port)}/${nodePortOf(before)}`);
  }
}

/** Drops traffic policies of an ExternalName service, unless they are invalid. */
export function dropWhatNoTypeHas(s: Service): void {
  const spec = specOf(s);
  if (!hasClusterIp(s) && TRAFFIC.includes(textAt(spec, 'internalTrafficPolicy'))) delete spec['internalTrafficPolicy'];
}

const TRAFFIC: readonly string[] = ['Cluster', 'Local'];

/** Clears the fields of the old type on a change of type, if the client left them unchanged. */
export function dropWhatTheTypeLeaves(s: Service, old: Service): void {
  const spec = specOf(s);
  const before = specOf(old);
  const same = (field: string) => equalJson(at(spec, field) ?? null, at(before, field) ?? null);
  const drop = (...fields: readonly string[]) => {
    for (const field of fields) if (same(field)) delete spec[field];
  };
  if (hasClusterIp(old) && !hasClusterIp(s)) {
    if (same('clusterIP') && same('clusterIPs')) drop('clusterIP', 'clusterIPs');
    drop('ipFamilies', 'ipFamilyPolicy');
  }
  // A load balancer keeps its node ports when allocation is disabled: its owner removes them.
  if (mayHaveNodePorts(old) && !mayHaveNodePorts(s) && sameNodePorts(s, old))
    for (const port of portsOf(s)) delete port['nodePort'];
  if (wantsHealthCheckPort(old) && !wantsHealthCheckPort(s)) drop('healthCheckNodePort');
  if (typeOf(old) === 'LoadBalancer' && typeOf(s) !== 'LoadBalancer')
    drop('allocateLoadBalancerNodePorts', 'loadBalancerClass');
  if (isExternallyAccessible(old) && !isExternallyAccessible(s)) drop('externalTrafficPolicy');
  if (hasClusterIp(old) && !hasClusterIp(s)) drop('internalTrafficPolicy');
}

function sameNodePorts(s: Service, old: Service): boolean {
  const all = (x: Service) => objectsAt(x, 'spec', 'ports').map(nodePortOf).sort();
  return equalJson(all(s), all(old));
}

function copy(into: JsonObject, from: JsonObject, field: string): void {
  const v = from[field];
  if (v !== undefined) into[field] = v;
}
