import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isCanonicalCidr,
  isCanonicalIp,
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegmentName,
  parseCidr,
  type Shaped,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, givenAt, listAt, objectAt, textAt } from '../access.js';
import { domainPrefixedPath, sentences, shown } from '../rules.js';

const SPEC = FieldPath.in<
  shapes.NetworkingV1IngressClass | shapes.NetworkingV1IPAddress | shapes.NetworkingV1ServiceCIDR
>().child('spec');
const CONTROLLER_MAX = 250;

export function validateIngressClass(o: Shaped<shapes.NetworkingV1IngressClass>, errors: FieldErrors): void {
  const controller = textAt(o, 'spec', 'controller');
  const path = SPEC.child('controller');
  if (controller.length > CONTROLLER_MAX) errors.tooLong(path, CONTROLLER_MAX);
  if (controller === '') errors.required(path);
  else domainPrefixedPath(controller, path, errors);
  if (at(o, 'spec', 'parameters') !== undefined)
    classParameters(objectAt(o, 'spec', 'parameters'), SPEC.child('parameters'), errors);
}

function classParameters(
  p: Shaped<shapes.NetworkingV1IngressClassParametersReference>,
  path: FieldPath<shapes.NetworkingV1IngressClassParametersReference>,
  errors: FieldErrors,
): void {
  const group = at(p, 'apiGroup');
  if (typeof group === 'string') sentences(group, isDns1123Subdomain, path.child('apiGroup'), errors);
  for (const field of ['kind', 'name'] as const) {
    const v = textAt(p, field);
    if (v === '') errors.required(path.child(field));
    else sentences(v, isPathSegmentName, path.child(field), errors);
  }
  const scope = at(p, 'scope');
  if (typeof scope !== 'string') {
    errors.required(path.child('scope'));
    return;
  }
  const scopes = ['Cluster', 'Namespace'];
  if (!scopes.includes(scope)) errors.notSupportedText(path.child('scope'), scope, scopes);
  const namespace = at(p, 'namespace');
  const here = path.child('namespace');
  if (scope === 'Namespace') {
    if (typeof namespace !== 'string') errors.required(here, "`parameters.scope` is set to 'Namespace'");
    else sentences(namespace, isDns1123Label, here, errors);
  } else if (scope === 'Cluster' && namespace !== undefined)
    errors.forbidden(here, "`parameters.scope` is set to 'Cluster'");
}

export function validateIngressClassUpdate(
  o: Shaped<shapes.NetworkingV1IngressClass>,
  old: Shaped<shapes.NetworkingV1IngressClass>,
  errors: FieldErrors,
): void {
  const controller = textAt(o, 'spec', 'controller');
  if (controller !== textAt(old, 'spec', 'controller'))
    errors.invalid(SPEC.child('controller'), controller, 'field is immutable');
  validateIngressClass(o, errors);
}

/** The name of an IPAddress is the address in canonical form. */
export function ipName(name: string, _prefix: boolean): readonly string[] {
  return isCanonicalIp(name);
}

export function validateIpAddress(o: Shaped<shapes.NetworkingV1IPAddress>, errors: FieldErrors): void {
  const ref = at(o, 'spec', 'parentRef');
  const path = SPEC.child('parentRef');
  if (ref === undefined) {
    errors.required(path);
    return;
  }
  const group = textAt(ref, 'group');
  if (group !== '') sentences(group, isDns1123Subdomain, path.child('group'), errors);
  for (const field of ['resource', 'name', 'namespace'] as const) {
    const v = textAt(ref, field);
    if (v !== '') sentences(v, isPathSegmentName, path.child(field), errors);
    else if (field !== 'namespace') errors.required(path.child(field));
  }
}

export function validateIpAddressUpdate(
  o: Shaped<shapes.NetworkingV1IPAddress>,
  old: Shaped<shapes.NetworkingV1IPAddress>,
  errors: FieldErrors,
): void {
  validateIpAddress(o, errors);
  const ref = at(o, 'spec', 'parentRef');
  if (!equalJson(ref ?? null, at(old, 'spec', 'parentRef') ?? null))
    errors.invalid(SPEC.child('parentRef'), shown('networking/v1.ParentReference', ref), 'field is immutable');
}

export function validateServiceCidr(o: Shaped<shapes.NetworkingV1ServiceCIDR>, errors: FieldErrors): void {
  const cidrs = listAt(o, 'spec', 'cidrs').map(String);
  const path = SPEC.child('cidrs');
  if (cidrs.length === 0) {
    errors.required(path, 'at least one CIDR required');
    return;
  }
  if (cidrs.length > 2) {
    errors.invalid(path, shown('networking/v1.ServiceCIDRSpec', at(o, 'spec')), 'may only hold up to 2 values');
    return;
  }
  const families = cidrs.map((c) => parseCidr(c)?.address.family);
  if (cidrs.length === 2 && families[0] === families[1] && families[0] !== undefined)
    errors.invalid(
      path,
      cidrs,
      'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    );
  for (const [i, c] of cidrs.entries()) for (const s of isCanonicalCidr(c)) errors.invalid(path.index(i), c, s);
}

/** The CIDRs are immutable, except that a second one of the other IP family may be added. */
export function validateServiceCidrUpdate(
  o: Shaped<shapes.NetworkingV1ServiceCIDR>,
  old: Shaped<shapes.NetworkingV1ServiceCIDR>,
  errors: FieldErrors,
): void {
  const now = listAt(o, 'spec', 'cidrs');
  const before = listAt(old, 'spec', 'cidrs');
  const path = SPEC.child('cidrs');
  const isExtended = before.length === 1 && now.length === 2;
  if (before.length !== now.length && !isExtended) {
    errors.invalid(path, givenAt(o, 'spec', 'cidrs'), 'field is immutable');
    return;
  }
  for (const [i, range] of before.entries())
    if (now[i] !== range) errors.invalid(path.index(i), now[i], 'field is immutable');
  if (isExtended) validateServiceCidr(o, errors);
}
