import {
  type Cidr,
  cidrContains,
  type FieldErrors,
  FieldPath,
  type IpAddress,
  isCidr,
  isDns1123Label,
  isDns1123Subdomain,
  isIp,
  isIpSloppy,
  isLabelKey,
  isLabelValue,
  isPortName,
  isPortNumber,
  isQualifiedName,
  type JsonObject,
  type JsonValue,
  parseCidr,
  parseIp,
  unmappedIp,
} from '../../../../api/index.js';
import { at, listAt, numberAt, objectAt, objectsAt, textAt } from '../../access.js';
import {
  clusterIpsOf,
  familiesOf,
  hasClusterIp,
  isExternallyAccessible,
  isHeadless,
  mayHaveNodePorts,
  NONE,
  nodePortOf,
  portsOf,
  protocolOf,
  type Service,
  typeOf,
  wantsHealthCheckPort,
} from './shape.js';

const SPEC = FieldPath.of('spec');
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const TRAFFIC = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const AFFINITY_SECONDS_MAX = 86400;

export function validateService(s: Service, old: Service | undefined, errors: FieldErrors): void {
  const type = typeOf(s);
  topologyAnnotations(s, errors);
  if (!hasClusterIp(s)) addresses(s, undefined, errors);
  if (type === 'ExternalName') externalName(s, errors);
  else if (mayHaveNodePorts(s) && isHeadless(s))
    errors.invalid(SPEC.child('clusterIPs').index(0), NONE, `may not be set to 'None' for ${type} services`);
  ports(s, errors);
  selector(s, errors);
  affinity(s, errors);
  if (type === 'LoadBalancer')
    for (const [i, p] of portsOf(s).entries())
      if (protocolOf(p) === '') errors.required(SPEC.child('ports').index(i).child('protocol'));
  externalIps(s, old, errors);
  if (type === '') errors.required(SPEC.child('type'));
  else if (!TYPES.includes(type)) errors.notSupported(SPEC.child('type'), type, TYPES);
  if (!hasClusterIp(s) || type === 'ClusterIP') {
    errors.each(portsOf(s), (p, i) => {
      if (type === 'ClusterIP' && nodePortOf(p) !== 0)
        errors.forbidden(SPEC.child('ports').index(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'");
    });
  }
  repeated(s, errors);
  loadBalancer(s, old, errors);
  traffic(s, errors);
  const distribution = at(s, 'spec', 'trafficDistribution');
  if (typeof distribution === 'string' && !DISTRIBUTIONS.includes(distribution))
    errors.notSupportedText(SPEC.child('trafficDistribution'), distribution, DISTRIBUTIONS);
}

function ports(s: Service, errors: FieldErrors): void {
  const path = SPEC.child('ports');
  const all = portsOf(s);
  const headless = clusterIpsOf(s)[0] === NONE || textAt(s, 'spec', 'clusterIP') === NONE;
  if (all.length === 0 && !headless && typeOf(s) !== 'ExternalName') errors.required(path);
  const names = new Set<string>();
  errors.each(all, (p, i) => {
    const here = path.index(i);
    const name = textAt(p, 'name');
    if (name === '') {
      if (all.length > 1) errors.required(here.child('name'));
    } else {
      for (const sentence of isDns1123Label(name)) errors.invalid(here.child('name'), name, sentence);
      if (names.has(name)) errors.duplicate(here.child('name'), name);
      names.add(name);
    }
    for (const sentence of isPortNumber(numberAt(p, 'port')))
      errors.invalid(here.child('port'), numberAt(p, 'port'), sentence);
    const protocol = protocolOf(p);
    if (protocol === '') errors.required(here.child('protocol'));
    else if (!PROTOCOLS.includes(protocol)) errors.notSupported(here.child('protocol'), protocol, PROTOCOLS);
    targetPort(at(p, 'targetPort'), here.child('targetPort'), errors);
    const app = at(p, 'appProtocol');
    if (typeof app === 'string')
      for (const sentence of isQualifiedName(app)) errors.invalid(here.child('appProtocol'), app, sentence);
  });
}

/** A port number or the name of a container port. */
export function targetPort(value: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string') for (const sentence of isPortName(value)) errors.invalid(path, value, sentence);
  else
    for (const sentence of isPortNumber(typeof value === 'number' ? value : 0))
      errors.invalid(path, value ?? 0, sentence);
}

/** Port and protocol are unique, and so are node port and protocol. */
function repeated(s: Service, errors: FieldErrors): void {
  const path = SPEC.child('ports');
  const nodePorts = new Set<string>();
  errors.each(portsOf(s), (p, i) => {
    const nodePort = nodePortOf(p);
    if (nodePort === 0) return;
    const key = `${protocolOf(p)}/${numberAt(p, 'port')}/${nodePort}`;
    if (nodePorts.has(key)) errors.duplicate(path.index(i).child('nodePort'), nodePort);
    nodePorts.add(key);
  });
  const seen = new Set<string>();
  errors.each(portsOf(s), (p, i) => {
    const key = `${protocolOf(p)}/${numberAt(p, 'port')}`;
    if (seen.has(key)) errors.duplicate(path.index(i), printedPort(p));
    seen.add(key);
  });
}

/** The compared fields of a port, as kube-apiserver prints them. */
function printedPort(p: JsonObject): JsonObject {
  const { protocol, port } = { protocol: protocolOf(p), port: numberAt(p, 'port') };
  return { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
}

function affinity(s: Service, errors: FieldErrors): void {
  const value = textAt(s, 'spec', 'sessionAffinity');
  const supported = ['ClientIP', 'None'];
  if (value === '') errors.required(SPEC.child('sessionAffinity'));
  else if (!supported.includes(value)) errors.notSupported(SPEC.child('sessionAffinity'), value, supported);
  if (value !== 'ClientIP') return;
  const path = SPEC.child('sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  const seconds = at(s, 'spec', 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  if (typeof seconds !== 'number') errors.required(path, 'when session affinity type is ClientIP');
  else if (seconds <= 0 || seconds > AFFINITY_SECONDS_MAX)
    errors.invalid(path, seconds, `must be greater than 0 and less than ${AFFINITY_SECONDS_MAX}`);
}

function selector(s: Service, errors: FieldErrors): void {
  const path = SPEC.child('selector');
  for (const [k, v] of Object.entries(objectAt(s, 'spec', 'selector'))) {
    for (const sentence of isLabelKey(k)) errors.invalid(path, k, sentence);
    for (const sentence of isLabelValue(String(v))) errors.invalid(path, v, sentence);
  }
}

function externalName(s: Service, errors: FieldErrors): void {
  const name = textAt(s, 'spec', 'externalName').replace(/\.$/, '');
  if (name === '') errors.required(SPEC.child('externalName'));
  else for (const sentence of isDns1123Subdomain(name)) errors.invalid(SPEC.child('externalName'), name, sentence);
}

const ranges = (...texts: readonly string[]): readonly Cidr[] => texts.map((text) => parseCidr(text)!);
const LOOPBACK = ranges('127.0.0.0/8', '::1/128');
const LINK_LOCAL = ranges('169.254.0.0/16', 'fe80::/10');
const LINK_LOCAL_MULTICAST = ranges('224.0.0.0/24', 'ff02::/16');

const within = (ip: IpAddress | undefined, networks: readonly Cidr[]): boolean =>
  ip !== undefined && networks.some((network) => cidrContains(network, ip));

/** Addresses that the stored service has need not be in canonical form. */
function externalIps(s: Service, old: Service | undefined, errors: FieldErrors): void {
  const held = new Set(listAt(old, 'spec', 'externalIPs').map(String));
  errors.each(listAt(s, 'spec', 'externalIPs'), (v, i) => {
    const path = SPEC.child('externalIPs').index(i);
    const ip = String(v);
    const wrong = held.has(ip) ? [] : isIp(ip);
    for (const sentence of wrong) errors.invalid(path, ip, sentence);
    if (wrong.length > 0) return;
    if (parseIp(ip) === undefined) errors.invalid(path, ip, 'must be a valid IP address');
    else notLocal(ip, path, errors);
  });
}

/** Validates an address that is reachable from other machines. */
export function notLocal(ip: string, path: FieldPath, errors: FieldErrors): void {
  const given = parseIp(ip);
  const parsed = given === undefined ? undefined : unmappedIp(given);
  if (parsed?.value === 0n) errors.invalid(path, ip, `may not be unspecified (${ip})`);
  if (within(parsed, LOOPBACK)) errors.invalid(path, ip, 'may not be in the loopback range (127.0.0.0/8, ::1/128)');
  if (within(parsed, LINK_LOCAL))
    errors.invalid(path, ip, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  if (within(parsed, LINK_LOCAL_MULTICAST))
    errors.invalid(path, ip, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
}

function loadBalancer(s: Service, old: Service | undefined, errors: FieldErrors): void {
  const isLoadBalancer = typeOf(s) === 'LoadBalancer';
  const only = ONLY_LOAD_BALANCERS;
  const ranges = listAt(s, 'spec', 'loadBalancerSourceRanges');
  // kube-apiserver spells this path with a capital; clients search for it
  const path = SPEC.child('LoadBalancerSourceRanges');
  const annotated = at(s, 'metadata', 'annotations', SOURCE_RANGES_ANNOTATION);
  if (ranges.length > 0) {
    if (!isLoadBalancer) errors.forbidden(path, only);
    const held = new Set(old === undefined ? [] : trimmed(listAt(old, 'spec', 'loadBalancerSourceRanges')));
    errors.each(trimmed(ranges), (range, i) => {
      if (!held.has(range)) for (const sentence of isCidr(range)) errors.invalid(path.index(i), range, sentence);
    });
  } else if (typeof annotated === 'string') {
    const here = FieldPath.of('metadata', 'annotations').key(SOURCE_RANGES_ANNOTATION);
    if (!isLoadBalancer) errors.forbidden(here, only);
    const isNew = old === undefined || at(old, 'metadata', 'annotations', SOURCE_RANGES_ANNOTATION) !== annotated;
    const text = annotated.trim();
    if (isNew && text !== '')
      errors.each(trimmed(text.split(',')), (range) => {
        for (const sentence of isCidr(range)) errors.invalid(here, range, sentence);
      });
  }
  if (!isLoadBalancer && at(s, 'spec', 'allocateLoadBalancerNodePorts') !== undefined)
    errors.forbidden(SPEC.child('allocateLoadBalancerNodePorts'), only);
  loadBalancerClass(s, errors);
}

const trimmed = (texts: readonly JsonValue[]): readonly string[] => texts.map((text) => String(text).trim());

function loadBalancerClass(s: Service, errors: FieldErrors): void {
  const name = at(s, 'spec', 'loadBalancerClass');
  const path = SPEC.child('loadBalancerClass');
  if (typeof name !== 'string') return;
  if (typeOf(s) === 'LoadBalancer') for (const sentence of isQualifiedName(name)) errors.invalid(path, name, sentence);
  else errors.forbidden(path, ONLY_LOAD_BALANCERS);
}

const ONLY_LOAD_BALANCERS = "may only be used when `type` is 'LoadBalancer'";
const SOURCE_RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';

function traffic(s: Service, errors: FieldErrors): void {
  const policy = textAt(s, 'spec', 'externalTrafficPolicy');
  const path = SPEC.child('externalTrafficPolicy');
  if (isExternallyAccessible(s)) {
    if (policy === '') errors.required(path);
    else if (!TRAFFIC.includes(policy)) errors.notSupported(path, policy, TRAFFIC);
  } else if (policy !== '') errors.invalid(path, policy, 'may only be set for externally-accessible services');
  const port = numberAt(s, 'spec', 'healthCheckNodePort');
  const portPath = SPEC.child('healthCheckNodePort');
  if (wantsHealthCheckPort(s)) {
    if (port !== 0) for (const sentence of isPortNumber(port)) errors.invalid(portPath, port, sentence);
  } else if (port !== 0)
    errors.invalid(
      portPath,
      port,
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    );
  const internal = at(s, 'spec', 'internalTrafficPolicy');
  const internalPath = SPEC.child('internalTrafficPolicy');
  if (hasClusterIp(s) && TYPES.includes(typeOf(s)) && internal === undefined) errors.required(internalPath);
  if (typeof internal === 'string' && !TRAFFIC.includes(internal)) errors.notSupported(internalPath, internal, TRAFFIC);
}

/** Validates cluster IPs, IP families and their policy. Allocation checks what depends on the cluster's ranges. */
export function addresses(s: Service, old: Service | undefined, errors: FieldErrors): void {
  const ip = textAt(s, 'spec', 'clusterIP');
  const ips = clusterIpsOf(s);
  const path = SPEC.child('clusterIPs');
  if (!hasClusterIp(s)) {
    if (ips.length > 0 || ip !== '') errors.forbidden(path, 'may not be set for ExternalName services');
    if (familiesOf(s).length > 0)
      errors.forbidden(SPEC.child('ipFamilies'), 'may not be set for ExternalName services');
    if (at(s, 'spec', 'ipFamilyPolicy') !== undefined)
      errors.forbidden(SPEC.child('ipFamilyPolicy'), 'may not be set for ExternalName services');
    return;
  }
  if (ips.length > 0 && ip === '') errors.invalid(path, [...ips], 'must be empty when `clusterIP` is not specified');
  else if (ip !== '' && ips.length === 0) errors.required(path);
  else if (ips.length > 0 && ips[0] !== ip) errors.invalid(path, [...ips], 'first value must match `clusterIP`');
  families(s, errors);
  const policy = at(s, 'spec', 'ipFamilyPolicy');
  if (typeof policy === 'string' && !POLICIES.includes(policy))
    errors.notSupported(SPEC.child('ipFamilyPolicy'), policy, POLICIES);
  errors.judge(
    () => {
      const held = new Set(old === undefined ? [] : clusterIpsOf(old));
      if (ips[0] === NONE && ips.length > 1) errors.invalid(path, [...ips], "'None' must be the first and only value");
      errors.each(ips, (v, i) => {
        // existing values are not validated again
        if (held.has(v) || (v === NONE && i === 0)) return;
        for (const sentence of isIp(v)) errors.invalid(path.index(i), v, sentence);
      });
    },
    (added) => {
      if (ips.length > 2) errors.invalid(path, [...ips], 'may only hold up to 2 values');
      if (!added) familiesOfAddresses(s, errors);
    },
  );
}

const FAMILIES: readonly string[] = ['IPv4', 'IPv6'];

/** Valid addresses belong to different families, those of the service. */
function familiesOfAddresses(s: Service, errors: FieldErrors): void {
  const ips = clusterIpsOf(s);
  if (ips[0] === NONE) return;
  const path = SPEC.child('clusterIPs');
  const found = ips.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4'));
  if (found.length === 2 && found[0] === found[1])
    errors.invalid(path, [...ips], 'may specify no more than one IP for each IP family');
  for (const [i, family] of familiesOf(s).slice(0, ips.length).entries())
    if (FAMILIES.includes(family) && family !== found[i])
      errors.invalid(path.index(i), ips[i], `expected an ${family} value as indicated by \`ipFamilies[${i}]\``);
}

function families(s: Service, errors: FieldErrors): void {
  const seen = new Set<string>();
  errors.each(familiesOf(s), (family, i) => {
    const path = SPEC.child('ipFamilies').index(i);
    if (!FAMILIES.includes(family)) errors.notSupported(path, family, FAMILIES);
    if (seen.has(family)) errors.duplicate(path, family);
    seen.add(family);
  });
}

export function validateServiceUpdate(s: Service, old: Service, errors: FieldErrors): void {
  unchangedAddresses(s, old, errors);
  const port = numberAt(s, 'spec', 'healthCheckNodePort');
  if (wantsHealthCheckPort(old) && wantsHealthCheckPort(s) && port !== numberAt(old, 'spec', 'healthCheckNodePort')) {
    errors.forbidden(SPEC.child('healthCheckNodePort'), 'field is immutable');
  }
  if (typeOf(old) === 'LoadBalancer' && typeOf(s) === 'LoadBalancer') {
    const name = at(s, 'spec', 'loadBalancerClass');
    if ((name ?? null) !== (at(old, 'spec', 'loadBalancerClass') ?? null))
      errors.invalid(SPEC.child('loadBalancerClass'), name, 'may not change once set');
  }
  loadBalancerClass(s, errors);
  validateService(s, old, errors);
}

/** The cluster IPs of a service are immutable while it has them; only the second one may be released. */
function unchangedAddresses(s: Service, old: Service, errors: FieldErrors): void {
  if (!hasClusterIp(s) || !hasClusterIp(old)) return;
  const before = clusterIpsOf(old);
  const now = clusterIpsOf(s);
  for (const [i, ip] of before.slice(0, now.length).entries())
    if (ip !== now[i]) errors.invalid(SPEC.child('clusterIPs').index(i), [...now], 'may not change once set');
  const [family] = familiesOf(old);
  // kube-apiserver shows the addresses here, too
  if (family !== undefined && before[0] !== NONE && family !== familiesOf(s)[0])
    errors.invalid(SPEC.child('ipFamilies').index(0), [...now], 'may not change once set');
}

/** Validates the status. Addresses that the stored one has need not be in canonical form. */
export function validateStatus(s: Service, old: Service, errors: FieldErrors): void {
  const path = FieldPath.of('status', 'loadBalancer', 'ingress');
  const ingress = objectsAt(s, 'status', 'loadBalancer', 'ingress');
  if (ingress.length > 0 && typeOf(s) !== 'LoadBalancer') {
    errors.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  const held = new Set(objectsAt(old, 'status', 'loadBalancer', 'ingress').map((entry) => textAt(entry, 'ip')));
  errors.each(ingress, (entry, i) => loadBalancerIngress(entry, path.index(i), errors, held));
}

const IP_MODES = ['Proxy', 'VIP'];

/** Validates one ingress point of a load balancer. */
function loadBalancerIngress(entry: JsonObject, path: FieldPath, errors: FieldErrors, held: ReadonlySet<string>): void {
  const ip = textAt(entry, 'ip');
  if (ip !== '' && !held.has(ip)) for (const sentence of isIp(ip)) errors.invalid(path.child('ip'), ip, sentence);
  const mode = at(entry, 'ipMode');
  if (ip !== '' && mode === undefined) errors.required(path.child('ipMode'), 'must be specified when `ip` is set');
  else if (ip === '' && mode !== undefined)
    errors.forbidden(path.child('ipMode'), 'may not be specified when `ip` is not set');
  else if (typeof mode === 'string' && !IP_MODES.includes(mode))
    errors.notSupported(path.child('ipMode'), mode, IP_MODES);
  const host = textAt(entry, 'hostname');
  if (host === '') return;
  for (const sentence of isDns1123Subdomain(host)) errors.invalid(path.child('hostname'), host, sentence);
  if (isIpSloppy(host).length === 0)
    errors.invalid(path.child('hostname'), host, 'must be a DNS name, not an IP address');
}

/** The name of today and that of earlier releases for how traffic prefers the zone of its client. */
export const TOPOLOGY = 'service.kubernetes.io/topology-mode';
export const OLD_TOPOLOGY = 'service.kubernetes.io/topology-aware-hints';

function topologyAnnotations(s: Service, errors: FieldErrors): void {
  const annotations = objectAt(s, 'metadata', 'annotations');
  const [now, before] = [annotations[TOPOLOGY], annotations[OLD_TOPOLOGY]];
  if (now === undefined || before === undefined || now === before) return;
  const path = FieldPath.of('metadata', 'annotations').key(TOPOLOGY);
  errors.invalid(path, now, `must match annotations[${OLD_TOPOLOGY}] when both are specified`);
}
