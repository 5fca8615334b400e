import {
  type Authenticator,
  type AuthObjects,
  type Authorizer,
  alwaysAllow,
  alwaysDeny,
  authenticatorChain,
  authorizerChain,
  bearerAuthenticator,
  type CertificateBundles,
  CertificateInspector,
  certificateAuthenticator,
  EscalationCheck,
  type NamedAuthorizer,
  RbacIndex,
  rbacAuthorizer,
  requestHeaderAuthenticator,
  type TokenAuthenticator,
  TokenFileError,
  tokenChain,
  tokenFileAuthenticator,
  webSocketAuthenticator,
  withAnonymous,
} from '../auth/index.js';
import type { World } from '../base/index.js';
import { type AuthorizationMode, type Config, ConfigError } from '../config/index.js';
import type { Registry } from '../registry/index.js';
import type { ApiServerMetrics } from '../telemetry/index.js';
import { authObjects } from './authobjects.js';
import { givenText } from './given.js';

/** Everything that decides who may do what. */
export interface Access {
  readonly objects: AuthObjects;
  readonly authorizer: Authorizer;
  readonly tokens: TokenAuthenticator;
  readonly rbac: RbacIndex;
  readonly escalation: EscalationCheck;
  close(): void;
}

export interface AccessParts {
  readonly world: World;
  readonly config: Config;
  readonly registry: Registry;
}

export function openAccess({ world, config, registry }: AccessParts): Access {
  const objects = authObjects(registry, world);
  const rbac = new RbacIndex(objects);
  const authorizer = authorizerChain(config.access.authorizationModes.flatMap((mode) => ofMode(mode, rbac, objects)));
  return {
    objects,
    authorizer,
    tokens: tokenChain(tokenFile(config, world)),
    rbac,
    escalation: new EscalationCheck(rbac, authorizer),
    close: () => rbac.close(),
  };
}

function ofMode(mode: AuthorizationMode, rbac: RbacIndex, objects: AuthObjects): readonly NamedAuthorizer[] {
  switch (mode) {
    case 'RBAC':
      return [{ name: 'rbac', authorizer: rbacAuthorizer(rbac, objects) }];
    case 'AlwaysAllow':
      return [{ name: 'alwaysallow', authorizer: alwaysAllow }];
    case 'AlwaysDeny':
      return [{ name: 'alwaysdeny', authorizer: alwaysDeny }];
    case 'Node':
      return [];
    case 'Webhook':
    case 'ABAC':
      throw new ConfigError(`--authorization-mode: ${mode} is not supported`);
  }
}

function tokenFile({ access: { tokenFile: path } }: Config, world: World): readonly TokenAuthenticator[] {
  if (path === '') return [];
  try {
    return [tokenFileAuthenticator(givenText({ flag: 'token-auth-file', path }), world.random.bytes(32))];
  } catch (error) {
    if (error instanceof TokenFileError) throw new ConfigError(`--token-auth-file: ${error.message}`);
    throw error;
  }
}

/** The authenticators of requests, in their one order. */
export interface RequestAuthentication {
  readonly authenticator: Authenticator;
  /** Uses these authorities from now on. */
  use(bundles: CertificateBundles): void;
}

export interface RequestAuthenticationParts {
  readonly world: World;
  readonly config: Config;
  readonly access: Access;
  readonly metrics: ApiServerMetrics;
  readonly bundles: CertificateBundles;
}

export function requestAuthentication(parts: RequestAuthenticationParts): RequestAuthentication {
  const { world, access, metrics } = parts;
  const { requestHeader, anonymous } = parts.config.access;
  const now = (): number => world.clock.now();
  const inspector = new CertificateInspector(parts.bundles, ({ validUntil }) =>
    metrics.certificateValidFor((validUntil - now()) / 1000),
  );
  const chain = authenticatorChain([
    ...(requestHeader === undefined ? [] : [requestHeaderAuthenticator(requestHeader, inspector, now)]),
    certificateAuthenticator(inspector, now),
    bearerAuthenticator(access.tokens),
    webSocketAuthenticator(access.tokens),
  ]);
  return {
    authenticator: anonymous ? withAnonymous(chain) : chain,
    use: (bundles) => inspector.use(bundles),
  };
}
