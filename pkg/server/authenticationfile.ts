import { FieldErrors } from '../api/index.js';
import { type AuthenticationConfig, type CompiledJwt, compileAuthentication, type JwtConfig } from '../auth/index.js';
import { ConfigError, describeErrors, type FileTypes, type OidcFlags, readConfigFile } from '../config/index.js';
import { aggregateText, givenText } from './given.js';

/** An AuthenticationConfiguration with its expressions compiled. */
export interface ReadAuthentication {
  readonly config: AuthenticationConfig;
  readonly compiled: readonly CompiledJwt[];
}

const TEXT = { type: 'string', default: '' };
const OPTIONAL_TEXT = { type: 'string' };

const objectOf = (properties: Readonly<Record<string, unknown>>, more: object = {}) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
});
const listOf = (items: object) => ({ type: 'array', items, default: [] });

const PREFIXED = objectOf({ claim: TEXT, prefix: OPTIONAL_TEXT, expression: TEXT }, { default: {} });

const JWT = objectOf({
  issuer: objectOf(
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
  claimValidationRules: listOf(objectOf({ claim: TEXT, requiredValue: TEXT, expression: TEXT, message: TEXT })),
  claimMappings: objectOf(
    {
      username: PREFIXED,
      groups: PREFIXED,
      uid: objectOf({ claim: TEXT, expression: TEXT }, { default: {} }),
      extra: listOf(objectOf({ key: TEXT, valueExpression: TEXT })),
    },
    { default: {} },
  ),
  userValidationRules: listOf(objectOf({ expression: TEXT, message: TEXT })),
});

const SCHEMA = {
  properties: {
    jwt: listOf(JWT),
    anonymous: objectOf({
      enabled: { type: 'boolean', default: false },
      conditions: listOf(objectOf({ path: TEXT })),
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
  if (text === '') throw new ConfigError('empty config data');
  const found = await readConfigFile<AuthenticationConfig>(text, TYPES);
  if (!found.ok) throw new ConfigError(describeErrors(found.errors));
  return { config: found.value, compiled: compiled(found.value, reserved, check) };
}

/** Reads the file of `--authentication-config` at the start. */
export async function readAuthenticationFile(
  path: string,
  reserved: readonly string[],
): Promise<ReadAuthentication & { readonly text: string }> {
  const text = givenText({ flag: 'authentication-config', path });
  try {
    return { text, ...(await readAuthentication(text, reserved)) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`--authentication-config: ${path}: ${error.message}`);
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
