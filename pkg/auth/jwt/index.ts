export type { JwtObserver } from './authenticator.js';
export {
  type AnonymousConfig,
  type AuthenticationConfig,
  type IssuerConfig,
  type JwtConfig,
  SIGNING_ALGORITHMS,
} from './config.js';
export type { Fetch, Fetched, IssuerAccess } from './keys.js';
export { JwtSet } from './set.js';
export { type CompiledJwt, compileAuthentication } from './validate.js';
