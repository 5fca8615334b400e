import type { Flag } from './flag.js';

const SIGNING_ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'],
];

function signingAlgorithms(text: string): string | undefined {
  const unknown = text.split(',').find((name) => !SIGNING_ALGORITHMS.includes(name));
  return unknown === undefined ? undefined : `oidc: unsupported signing alg: ${JSON.stringify(unknown)}`;
}

const requiredClaims = (text: string): string | undefined =>
  text === '' || text.indexOf('=') > 0 ? undefined : 'must be CLAIM=VALUE';

const version = (text: string): string | undefined =>
  text === 'v1' || text === 'v1beta1' ? undefined : 'must be v1 or v1beta1';

/** Flags of OpenID Connect, of webhooks for tokens and for authorization, and of the two configuration files. */
export const AUTH_FLAGS = [
  {
    name: 'authentication-config',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'An AuthenticationConfiguration: issuers of JWTs, and anonymous requests. Excludes --oidc-*; read again when it changes.',
  },
  {
    name: 'oidc-issuer-url',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'URL',
    help: 'Issuer of OpenID Connect tokens. Goes together with --oidc-client-id.',
  },
  {
    name: 'oidc-client-id',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'ID',
    help: 'Audience that tokens of the issuer must have.',
  },
  {
    name: 'oidc-ca-file',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'Certificate authority of the issuer; empty for those of the system.',
  },
  {
    name: 'oidc-username-claim',
    kind: 'string',
    default: 'sub',
    group: 'Access',
    value: 'CLAIM',
    help: 'Claim with the user name.',
  },
  {
    name: 'oidc-username-prefix',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'PREFIX',
    help: 'Prefix of user names; empty: ISSUER#, or nothing with the claim email; - for none.',
  },
  {
    name: 'oidc-groups-claim',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'CLAIM',
    help: 'Claim with the groups: a string or a list of strings.',
  },
  {
    name: 'oidc-groups-prefix',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'PREFIX',
    help: 'Prefix of groups.',
  },
  {
    name: 'oidc-signing-algs',
    kind: 'list',
    repeats: true,
    default: 'RS256',
    group: 'Access',
    check: signingAlgorithms,
    value: 'NAME,...',
    help: 'Algorithms that tokens may be signed with.',
  },
  {
    name: 'oidc-required-claim',
    kind: 'claims',
    repeats: true,
    separator: '\n',
    default: '',
    group: 'Access',
    check: requiredClaims,
    value: 'CLAIM=VALUE',
    help: 'A claim that tokens must have with this value. May be repeated.',
  },
  {
    name: 'authentication-token-webhook-config-file',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'Kubeconfig of a service that reviews bearer tokens.',
  },
  {
    name: 'authentication-token-webhook-version',
    kind: 'string',
    default: 'v1beta1',
    group: 'Access',
    check: version,
    value: 'v1|v1beta1',
    help: 'Version of TokenReview that is sent to it.',
  },
  {
    name: 'authentication-token-webhook-cache-ttl',
    kind: 'duration',
    default: '2m0s',
    group: 'Access',
    value: 'DURATION',
    help: 'How long its responses are cached.',
  },
  {
    name: 'authorization-config',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'An AuthorizationConfiguration: the authorizers in order. Excludes --authorization-mode and --authorization-webhook-*; read again when it changes.',
  },
  {
    name: 'authorization-policy-file',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'Policies of mode ABAC, one JSON object on each line.',
  },
  {
    name: 'authorization-webhook-config-file',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'Kubeconfig of the service that decides in mode Webhook.',
  },
  {
    name: 'authorization-webhook-version',
    kind: 'string',
    default: 'v1beta1',
    group: 'Access',
    check: version,
    value: 'v1|v1beta1',
    help: 'Version of SubjectAccessReview that is sent to it.',
  },
  {
    name: 'authorization-webhook-cache-authorized-ttl',
    kind: 'duration',
    default: '5m0s',
    group: 'Access',
    value: 'DURATION',
    help: 'How long its positive decisions are cached.',
  },
  {
    name: 'authorization-webhook-cache-unauthorized-ttl',
    kind: 'duration',
    default: '30s',
    group: 'Access',
    value: 'DURATION',
    help: 'How long its negative decisions are cached.',
  },
] as const satisfies readonly Flag[];
