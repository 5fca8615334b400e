import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, type ServiceAccountConfig } from '../config/index.js';
import { type ServiceAccountTokenParts, serviceAccountTokens } from './tokens.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  writeFileSync(join(folder, 'other'), 'x');
});
afterAll(() => rmSync(folder, { recursive: true }));

const OWN = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });

const problemOf = (files: Partial<ServiceAccountConfig>): string => {
  const config = { issuers: ['https://a'], audiences: [], keyFiles: [], signingKeyFile: '', ...files };
  try {
    serviceAccountTokens({ config, ownKey: OWN } as unknown as ServiceAccountTokenParts);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message.replaceAll(folder, 'FOLDER');
  }
  return 'no problem';
};

describe('the files of keys for tokens', () => {
  it('are refused with the message of kube-apiserver', () => {
    expect(problemOf({ signingKeyFile: '/none' })).toBe(
      'failed to parse service-account-issuer-key-file: open /none: no such file or directory',
    );
    expect(problemOf({ signingKeyFile: join(folder, 'other') })).toBe(
      'failed to parse service-account-issuer-key-file: error reading private key file FOLDER/other: data does not contain a valid RSA or ECDSA private key',
    );
    expect(problemOf({ keyFiles: ['/none'] })).toBe('open /none: no such file or directory');
    expect(problemOf({ keyFiles: [join(folder, 'other')] })).toBe(
      'error reading public key file FOLDER/other: data does not contain any valid RSA or ECDSA public keys',
    );
  });
});
