import { readFileSync } from 'node:fs';
import { FieldErrors } from '../api/index.js';
import { type AuthenticationConfig, type CompiledJwt, compileAuthentication, type JwtConfig } from '../auth/index.js';
import {
  ConfigError,
  describeErrors,
  type FileTypes,
  fileErrorText,
  type OidcFlags,
  readConfigFile,
} from '../config/index.js';
import { aggregateText, givenText } from './given.js';

/** An AuthenticationConfiguration with its expressions compiled. */
export interface ReadAuthentication {
  readonly config: AuthenticationConfig;
  readonly compiled: readonly CompiledJwt[];
}

const TEXT = { type: 'string', default: '' };
const OPTIONAL_TEXT = { type: 'string' };

/** `title`: the name of the type in Go, for errors. */
const objectOf = (title: string, properties: Readonly<Record<string, unknown>>, more: object = {}) => ({
  type: 'object',
  title,
  properties,
  additionalProperties: false,
  ...more,
});
const listOf = (items: object) => ({ type: 'array', items, default: [] });

const PREFIXED = objectOf(
  'PrefixedClaimOrExpression',
  { claim: TEXT, prefix: OPTIONAL_TEXT, expression: TEXT },
  { default: {} },
);

const JWT = objectOf('JWTAuthenticator', {
  issuer: objectOf(
    'Issuer',
    {
      url: TEXT,
      discoveryURL: TEXT,
      certificateAuthority: TEXT,
      audiences: listOf({ type: 'string' }),
      audienceMatchPolicy: TEXT,
      egressSelectorType: TEXT,
    },
    { default: {} },
  ),
  claimValidationRules: listOf(
    objectOf('ClaimValidationRule', { claim: TEXT, requiredValue: TEXT, expression: TEXT, message: TEXT }),
  ),
  claimMappings: objectOf(
    'ClaimMappings',
    {
      username: PREFIXED,
      groups: PREFIXED,
      uid: objectOf('ClaimOrExpression', { claim: TEXT, expression: TEXT }, { default: {} }),
      extra: listOf(objectOf('ExtraMapping', { key: TEXT, valueExpression: TEXT })),
    },
    { default: {} },
  ),
  userValidationRules: listOf(objectOf('UserValidationRule', { expression: TEXT, message: TEXT })),
});

const SCHEMA = {
  title: 'AuthenticationConfiguration',
  properties: {
    jwt: listOf(JWT),
    anonymous: objectOf('AnonymousAuthConfig', {
      enabled: { type: 'boolean', default: false },
      conditions: listOf(objectOf('AnonymousAuthCondition', { path: TEXT })),
    }),
  },
};

const TYPES: FileTypes = Object.fromEntries(
  ['v1', 'v1beta1', 'v1alpha1'].map((v) => [`apiserver.config.k8s.io/${v}/AuthenticationConfiguration`, SCHEMA]),
);

/**
 * Reads an AuthenticationConfiguration. `reserved` are the issuers of service-account tokens. Throws `ConfigError` with
 * the path of every invalid field, and those that `check` reports.
 */
export async function readAuthentication(
  text: string,
  reserved: readonly string[],
  check: Check = () => {},
): Promise<ReadAuthentication> {
  const config = await decoded(text);
  return { config, compiled: compiled(config, reserved, check) };
}

async function decoded(text: string): Promise<AuthenticationConfig> {
  if (text === '') throw new ConfigError('empty config data');
  const found = await readConfigFile<AuthenticationConfig>(text, TYPES);
  if (!found.ok) throw new ConfigError(describeErrors(found.errors));
  return found.value;
}

/** Reads the file of `--authentication-config` at the start. */
export async function readAuthenticationFile(
  path: string,
  reserved: readonly string[],
): Promise<ReadAuthentication & { readonly text: string }> {
  const fail = (why: string): ConfigError =>
    new ConfigError(`failed to load authentication configuration from file ${JSON.stringify(path)}: ${why}`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw fail(fileErrorText(error, path));
  }
  const config = await decoded(text).catch((error: unknown) => {
    throw error instanceof ConfigError ? fail(error.message) : error;
  });
  return { text, config, compiled: compiled(config, reserved) };
}

/**
 * Checks the networks that issuers select. `configured` are those of the egress configuration; undefined without a list of selections.
 * Throws `ConfigError` with the message of kube-apiserver.
 */
export function checkNetworks({ jwt }: AuthenticationConfig, configured: ReadonlySet<string> | undefined): void {
  for (const { issuer } of jwt) {
    const { egressSelectorType: selected } = issuer;
    if (selected === '' || configured?.has(selected) === true) continue;
    throw new ConfigError(
      configured === undefined
        ? `oidc: egress lookup required with egress selector type ${JSON.stringify(selected)}`
        : `oidc: egress lookup for ${JSON.stringify(selected)} is not configured`,
    );
  }
}

/** The issuer in the flags `--oidc-*`, as an authenticator. */
export function oidcAuthenticator(flags: OidcFlags, reserved: readonly string[]): readonly CompiledJwt[] {
  const { groupsClaim, caFile } = flags;
  const jwt: JwtConfig = {
    issuer: {
      url: flags.issuerUrl,
      discoveryURL: '',
      certificateAuthority: caFile === '' ? '' : givenText({ flag: 'oidc-ca-file', path: caFile }),
      audiences: [flags.clientId],
      audienceMatchPolicy: '',
      egressSelectorType: '',
    },
    claimValidationRules: flags.requiredClaims.map(([claim, requiredValue]) => ({
      claim,
      requiredValue,
      expression: '',
      message: '',
    })),
    claimMappings: {
      username: { claim: flags.usernameClaim, prefix: flags.usernamePrefix, expression: '' },
      groups: { claim: groupsClaim, prefix: groupsClaim === '' ? undefined : flags.groupsPrefix, expression: '' },
      uid: { claim: '', expression: '' },
      extra: [],
    },
    userValidationRules: [],
  };
  return compiled({ jwt: [jwt], anonymous: undefined }, reserved);
}

/** A further check of a configuration. */
type Check = (config: AuthenticationConfig, errors: FieldErrors) => void;

function compiled(
  config: AuthenticationConfig,
  reserved: readonly string[],
  check: Check = () => {},
): readonly CompiledJwt[] {
  const errors = new FieldErrors();
  const found = compileAuthentication(config, reserved, errors);
  check(config, errors);
  if (!errors.empty) throw new ConfigError(`invalid authentication configuration: ${aggregateText(errors)}`);
  return found;
}
