export {
  type Attributes,
  forbidden,
  type PathAttributes,
  type ResourceAttributes,
} from './attributes.js';
export { withAnonymous } from './authn/anonymous.js';
export {
  type Authenticated,
  type Authentication,
  type Authenticator,
  authenticatorChain,
  type CredentialConnection,
  type Credentials,
  type TokenAuthenticator,
  tokenChain,
} from './authn/authenticator.js';
export {
  bearerAuthenticator,
  forAudiences,
  reviewToken,
  WEBSOCKET_PREFIX,
  webSocketAuthenticator,
} from './authn/bearer.js';
export { bootstrapTokenAuthenticator } from './authn/bootstraptoken.js';
export {
  type CertificateBundles,
  CertificateInspector,
  type CertificateUser,
  type ClientCertificate,
  certificateAuthenticator,
  certificateUser,
} from './authn/certificate.js';
export { type RequestHeaderConfig, requestHeaderAuthenticator } from './authn/requestheader.js';
export {
  LAST_USED_LABEL,
  type SecretUse,
  ServiceAccountAuthenticator,
  type TokenUses,
} from './authn/serviceaccount.js';
export { TokenFileError, tokenFileAuthenticator } from './authn/tokenfile.js';
export { PolicyFileError, type PolicyList, readPolicies } from './authz/abac.js';
export {
  type Authorizer,
  alwaysAllow,
  alwaysDeny,
  authorizerChain,
  type Decision,
  mastersAuthorizer,
  type NamedAuthorizer,
} from './authz/authorizer.js';
export {
  type AuthorizationConfig,
  type AuthorizerConfig,
  type CompiledAuthorizer,
  compileAuthorization,
  typeProblems,
  type WebhookConfig,
} from './authz/config.js';
export {
  type HeaderLines,
  type Headers,
  Impersonator,
  NODES_GROUP,
  nodeOf,
  wantsImpersonation,
} from './impersonate.js';
export {
  type AnonymousConfig,
  type AuthenticationConfig,
  type CompiledJwt,
  compileAuthentication,
  type Fetch,
  type Fetched,
  type IssuerAccess,
  type IssuerConfig,
  type JwtConfig,
  type JwtObserver,
  JwtSet,
  SIGNING_ALGORITHMS,
} from './jwt/index.js';
export { nodeAuthorizer, nodeOfUser } from './node/authorizer.js';
export { NodeGraph } from './node/graph.js';
export {
  type AuthObjects,
  CURRENCY_MILLISECONDS_MAX,
  type FollowedChange,
  identityOf,
  type ObjectIdentity,
} from './objects.js';
export { rbacAuthorizer } from './rbac/authorizer.js';
export { RbacIndex } from './rbac/bindings.js';
export { EscalationCheck, type GrantingWrite } from './rbac/escalation.js';
export { bootstrapPolicy, reconcileBinding, reconcileRole } from './rbac/policy/index.js';
export { rulesFor, type UserRules } from './rbac/rulesfor.js';
export type { NewToken, ObjectClaim } from './tokens/claims.js';
export { TokenIssuer } from './tokens/issuer.js';
export { keySet, type SigningKey, signingKey, type TokenKey, TokenKeyError, verificationKeys } from './tokens/keys.js';
export { ANONYMOUS, AUTHENTICATED, MASTERS, UNAUTHENTICATED, type UserInfo, withAuthenticatedGroup } from './user.js';
export {
  AccessWebhook,
  TokenWebhook,
} from './webhook/index.js';
