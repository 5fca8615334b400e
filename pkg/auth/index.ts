export {
  type Attributes,
  type Authorizer,
  bootstrapAuthorizer,
  type Decision,
  forbidden,
  mastersAuthorizer,
  matchesPath,
  type PathAttributes,
  type ResourceAttributes,
  unionAuthorizer,
} from './authorize.js';
export { type CertificateUser, type ClientCertificate, certificateUser } from './certificate.js';
export { type HeaderLines, type Headers, impersonate, wantsImpersonation } from './impersonate.js';
export { ANONYMOUS, AUTHENTICATED, MASTERS, UNAUTHENTICATED, type UserInfo, withAuthenticatedGroup } from './user.js';
