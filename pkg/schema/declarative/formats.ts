import {
  type FieldErrors,
  type FieldPath,
  isCIdentifier,
  isDns1123Label,
  isDns1123Subdomain,
  isDns1123SubdomainCaseless,
  isLabelKey,
  isLabelValue,
  isPathSegmentName,
} from '../../api/index.js';

/** Validates a text against a format of `+k8s:format=`, with the messages of kube-apiserver. */
type Format = (value: string, path: FieldPath, errors: FieldErrors) => void;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const POOL_NAME_MAX = 253;
const PREFIX_MAX = 63;
const IDENTIFIER_MAX = 32;

export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['k8s-short-name', each(isDns1123Label)],
  ['k8s-long-name', each(isDns1123Subdomain)],
  ['k8s-long-name-caseless', each(isDns1123SubdomainCaseless)],
  ['k8s-label-key', each(isLabelKey)],
  ['k8s-label-value', each(isLabelValue)],
  ['k8s-path-segment-name', each(isPathSegmentName)],
  ['k8s-prefixed-label-key', each(prefixedLabelKey)],
  ['k8s-uuid', each((v) => (UUID.test(v) ? [] : ['must be a lowercase UUID in 8-4-4-4-12 format']))],
  ['k8s-resource-pool-name', poolName],
  ['k8s-extended-resource-name', extendedResourceName],
  ['k8s-resource-fully-qualified-name', fullyQualifiedName],
]);

function each(rule: (value: string) => readonly string[]): Format {
  return (value, path, errors) => {
    for (const sentence of rule(value)) errors.invalid(path, value, inBytes(sentence));
  };
}

/** Declarative rules count bytes where rules in code count characters; the texts are ASCII in both cases. */
const inBytes = (sentence: string): string => sentence.replace(/(must be no more than \d+) characters$/, '$1 bytes');

function prefixedLabelKey(value: string): readonly string[] {
  const found = isLabelKey(value);
  if (found.length > 0) return found;
  return value.includes('/') ? [] : ["must include a prefix (e.g. 'example.com/key')"];
}

/** `a.example.com/b`: any number of subdomains between slashes. */
function poolName(value: string, path: FieldPath, errors: FieldErrors): void {
  if (byteLength(value) > POOL_NAME_MAX) errors.tooLong(path, POOL_NAME_MAX);
  value.split('/').forEach((part, i) => {
    if (part === '') errors.invalid(path, value, `segment ${i}: must not be empty`);
    for (const sentence of part === '' ? [] : isDns1123Subdomain(part)) {
      errors.invalid(path, part, `segment ${i}: ${inBytes(sentence)}`);
    }
  });
}

function extendedResourceName(value: string, path: FieldPath, errors: FieldErrors): void {
  if (!value.includes('/')) {
    errors.invalid(path, value, "a name must be a domain-prefixed path, such as 'example.com/my-prop'");
  } else if (value.includes('kubernetes.io/')) {
    errors.invalid(path, value, 'must not have "kubernetes.io/" domain');
  }
  if (value.startsWith('requests.')) errors.invalid(path, value, 'must not have "requests." prefix');
  // The name of its quota must also be a valid key.
  for (const sentence of isLabelKey(`requests.${value}`)) errors.invalid(path, value, sentence);
}

function fullyQualifiedName(value: string, path: FieldPath, errors: FieldErrors): void {
  const parts = value.split('/');
  const [first, second] = parts;
  if (parts.length === 1) {
    identifier(value, path, errors);
  } else if (parts.length === 2 && first !== undefined && second !== undefined) {
    if (first === '') {
      errors.invalid(path, '', 'prefix must not be empty');
    } else {
      if (byteLength(first) > PREFIX_MAX) errors.tooLong(path, PREFIX_MAX);
      for (const sentence of isDns1123Subdomain(first)) errors.invalid(path, first, `prefix: ${inBytes(sentence)}`);
    }
    if (second === '') errors.invalid(path, '', 'name must not be empty');
    else identifier(second, path, errors);
  }
  if (parts.length === 1) {
    errors.invalid(path, value, 'a fully qualified name must be a domain and a name separated by a slash');
  }
}

function identifier(value: string, path: FieldPath, errors: FieldErrors): void {
  if (byteLength(value) > IDENTIFIER_MAX) errors.tooLong(path, IDENTIFIER_MAX);
  for (const sentence of isCIdentifier(value)) errors.invalid(path, value, sentence);
}

const byteLength = (text: string): number => Buffer.byteLength(text);
