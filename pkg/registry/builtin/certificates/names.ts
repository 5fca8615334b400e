import {
  type FieldErrors,
  type FieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelKey,
  type JsonObject,
  subdomainName,
} from '../../../api/index.js';
import { sentences } from '../rules.js';

const DOMAIN_MAX = 253;
/** The maximum length of a fully qualified name with its path. */
const SIGNER_NAME_MAX = 571;

/** The name of a signer: `example.com/signer-name`. */
export function signerName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') {
    errors.required(path);
    return;
  }
  const parts = name.split('/');
  if (parts.length !== 2) {
    errors.invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
    return;
  }
  const [domain = '', segment = ''] = parts;
  if (domain.length > DOMAIN_MAX) errors.tooLong(path, DOMAIN_MAX);
  firstWrongLabel(domain, isDns1123Label, path, errors);
  if (!domain.includes('.'))
    errors.invalid(path, domain, 'should be a domain with at least two segments separated by dots');
  firstWrongLabel(segment, isDns1123Subdomain, path, errors);
  if (name.length > SIGNER_NAME_MAX) errors.tooLong(path, SIGNER_NAME_MAX);
}

/** Validates the labels of a dotted name. Only the first wrong one is reported. */
function firstWrongLabel(
  name: string,
  check: (label: string) => readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const wrong = name.split('.').find((label) => check(label).length > 0);
  if (wrong === undefined) return;
  for (const s of check(wrong)) errors.invalid(path, name, `validating label ${JSON.stringify(wrong)}: ${s}`);
}

/**
 * Validates the name of a ClusterTrustBundle: a subdomain, prefixed with the signer name, if any, with `:` in place of `/`
 * (`example.com:signer:bundle`).
 */
export function trustBundleName(signer: string, name: string, prefix: boolean): readonly string[] {
  if (signer === '')
    return name.includes(':')
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : subdomainName(name, prefix);
  const wanted = `${signer.replaceAll('/', ':')}:`;
  if (!name.startsWith(wanted))
    return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${wanted}`];
  return subdomainName(name.slice(wanted.length), prefix);
}

const ANNOTATION_BYTES_MAX = 256 * 1024;

/** Annotations that a pod passes to a signer: keys with a domain, and a bound on all of them together. */
export function userAnnotations(map: JsonObject, path: FieldPath, errors: FieldErrors): void {
  let bytes = 0;
  for (const key of Object.keys(map).sort()) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(String(map[key]));
    domainPrefixedKey(key.toLowerCase(), path, errors);
  }
  if (bytes > ANNOTATION_BYTES_MAX) errors.tooLong(path, ANNOTATION_BYTES_MAX);
}

function domainPrefixedKey(key: string, path: FieldPath, errors: FieldErrors): void {
  if (key === '') errors.required(path);
  else if (isLabelKey(key).length > 0) sentences(key, isLabelKey, path, errors);
  else if (!key.includes('/')) errors.invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")');
}

/** The bounds of the lifetime of a pod's certificate, in seconds. Signers of Kubernetes issue for at most one day. */
export const POD_CERTIFICATE_SECONDS_MIN = 3600;

export function podCertificateSecondsMax(signer: string): number {
  return (isKubernetesSigner(signer) ? 1 : 91) * 24 * 3600;
}

/** Signers of Kubernetes itself, whose certificates are short-lived. */
function isKubernetesSigner(name: string): boolean {
  const [host = ''] = name.split('/');
  return host === 'kubernetes.io' || host.endsWith('.kubernetes.io');
}

/** The signer prefix of a ClusterTrustBundle's name, or ''. */
export function signerOfBundle(name: string): string {
  const at = name.lastIndexOf(':');
  return at < 0 ? '' : name.slice(0, at).replaceAll(':', '/');
}
