/**
 * Rules for names. Every rule takes a text and returns errors, none if it is well formed: kube-apiserver's
 * texts, because people search the web for them. All rules take time linear in the length, because texts come from
 * clients and are checked before their length is.
 */
type Rule = (value: string) => readonly string[];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const SUBDOMAIN_UNDERSCORE = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*';
const DNS1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;
const C_IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';
const ENV_VAR = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const HEADER = '[-A-Za-z0-9]+';
const CONFIG_KEY = '[-._a-zA-Z0-9]+';
const PERCENT = '[0-9]+%';
const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

export const dns1123LabelMax = 63;
export const dns1123SubdomainMax = 253;
export const dns1035LabelMax = 63;
export const qualifiedNameMax = 63;
export const labelValueMax = 63;

const lowerLabel = (s: string): boolean => /^[-a-z0-9]+$/.test(s) && /^[a-z0-9]/.test(s) && /[a-z0-9]$/.test(s);
const everyLabel = (s: string, ok: (label: string) => boolean): boolean => s.split('.').every(ok);

/** By character code: letters and digits, and what may stand between them. A selector may have tens of thousands of values to check. */
const ALPHANUMERIC = 1;
const BETWEEN = 2;
const QUALIFIED_CLASSES = new Uint8Array(128);
for (let c = 0; c < QUALIFIED_CLASSES.length; c++) {
  if (/[A-Za-z0-9]/.test(String.fromCharCode(c))) QUALIFIED_CLASSES[c] = ALPHANUMERIC;
  else if ('-_.'.includes(String.fromCharCode(c))) QUALIFIED_CLASSES[c] = BETWEEN;
}

const isAlphanumeric = (code: number): boolean => QUALIFIED_CLASSES[code] === ALPHANUMERIC;

function qualifiedPart(s: string): boolean {
  for (let i = 0; i < s.length; i++) if (!QUALIFIED_CLASSES[s.charCodeAt(i)]) return false;
  return isAlphanumeric(s.charCodeAt(0)) && isAlphanumeric(s.charCodeAt(s.length - 1));
}

const NONE: readonly string[] = [];
const HYPHEN = 0x2d;
const DOT = 0x2e;

/**
 * Whether a text is a qualified name, with a prefix of lower case labels before `slash` or none (-1). Nearly all keys are, and most are checked
 * several times in a write: this looks at each character once and makes no other text.
 */
function isOrdinaryName(v: string, slash: number): boolean {
  const from = slash + 1;
  const last = v.length - 1;
  if (last < from || v.length - from > qualifiedNameMax || slash > dns1123SubdomainMax) return false;
  for (let i = from; i <= last; i++) if (!QUALIFIED_CLASSES[v.charCodeAt(i)]) return false;
  if (!isAlphanumeric(v.charCodeAt(from)) || !isAlphanumeric(v.charCodeAt(last))) return false;
  // A label begins and ends with a letter or digit.
  let before = DOT;
  for (let i = 0; i < slash; i++) {
    const code = v.charCodeAt(i);
    const between = code === DOT || code === HYPHEN;
    if (between ? before === DOT || (code === DOT && before === HYPHEN) : !isLowerAlphanumeric(code)) return false;
    before = between ? code : ALPHANUMERIC;
  }
  return slash < 0 || before === ALPHANUMERIC;
}

const isLowerAlphanumeric = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);

const messages = {
  label: regexSentence(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    LABEL,
    'my-name',
    '123-abc',
  ),
  subdomain: regexSentence(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    SUBDOMAIN,
    'example.com',
  ),
  subdomainCaseless: regexSentence(
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    SUBDOMAIN,
    'Example.com',
  ),
  subdomainUnderscore: regexSentence(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
    SUBDOMAIN_UNDERSCORE,
    'example.com',
  ),
  wildcard: regexSentence(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    `\\*\\.${SUBDOMAIN}`,
    '*.example.com',
  ),
  dns1035: regexSentence(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    DNS1035,
    'my-name',
    'abc-123',
  ),
  qualified: regexSentence(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    QUALIFIED,
    'MyName',
    'my.name',
    '123-abc',
  ),
  labelValue: regexSentence(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    LABEL_VALUE,
    'MyValue',
    'my_value',
    '12345',
  ),
  cIdentifier: regexSentence(
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
    C_IDENTIFIER,
    'my_name',
    'MY_NAME',
    'MyName',
  ),
  envVar: regexSentence(
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
    ENV_VAR,
    'my.env-name',
    'MY_ENV.NAME',
    'MyEnvName1',
  ),
  header: regexSentence("a valid HTTP header must consist of alphanumeric characters or '-'", HEADER, 'X-Header-Name'),
  configKey: regexSentence(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    CONFIG_KEY,
    'key.name',
    'KEY_NAME',
    'key-name',
  ),
  percent: regexSentence(
    "a valid percent string must be a numeric string followed by an ending '%'",
    PERCENT,
    '1%',
    '93%',
  ),
} as const;

