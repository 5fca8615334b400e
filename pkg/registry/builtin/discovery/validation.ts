import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isCanonicalIp,
  isDns1123Label,
  isDns1123Subdomain,
  isFullyQualifiedDomainName,
  isLabelValue,
  isQualifiedName,
  type Shaped,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, listAt, objectsAt, textAt } from '../access.js';
import { notLocal } from '../core/service/validation.js';

const ENDPOINTS_MAX = 1000;
const ADDRESSES_MAX = 100;
/** The limit in the API documentation; kube-apiserver accepts 20,000. */
const PORTS_MAX = 100;
const HINTS_MAX = 8;

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function validateEndpointSlice(
  o: Shaped<shapes.DiscoveryV1EndpointSlice>,
  errors: FieldErrors,
  withEndpoints = true,
): void {
  const type = textAt(o, 'addressType');
  const typePath = FieldPath.in<shapes.DiscoveryV1EndpointSlice>().child('addressType');
  if (type === '') errors.required(typePath);
  else if (!ADDRESS_TYPES.includes(type)) errors.notSupported(typePath, type, ADDRESS_TYPES);
  ports(o, errors);
  if (withEndpoints) endpoints(o, type, errors);
}

export function validateEndpointSliceUpdate(
  o: Shaped<shapes.DiscoveryV1EndpointSlice>,
  old: Shaped<shapes.DiscoveryV1EndpointSlice>,
  errors: FieldErrors,
): void {
  const other = textAt(o, 'addressType') !== textAt(old, 'addressType');
  // Endpoints that are unchanged are not validated again: older releases accepted more.
  const unchanged = equalJson(at(o, 'endpoints') ?? [], at(old, 'endpoints') ?? []);
  validateEndpointSlice(o, errors, !unchanged);
  if (other) {
    errors.invalid(
      FieldPath.in<shapes.DiscoveryV1EndpointSlice>().child('addressType'),
      textAt(o, 'addressType'),
      'field is immutable',
    );
  }
}

function endpoints(o: Shaped<shapes.DiscoveryV1EndpointSlice>, type: string, errors: FieldErrors): void {
  const path = FieldPath.in<shapes.DiscoveryV1EndpointSlice>().child('endpoints');
  const all = objectsAt(o, 'endpoints');
  if (all.length > ENDPOINTS_MAX) {
    errors.tooMany(path, all.length, ENDPOINTS_MAX);
    return;
  }
  errors.each(all, (endpoint, i) => {
    const here = path.index(i);
    addresses(endpoint, type, here.child('addresses'), errors);
    const node = at(endpoint, 'nodeName');
    if (typeof node === 'string')
      for (const sentence of isDns1123Subdomain(node)) errors.invalid(here.child('nodeName'), node, sentence);
    topology(endpoint, here.child('deprecatedTopology'), errors);
    const hostname = at(endpoint, 'hostname');
    if (typeof hostname === 'string')
      for (const sentence of isDns1123Label(hostname)) errors.invalid(here.child('hostname'), hostname, sentence);
    hints(endpoint, here.child('hints'), errors);
  });
}

function addresses(
  endpoint: Shaped<shapes.DiscoveryV1Endpoint>,
  type: string,
  path: FieldPath<readonly string[]>,
  errors: FieldErrors,
): void {
  const all = listAt(endpoint, 'addresses').map(String);
  if (all.length === 0) errors.required(path, 'must contain at least 1 address');
  else if (all.length > ADDRESSES_MAX) errors.tooMany(path, all.length, ADDRESSES_MAX);
  errors.each(all, (address, i) => {
    const here = path.index(i);
    if (type === 'FQDN') {
      if (address === '') errors.required(here);
      const shown = address.endsWith('.') ? address.slice(0, -1) : address;
      for (const sentence of isFullyQualifiedDomainName(address)) errors.invalid(here, shown, sentence);
      return;
    }
    if (type !== 'IPv4' && type !== 'IPv6') return;
    const wrong = isCanonicalIp(address);
    for (const sentence of wrong) errors.invalid(here, address, sentence);
    if (wrong.length > 0) return;
    if ((type === 'IPv6') !== address.includes(':')) errors.invalid(path, address, `must be an ${type} address`);
    notLocal(address, here, errors);
  });
}

const TOPOLOGY_MAX = 16;

function topology(endpoint: Shaped<shapes.DiscoveryV1Endpoint>, path: FieldPath, errors: FieldErrors): void {
  const entries = Object.keys(at(endpoint, 'deprecatedTopology') ?? {});
  if (entries.length > TOPOLOGY_MAX) errors.tooMany(path, entries.length, TOPOLOGY_MAX);
}

function hints(
  endpoint: Shaped<shapes.DiscoveryV1Endpoint>,
  path: FieldPath<shapes.DiscoveryV1EndpointHints>,
  errors: FieldErrors,
): void {
  names(objectsAt(endpoint, 'hints', 'forZones'), path.child('forZones'), isLabelValue, errors, true);
  names(objectsAt(endpoint, 'hints', 'forNodes'), path.child('forNodes'), isDns1123Subdomain, errors, false);
}

function names(
  hinted: readonly Shaped<shapes.DiscoveryV1ForNode | shapes.DiscoveryV1ForZone>[],
  path: FieldPath<readonly shapes.DiscoveryV1ForNode[] | readonly shapes.DiscoveryV1ForZone[]>,
  rule: (name: string) => readonly string[],
  errors: FieldErrors,
  required: boolean,
): void {
  if (hinted.length > HINTS_MAX) {
    errors.tooMany(path, hinted.length, HINTS_MAX);
    return;
  }
  const seen = new Set<string>();
  errors.each(hinted, (hint, i) => {
    const name = textAt(hint, 'name');
    const here = path.index(i).child('name');
    if (name === '' && required) {
      errors.required(here);
      return;
    }
    if (seen.has(name)) errors.duplicate(here, name);
    seen.add(name);
    for (const sentence of rule(name)) errors.invalid(here, name, sentence);
  });
}

function ports(o: Shaped<shapes.DiscoveryV1EndpointSlice>, errors: FieldErrors): void {
  const path = FieldPath.in<shapes.DiscoveryV1EndpointSlice>().child('ports');
  const all = objectsAt(o, 'ports');
  if (all.length > PORTS_MAX) {
    errors.tooMany(path, all.length, PORTS_MAX);
    return;
  }
  const seen = new Set<string>();
  errors.each(all, (port, i) => {
    const here = path.index(i);
    const name = textAt(port, 'name');
    if (name !== '') for (const sentence of isDns1123Label(name)) errors.invalid(here.child('name'), name, sentence);
    if (seen.has(name)) errors.duplicate(here.child('name'), name);
    seen.add(name);
    const protocol = textAt(port, 'protocol');
    if (!PROTOCOLS.includes(protocol)) errors.notSupported(here.child('protocol'), protocol, PROTOCOLS);
    const app = at(port, 'appProtocol');
    if (typeof app === 'string')
      for (const sentence of isQualifiedName(app)) errors.invalid(here.child('appProtocol'), app, sentence);
  });
}
