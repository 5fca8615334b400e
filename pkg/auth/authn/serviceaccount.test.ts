import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestObjects } from '../testing.js';
import { signingKey } from '../tokens/keys.js';
import { ServiceAccountAuthenticator } from './serviceaccount.js';

const ISSUER = 'https://kubernetes.default.svc';
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = signingKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
const sign = (claims: Record<string, unknown>, header: object = {}): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ ...header, alg: 'RS256' }).sign(privateKey);

let objects: TestObjects;
let authenticator: ServiceAccountAuthenticator;
const answer = async (token: string): Promise<string> => {
  const found = await authenticator.authenticateToken(token);
  return found.kind === 'failed' ? found.reason : found.kind;
};

beforeEach(() => {
  objects = new TestObjects();
  const metadata = { name: 'sa', namespace: 'n', uid: 'u1' };
  objects.put({ group: '', resource: 'serviceaccounts' }, 'n', 'sa', { metadata });
  const clock = { now: () => 0, monotonic: () => 0 };
  authenticator = new ServiceAccountAuthenticator(
    { issuers: [ISSUER], audiences: [ISSUER], keys: [key] },
    objects,
    clock,
  );
});

describe('the form of a token', () => {
  const own = { namespace: 'n', serviceaccount: { name: 'sa', uid: 'u1' } };
  const claims = { iss: ISSUER, sub: 'system:serviceaccount:n:sa', 'kubernetes.io': own };

  it('is base64url without padding: there is one spelling of a part', async () => {
    const token = await sign(claims);
    const [header = '', payload = '', signature = ''] = token.split('.');
    expect(await answer(token)).toBe('authenticated');
    for (const other of [
      `${token}==`,
      `${header}=.${payload}.${signature}`,
      `${header}.${payload}=.${signature}`,
      `${header}.${payload}.!!!`,
    ])
      expect(await answer(other), other).toBe('none');
    // As in kube-apiserver, white space is no part of the token.
    expect(await answer(`${header}.${payload}.${signature}\n`)).toBe('authenticated');
  });

  it('has a key id that is a text', async () => {
    expect(await answer(await sign(claims, { kid: 5 }))).toBe('none');
  });

  it.each([
    [{}, 'resource name may not be empty'],
    [{ namespace: 'n', serviceaccount: { uid: 'u1' } }, 'resource name may not be empty'],
    [{ serviceaccount: { name: 'sa', uid: 'u1' } }, 'the server could not find the requested resource'],
  ])('with the claims %j is refused', async (claim, reason) => {
    expect(await answer(await sign({ ...claims, 'kubernetes.io': claim }))).toBe(reason);
  });
});

describe('a token of a Secret', () => {
  const claim = (name: string): string => `kubernetes.io/serviceaccount/${name}`;
  const claims = {
    iss: 'kubernetes/serviceaccount',
    sub: 'system:serviceaccount:n:sa',
    [claim('namespace')]: 'n',
    [claim('secret.name')]: 's',
    [claim('service-account.name')]: 'sa',
    [claim('service-account.uid')]: 'u1',
  };
  const store = (token: string): void =>
    objects.put({ group: '', resource: 'secrets' }, 'n', 's', {
      metadata: { name: 's', namespace: 'n' },
      data: { token: Buffer.from(token).toString('base64') },
    });

  it.each([
    [{}, 'authenticated'],
    [{ aud: [ISSUER] }, 'authenticated'],
    [{ aud: 'x' }, `token audiences ["x"] is invalid for the target audiences ["${ISSUER}"]`],
    [{ sub: undefined }, 'sub claim is missing'],
    [{ [claim('namespace')]: undefined }, 'namespace claim is missing'],
    [{ [claim('secret.name')]: undefined }, 'secretName claim is missing'],
    [{ [claim('service-account.name')]: undefined }, 'serviceAccountName claim is missing'],
    [{ [claim('service-account.uid')]: undefined }, 'serviceAccountUID claim is missing'],
    [{ sub: 'system:serviceaccount:n:other' }, 'sub claim is invalid'],
    [{ [claim('service-account.uid')]: 'u2' }, 'ServiceAccount UID (u1) does not match claim (u2)'],
  ])('with the change %j', async (change, reason) => {
    const token = await sign({ ...claims, ...change });
    store(token);
    expect(await answer(token)).toBe(reason);
  });

  it('is compared with the Secret', async () => {
    const token = await sign(claims);
    expect(await answer(token)).toBe('Token has been invalidated');
    store('other');
    expect(await answer(token)).toBe("Token does not match server's copy");
  });
});
