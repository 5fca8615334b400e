import type { JsonValue } from '../../../pkg/api/index.js';
import { LIMIT, LOOSE, long, rows, type Statement } from './statement.js';

const IP = 'metadata.name';

export const ipAddress: readonly Statement[] = [
  ...rows(
    'IPAddress',
    'ipaddress',
    'create',
    ['is valid with a parent', {}, 201],
    ['the name is IPv4 without leading zeros', { [IP]: '192.0.2.07' }, IP],
    ['the name may be IPv6', { [IP]: '2001:db8::7' }, 201],
    ['an IPv6 name is in the form of RFC 5952', { [IP]: '2001:db8:0:0::7' }, IP],
    ['an IPv6 name is in lower case', { [IP]: '2001:DB8::7' }, IP],
    ['an IPv4 address mapped to IPv6 is not canonical', { [IP]: '::ffff:192.0.2.7' }, IP],
    ['the name is an address', { [IP]: 'x' }, IP],
    ['spec.parentRef is required', { 'spec.parentRef': undefined }, 'spec.parentRef'],
    ['parentRef.name is required', { 'spec.parentRef.name': undefined }, 'spec.parentRef.name'],
    ['parentRef.resource is required', { 'spec.parentRef.resource': undefined }, 'spec.parentRef.resource'],
    ['parentRef.group is optional', { 'spec.parentRef.group': 'example.com' }, 201],
    ['parentRef.namespace is optional', { 'spec.parentRef.namespace': undefined }, 201],
  ),
  ...rows(
    'IPAddress',
    'ipaddress',
    'update',
    ['the parent does not change', { 'spec.parentRef.name': 'other' }, 'spec.parentRef'],
    ['the kind cannot be updated', { kind: 'Other' }, { code: 400 }],
  ),
];

export const ingressClass: readonly Statement[] = [
  ...rows(
    'IngressClass',
    'ingressclass',
    'create',
    ['is valid with a controller', {}, 201],
    ['the controller is a path with a domain', { 'spec.controller': 'c' }, 'spec.controller'],
    ['the controller has at most 250 characters', { 'spec.controller': `example.com/${long(239)}` }, 'spec.controller'],
    ['a controller of 250 characters is valid', { 'spec.controller': `example.com/${long(238)}` }, 201],
    ['parameters.kind is required', { 'spec.parameters.kind': undefined }, 'spec.parameters.kind'],
    ['parameters.name is required', { 'spec.parameters.name': undefined }, 'spec.parameters.name'],
    ['the scope is Cluster by default', {}, { shows: { 'spec.parameters.scope': 'Cluster' } }],
    ['the scope is Cluster or Namespace', { 'spec.parameters.scope': 'Odd' }, 'spec.parameters.scope'],
    [
      'the namespace is required with the scope Namespace',
      { 'spec.parameters.scope': 'Namespace' },
      'spec.parameters.namespace',
    ],
    [
      'the namespace is not set with the scope Cluster',
      { 'spec.parameters.namespace': 'n' },
      'spec.parameters.namespace',
    ],
    [
      'the scope Namespace with a namespace is valid',
      { 'spec.parameters.scope': 'Namespace', 'spec.parameters.namespace': 'n' },
      201,
    ],
    ['without apiGroup the kind is in the core group', { 'spec.parameters.apiGroup': undefined }, 201],
    ['parameters are optional', { 'spec.parameters': undefined }, 201],
  ),
  ...rows(
    'IngressClass',
    'ingressclass',
    'update',
    ['the controller does not change', { 'spec.controller': 'example.com/d' }, 'spec.controller'],
    ['the parameters may change', { 'spec.parameters.name': 'q' }, { shows: { 'spec.parameters.name': 'q' } }],
  ),
];

const SLICE = 'EndpointSlice';
const endpoints = (n: number): JsonValue[] =>
  Array.from({ length: n }, (_, i) => ({ addresses: [`10.1.${i >> 8}.${i & 255}`] }));
