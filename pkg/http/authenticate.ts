import { errors } from '../api/index.js';
import { ANONYMOUS, type Authentication, type Authenticator } from '../auth/index.js';
import type { Call } from './call.js';
import type { RequestCounter } from './metrics.js';

const RESULTS = { authenticated: 'success', none: 'failure', failed: 'error' } as const;

/**
 * Sets the user of a request. Throws 401 when its credentials are not valid, or when it has none and anonymous requests
 * are not allowed. Synchronous if the authenticators are.
 */
export function authenticate(
  call: Call,
  { authenticator, counter }: { readonly authenticator: Authenticator; readonly counter: RequestCounter },
): void | Promise<void> {
  const since = counter.now();
  const settle = (found: Authentication): void => {
    const name = found.kind === 'authenticated' ? found.user.name : undefined;
    counter.authenticated(call, RESULTS[found.kind], since, name);
    if (found.kind !== 'authenticated') throw errors.unauthorized();
    call.user = found.user;
    if (found.user.name === ANONYMOUS.name) return;
    const { connection } = call.exchange;
    connection.authenticated = true;
    connection.flow = found.user.name;
    connection.unauthenticated = 0;
  };
  const found = authenticator.authenticate(call);
  return found instanceof Promise ? found.then(settle) : settle(found);
}