/** `must be ... (e.g. 'x',  or 'y', regex used for validation is '...')`, punctuation as kube-apiserver has it. */
export function regexSentence(what: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((e) => `'${e}', `).join(' or ');
  return examples.length === 0
    ? `${what} (regex used for validation is '${pattern}')`
    : `${what} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

export const tooLongCharacters = (max: number): string => `must be no more than ${max} characters`;
export const tooLongBytes = (max: number): string => `must be no more than ${max} bytes`;
const byteLength = (s: string): number => Buffer.byteLength(s);

function checked(value: string, max: number, ok: boolean, sentence: string): readonly string[] {
  const found: string[] = [];
  if (byteLength(value) > max) found.push(tooLongCharacters(max));
  if (!ok) found.push(sentence);
  return found;
}

/** A subdomain that is not a label contains dots, and the error says so. */
export const isDns1123Label: Rule = (v) => {
  const dotted = v.includes('.') && everyLabel(v, lowerLabel);
  return checked(v, dns1123LabelMax, lowerLabel(v), dotted ? 'must not contain dots' : messages.label);
};

export const isDns1123Subdomain: Rule = (v) =>
  checked(v, dns1123SubdomainMax, everyLabel(v, lowerLabel), messages.subdomain);

/** Upper case allowed. */
export const isDns1123SubdomainCaseless: Rule = (v) =>
  checked(
    v,
    dns1123SubdomainMax,
    everyLabel(v, (l) => /^[A-Za-z0-9-]+$/.test(l) && /^[A-Za-z0-9]/.test(l) && /[A-Za-z0-9]$/.test(l)),
    messages.subdomainCaseless,
  );

export const isDns1123SubdomainWithUnderscore: Rule = (v) =>
  checked(
    v,
    dns1123SubdomainMax,
    everyLabel(v, (l) => /^_?[a-z0-9][-_a-z0-9]*$/.test(l) && /[a-z0-9]$/.test(l)),
    messages.subdomainUnderscore,
  );

export const isWildcardDns1123Subdomain: Rule = (v) =>
  checked(v, dns1123SubdomainMax, v.startsWith('*.') && everyLabel(v.slice(2), lowerLabel), messages.wildcard);

export const isDns1035Label: Rule = (v) =>
  checked(v, dns1035LabelMax, lowerLabel(v) && /^[a-z]/.test(v), messages.dns1035);

/** `name` or `domain/name`: label and annotation keys, resource names, condition types. */
export const isQualifiedName: Rule = (v) => {
  const slash = v.indexOf('/');
  if (isOrdinaryName(v, slash)) return NONE;
  const found: string[] = [];
  if (slash >= 0 && v.includes('/', slash + 1))
    return [
      `a valid label key ${messages.qualified} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const name = v.slice(slash + 1);
  if (slash >= 0) {
    const prefix = v.slice(0, slash);
    if (prefix === '') found.push('prefix part must be non-empty');
    else if (byteLength(prefix) > dns1123SubdomainMax) found.push(`prefix part ${tooLongBytes(dns1123SubdomainMax)}`);
    if (prefix !== '' && !everyLabel(prefix, lowerLabel)) found.push(`prefix part ${messages.subdomain}`);
  }
  if (name === '') found.push('name part must be non-empty');
  else if (byteLength(name) > qualifiedNameMax) found.push(`name part ${tooLongBytes(qualifiedNameMax)}`);
  if (!qualifiedPart(name)) found.push(`name part ${messages.qualified}`);
  return found;
};

export const isLabelKey: Rule = isQualifiedName;

export const isLabelValue: Rule = (v) => {
  const found: string[] = [];
  // A code unit has at most three bytes.
  if (v.length * 3 > labelValueMax && byteLength(v) > labelValueMax) found.push(tooLongBytes(labelValueMax));
  if (v !== '' && !qualifiedPart(v)) found.push(messages.labelValue);
  return found;
};

/** A domain of at least two labels: `example.com`, trailing dot allowed. */
export const isFullyQualifiedDomainName: Rule = (v) => {
  if (v === '') return [];
  const domain = v.endsWith('.') ? v.slice(0, -1) : v;
  const found = isDns1123Subdomain(domain);
  if (found.length > 0) return found;
  const labels = domain.split('.');
  if (labels.length < 2) return ['should be a domain with at least two segments separated by dots'];
  for (const label of labels) {
    const wrong = isDns1123Label(label);
    if (wrong.length > 0) return wrong;
  }
  return [];
};

