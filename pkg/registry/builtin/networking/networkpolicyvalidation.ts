import {
  cidrContains,
  type FieldErrors,
  FieldPath,
  isCidr,
  isPortName,
  isPortNumber,
  parseCidr,
  type Shaped,
} from '../../../api/index.js';
import type { Steps } from '../../../base/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, listAt, objectAt, objectsAt, textAt } from '../access.js';
import { isInvalidSelector, labelSelector } from '../rules.js';
import { cidrWarning } from '../valuewarnings.js';

const SPEC = FieldPath.in<shapes.NetworkingV1NetworkPolicy>().child('spec');
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['Ingress', 'Egress'];

/** What a policy may have because the stored one that it replaces has it. */
interface Tolerated {
  /** Ranges that are not validated. */
  readonly ranges: ReadonlySet<string>;
  /** Whether the values in selectors must be label values. */
  readonly checkValues: boolean;
}

/** A range that moved is not distinguished from a new one, so an update may use those of the stored policy anywhere. */
function toleratedBy(old: Shaped<shapes.NetworkingV1NetworkPolicy> | undefined): Tolerated {
  if (old === undefined) return { ranges: new Set(), checkValues: true };
  const blocks = [
    ...objectsAt(old, 'spec', 'ingress').flatMap((rule) => objectsAt(rule, 'from')),
    ...objectsAt(old, 'spec', 'egress').flatMap((rule) => objectsAt(rule, 'to')),
  ]
    .filter((one) => at(one, 'ipBlock') !== undefined)
    .map((one) => objectAt(one, 'ipBlock'));
  const ranges = blocks.flatMap((block) => [textAt(block, 'cidr'), ...listAt(block, 'except').map(String)]);
  return { ranges: new Set(ranges), checkValues: !isInvalidSelector(at(old, 'spec', 'podSelector')) };
}

/** Validates a policy. `old` is the one that an update replaces. */
export function validateNetworkPolicy(
  o: Shaped<shapes.NetworkingV1NetworkPolicy>,
  errors: FieldErrors,
  old?: Shaped<shapes.NetworkingV1NetworkPolicy>,
): void {
  const spec = objectAt(o, 'spec');
  const tolerated = toleratedBy(old);
  labelSelector(at(spec, 'podSelector'), SPEC.child('podSelector'), errors, tolerated.checkValues);
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    errors.each(objectsAt(spec, direction), (rule, i) => {
      const path = SPEC.child(direction).index(i);
      errors.each(objectsAt(rule, 'ports'), (port, j) => ports(port, path.child('ports').index(j), errors));
      errors.each(objectsAt(rule, peers), (one, j) => peer(one, path.child(peers).index(j), errors, tolerated));
    });
  }
  const types = listAt(spec, 'policyTypes').map(String);
  if (types.length > TYPES.length) {
    errors.invalid(SPEC.child('policyTypes'), types, 'may not specify more than two policyTypes');
    return;
  }
  for (const [i, type] of types.entries())
    if (!TYPES.includes(type)) errors.notSupported(SPEC.child('policyTypes').index(i), type, TYPES);
}

function ports(
  port: Shaped<shapes.NetworkingV1NetworkPolicyPort>,
  path: FieldPath<shapes.NetworkingV1NetworkPolicyPort>,
  errors: FieldErrors,
): void {
  const protocol = at(port, 'protocol');
  if (typeof protocol === 'string' && !PROTOCOLS.includes(protocol))
    errors.notSupported(path.child('protocol'), protocol, PROTOCOLS);
  const number = at(port, 'port');
  const end = at(port, 'endPort');
  const here = path.child('endPort');
  if (typeof end === 'number' && typeof number === 'string')
    errors.invalid(here, end, 'may not be specified when `port` is non-numeric');
  if (typeof number === 'number') for (const s of isPortNumber(number)) errors.invalid(path.child('port'), number, s);
  else if (typeof number === 'string')
    for (const s of isPortName(number)) errors.invalid(path.child('port'), number, s);
  if (typeof end !== 'number' || typeof number === 'string') return;
  if (number === undefined) errors.invalid(here, end, 'may not be specified when `port` is not specified');
  else {
    if (end < Number(number)) errors.invalid(here, end, 'must be greater than or equal to `port`');
    for (const s of isPortNumber(end)) errors.invalid(here, end, s);
  }
}

function peer(
  one: Shaped<shapes.NetworkingV1NetworkPolicyPeer>,
  path: FieldPath<shapes.NetworkingV1NetworkPolicyPeer>,
  errors: FieldErrors,
  tolerated: Tolerated,
): void {
  let count = 0;
  for (const field of ['podSelector', 'namespaceSelector'] as const) {
    if (at(one, field) === undefined) continue;
    count++;
    labelSelector(at(one, field), path.child(field), errors, tolerated.checkValues);
  }
  const block = at(one, 'ipBlock');
  if (block !== undefined) {
    ipBlock(objectAt(one, 'ipBlock'), path.child('ipBlock'), errors, tolerated.ranges);
    if (count > 0) errors.after(() => errors.forbidden(path, 'may not specify both ipBlock and another peer'));
    count++;
  }
  if (count === 0) errors.required(path, 'must specify a peer');
}

function ipBlock(
  block: Shaped<shapes.NetworkingV1IPBlock>,
  path: FieldPath<shapes.NetworkingV1IPBlock>,
  errors: FieldErrors,
  kept: ReadonlySet<string>,
): void {
  const cidr = textAt(block, 'cidr');
  if (cidr === '') {
    errors.required(path.child('cidr'));
    return;
  }
  if (!kept.has(cidr)) for (const s of isCidr(cidr)) errors.invalid(path.child('cidr'), cidr, s);
  const whole = parseCidr(cidr);
  if (whole === undefined) return;
  errors.each(listAt(block, 'except').map(String), (v, i) => {
    const here = path.child('except').index(i);
    if (!kept.has(v)) for (const s of isCidr(v)) errors.invalid(here, v, s);
    const part = parseCidr(v);
    if (part === undefined) return;
    if (!cidrContains(whole, part.address) || whole.prefixLength >= part.prefixLength)
      errors.invalid(here, v, 'must be a strict subset of `cidr`');
  });
}

export function* policyWarnings(
  o: Shaped<shapes.NetworkingV1NetworkPolicy>,
  warn: (text: string) => void,
): Steps<void> {
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    for (const [i, rule] of objectsAt(o, 'spec', direction).entries()) {
      for (const [j, peer] of objectsAt(rule, peers).entries()) {
        const path = `spec.${direction}[${i}].${peers}[${j}].ipBlock`;
        cidrWarning(textAt(peer, 'ipBlock', 'cidr'), `${path}.cidr`, warn);
        yield;
        for (const [k, v] of listAt(peer, 'ipBlock', 'except').entries()) {
          cidrWarning(String(v), `${path}.except[${k}]`, warn);
          yield;
        }
      }
    }
  }
}
