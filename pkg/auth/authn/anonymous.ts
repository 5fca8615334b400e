import { ANONYMOUS } from '../user.js';
import { type Authentication, type Authenticator, NONE } from './authenticator.js';

const FOUND: Authentication = { kind: 'authenticated', user: ANONYMOUS };

/**
 * The last authenticator: a request without credentials is `system:anonymous`. If `paths` is set, anonymous requests
 * may use only these; other requests without credentials get 401.
 */
export function withAnonymous(authenticator: Authenticator, paths?: readonly string[]): Authenticator {
  const allowed = paths === undefined ? undefined : new Set(paths);
  const anonymous = (found: Authentication, path: string): Authentication =>
    found.kind !== 'none' ? found : allowed === undefined || allowed.has(path) ? FOUND : NONE;
  return {
    authenticate(credentials) {
      const found = authenticator.authenticate(credentials);
      return found instanceof Promise
        ? found.then((f) => anonymous(f, credentials.path))
        : anonymous(found, credentials.path);
    },
  };
}
