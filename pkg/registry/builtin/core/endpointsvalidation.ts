import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isIp,
  isPortNumber,
  isQualifiedName,
  parseIp,
  type Shaped,
} from '../../../api/index.js';
import type { Steps } from '../../../base/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, numberAt, objectsAt, textAt } from '../access.js';
import { oneOf, sentences } from '../rules.js';
import { ipWarning } from '../valuewarnings.js';
import { notLocal } from './service/validation.js';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function validateEndpoints(o: Shaped<shapes.CoreV1Endpoints>, errors: FieldErrors): void {
  errors.each(objectsAt(o, 'subsets'), (subset, i) => {
    const path = FieldPath.in<shapes.CoreV1Endpoints>().child('subsets').index(i);
    const ready = objectsAt(subset, 'addresses');
    const others = objectsAt(subset, 'notReadyAddresses');
    if (ready.length === 0 && others.length === 0)
      errors.required(path, 'must specify `addresses` or `notReadyAddresses`');
    errors.each(ready, (a, j) => address(a, path.child('addresses').index(j), errors));
    errors.each(others, (a, j) => address(a, path.child('notReadyAddresses').index(j), errors));
    const ports = objectsAt(subset, 'ports');
    errors.each(ports, (p, j) => port(p, ports.length > 1, path.child('ports').index(j), errors));
  });
}

/** Subsets that an update does not change are not validated again: older releases accepted more. */
export function validateEndpointsUpdate(
  o: Shaped<shapes.CoreV1Endpoints>,
  old: Shaped<shapes.CoreV1Endpoints>,
  errors: FieldErrors,
): void {
  if (!equalJson(at(o, 'subsets') ?? [], at(old, 'subsets') ?? [])) validateEndpoints(o, errors);
}

function address(
  a: Shaped<shapes.CoreV1EndpointAddress>,
  path: FieldPath<shapes.CoreV1EndpointAddress>,
  errors: FieldErrors,
): void {
  const ip = textAt(a, 'ip');
  sentences(ip, isIp, path.child('ip'), errors);
  const hostname = textAt(a, 'hostname');
  if (hostname !== '') sentences(hostname, isDns1123Label, path.child('hostname'), errors);
  const node = at(a, 'nodeName');
  if (typeof node === 'string') sentences(node, isDns1123Subdomain, path.child('nodeName'), errors);
  // An address with leading zeros, or mapped into IPv6, is read here.
  if (parseIp(ip) === undefined) errors.invalid(path.child('ip'), ip, 'must be a valid IP address');
  else notLocal(ip, path.child('ip'), errors);
}

function port(
  p: Shaped<shapes.CoreV1EndpointPort>,
  named: boolean,
  path: FieldPath<shapes.CoreV1EndpointPort>,
  errors: FieldErrors,
): void {
  const name = textAt(p, 'name');
  if (name === '') {
    if (named) errors.required(path.child('name'));
  } else sentences(name, isDns1123Label, path.child('name'), errors);
  const number = numberAt(p, 'port');
  for (const s of isPortNumber(number)) errors.invalid(path.child('port'), number, s);
  oneOf(textAt(p, 'protocol'), path.child('protocol'), PROTOCOLS, errors);
  const app = at(p, 'appProtocol');
  if (typeof app === 'string') sentences(app, isQualifiedName, path.child('appProtocol'), errors);
}

export function* endpointWarnings(o: Shaped<shapes.CoreV1Endpoints>, warn: (text: string) => void): Steps<void> {
  for (const [i, subset] of objectsAt(o, 'subsets').entries())
    for (const field of ['addresses', 'notReadyAddresses'] as const)
      for (const [j, a] of objectsAt(subset, field).entries()) {
        ipWarning(textAt(a, 'ip'), `subsets[${i}].${field}[${j}].ip`, warn);
        yield;
      }
}
