import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { FieldPath } from '../api/index.js';
import {
  type AnonymousConfig,
  type AuthenticationConfig,
  JwtSet,
  SIGNING_ALGORITHMS,
  type TokenAuthenticator,
} from '../auth/index.js';
import { runSteps, Scheduler, Slice, type World } from '../base/index.js';
import { readJsonBody } from '../codec/index.js';
import { type Config, ConfigError } from '../config/index.js';
import { Outbound } from '../outbound/index.js';
import type { AccessMetrics, Log } from '../telemetry/index.js';
import { checkNetworks, oidcAuthenticator, readAuthentication, readAuthenticationFile } from './authenticationfile.js';
import { issuerFetch } from './issuerfetch.js';
import { watchFile } from './watchedfile.js';

export interface JwtParts {
  readonly world: World;
  readonly config: Config;
  readonly metrics: AccessMetrics;
  readonly log: Log;
  readonly outbound: Outbound;
}

/** The authenticators of OpenID Connect issuers, and the settings of anonymous access. */
export interface JwtAuthentication {
  /** Undefined if no flag names an issuer or a file. */
  readonly tokens: TokenAuthenticator | undefined;
  readonly anonymous: AnonymousConfig;
  close(): void;
}

/** Milliseconds of one turn of the event loop in which documents of issuers are read. */
const SLICE = 8;

/** Creates the authenticators of `--oidc-*` or `--authentication-config`. The file is read again when it changes. */
export async function openJwtAuthentication({
  world,
  config,
  metrics,
  log,
  outbound,
}: JwtParts): Promise<JwtAuthentication> {
  const { access, cluster } = config;
  const { issuers } = access.serviceAccounts;
  const server = hashOf(`apiserver-${cluster.name}`);
  const byFlag: AnonymousConfig = { enabled: access.anonymous, conditions: [] };
  const direct = new Outbound({ world });
  const seconds = (): number => world.clock.now() / 1000;
  const scheduler = new Scheduler(world, SLICE);
  const pace = (): Slice => new Slice(world, scheduler, SLICE);
  const setOf = (algorithms: readonly string[]): JwtSet =>
    new JwtSet({
      fetchOf: (issuer) => issuerFetch(issuer, { selected: outbound, direct, clock: world.clock }),
      readJson: async (text) => {
        const read = await runSteps(readJsonBody(Buffer.from(text)), pace());
        if (!read.ok) throw new Error(read.message);
        return read.value;
      },
      pace,
      algorithms,
      world,
      observer: {
        authenticated: (issuer, succeeded, time) => metrics.jwtAuthenticated(hashOf(issuer), succeeded, time),
        keysFetched: (issuer, keys) =>
          metrics.keysFetched(hashOf(issuer), server, keys === undefined ? undefined : hashOf(keys), seconds()),
        discovered: (issuer, problem) => {
          if (problem === undefined) log.info({ issuer }, 'issuer of tokens discovered');
          else log.error({ issuer, problem }, 'could not discover an issuer of tokens');
        },
      },
    });
  const endOf = (tokens: JwtSet): void => {
    tokens.close();
    direct.close();
  };
  if (access.oidc !== undefined) {
    const tokens = setOf(access.oidc.signingAlgorithms);
    tokens.use(oidcAuthenticator(access.oidc, issuers));
    return { tokens, anonymous: byFlag, close: () => endOf(tokens) };
  }
  const path = access.authenticationFile;
  if (path === '') return { tokens: undefined, anonymous: byFlag, close: () => {} };
  const checkEgress = (found: AuthenticationConfig): void => checkNetworks(found, outbound.networks);
  const first = await readAuthenticationFile(path, issuers);
  checkEgress(first.config);
  const { anonymous } = first.config;
  if (anonymous !== undefined && access.anonymousGiven)
    throw new ConfigError(
      'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
    );
  const tokens = setOf(SIGNING_ALGORITHMS);
  tokens.use(first.compiled);
  metrics.authenticationFile.inForce(server, hashOf(first.text));
  const failed = (error: Error): void => {
    metrics.authenticationFile.reloaded('failure', server, seconds());
    log.error({ file: path, problem: error.message }, 'could not reload the authentication configuration');
  };
  const stop = watchFile(
    world,
    path,
    first.text,
    async (text) => {
      try {
        const next = await readAuthentication(text, issuers, (found, errors) => {
          if (!isDeepStrictEqual(anonymous, found.anonymous))
            errors.forbidden(FieldPath.of('anonymous'), 'changed from initial configuration file');
        });
        checkEgress(next.config);
        await tokens.change(next.compiled);
        metrics.authenticationFile.reloaded('success', server, seconds());
        metrics.authenticationFile.inForce(server, hashOf(text));
        log.info({ file: path }, 'authentication configuration reloaded');
      } catch (error) {
        failed(error as Error);
        // An issuer that cannot be reached may be reached later.
        if (!(error instanceof ConfigError)) return 'again';
      }
      return undefined;
    },
    failed,
  );
  return {
    tokens,
    anonymous: anonymous ?? byFlag,
    close: () => {
      stop();
      endOf(tokens);
    },
  };
}

/** The names of issuers, servers and files in metrics. */
export const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