const ports = (n: number): JsonValue[] => Array.from({ length: n }, (_, i) => ({ name: `p${i}`, port: i + 1 }));
const zones = (n: number): JsonValue[] => Array.from({ length: n }, (_, i) => ({ name: `z${i}` }));
export const endpointSlice: readonly Statement[] = [
  ...rows(
    SLICE,
    'endpointslice',
    'create',
    ['the address type is required', { addressType: undefined }, 'addressType'],
    ['the address type is IPv4, IPv6 or FQDN', { addressType: 'Odd' }, 'addressType'],
    ['FQDN is a type', { addressType: 'FQDN', endpoints: [{ addresses: ['a.example.com'] }] }, 201],
    [
      'all addresses have the type of the slice',
      { 'endpoints.0.addresses': ['2001:db8::1'] },
      'endpoints[0].addresses',
    ],
    ['an endpoint has an address', { 'endpoints.0.addresses': [] }, 'endpoints[0].addresses'],
    [
      'an endpoint has at most 100 addresses',
      { 'endpoints.0.addresses': Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`) },
      'endpoints[0].addresses',
    ],
    ['1000 endpoints are valid', { endpoints: endpoints(1000) }, 201],
    ['there are at most 1000 endpoints', { endpoints: endpoints(1001) }, 'endpoints'],
    ['100 ports are valid', { ports: ports(100) }, 201],
    ['there are at most 100 ports', { ports: ports(101) }, { code: 422, field: 'ports', differs: LIMIT }],
    ['names of ports are unique', { ports: [{ name: 'a' }, { name: 'a' }] }, 'ports[1].name'],
    ['the name of a port is a DNS label', { 'ports.0.name': 'A' }, 'ports[0].name'],
    ['the name of a port may be empty', { 'ports.0.name': '' }, 201],
    ['the name of a port has at most 63 characters', { 'ports.0.name': long(64) }, 'ports[0].name'],
    ['a port may be unset', { 'ports.0.port': undefined }, 201],
    ['the protocol is TCP by default', {}, { shows: { 'ports.0.protocol': 'TCP' } }],
    ['other protocols are unknown', { 'ports.0.protocol': 'Odd' }, 'ports[0].protocol'],
    ['an application protocol has label syntax', { 'ports.0.appProtocol': 'kubernetes.io/h2c' }, 201],
    [
      'an application protocol without label syntax is invalid',
      { 'ports.0.appProtocol': 'not valid!' },
      'ports[0].appProtocol',
    ],
    ['a host name is a DNS label', { 'endpoints.0.hostname': 'A' }, 'endpoints[0].hostname'],
    ['conditions may be unset', { 'endpoints.0.conditions': {} }, 201],
    [
      'conditions are kept',
      { 'endpoints.0.conditions': { ready: true, serving: true, terminating: false } },
      { shows: { 'endpoints.0.conditions.serving': true } },
    ],
    ['conditions are booleans', { 'endpoints.0.conditions': { ready: 'yes' } }, { code: 400 }],
    ['an address is canonical', { 'endpoints.0.addresses': ['192.0.2.01'] }, 'endpoints[0].addresses[0]'],
    ['100 addresses are valid', { 'endpoints.0.addresses': Array.from({ length: 100 }, (_, i) => `10.0.0.${i}`) }, 201],
    ['ports may be absent', { ports: undefined }, 201],
    ['endpoints may be absent', { endpoints: undefined }, 201],
    ['the name of a port is empty by default', { ports: [{ port: 1 }] }, { shows: { 'ports.0.name': '' } }],
    [
      'UDP and SCTP are protocols',
      {
        ports: [
          { name: 'a', protocol: 'UDP' },
          { name: 'b', protocol: 'SCTP' },
        ],
      },
      201,
    ],
    ['an application protocol may be of IANA', { 'ports.0.appProtocol': 'https' }, 201],
    [
      'an endpoint has a node, a zone, a host name and a target',
      {
        'endpoints.0.nodeName': 'n',
        'endpoints.0.zone': 'z',
        'endpoints.0.hostname': 'h',
        'endpoints.0.targetRef': { kind: 'Pod', name: 'p' },
      },
      { shows: { 'endpoints.0.nodeName': 'n', 'endpoints.0.targetRef.name': 'p' } },
    ],
    ['IPv6 is a type', { addressType: 'IPv6', 'endpoints.0.addresses': ['2001:db8::1'] }, 201],
    [
      'an IPv6 address is canonical',
      { addressType: 'IPv6', 'endpoints.0.addresses': ['2001:db8:0::1'] },
      'endpoints[0].addresses[0]',
    ],
    ['8 zones are valid', { 'endpoints.0.hints.forZones': zones(8) }, 201],
    ['there are at most 8 zones', { 'endpoints.0.hints.forZones': zones(9) }, 'endpoints[0].hints.forZones'],
    ['a zone has a name', { 'endpoints.0.hints.forZones': [{}] as never }, { code: 422, differs: LOOSE }],
    ['8 nodes are valid', { 'endpoints.0.hints.forNodes': zones(8) }, 201],
    ['there are at most 8 nodes', { 'endpoints.0.hints.forNodes': zones(9) }, 'endpoints[0].hints.forNodes'],
    [
      'deprecatedTopology is not written',
      { 'endpoints.0.deprecatedTopology': { a: 'b' } },
      { shows: { 'endpoints.0.deprecatedTopology': undefined } },
    ],
  ),
  ...rows(
    SLICE,
    'endpointslice',
    'update',
    ['the address type does not change', { addressType: 'IPv6' }, 'addressType'],
    [
      'a change of the labels raises the generation',
      { 'metadata.labels': { 'kubernetes.io/service-name': 's' } },
      { shows: { 'metadata.generation': 2 } },
    ],
  ),
];
