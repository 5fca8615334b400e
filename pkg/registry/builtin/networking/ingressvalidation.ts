import {
  type FieldErrors,
  FieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isIp,
  isIpSloppy,
  isPathSegmentName,
  isPortName,
  isPortNumber,
  isWildcardDns1123Subdomain,
  type JsonObject,
  type Shaped,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, givenAt, listAt, numberAt, objectsAt, textAt } from '../access.js';
import { passes } from '../rules.js';

const SPEC = FieldPath.in<shapes.NetworkingV1Ingress>().child('spec');
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

export function validateIngress(o: Shaped<shapes.NetworkingV1Ingress>, errors: FieldErrors): void {
  const annotated = at(o, 'metadata', 'annotations', CLASS_ANNOTATION);
  const named = at(o, 'spec', 'ingressClassName');
  if (typeof annotated === 'string' && typeof named === 'string' && annotated !== named) {
    errors.invalid(
      FieldPath.of('annotations').child(CLASS_ANNOTATION),
      annotated,
      'must match `ingressClassName` when both are specified',
    );
  }
  validateSpec(o, errors, NOTHING);
}

export function validateIngressUpdate(
  o: Shaped<shapes.NetworkingV1Ingress>,
  old: Shaped<shapes.NetworkingV1Ingress>,
  errors: FieldErrors,
): void {
  validateSpec(o, errors, toleratedBy(old));
}

/** What an ingress may have because the stored one that it replaces has something like it. */
interface Tolerated {
  /** Names of secrets are not validated. */
  readonly anySecret: boolean;
  /** The paths of rules for wildcard hosts are not validated. */
  readonly anyWildcardRule: boolean;
}

const NOTHING: Tolerated = { anySecret: false, anyWildcardRule: false };

const toleratedBy = (old: Shaped<shapes.NetworkingV1Ingress>): Tolerated => ({
  anySecret: objectsAt(old, 'spec', 'tls').some((entry) => secretProblems(entry).length > 0),
  anyWildcardRule: objectsAt(old, 'spec', 'rules').some(
    (r) => isWildcard(r) && !passes((errors) => rulePaths(r, FieldPath.in<shapes.NetworkingV1IngressRule>(), errors)),
  ),
});

const isWildcard = (r: Shaped<shapes.NetworkingV1IngressRule>): boolean => textAt(r, 'host').includes('*');

function secretProblems(entry: Shaped<shapes.NetworkingV1IngressTLS>): readonly string[] {
  const secret = textAt(entry, 'secretName');
  return secret === '' ? [] : isDns1123Subdomain(secret);
}

/** Validates the status. Addresses that the stored one has are not validated again. */
export function validateIngressStatus(
  o: Shaped<shapes.NetworkingV1Ingress>,
  old: Shaped<shapes.NetworkingV1Ingress>,
  errors: FieldErrors,
): void {
  const kept = new Set(objectsAt(old, 'status', 'loadBalancer', 'ingress').map((entry) => textAt(entry, 'ip')));
  const path = FieldPath.in<shapes.NetworkingV1Ingress>().child('status', 'loadBalancer', 'ingress');
  errors.each(objectsAt(o, 'status', 'loadBalancer', 'ingress'), (entry, i) =>
    entryPoint(entry, path.index(i), errors, kept),
  );
}

function entryPoint(
  entry: Shaped<shapes.NetworkingV1IngressLoadBalancerIngress>,
  path: FieldPath<shapes.NetworkingV1IngressLoadBalancerIngress>,
  errors: FieldErrors,
  kept: ReadonlySet<string>,
): void {
  const ip = textAt(entry, 'ip');
  if (ip !== '' && !kept.has(ip)) for (const sentence of isIp(ip)) errors.invalid(path.child('ip'), ip, sentence);
  const host = textAt(entry, 'hostname');
  if (host === '') return;
  for (const sentence of isDns1123Subdomain(host)) errors.invalid(path.child('hostname'), host, sentence);
  if (isIpSloppy(host).length === 0)
    errors.invalid(path.child('hostname'), host, 'must be a DNS name, not an IP address');
}

export function warnAboutClass(o: Shaped<shapes.NetworkingV1Ingress>, warn: (text: string) => void): void {
  if (at(o, 'metadata', 'annotations', CLASS_ANNOTATION) !== undefined) {
    warn(`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`);
  }
}

function validateSpec(o: Shaped<shapes.NetworkingV1Ingress>, errors: FieldErrors, tolerated: Tolerated): void {
  const rules = objectsAt(o, 'spec', 'rules');
  const fallback = at(o, 'spec', 'defaultBackend');
  if (rules.length === 0 && fallback === undefined)
    errors.invalid(SPEC, givenAt(o, 'spec', 'rules') ?? null, 'either `defaultBackend` or `rules` must be specified');
  if (fallback !== undefined) backend(fallback as JsonObject, SPEC.child('defaultBackend'), errors);
  errors.each(rules, (r, i) => rule(r, SPEC.child('rules').index(i), errors, tolerated));
  tls(o, errors, tolerated);
  const name = at(o, 'spec', 'ingressClassName');
  if (typeof name === 'string')
    for (const sentence of isDns1123Subdomain(name)) errors.invalid(SPEC.child('ingressClassName'), name, sentence);
}

