import { decodeExtraKey } from '../impersonate.js';
import type { UserInfo } from '../user.js';
import { type Authentication, type Authenticator, type Credentials, NONE } from './authenticator.js';
import type { CertificateInspector } from './certificate.js';

/** Names of the headers, in any case. */
export interface RequestHeaderConfig {
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
  /** Common names of the certificates of front proxies; empty: any that the authority signed. */
  readonly allowedNames: readonly string[];
}

/**
 * Authenticates the users that a front proxy names in headers. The proxy authenticates with a client certificate of a
 * separate authority. Headers of other clients are ignored or rejected.
 */
export function requestHeaderAuthenticator(
  given: RequestHeaderConfig,
  inspector: CertificateInspector,
  now: () => number,
): Authenticator {
  const config = inLowerCase(given);
  return {
    authenticate(credentials): Authentication {
      const { user, proxy } = inspector.look(credentials.connection);
      if (user === 'none') return NONE;
      if (proxy === undefined || now() >= proxy.validUntil)
        return { kind: 'failed', reason: 'the client certificate is not valid for a front proxy' };
      if (config.allowedNames.length > 0 && !config.allowedNames.includes(proxy.name))
        return { kind: 'failed', reason: `a front proxy may not be named ${JSON.stringify(proxy.name)}` };
      const name = first(config.usernameHeaders, credentials);
      if (name === '') return NONE;
      return { kind: 'authenticated', user: userFrom(name, config, credentials) };
    },
  };
}

function inLowerCase(config: RequestHeaderConfig): RequestHeaderConfig {
  const lower = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase());
  return {
    ...config,
    usernameHeaders: lower(config.usernameHeaders),
    uidHeaders: lower(config.uidHeaders),
    groupHeaders: lower(config.groupHeaders),
    extraHeaderPrefixes: lower(config.extraHeaderPrefixes),
  };
}

function userFrom(name: string, config: RequestHeaderConfig, credentials: Credentials): UserInfo {
  const { headers } = credentials;
  const uid = first(config.uidHeaders, credentials);
  const extra: Record<string, readonly string[]> = Object.create(null) as Record<string, readonly string[]>;
  for (const header in headers) {
    const prefix = config.extraHeaderPrefixes.find((p) => header.startsWith(p));
    if (prefix === undefined) continue;
    const key = decodeExtraKey(header.slice(prefix.length));
    extra[key] = [...(extra[key] ?? []), ...credentials.lines(header)];
  }
  return {
    name,
    ...(uid === '' ? {} : { uid }),
    groups: config.groupHeaders.flatMap((header) => credentials.lines(header)),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** The first line of the first header that has a text. */
function first(names: readonly string[], credentials: Credentials): string {
  for (const name of names) {
    const text = credentials.headers[name] === undefined ? '' : (credentials.lines(name)[0] ?? '');
    if (text !== '') return text;
  }
  return '';
}
