import {
  type AnonymousConfig,
  type Authenticator,
  type AuthObjects,
  type Authorizer,
  authenticatorChain,
  bearerAuthenticator,
  bootstrapTokenAuthenticator,
  type CertificateBundles,
  CertificateInspector,
  certificateAuthenticator,
  EscalationCheck,
  forAudiences,
  RbacIndex,
  requestHeaderAuthenticator,
  reviewToken,
  type TokenAuthenticator,
  TokenFileError,
  TokenWebhook,
  tokenChain,
  tokenFileAuthenticator,
  webSocketAuthenticator,
  withAnonymous,
} from '../auth/index.js';
import type { World } from '../base/index.js';
import { type AuthorizationMode, type Config, ConfigError } from '../config/index.js';
import { KubeconfigError, type Outbound, ReviewClient } from '../outbound/index.js';
import type { ClusterConfig, Registry, TokenReviewOutcome } from '../registry/index.js';
import { AccessMetrics, type ApiServerMetrics, type Log } from '../telemetry/index.js';
import { openJwtAuthentication } from './authentication.js';
import { authObjects } from './authobjects.js';
import { openAuthorization } from './authorization.js';
import { givenText } from './given.js';
import { reviewTarget } from './reviewtarget.js';
import { type ServiceAccountTokens, serviceAccountTokens } from './tokens.js';
import { tokenUses } from './tokenuses.js';
import { watchFile } from './watchedfile.js';

/** Authentication and authorization of a server. */
export interface Access {
  readonly metrics: AccessMetrics;
  /** The requests without credentials that are accepted. */
  readonly anonymous: AnonymousConfig;
  readonly objects: AuthObjects;
  readonly authorizer: Authorizer;
  readonly tokens: TokenAuthenticator;
  /** Whether the server was started with an authorizer of this type. */
  usesMode(mode: AuthorizationMode): boolean;
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
  const authorization = await openAuthorization({ world, config, objects, rbac, outbound, metrics, log });
  const { authorizer } = authorization;
  const { serviceAccounts: accounts } = config.access;
  const serviceAccounts = serviceAccountTokens({
    world,
    config: accounts,
    objects,
    uses: tokenUses({ registry, world, metrics, log }),
    ownKey: tokenKey,
    webhookTokens: config.api.featureGates.get('APIServerWebhookAuthenticationToken') === true,
  });
  const tokens = tokenChain([
    ...tokenFile(config).map((found) => forAudiences(accounts.audiences, found)),
    serviceAccounts.authenticator,
    ...(config.access.bootstrapTokens
      ? [forAudiences(accounts.audiences, bootstrapTokenAuthenticator(objects, world.clock))]
      : []),
    ...(jwt.tokens === undefined ? [] : [forAudiences(accounts.audiences, jwt.tokens)]),
    ...tokenWebhook({ world, config, outbound, log, metrics }),
  ]);
  const stopWatching = watchKeys(serviceAccounts, world, log);
  /** A service that does not answer makes a review fail as a request with the token fails. */
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
      rulesFor: authorization.rulesFor,
      tokens: {
        audiences: accounts.audiences,
        secondsMax: accounts.tokenSecondsMax,
        extendedSeconds: accounts.extendsTokens ? EXTENDED_SECONDS : 0,
        issue: (token) => serviceAccounts.issuer.issue(token, token.id),
        review,
      },
    },
    usesMode: (mode) => authorization.uses(mode),
    rbac,
    escalation: new EscalationCheck(rbac, authorizer),
    close: () => {
      stopWatching();
      jwt.close();
      authorization.close();
      rbac.close();
    },
  };
}

/** A year: the extended validity of pod tokens, for clients that do not reload them. */
const EXTENDED_SECONDS = 365 * 24 * 3600;
function tokenFile({ access: { tokenFile: path } }: Config): readonly TokenAuthenticator[] {
  if (path === '') return [];
  try {
    return [tokenFileAuthenticator(givenText({ flag: 'token-auth-file', path }))];
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
  const inspector = new CertificateInspector(parts.bundles, now, ({ validUntil }) =>
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

/** Timeout in milliseconds of one review of a token. */
const REVIEW_TIMEOUT = 30_000;

function tokenWebhook({
  world,
  config,
  outbound,
  log,
  metrics,
}: Pick<AccessParts, 'world' | 'config' | 'outbound' | 'log'> & {
  readonly metrics: AccessMetrics;
}): readonly TokenAuthenticator[] {
  const { tokenWebhook: webhook, serviceAccounts } = config.access;
  if (webhook === undefined) return [];
  const { configFile, version, cacheTime } = webhook;
  try {
    const target = reviewTarget(configFile, world);
    const client = new ReviewClient({ world, outbound, target, timeout: REVIEW_TIMEOUT });
    const settings = { version, cacheTime, audiences: serviceAccounts.audiences };
    return [
      new TokenWebhook(client, settings, {
        clock: world.clock,
        metrics: metrics.tokenCache,
        problem: (error) => log.error({ problem: error.message }, 'the webhook that reviews tokens failed'),
      }),
    ];
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    throw new ConfigError(`--authentication-token-webhook-config-file: ${error.message}`);
  }
}

/** Reads the keys of service-account tokens again when one of their files changes. */
function watchKeys(tokens: ServiceAccountTokens, world: World, log: Log): () => void {
  const failed = (error: Error): void =>
    log.error({ problem: error.message }, 'could not reload the keys of service-account tokens');
  const reload = async (): Promise<undefined> => {
    try {
      tokens.reload();
      log.info({}, 'keys of service-account tokens reloaded');
    } catch (error) {
      failed(error as Error);
    }
    return undefined;
  };
  const flag = 'service-account-key-file';
  const stops = tokens.files.map((path) => watchFile(world, path, givenText({ flag, path }), reload, failed));
  return () => {
    for (const stop of stops) stop();
  };
}
