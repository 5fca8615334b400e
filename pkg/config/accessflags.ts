import { type Flag, parseDuration } from './flag.js';

export const AUTHORIZATION_MODES = ['Node', 'RBAC', 'Webhook', 'ABAC', 'AlwaysAllow', 'AlwaysDeny'] as const;
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

function authorizationModes(text: string): string | undefined {
  const modes = text.split(',');
  const unknown = modes.find((mode) => !(AUTHORIZATION_MODES as readonly string[]).includes(mode));
  if (unknown !== undefined)
    return `must be one or several of ${AUTHORIZATION_MODES.join(', ')}, not ${JSON.stringify(unknown)}`;
  return new Set(modes).size < modes.length ? 'names a mode twice' : undefined;
}

function issuers(text: string): string | undefined {
  const wrong = text.split(',').find((issuer) => issuer === '' || (issuer.includes(':') && !URL.canParse(issuer)));
  return wrong === undefined
    ? undefined
    : `${JSON.stringify(wrong)} is not an issuer: a URL, or a text without a colon`;
}

const httpsOrNone = (text: string): string | undefined =>
  text === '' || (text.startsWith('https://') && URL.canParse(text)) ? undefined : 'must be an https URL';

/** Milliseconds: an hour, and 2^32 seconds. */
const EXPIRATION_MIN = 3_600_000;
const EXPIRATION_MAX = 2 ** 32 * 1000;

function tokenExpiration(text: string): string | undefined {
  const time = parseDuration(text) ?? 0;
  return time === 0 || (time >= EXPIRATION_MIN && time <= EXPIRATION_MAX)
    ? undefined
    : 'must be 0, or between 1h and 2^32 seconds';
}

/** Flags of authentication and authorization, with the names of kube-apiserver. */
export const ACCESS_FLAGS = [
  {
    name: 'anonymous-auth',
    kind: 'boolean',
    default: 'true',
    group: 'Access',
    value: 'BOOL',
    help: 'Requests without credentials are allowed as user system:anonymous.',
  },
  {
    name: 'authorization-mode',
    kind: 'list',
    default: 'Node,RBAC',
    group: 'Access',
    check: authorizationModes,
    value: 'MODE,...',
    help: 'Authorizers in the order in which they are called: Node, RBAC, Webhook, ABAC, AlwaysAllow, AlwaysDeny.',
  },
  {
    name: 'token-auth-file',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'CSV file of static bearer tokens: token,user,uid,"group1,group2".',
  },
  {
    name: 'enable-bootstrap-token-auth',
    kind: 'boolean',
    default: 'false',
    group: 'Access',
    value: 'BOOL',
    help: 'Bootstrap tokens, Secrets of type bootstrap.kubernetes.io/token in kube-system, authenticate nodes that join.',
  },
  {
    name: 'proxy-client-cert-file',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'Client certificate by which this server identifies itself to aggregated servers.',
  },
  {
    name: 'proxy-client-key-file',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'Key of that certificate.',
  },
  {
    name: 'requestheader-client-ca-file',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'Certificate authority of front proxies. Headers are trusted only in requests with one of its certificates.',
  },
  {
    name: 'requestheader-allowed-names',
    kind: 'list',
    default: '',
    group: 'Access',
    value: 'NAME,...',
    help: 'Common names that certificates of front proxies may have; empty for any.',
  },
  {
    name: 'requestheader-username-headers',
    kind: 'list',
    default: 'X-Remote-User',
    group: 'Access',
    value: 'HEADER,...',
    help: 'Headers with the user name, in order.',
  },
  {
    name: 'requestheader-uid-headers',
    kind: 'list',
    default: '',
    group: 'Access',
    value: 'HEADER,...',
    help: 'Headers with the UID of the user. X-Remote-Uid is suggested.',
  },
  {
    name: 'requestheader-group-headers',
    kind: 'list',
    default: 'X-Remote-Group',
    group: 'Access',
    value: 'HEADER,...',
    help: 'Headers with the groups of the user.',
  },
  {
    name: 'requestheader-extra-headers-prefix',
    kind: 'list',
    default: 'X-Remote-Extra-',
    group: 'Access',
    value: 'PREFIX,...',
    help: 'Prefixes of headers with further attributes of the user.',
  },
  {
    name: 'api-audiences',
    kind: 'list',
    repeats: true,
    default: '',
    group: 'Access',
    value: 'AUDIENCE,...',
    help: 'Audiences of this API server, which service-account tokens must have; empty: the issuers.',
  },
  {
    name: 'service-account-issuer',
    kind: 'list',
    repeats: true,
    default: 'https://kubernetes.default.svc',
    group: 'Access',
    check: issuers,
    value: 'ISSUER,...',
    help: 'Issuers of service-account tokens: the first issues, all are accepted.',
  },
  {
    name: 'service-account-key-file',
    kind: 'list',
    repeats: true,
    default: '',
    group: 'Access',
    value: 'FILE,...',
    help: 'PEM files of keys that verify service-account tokens, beside the signing key.',
  },
  {
    name: 'service-account-signing-key-file',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'PEM file of the private key that signs service-account tokens; empty: generated at the first start.',
  },
  {
    name: 'service-account-jwks-uri',
    kind: 'string',
    default: '',
    group: 'Access',
    check: httpsOrNone,
    value: 'URL',
    help: 'Address of the key set in the discovery document; empty: /openid/v1/jwks of this server.',
  },
  {
    name: 'service-account-max-token-expiration',
    kind: 'duration',
    default: '0s',
    group: 'Access',
    check: tokenExpiration,
    value: 'DURATION',
    help: 'Longest lifetime of a service-account token; 0: no limit.',
  },
  {
    name: 'service-account-extend-token-expiration',
    kind: 'boolean',
    default: 'true',
    group: 'Access',
    value: 'BOOL',
    help: 'Tokens of pods stay valid for a year, for clients that do not reload them.',
  },
  {
    name: 'encryption-provider-config',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'EncryptionConfiguration: which objects are encrypted in the store, and with which keys.',
  },
  {
    name: 'encryption-provider-config-automatic-reload',
    kind: 'boolean',
    default: 'false',
    group: 'Access',
    value: 'BOOL',
    help: 'Apply changes of that file within a minute.',
  },
] as const satisfies readonly Flag[];
