import { readFileSync } from 'node:fs';
import {
  type AuthObjects,
  keySet,
  ServiceAccountAuthenticator,
  type SigningKey,
  signingKey,
  type TokenAuthenticator,
  TokenIssuer,
  type TokenKey,
  TokenKeyError,
  type TokenUses,
  verificationKeys,
} from '../auth/index.js';
import type { World } from '../base/index.js';
import { ConfigError, type FlagName, fileErrorText, type ServiceAccountConfig } from '../config/index.js';
import type { GivenFile } from './given.js';

/** Issues and verifies service-account tokens. */
export interface ServiceAccountTokens {
  readonly issuer: TokenIssuer;
  readonly authenticator: TokenAuthenticator;
  /** JSON texts of `/.well-known/openid-configuration` and `/openid/v1/jwks`. `address` is the host and port for clients. */
  discovery(address: string): string;
  readonly keySet: string;
  /** The files of keys that flags name. */
  readonly files: readonly string[];
  /** Reads the files again. Throws `ConfigError` if one cannot be used; the present keys then stay. */
  reload(): void;
}

export interface ServiceAccountTokenParts {
  readonly world: World;
  readonly config: ServiceAccountConfig;
  readonly objects: AuthObjects;
  readonly uses: TokenUses;
  /** The key that the server made, PEM. */
  readonly ownKey: string;
  readonly webhookTokens: boolean;
}

export function serviceAccountTokens({
  world,
  config,
  objects,
  uses,
  ownKey,
  webhookTokens,
}: ServiceAccountTokenParts): ServiceAccountTokens {
  let signing = keyOf(config, ownKey);
  let keys = verifyingKeys(config, signing);
  let shown = JSON.stringify(keySet(keys));
  const { issuers, audiences } = config;
  const issuer = new TokenIssuer(issuers[0]!, signing, world);
  const given = { issuers, audiences, keys, webhookTokens };
  const authenticator = new ServiceAccountAuthenticator(given, objects, world.clock, uses);
  return {
    issuer,
    authenticator,
    discovery: (address) =>
      JSON.stringify({
        issuer: issuer.issuer,
        jwks_uri: config.jwksUri === '' ? `https://${address}/openid/v1/jwks` : config.jwksUri,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [...new Set(keys.map((key) => key.algorithm))].sort(),
      }),
    get keySet() {
      return shown;
    },
    files: [...config.keyFiles, ...(config.signingKeyFile === '' ? [] : [config.signingKeyFile])],
    reload() {
      const nextSigning = keyOf(config, ownKey);
      const next = verifyingKeys(config, nextSigning);
      [signing, keys, shown] = [nextSigning, next, JSON.stringify(keySet(next))];
      issuer.use(signing);
      authenticator.use(keys);
    },
  };
}

function keyOf({ signingKeyFile }: ServiceAccountConfig, ownKey: string): SigningKey {
  if (signingKeyFile === '') return signingKey(ownKey);
  return readKey({ flag: 'service-account-signing-key-file', path: signingKeyFile }, signingKey);
}

/** The keys of the flag, and the signing key. */
function verifyingKeys({ keyFiles }: ServiceAccountConfig, signing: SigningKey): readonly TokenKey[] {
  const flag: FlagName = 'service-account-key-file';
  const given = keyFiles.flatMap((path) => readKey({ flag, path }, verificationKeys));
  const all = given.some((key) => key.id === signing.id) ? given : [...given, signing];
  return all.filter((key, i) => all.findIndex((other) => other.id === key.id) === i);
}

/** Reads the keys of a file. The errors are those of kube-apiserver, which does not name the flag. */
function readKey<T>({ flag, path }: GivenFile, read: (pem: string) => T): T {
  const isSigning = flag === 'service-account-signing-key-file';
  const fail = (why: string): ConfigError =>
    new ConfigError(isSigning ? `failed to parse service-account-issuer-key-file: ${why}` : why);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw fail(fileErrorText(error, path));
  }
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof TokenKeyError)) throw error;
    throw fail(`error reading ${isSigning ? 'private' : 'public'} key file ${path}: ${error.message}`);
  }
}
