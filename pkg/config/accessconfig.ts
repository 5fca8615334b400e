import { AUTHORIZATION_MODES, type AuthorizationMode } from './accessflags.js';
import { ConfigError, parseDuration, throwProblems } from './flag.js';
import type { FlagName } from './flags.js';
import type { FlagValues } from './parse.js';

/** Settings of authentication and authorization. Files are paths; '' if not set. Times are milliseconds. */
export interface AccessConfig {
  readonly anonymous: boolean;
  /** Whether `--anonymous-auth` was given, which excludes the field `anonymous` of an AuthenticationConfiguration. */
  readonly anonymousGiven: boolean;
  readonly tokenFile: string;
  /** Whether bootstrap tokens authenticate. */
  readonly bootstrapTokens: boolean;
  /** An AuthenticationConfiguration. */
  readonly authenticationFile: string;
  readonly oidc: OidcFlags | undefined;
  readonly tokenWebhook:
    | { readonly configFile: string; readonly version: string; readonly cacheTime: number }
    | undefined;
  /** An AuthorizationConfiguration. If it is set, the modes are empty. */
  readonly authorizationFile: string;
  readonly authorizationModes: readonly AuthorizationMode[];
  /** Policies of mode ABAC. */
  readonly policyFile: string;
  /** For mode Webhook. */
  readonly authorizationWebhook: AuthorizationWebhookFlags;
  readonly requestHeader: RequestHeaderFlags | undefined;
  readonly serviceAccounts: ServiceAccountConfig;
}

/** One issuer of OpenID Connect tokens, by the flags `--oidc-*`. */
export interface OidcFlags {
  readonly issuerUrl: string;
  readonly clientId: string;
  readonly caFile: string;
  readonly usernameClaim: string;
  readonly usernamePrefix: string;
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
  readonly signingAlgorithms: readonly string[];
  readonly requiredClaims: readonly (readonly [claim: string, value: string])[];
}

export interface AuthorizationWebhookFlags {
  readonly configFile: string;
  readonly version: string;
  readonly authorizedTime: number;
  readonly unauthorizedTime: number;
}

export interface ServiceAccountConfig {
  /** The first issues tokens. */
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  readonly keyFiles: readonly string[];
  /** '' if the server generates its own key. */
  readonly signingKeyFile: string;
  /** '' for the key set of this server. */
  readonly jwksUri: string;
  /** 0: no limit. */
  readonly tokenSecondsMax: number;
  readonly extendsTokens: boolean;
}

