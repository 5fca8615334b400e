import { errors } from '../api/index.js';
import { ANONYMOUS, certificateUser, type UserInfo } from '../auth/index.js';
import type { World } from '../base/index.js';
import type { ApiServerMetrics } from '../telemetry/index.js';
import type { Call } from './call.js';

export interface Authenticator {
  /** Who asks. Throws 401 when nobody can tell. */
  authenticate(call: Call): UserInfo;
}

/** What anyone may ask, so that load balancers and humans can find out whether there is a server, and which. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz', '/version', '/version/']);

/**
 * Users of the cluster's client CA. A connection's certificate is looked at once; the user is then remembered with the
 * connection until the certificate expires.
 */
export function certificateAuthenticator(world: World, metrics: ApiServerMetrics): Authenticator {
  return {
    authenticate(call) {
      const { connection, headers } = call.exchange;
      if (connection.identity === undefined) {
        const client = connection.certificate();
        connection.identity = client === undefined ? 'none' : (certificateUser(client) ?? 'bad');
        if (typeof connection.identity === 'object')
          metrics.certificateValidFor((connection.identity.validUntil - world.clock.now()) / 1000);
      }
      const identity = connection.identity;
      if (typeof identity === 'object' && world.clock.now() < identity.validUntil) {
        metrics.authenticated.value++;
        return identity.user;
      }
      // Who shows something that is not good is not the same as somebody who shows nothing.
      const showsNothing = headers.authorization === undefined && identity === 'none';
      if (showsNothing && call.info.kind === 'path' && OPEN_PATHS.has(call.info.path)) return ANONYMOUS;
      metrics.authenticationFailed.value++;
      throw errors.unauthorized();
    },
  };
}
