import { readFileSync } from 'node:fs';
import { ConfigError, type FlagName } from '../config/index.js';
import type { KeyPair } from './issue.js';
import { isPair } from './pki.js';

/** Files that the operator named: what cannot be used is said by the flag that names it, before anything has begun. */

export interface GivenFile {
  readonly flag: FlagName;
  readonly path: string;
}

/** PEM of one authority or several. */
export function givenAuthorities({ flag, path }: GivenFile): string {
  const text = givenText({ flag, path });
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new ConfigError(`--${flag}: ${path} holds no PEM certificate`);
  return text;
}

export function givenPair(certificate: GivenFile, privateKey: GivenFile): KeyPair {
  const pair = { cert: givenAuthorities(certificate), key: givenText(privateKey) };
  if (!isPair(pair))
    throw new ConfigError(
      `--${privateKey.flag}: ${privateKey.path} is not the key of the certificate ${certificate.path} (--${certificate.flag})`,
    );
  return pair;
}

function givenText({ flag, path }: GivenFile): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`--${flag}: ${(error as Error).message}`);
  }
}