/** A subdomain of at least three labels (API groups of CSI drivers and the like). */
export const isFullyQualifiedName: Rule = (v) => {
  const found = isDns1123Subdomain(v);
  if (found.length > 0) return found;
  return v.split('.').length < 3 ? ['should be a domain with at least three segments separated by dots'] : [];
};

/** A path of a URL as one word: no blanks, no question mark. */
export const isHttpPath: Rule = (v) =>
  /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(v) ? [] : [regexSentence('Invalid path', HTTP_PATH)];

/** `example.com/name`, the prefix obligatory. */
export const isDomainPrefixedKey: Rule = (v) => {
  const slash = v.indexOf('/');
  if (slash <= 0 || slash === v.length - 1) return ['must be a domain-prefixed key (such as "acme.io/foo")'];
  const host = isDns1123Subdomain(v.slice(0, slash));
  if (host.length > 0) return host.map((s) => `prefix part ${s}`);
  return isQualifiedName(v);
};

export const isCIdentifier: Rule = (v) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(v) ? [] : [messages.cIdentifier]);

/** The rule for a container's env names: any printable ASCII except `=`. */
export const isRelaxedEnvVarName: Rule = (v) => {
  if (v === '') return ['environment variable name must be non-empty'];
  return /^[ -<>-~]+$/.test(v)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
};

/** The strict rule, for envFrom keys that become names. */
export const isEnvVarName: Rule = (v) => {
  const found: string[] = [];
  if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(v)) found.push(messages.envVar);
  return [...found, ...dots(v)];
};

export const isHttpHeaderName: Rule = (v) => (/^[-A-Za-z0-9]+$/.test(v) ? [] : [messages.header]);

/** Keys of ConfigMap and Secret data: file names. */
export const isConfigMapKey: Rule = (v) => {
  const found: string[] = [];
  if (byteLength(v) > dns1123SubdomainMax) found.push(tooLongCharacters(dns1123SubdomainMax));
  if (!/^[-._a-zA-Z0-9]+$/.test(v)) found.push(messages.configKey);
  return [...found, ...dots(v)];
};

function dots(v: string): readonly string[] {
  if (v === '.') return ["must not be '.'"];
  if (v === '..') return ["must not be '..'"];
  return v.startsWith('..') ? ["must not start with '..'"] : [];
}

export const isPercent: Rule = (v) => (/^[0-9]+%$/.test(v) ? [] : [messages.percent]);

/** IANA service names: named container and service ports. */
export const isPortName: Rule = (v) => {
  const found: string[] = [];
  if (byteLength(v) > 15) found.push(tooLongCharacters(15));
  if (!/^[-a-z0-9]+$/.test(v)) found.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(v)) found.push('must contain at least one letter (a-z)');
  if (v.includes('--')) found.push('must not contain consecutive hyphens');
  if (v !== '' && (v.startsWith('-') || v.endsWith('-'))) found.push('must not begin or end with a hyphen');
  return found;
};

export const isPortNumber = (port: number): readonly string[] => isInRange(port, 1, 65535);

export function isInRange(value: number, min: number, max: number): readonly string[] {
  return value >= min && value <= max ? [] : [`must be between ${min} and ${max}, inclusive`];
}

export const isUserId = (id: number): readonly string[] => isInRange(id, 0, 2147483647);
export const isGroupId = isUserId;

/** Names that only need to be a valid path segment (RBAC). */
export const isPathSegmentName: Rule = (v) => {
  if (v === '.' || v === '..') return [`may not be '${v}'`];
  return [...(v.includes('/') ? ["may not contain '/'"] : []), ...(v.includes('%') ? ["may not contain '%'"] : [])];
};

/** Rules for `metadata.name`; with `prefix` the text is a generateName, to which five characters are added. */
export type NameRule = (name: string, prefix: boolean) => readonly string[];

/** The prefix is followed by more characters, so its trailing dash is checked as if it were a letter. */
function masked(name: string, prefix: boolean): string {
  return prefix && name.endsWith('-') && name.length > 1 ? `${name.slice(0, -2)}a` : name;
}

export const subdomainName: NameRule = (name, prefix) => isDns1123Subdomain(masked(name, prefix));
export const labelName: NameRule = (name, prefix) => isDns1123Label(masked(name, prefix));
export const dns1035Name: NameRule = (name, prefix) => isDns1035Label(masked(name, prefix));
export const pathSegmentName: NameRule = (name, prefix) =>
  prefix ? isPathSegmentName(name).filter((s) => !s.startsWith('may not be')) : isPathSegmentName(name);