function tls(o: Shaped<shapes.NetworkingV1Ingress>, errors: FieldErrors, { anySecret }: Tolerated): void {
  errors.each(objectsAt(o, 'spec', 'tls'), (entry, i) => {
    const path = SPEC.child('tls').index(i);
    errors.each(listAt(entry, 'hosts').map(String), (host, j) => {
      const sentences = host.includes('*') ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host);
      for (const sentence of sentences) errors.invalid(path.child('hosts').index(j), host, sentence);
    });
    if (anySecret) return;
    for (const sentence of secretProblems(entry))
      errors.invalid(path.child('secretName'), textAt(entry, 'secretName'), sentence);
  });
}

function rule(
  r: Shaped<shapes.NetworkingV1IngressRule>,
  path: FieldPath<shapes.NetworkingV1IngressRule>,
  errors: FieldErrors,
  { anyWildcardRule }: Tolerated,
): void {
  const host = textAt(r, 'host');
  if (host !== '') {
    if (isIpSloppy(host).length === 0)
      errors.invalid(path.child('host'), host, 'must be a DNS name, not an IP address');
    const sentences = host.includes('*') ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host);
    for (const sentence of sentences) errors.invalid(path.child('host'), host, sentence);
  }
  if (!anyWildcardRule || !isWildcard(r)) rulePaths(r, path, errors);
}

function rulePaths(
  r: Shaped<shapes.NetworkingV1IngressRule>,
  path: FieldPath<shapes.NetworkingV1IngressRule>,
  errors: FieldErrors,
): void {
  if (at(r, 'http') === undefined) return;
  const paths = objectsAt(r, 'http', 'paths');
  const here = path.child('http', 'paths');
  if (paths.length === 0) errors.required(here);
  errors.each(paths, (p, i) => httpPath(p, here.index(i), errors));
}

function httpPath(
  p: Shaped<shapes.NetworkingV1HTTPIngressPath>,
  path: FieldPath<shapes.NetworkingV1HTTPIngressPath>,
  errors: FieldErrors,
): void {
  const type = at(p, 'pathType');
  const text = textAt(p, 'path');
  if (typeof type !== 'string') {
    errors.required(path.child('pathType'), 'pathType must be specified');
    return;
  }
  if (type === 'Exact' || type === 'Prefix') absolutePath(text, path.child('path'), errors);
  else if (type === 'ImplementationSpecific') {
    if (text !== '' && !text.startsWith('/')) errors.invalid(path.child('path'), text, 'must be an absolute path');
  } else errors.notSupported(path.child('pathType'), type, PATH_TYPES);
  backend((at(p, 'backend') ?? {}) as JsonObject, path.child('backend'), errors);
}

/** Sequences that a proxy could interpret as a different path. */
const FORBIDDEN_PARTS = ['//', '/./', '/../', '%2f', '%2F'];
const FORBIDDEN_ENDS = ['/..', '/.'];

function absolutePath(text: string, path: FieldPath, errors: FieldErrors): void {
  if (!text.startsWith('/')) errors.invalid(path, text, 'must be an absolute path');
  if (text === '') return;
  for (const part of FORBIDDEN_PARTS) if (text.includes(part)) errors.invalid(path, text, `must not contain '${part}'`);
  for (const end of FORBIDDEN_ENDS) if (text.endsWith(end)) errors.invalid(path, text, `cannot end with '${end}'`);
}

function backend(b: JsonObject, path: FieldPath<shapes.NetworkingV1IngressBackend>, errors: FieldErrors): void {
  const resource = at(b, 'resource');
  const service = at(b, 'service');
  if (resource !== undefined && service !== undefined) {
    errors.invalid(path, '', 'cannot set both resource and service backends');
    return;
  }
  if (resource !== undefined) localReference(resource as JsonObject, path.child('resource'), errors);
  else if (service !== undefined) serviceBackend(service as JsonObject, path, errors);
  else errors.invalid(path, '', 'resource or service backend is required');
}

function serviceBackend(
  service: JsonObject,
  path: FieldPath<shapes.NetworkingV1IngressBackend>,
  errors: FieldErrors,
): void {
  const here = path.child('service');
  const name = textAt(service, 'name');
  if (name === '') errors.required(here.child('name'));
  else for (const sentence of isDns1123Label(name)) errors.invalid(here.child('name'), name, sentence);
  const portName = textAt(service, 'port', 'name');
  const number = numberAt(service, 'port', 'number');
  if (portName !== '' && number !== 0) errors.invalid(path, '', 'cannot set both port name & port number');
  else if (portName !== '')
    for (const sentence of isPortName(portName)) errors.invalid(here.child('port', 'name'), portName, sentence);
  else if (number !== 0)
    for (const sentence of isPortNumber(number)) errors.invalid(here.child('port', 'number'), number, sentence);
  else errors.required(path, 'port name or number is required');
}

function localReference(
  ref: JsonObject,
  path: FieldPath<shapes.CoreV1TypedLocalObjectReference>,
  errors: FieldErrors,
): void {
  const group = at(ref, 'apiGroup');
  if (typeof group === 'string')
    for (const sentence of isDns1123Subdomain(group)) errors.invalid(path.child('apiGroup'), group, sentence);
  for (const field of ['kind', 'name'] as const) {
    const v = textAt(ref, field);
    if (v === '') errors.required(path.child(field));
    else for (const sentence of isPathSegmentName(v)) errors.invalid(path.child(field), v, sentence);
  }
}
