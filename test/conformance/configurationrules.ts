import type { Rule } from './rules.js';

/** The rules of the configuration objects (specification document 3) and the tests of each rule, as in `rules.ts`. */
const rule = (section: string, text: string, ...shownBy: readonly string[]): Rule => ({ section, rule: text, shownBy });

const JWT = 'pkg/auth/jwt/validate.test.ts';
const OIDC = 'test/access/oidc.test.ts';
const AUTHORIZATION = 'test/access/authorization.test.ts';
const EGRESS = 'pkg/server/egressfile.test.ts';

export const configurationRules: readonly Rule[] = [
  rule(
    'Configuration files',
    'each has an apiVersion and a kind, and every wrong field is reported',
    'pkg/config/file.test.ts: is read with its defaults, from YAML or JSON',
    'pkg/config/file.test.ts: reports every error with the path of its field',
  ),
  rule(
    'AuthenticationConfiguration',
    'issuer URLs are unique; a URL is https, without a query or a fragment',
    `${JWT}: issuers are unique`,
    `${JWT}: URL scheme must be https`,
    `${JWT}: URL must not contain a query`,
  ),
  rule(
    'AuthenticationConfiguration',
    'a token has an issuer, an audience, an expiry and the claim of the user name',
    `${OIDC}: are refused with 401, each for its own reason`,
  ),
  rule(
    'AuthenticationConfiguration',
    'keys are found by discovery; discoveryURL overrides the location and differs from the URL',
    `${OIDC}: uses another discovery URL, and the issuer from the document`,
    `${OIDC}: finds new keys, and retries while the issuer is unavailable`,
    `${JWT}: discoveryURL must be different from URL`,
  ),
  rule(
    'AuthenticationConfiguration',
    'audiences are required, and several need the policy MatchAny',
    `${JWT}: audiences is required`,
    `${JWT}: audienceMatchPolicy must be MatchAny for multiple audiences`,
  ),
  rule(
    'AuthenticationConfiguration',
    'claims are mapped by name with a prefix, or by an expression',
    `${OIDC}: maps claims by expressions and applies the validation rules`,
    `${OIDC}: names users by claims with their prefixes`,
    `${JWT}: prefix is required when claim is set`,
    `${JWT}: claim and expression can\\'t both be set`,
  ),
  rule(
    'AuthenticationConfiguration',
    'keys of extra values are lower-case paths with a domain',
    `${JWT}: must be lowercase`,
    `${JWT}: must be a domain-prefixed path`,
  ),
  rule(
    'AuthenticationConfiguration',
    'a validation rule is a claim with its value, or an expression with its message',
    `${JWT}: may not be specified when claim is set`,
    `${JWT}: must evaluate to bool`,
  ),
  rule(
    'AuthenticationConfiguration',
    'anonymous requests may be limited to paths; --anonymous-auth is not set beside it',
    `${OIDC}: lets anonymous requests use the listed paths only`,
    `${OIDC}: anonymous: Forbidden: --anonymous-auth flag cannot be set`,
    `${JWT}: conditions of anonymous requests require that these are enabled`,
  ),
  rule(
    'AuthorizationConfiguration',
    'authorizers are asked in order; there is at least one',
    `${AUTHORIZATION}: calls webhooks in order, if their conditions hold`,
    `${AUTHORIZATION}: at least one authorization mode must be defined`,
  ),
  rule(
    'AuthorizationConfiguration',
    'type and name are required and unique; webhook is set for the type Webhook only',
    `${AUTHORIZATION}: authorizers[0].type: Required value`,
    `${AUTHORIZATION}: a name twice`,
    `${AUTHORIZATION}: required when type=Webhook`,
    `${AUTHORIZATION}: may only be specified when type=Webhook`,
  ),
  rule(
    'EgressSelectorConfiguration',
    'selections are controlplane (formerly master), etcd and cluster, each once',
    `${EGRESS}: selects connections by network`,
    `${EGRESS}: knows controlplane by its former name`,
    `${EGRESS}: [1]: Duplicate value: "cluster"`,
  ),
  rule(
    'EgressSelectorConfiguration',
    'the transport is required with HTTPConnect and GRPC',
    `${EGRESS}: transport must be set for HTTPConnect`,
    `${EGRESS}: transport must be set for GRPC`,
  ),
  rule(
    'Expressions in policies',
    'the failures of the action Audit are in an annotation of the audit event',
    'pkg/admission/policy/validating.test.ts: validation.policy.admission.k8s.io/validation_failure',
  ),
];
