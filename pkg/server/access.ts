import {
  type AnonymousConfig,
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
  forAudiences,
  type NamedAuthorizer,
  NodeGraph,
  nodeAuthorizer,
  nodeOfUser,
  RbacIndex,
  rbacAuthorizer,
  requestHeaderAuthenticator,
  reviewToken,
  rulesFor,
  type TokenAuthenticator,
  TokenFileError,
  tokenChain,
  tokenFileAuthenticator,
  type UserRules,
  webSocketAuthenticator,
  withAnonymous,
} from '../auth/index.js';
import type { World } from '../base/index.js';
import { type AuthorizationMode, type Config, ConfigError } from '../config/index.js';
import type { Outbound } from '../outbound/index.js';
import type { ClusterConfig, Registry, TokenReviewOutcome } from '../registry/index.js';
import { AccessMetrics, type ApiServerMetrics, type Log } from '../telemetry/index.js';
import { openJwtAuthentication } from './authentication.js';
import { authObjects } from './authobjects.js';
import { givenText } from './given.js';
import { type ServiceAccountTokens, serviceAccountTokens } from './tokens.js';

/** Authentication and authorization of a server. */
export interface Access {
  readonly metrics: AccessMetrics;
  /** Which requests without credentials are let in. */
  readonly anonymous: AnonymousConfig;
  readonly objects: AuthObjects;
  readonly authorizer: Authorizer;
  readonly tokens: TokenAuthenticator;
  readonly rbac: RbacIndex;
  readonly escalation: EscalationCheck;
  readonly serviceAccounts: ServiceAccountTokens;
  /** Used by the review kinds and `serviceaccounts/token`. */
  readonly services: Pick<ClusterConfig, 'authorize' | 'rulesFor' | 'tokens'>;
  close(): void;
}

export interface AccessParts {
  readonly world: World;
  readonly config: Config;
  readonly registry: Registry;
  readonly log: Log;
  /** The key for service-account tokens that the server made, PEM. */
  readonly tokenKey: string;
  /** For webhooks. */
  readonly outbound: Outbound;
}

export async function openAccess({ world, config, registry, log, tokenKey, outbound }: AccessParts): Promise<Access> {
  const metrics = new AccessMetrics();
  const jwt = await openJwtAuthentication({ world, config, metrics, log, outbound });
  const objects = authObjects(registry, world);
  const rbac = new RbacIndex(objects);
  const nodes = config.access.authorizationModes.includes('Node') ? new NodeGraph(objects) : undefined;
  const authorizer = authorizerChain(
    config.access.authorizationModes.flatMap((mode) => ofMode(mode, { rbac, nodes, objects, config })),
  );
  const { serviceAccounts: accounts, authorizationModes } = config.access;
  const serviceAccounts = serviceAccountTokens({ world, config: accounts, objects, ownKey: tokenKey });
  const tokens = tokenChain([
    ...tokenFile(config, world).map((found) => forAudiences(accounts.audiences, found)),
    serviceAccounts.authenticator,
    ...(jwt.tokens === undefined ? [] : [forAudiences(accounts.audiences, jwt.tokens)]),
  ]);
  const review = async (token: string, audiences: readonly string[]): Promise<TokenReviewOutcome> => {
    const found = await reviewToken(
      tokens,
      token,
      audiences,
      jwt.anonymous.enabled && jwt.anonymous.conditions.length === 0,
    );
    if (found.kind === 'authenticated') return { user: found.user, audiences: found.audiences ?? [], error: '' };
    return { user: undefined, audiences: [], error: found.kind === 'failed' ? found.reason : '' };
  };
  return {
    metrics,
    anonymous: jwt.anonymous,
    objects,
    authorizer,
    tokens,
    serviceAccounts,
    services: {
      authorize: (user, attributes) => authorizer.authorize(user, attributes),
      rulesFor: async (user, namespace) => {
        await objects.current();
        const listed = authorizationModes.includes('RBAC') ? rulesFor(rbac, user, namespace) : NO_RULES;
        const isNode = authorizationModes.includes('Node') && nodeOfUser(user) !== undefined;
        const everything = authorizationModes.includes('AlwaysAllow') ? EVERYTHING : NO_RULES;
        return {
          resourceRules: [...listed.resourceRules, ...everything.resourceRules],
          nonResourceRules: [...listed.nonResourceRules, ...everything.nonResourceRules],
          incomplete: isNode,
          evaluationError: [isNode ? NODE_RULES : '', listed.evaluationError].filter((e) => e !== '').join('; '),
        };
      },
      tokens: {
        audiences: accounts.audiences,
        secondsMax: accounts.tokenSecondsMax,
        extendedSeconds: accounts.extendsTokens ? EXTENDED_SECONDS : 0,
        issue: (token) => serviceAccounts.issuer.issue(token),
        review,
      },
    },
    rbac,
    escalation: new EscalationCheck(rbac, authorizer),
    close: () => {
      jwt.close();
      rbac.close();
      nodes?.close();
    },
  };
}

/** A year: the extended validity of pod tokens, for clients that do not reload them. */
const EXTENDED_SECONDS = 365 * 24 * 3600;
const NODE_RULES = 'node authorizer does not support user rule resolution';
const NO_RULES: UserRules = { resourceRules: [], nonResourceRules: [], evaluationError: '' };
const EVERYTHING: UserRules = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  evaluationError: '',
};

interface Sources {
  readonly rbac: RbacIndex;
  readonly nodes: NodeGraph | undefined;
  readonly objects: AuthObjects;
  readonly config: Config;
}

function ofMode(mode: AuthorizationMode, { rbac, nodes, objects, config }: Sources): readonly NamedAuthorizer[] {
  switch (mode) {
    case 'RBAC':
      return [{ name: 'rbac', authorizer: rbacAuthorizer(rbac, objects) }];
    case 'AlwaysAllow':
      return [{ name: 'alwaysallow', authorizer: alwaysAllow }];
    case 'AlwaysDeny':
      return [{ name: 'alwaysdeny', authorizer: alwaysDeny }];
    case 'Node': {
      const enabled = (gate: string): boolean => config.api.featureGates.get(gate) ?? true;
      return nodes === undefined ? [] : [{ name: 'node', authorizer: nodeAuthorizer(nodes, objects, enabled) }];
    }
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

/** The authenticators of requests, in order. */
export interface RequestAuthentication {
  readonly authenticator: Authenticator;
  /** Replaces the authorities. */
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
  const { requestHeader } = parts.config.access;
  const { enabled, conditions } = access.anonymous;
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
    authenticator: enabled
      ? withAnonymous(chain, conditions.length === 0 ? undefined : conditions.map(({ path }) => path))
      : chain,
    use: (bundles) => inspector.use(bundles),
  };
}