export interface RequestHeaderFlags {
  readonly clientCaFile: string;
  readonly allowedNames: readonly string[];
  /** Header names in lower case. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

type Given = ReadonlySet<string>;

/**
 * Builds the configuration of access. Throws `ConfigError` if flags contradict each other, with the messages of
 * kube-apiserver.
 */
export function accessConfigOf(values: FlagValues, given: Given): AccessConfig {
  const text = (name: FlagName): string => values[name];
  const duration = (name: FlagName): number => parseDuration(values[name]) ?? 0;
  const list = (name: FlagName): readonly string[] => values[name].split(',').filter((s) => s !== '');
  const headers = (name: FlagName): readonly string[] => list(name).map((s) => s.trim());
  const modes = modesOf(values, given);
  throwProblems(tokenProblems(values));
  const tokenWebhook = text('authentication-token-webhook-config-file');
  return {
    // As in kube-apiserver, anonymous requests are disabled if everything is allowed.
    anonymous: values['anonymous-auth'] === 'true' && !modes.includes('AlwaysAllow'),
    anonymousGiven: given.has('anonymous-auth'),
    tokenFile: text('token-auth-file'),
    bootstrapTokens: values['enable-bootstrap-token-auth'] === 'true',
    authenticationFile: text('authentication-config'),
    oidc: oidcOf(values, given),
    tokenWebhook:
      tokenWebhook === ''
        ? undefined
        : {
            configFile: tokenWebhook,
            version: text('authentication-token-webhook-version'),
            cacheTime: duration('authentication-token-webhook-cache-ttl'),
          },
    authorizationFile: text('authorization-config'),
    authorizationModes: modes,
    policyFile: text('authorization-policy-file'),
    authorizationWebhook: {
      configFile: text('authorization-webhook-config-file'),
      version: text('authorization-webhook-version'),
      authorizedTime: duration('authorization-webhook-cache-authorized-ttl'),
      unauthorizedTime: duration('authorization-webhook-cache-unauthorized-ttl'),
    },
    serviceAccounts: {
      issuers: list('service-account-issuer'),
      audiences: list(text('api-audiences') === '' ? 'service-account-issuer' : 'api-audiences'),
      keyFiles: list('service-account-key-file'),
      signingKeyFile: text('service-account-signing-key-file'),
      jwksUri: text('service-account-jwks-uri'),
      tokenSecondsMax: Math.floor(duration('service-account-max-token-expiration') / 1000),
      extendsTokens: values['service-account-extend-token-expiration'] === 'true',
    },
    requestHeader:
      text('requestheader-client-ca-file') === ''
        ? undefined
        : {
            clientCaFile: text('requestheader-client-ca-file'),
            allowedNames: list('requestheader-allowed-names'),
            usernameHeaders: headers('requestheader-username-headers'),
            uidHeaders: headers('requestheader-uid-headers'),
            groupHeaders: headers('requestheader-group-headers'),
            extraHeaderPrefixes: headers('requestheader-extra-headers-prefix'),
          },
  };
}

/** Milliseconds: an hour, and 2^32 seconds. */
const EXPIRATION_MIN = 3_600_000;
const EXPIRATION_MAX = 2 ** 32 * 1000;

function tokenProblems(values: FlagValues): readonly string[] {
  const problems: string[] = [];
  const uri = values['service-account-jwks-uri'];
  if (uri !== '' && !uri.startsWith('https://'))
    problems.push(`service-account-jwks-uri requires https scheme, parsed as: ${uri}`);
  else if (uri !== '' && !URL.canParse(uri)) problems.push(`service-account-jwks-uri must be a valid URL: ${uri}`);
  const time = parseDuration(values['service-account-max-token-expiration']) ?? 0;
  if (time !== 0 && (time < EXPIRATION_MIN || time > EXPIRATION_MAX))
    problems.push('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds');
  return problems;
}

/** Flags that an AuthorizationConfiguration excludes. */
const BESIDE_FILE: readonly FlagName[] = [
  'authorization-mode',
  'authorization-webhook-config-file',
  'authorization-webhook-version',
  'authorization-webhook-cache-authorized-ttl',
  'authorization-webhook-cache-unauthorized-ttl',
];

function modesOf(values: FlagValues, given: Given): readonly AuthorizationMode[] {
  if (values['authorization-config'] !== '') {
    if (BESIDE_FILE.some((name) => given.has(name)))
      throw new ConfigError(
        '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
      );
    return [];
  }
  const modes = values['authorization-mode'].split(',').filter((s) => s !== '') as AuthorizationMode[];
  const policyFile = values['authorization-policy-file'];
  const webhookFile = values['authorization-webhook-config-file'];
  const problems: string[] = [];
  // kube-apiserver would allow everything.
  if (modes.length === 0) problems.push('at least one authorization-mode must be passed');
  for (const mode of modes)
    if (!AUTHORIZATION_MODES.includes(mode))
      problems.push(`authorization-mode ${JSON.stringify(mode)} is not a valid mode`);
  if (new Set(modes).size < modes.length)
    problems.push(
      `authorization-mode [${modes.map((mode) => JSON.stringify(mode)).join(' ')}] has mode specified more than once`,
    );
  if (modes.includes('ABAC') && policyFile === '')
    problems.push("authorization-mode ABAC's authorization policy file not passed");
  if (modes.includes('Webhook') && webhookFile === '')
    problems.push("authorization-mode Webhook's authorization config file not passed");
  if (!modes.includes('ABAC') && policyFile !== '')
    problems.push('cannot specify --authorization-policy-file without mode ABAC');
  if (!modes.includes('Webhook') && webhookFile !== '')
    problems.push('cannot specify --authorization-webhook-config-file without mode Webhook');
  throwProblems(problems);
  return modes;
}

function oidcOf(values: FlagValues, given: Given): OidcFlags | undefined {
  if (![...given].some((name) => name.startsWith('oidc-'))) return undefined;
  if (values['authentication-config'] !== '')
    throw new ConfigError('authentication-config file and oidc-* flags are mutually exclusive');
  const issuerUrl = values['oidc-issuer-url'];
  const clientId = values['oidc-client-id'];
  if (issuerUrl === '' || clientId === '')
    throw new ConfigError(
      'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
    );
  const usernameClaim = values['oidc-username-claim'];
  const prefix = values['oidc-username-prefix'];
  return {
    issuerUrl,
    clientId,
    caFile: values['oidc-ca-file'],
    usernameClaim,
    usernamePrefix: prefix === '-' ? '' : prefix === '' && usernameClaim !== 'email' ? `${issuerUrl}#` : prefix,
    groupsClaim: values['oidc-groups-claim'],
    groupsPrefix: values['oidc-groups-prefix'],
    signingAlgorithms: values['oidc-signing-algs'].split(','),
    requiredClaims: values['oidc-required-claim']
      .split('\n')
      .filter((pair) => pair !== '')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const),
  };
}
