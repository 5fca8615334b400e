import { errors as apiErrors, FieldErrors, FieldPath, type JsonObject, type JsonValue } from '../../../../api/index.js';
import { at } from '../../access.js';
import {
  clusterIpsOf,
  familiesOf,
  hasClusterIp,
  isHeadless,
  isHeadlessWithoutSelector,
  NONE,
  type Service,
  specOf,
} from './shape.js';

export type Family = 'IPv4' | 'IPv6';

export const familyOf = (ip: string): Family => (ip.includes(':') ? 'IPv6' : 'IPv4');

const SPEC = FieldPath.of('spec');

/**
 * Sets `ipFamilies` and `ipFamilyPolicy` from the service's fields and the cluster's ranges. Throws the errors of families that
 * the cluster does not support. `configured` lists the families that have a range, the default first.
 */
export function settleFamilies(s: Service, old: Service | undefined, configured: readonly Family[]): void {
  if (!hasClusterIp(s)) return;
  const spec = specOf(s);
  const errors = new FieldErrors();
  const wanted = at(spec, 'ipFamilyPolicy');
  if (isHeadlessWithoutSelector(s)) {
    // without a selector its owner manages the endpoints, which may have any family
    if (familiesOf(s).length === 0 && old !== undefined && isHeadless(old)) spec['ipFamilies'] = [...familiesOf(old)];
    if (wanted === undefined) spec['ipFamilyPolicy'] = familiesOf(s).length === 1 ? 'SingleStack' : 'RequireDualStack';
  } else if (wanted === undefined) spec['ipFamilyPolicy'] = 'SingleStack';
  if (
    old !== undefined &&
    hasClusterIp(old) &&
    spec['ipFamilyPolicy'] === 'SingleStack' &&
    at(old, 'spec', 'ipFamilyPolicy') !== 'SingleStack'
  )
    trim(spec, old);
  const policy = spec['ipFamilyPolicy'];
  const families = familiesOf(s);
  const ips = clusterIpsOf(s).filter((ip) => ip !== NONE && ip !== '');
  if (policy === 'SingleStack' && families.length > 1) {
    errors.invalid(
      SPEC.child('ipFamilyPolicy'),
      policy,
      "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
    );
  }
  if (policy === 'SingleStack' && ips.length > 1) {
    errors.invalid(
      SPEC.child('ipFamilyPolicy'),
      policy,
      "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified",
    );
  }
  if (policy !== 'SingleStack' && old !== undefined && hasClusterIp(old)) released(s, old, errors);
  if (!isHeadlessWithoutSelector(s)) {
    const before = errors.empty;
    // An address without a family in the list gives the service its own.
    for (const [i, ip] of ips.entries()) {
      if (i >= families.length && !configured.includes(familyOf(ip)))
        errors.invalid(
          SPEC.child('clusterIPs').index(i),
          [...clusterIpsOf(s)],
          `${familyOf(ip)} is not configured on this cluster`,
        );
    }
    if (before && errors.empty) unconfigured(policy, families, configured, errors);
  }
  if (!errors.empty) throw apiErrors.invalid({ group: '', kind: 'Service' }, nameOf(s), errors.list);
  spec['ipFamilies'] = fill(s, configured);
}

/** Reports the families that the cluster does not have, after the policy that needs them. */
function unconfigured(
  policy: JsonValue | undefined,
  families: readonly string[],
  configured: readonly string[],
  errors: FieldErrors,
): void {
  if (policy === 'RequireDualStack' && configured.length < 2)
    errors.invalid(SPEC.child('ipFamilyPolicy'), policy, 'this cluster is not configured for dual-stack services');
  for (const [i, family] of families.entries())
    if (!configured.includes(family))
      errors.invalid(SPEC.child('ipFamilies').index(i), family, 'not configured on this cluster');
}

/** A service keeps its second address and family until its policy is that of a single stack. */
function released(s: Service, old: Service, errors: FieldErrors): void {
  const policy = at(s, 'spec', 'ipFamilyPolicy');
  for (const [values, what] of [
    [clusterIpsOf, 'cluster IP'],
    [familiesOf, 'IP family'],
  ] as const) {
    if (values(s).length === 1 && values(old).length === 2)
      errors.invalid(SPEC.child('ipFamilyPolicy'), policy, `must be 'SingleStack' to release the secondary ${what}`);
  }
}

const other = (family: Family): Family => (family === 'IPv4' ? 'IPv6' : 'IPv4');

function fill(s: Service, configured: readonly Family[]): Family[] {
  const families = familiesOf(s) as Family[];
  for (const ip of clusterIpsOf(s).slice(families.length)) if (ip !== NONE) families.push(familyOf(ip));
  if (families.length === 0) families.push(configured[0]!);
  const dual = at(s, 'spec', 'ipFamilyPolicy') !== 'SingleStack';
  const possible = configured.length > 1 || (isHeadless(s) && isHeadlessWithoutSelector(s));
  if (dual && possible && families.length === 1) families.push(other(families[0]!));
  return families;
}

/** On a change to single stack, drops the second family and address, unless the client changed them. */
function trim(spec: JsonObject, old: Service): void {
  const families = familiesOf({ spec });
  const ips = clusterIpsOf({ spec });
  if (families.length > 1 && families.join() === familiesOf(old).join()) spec['ipFamilies'] = families.slice(0, 1);
  if (ips.length > 1 && ips.join() === clusterIpsOf(old).join()) spec['clusterIPs'] = ips.slice(0, 1);
}

function nameOf(s: Service): string {
  const name = at(s, 'metadata', 'name');
  return typeof name === 'string' ? name : '';
}
