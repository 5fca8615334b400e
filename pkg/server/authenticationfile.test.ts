import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkNetworks, readAuthenticationFile } from './authenticationfile.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'authentication-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const HEAD = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' };
const issuer = { url: 'https://a.test', audiences: ['a'] };
const claimMappings = { username: { claim: 'sub', prefix: '' } };
const withIssuer = (more: object) => ({ jwt: [{ issuer: { ...issuer, ...more }, claimMappings }] });
const withRules = (more: object) => ({ jwt: [{ issuer, claimMappings, ...more }] });

async function read(content: object | string) {
  const file = join(folder, 'authentication.yaml');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify({ ...HEAD, ...content }));
  return readAuthenticationFile(file, []);
}

const problemOf = (content: object | string): Promise<string> =>
  read(content).then(
    () => 'no problem',
    (error: Error) => error.message.replace(join(folder, 'authentication.yaml'), 'FILE'),
  );

describe('an AuthenticationConfiguration', () => {
  it('that is missing, empty or of another type is refused with the message of kube-apiserver', async () => {
    await expect(readAuthenticationFile('/none', [])).rejects.toThrow(
      /^failed to load authentication configuration from file "\/none": open \/none: no such file or directory$/,
    );
    const failed = 'failed to load authentication configuration from file "FILE": ';
    expect(await problemOf('')).toBe(`${failed}empty config data`);
    expect(await problemOf('text')).toContain(`${failed}couldn't get version/kind; json parse error: json: cannot`);
    expect(await problemOf(withRules({ Issuer: {} }))).toBe(
      `${failed}strict decoding error: unknown field "jwt[0].Issuer"`,
    );
  });

  it.each([
    [{ jwt: 'x' }, 'string into Go struct field AuthenticationConfiguration.jwt of type []v1.JWTAuthenticator'],
    [{ jwt: ['x'] }, 'string into Go struct field AuthenticationConfiguration.jwt of type v1.JWTAuthenticator'],
    [withIssuer({ url: 5 }), 'number into Go struct field Issuer.jwt.issuer.url of type string'],
    [withIssuer({ audiences: ['a', 5] }), 'number into Go struct field Issuer.jwt.issuer.audiences of type string'],
    [
      { jwt: [{ issuer, claimMappings: { username: 'x' } }] },
      'string into Go struct field ClaimMappings.jwt.claimMappings.username of type v1.PrefixedClaimOrExpression',
    ],
    [
      { anonymous: { enabled: 'yes' } },
      'string into Go struct field AnonymousAuthConfig.anonymous.enabled of type bool',
    ],
    [
      { anonymous: { enabled: true, conditions: [{ path: 5 }] } },
      'number into Go struct field AnonymousAuthCondition.anonymous.conditions.path of type string',
    ],
  ])('with a value of another type is refused: %j', async (content, expected) => {
    expect(await problemOf(content)).toBe(
      `failed to load authentication configuration from file "FILE": json: cannot unmarshal ${expected}`,
    );
  });

  it.each([
    [
      { jwt: [null] },
      '[jwt[0].issuer.url: Required value, jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required, jwt[0].claimMappings.username: Required value: claim or expression is required]',
    ],
    [withIssuer({ audiences: [null] }), 'jwt[0].issuer.audiences[0]: Required value'],
    [
      withRules({ claimValidationRules: [null] }),
      'jwt[0].claimValidationRules[0]: Required value: claim or expression is required',
    ],
    [withRules({ userValidationRules: [null] }), 'jwt[0].userValidationRules[0].expression: Required value'],
    [
      { jwt: [{ issuer, claimMappings: { ...claimMappings, extra: [null] } }] },
      '[jwt[0].claimMappings.extra[0].key: Required value, jwt[0].claimMappings.extra[0].valueExpression: Required value]',
    ],
  ])('has zero values for null elements: %j', async (content, expected) => {
    expect(await problemOf(content)).toBe(`invalid authentication configuration: ${expected}`);
  });

  it('may have a null condition, which is an empty path', async () => {
    const { config } = await read({ anonymous: { enabled: true, conditions: [null] } });
    expect(config.anonymous).toEqual({ enabled: true, conditions: [{ path: '' }] });
  });

  it.each([
    ['x', 'data does not contain any valid RSA or ECDSA certificates'],
    ['-----BEGIN CERTIFICATE-----\n***\n-----END CERTIFICATE-----\n', 'data does not contain any valid RSA or ECDSA'],
    ['-----BEGIN PRIVATE KEY-----\nZm9v\n-----END PRIVATE KEY-----\n', 'data does not contain any valid RSA or ECDSA'],
    ['-----BEGIN CERTIFICATE-----\nZm9v\n-----END CERTIFICATE-----\n', 'x509: malformed certificate'],
  ])('with other authorities than certificates is refused: %j', async (certificateAuthority, expected) => {
    expect(await problemOf(withIssuer({ certificateAuthority }))).toContain(
      `jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>": ${expected}`,
    );
  });

  it('may select a network only if the egress configuration has it', async () => {
    const { config } = await read(withIssuer({ egressSelectorType: 'cluster' }));
    expect(() => checkNetworks(config, undefined)).toThrow(
      /^oidc: egress lookup required with egress selector type "cluster"$/,
    );
    expect(() => checkNetworks(config, new Set(['controlplane']))).toThrow(
      /^oidc: egress lookup for "cluster" is not configured$/,
    );
    expect(() => checkNetworks(config, new Set(['cluster']))).not.toThrow();
  });
});
