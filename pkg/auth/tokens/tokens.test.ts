import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { CompactSign, SignJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../base/index.js';
import { forAudiences, reviewToken } from '../authn/bearer.js';
import { ServiceAccountAuthenticator } from '../authn/serviceaccount.js';
import { tokenFileAuthenticator } from '../authn/tokenfile.js';
import { TestObjects } from '../testing.js';
import type { NewToken } from './claims.js';
import { TokenIssuer } from './issuer.js';
import { keySet, signingKey, TokenKeyError, verificationKeys } from './keys.js';

const ISSUER = 'https://kubernetes.default.svc';
const pem = (key: { export(o: object): unknown }) => key.export({ type: 'pkcs8', format: 'pem' }) as string;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signing = signingKey(pem(rsa.privateKey));
const elliptic = signingKey(pem(ec.privateKey));

let now: number;
let objects: TestObjects;
let authenticator: ServiceAccountAuthenticator;
const world: World = {
  clock: { now: () => now, monotonic: () => 0 },
  timers: { after: () => () => {}, every: () => () => {}, immediate: () => () => {} },
  random: { float: () => 0, bytes: (n) => new Uint8Array(n), uuid: () => '6f5f7c9e-0000-4000-8000-000000000000' },
};
const issuer = () => new TokenIssuer(ISSUER, signing, world);
const account = (uid: string, more: object = {}) =>
  objects.put({ group: '', resource: 'serviceaccounts' }, 'n', 'sa', {
    metadata: { name: 'sa', namespace: 'n', uid, ...more },
  });
const pod = (uid: string, more: object = {}) =>
  objects.put({ group: '', resource: 'pods' }, 'n', 'p', { metadata: { name: 'p', namespace: 'n', uid, ...more } });
const token = (more: Partial<NewToken> = {}): NewToken => ({
  namespace: 'n',
  serviceAccount: { name: 'sa', uid: 'u1' },
  audiences: [ISSUER],
  seconds: 3600,
  warnAfterSeconds: 0,
  ...more,
});
const kind = async (text: string, audiences?: readonly string[]) =>
  (await authenticator.authenticateToken(text, audiences)).kind;

beforeEach(() => {
  now = Date.parse('2026-01-01T00:00:00Z');
  objects = new TestObjects();
  account('u1');
  authenticator = new ServiceAccountAuthenticator(
    { issuers: [ISSUER], audiences: [ISSUER], keys: [elliptic, signing] },
    objects,
    world.clock,
  );
});

describe('service-account tokens', () => {
  it('name the node of a pod without a uid if there is no such Node', async () => {
    const text = await issuer().issue(token({ pod: { name: 'p', uid: 'p1' }, node: { name: 'x', uid: '' } }));
    const payload = JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString());
    expect(payload['kubernetes.io'].node).toEqual({ name: 'x' });
  });

  it('contain the account, its groups and the credential', async () => {
    expect(await authenticator.authenticateToken(await issuer().issue(token()))).toEqual({
      kind: 'authenticated',
      audiences: [ISSUER],
      user: {
        name: 'system:serviceaccount:n:sa',
        uid: 'u1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=6f5f7c9e-0000-4000-8000-000000000000'] },
      },
    });
  });

  it('are checked again at every use, although the signature is cached', async () => {
    const text = await issuer().issue(token());
    expect(await kind(text)).toBe('authenticated');
    account('u2');
    expect(await kind(text)).toBe('failed');
    account('u1');
    expect(await kind(text)).toBe('authenticated');
    objects.put({ group: '', resource: 'serviceaccounts' }, 'n', 'sa', undefined);
    expect(await kind(text)).toBe('failed');
    account('u1');
    now += 3600_000 + 61_000;
    expect(await kind(text)).toBe('failed');
  });

  it.each([
    [false, ['*'], 'feature gate "APIServerWebhookAuthenticationToken" is disabled, but token is webhook bound'],
    [true, [], 'bound object was a webhook config, but "admissionReviewAPIGroups" attestation is missing'],
    [true, ['*'], 'ValidatingWebhookConfiguration UID (w2) does not match service account validating ref claim (w1)'],
  ])('for webhooks with the gate %j and groups %j: %s', async (webhookTokens, reviewGroups, reason) => {
    const name = { group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' };
    objects.put(name, '', 'w', { metadata: { name: 'w', uid: 'w2' } });
    const config = { issuers: [ISSUER], audiences: [ISSUER], keys: [elliptic, signing], webhookTokens };
    const text = await issuer().issue(token({ webhooks: { validating: { name: 'w', uid: 'w1' }, reviewGroups } }));
    const found = await new ServiceAccountAuthenticator(config, objects, world.clock).authenticateToken(text);
    expect(found).toEqual({ kind: 'failed', reason });
  });

  it('become invalid with the object that they are bound to', async () => {
    pod('p1');
    const text = await issuer().issue(token({ pod: { name: 'p', uid: 'p1' }, node: { name: 'node', uid: 'n1' } }));
    expect(await authenticator.authenticateToken(text)).toMatchObject({
      user: {
        extra: { 'authentication.kubernetes.io/pod-name': ['p'], 'authentication.kubernetes.io/node-uid': ['n1'] },
      },
    });
    pod('p1', { deletionTimestamp: new Date(now).toISOString() });
    expect(await kind(text)).toBe('authenticated');
    now += 61_000;
    expect(await kind(text)).toBe('failed');
    pod('p2');
    expect(await kind(text)).toBe('failed');
    objects.put({ group: '', resource: 'pods' }, 'n', 'p', undefined);
    expect(await kind(text)).toBe('failed');
  });

  it('are valid for their audiences', async () => {
    const text = await issuer().issue(token({ audiences: ['a', 'b'] }));
    expect(await authenticator.authenticateToken(text)).toEqual({
      kind: 'failed',
      reason: `token audiences ["a" "b"] is invalid for the target audiences ["${ISSUER}"]`,
    });
    expect(await authenticator.authenticateToken(text, ['b', 'c', 'a'])).toMatchObject({ audiences: ['b', 'a'] });
  });

  it('are not accepted before the state is confirmed as current', async () => {
    const text = await issuer().issue(token());
    expect(await kind(text)).toBe('authenticated');
    objects.waiting = Promise.reject(new Error('no leader'));
    objects.waiting.catch(() => {});
    await expect(kind(text)).rejects.toThrow('no leader');
  });

  it('of a Secret are valid as long as it contains them', async () => {
    const text = await issuer().issueLegacy({ namespace: 'n', secret: 's', serviceAccount: 'sa', uid: 'u1' });
    expect(await kind(text)).toBe('failed');
    const secret = (value: string) =>
      objects.put({ group: '', resource: 'secrets' }, 'n', 's', {
        metadata: { name: 's', namespace: 'n' },
        data: { token: Buffer.from(value).toString('base64') },
      });
    secret(text);
    expect(await kind(text)).toBe('authenticated');
    secret('other');
    expect(await kind(text)).toBe('failed');
  });
});

describe('the use of a token', () => {
  const uses: unknown[] = [];
  const noted: string[] = [];
  const request = {
    connection: { identity: undefined, digested: undefined, certificate: () => undefined },
    warn: (text: string) => void noted.push(text),
    annotateCredential: (key: string, value: string) => void noted.push(`${key}=${value}`),
  };
  beforeEach(() => {
    uses.length = 0;
    noted.length = 0;
    const observer = { used: (kind: string) => uses.push(kind), secretUsed: (secret: object) => uses.push(secret) };
    const config = { issuers: [ISSUER], audiences: [ISSUER], keys: [elliptic, signing] };
    authenticator = new ServiceAccountAuthenticator(config, objects, world.clock, observer);
  });
  const secret = (text: string, labels: Readonly<Record<string, string>>) =>
    objects.put({ group: '', resource: 'secrets' }, 'n', 's', {
      metadata: { name: 's', namespace: 'n', uid: 'u2', labels },
      data: { token: Buffer.from(text).toString('base64') },
    });
  const legacy = () => issuer().issueLegacy({ namespace: 'n', secret: 's', serviceAccount: 'sa', uid: 'u1' });
  const LAST_USED = 'kubernetes.io/legacy-token-last-used';

  it('in a Secret is recorded, once a day with the Secret', async () => {
    const text = await legacy();
    secret(text, {});
    expect((await authenticator.authenticateToken(text, undefined, request)).kind).toBe('authenticated');
    const found = { namespace: 'n', name: 's', uid: 'u2', day: '2026-01-01' };
    expect(uses).toEqual(['legacy', found, 'legacyManual']);
    expect(noted).toEqual([
      'authentication.k8s.io/legacy-token=system:serviceaccount:n:sa',
      'authentication.k8s.io/legacy-token-manual-secret=s',
    ]);
    uses.length = 0;
    secret(text, { [LAST_USED]: '2026-01-01' });
    expect(await kind(text)).toBe('authenticated');
    expect(uses).toEqual(['legacy', 'legacyManual']);
  });

  it('in a generated Secret leads to a warning', async () => {
    const text = await legacy();
    secret(text, { [LAST_USED]: '2026-01-01' });
    objects.put({ group: '', resource: 'serviceaccounts' }, 'n', 'sa', {
      metadata: { name: 'sa', namespace: 'n', uid: 'u1' },
      secrets: [{ name: 's' }],
    });
    expect((await authenticator.authenticateToken(text, undefined, request)).kind).toBe('authenticated');
    expect(uses).toEqual(['legacy', 'legacyAutogenerated']);
    expect(noted).toContain(
      'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
    );
  });

  it('in a Secret that is marked as invalid is refused', async () => {
    const text = await legacy();
    secret(text, { [LAST_USED]: '2026-01-01', 'kubernetes.io/legacy-token-invalid-since': '2025-12-01' });
    expect(await authenticator.authenticateToken(text, undefined, request)).toEqual({
      kind: 'failed',
      reason:
        "the token in secret n/s for service account n/sa has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token",
    });
    expect(uses).toEqual(['legacy', 'legacyInvalidated']);
    expect(noted).toContain('authentication.k8s.io/legacy-token-invalidated=s/n');
  });

  it('of a pod after the time for which it was meant is recorded, every time', async () => {
    const text = await issuer().issue(token({ warnAfterSeconds: 600 }));
    const use = () => authenticator.authenticateToken(text, undefined, request);
    await use();
    now += 700_000;
    await use();
    await use();
    expect(uses).toEqual(['valid', 'stale', 'stale']);
    expect(noted).toEqual(
      Array(2).fill(
        'authentication.k8s.io/stale-token=subject: system:serviceaccount:n:sa, seconds after warning threshold: 100',
      ),
    );
  });
});

describe('forged tokens', () => {
  const claims = () => ({
    iss: ISSUER,
    aud: [ISSUER],
    sub: 'system:serviceaccount:n:sa',
    exp: now / 1000 + 3600,
    'kubernetes.io': { namespace: 'n', serviceaccount: { name: 'sa', uid: 'u1' } },
  });
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('without a signature are refused', async () => {
    expect(await kind(`${part({ alg: 'none' })}.${part(claims())}.`)).toBe('failed');
    expect(await kind(`${part({ alg: 'none', kid: signing.id })}.${part(claims())}.`)).toBe('failed');
  });

  it('signed with the public key as a secret are refused', async () => {
    const secret = Buffer.from(rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string);
    for (const header of [{ alg: 'HS256' }, { alg: 'HS256', kid: signing.id }]) {
      const text = await new SignJWT(claims()).setProtectedHeader(header).sign(secret);
      expect(await kind(text)).toBe('failed');
    }
  });

  it('signed with another algorithm than that of the key are refused', async () => {
    const text = await new SignJWT(claims()).setProtectedHeader({ alg: 'PS256', kid: signing.id }).sign(rsa.privateKey);
    expect(await kind(text)).toBe('failed');
  });

  it('signed by another key are refused, whatever key id they have', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    for (const kid of [undefined, signing.id, 'unknown', '../../etc/passwd']) {
      const header = { alg: 'RS256', ...(kid === undefined ? {} : { kid }) };
      expect(await kind(await new SignJWT(claims()).setProtectedHeader(header).sign(other))).toBe('failed');
    }
    // A key in the header is not trusted.
    const jwk = verificationKeys(pem(other))[0]!.publicKey.export({ format: 'jwk' });
    const text = await new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', jwk: jwk as never }).sign(other);
    expect(await kind(text)).toBe('failed');
  });

  it('of another issuer are left to other authenticators', async () => {
    const text = await new SignJWT({ ...claims(), iss: 'https://example.com' })
      .setProtectedHeader({ alg: 'RS256' })
      .sign(rsa.privateKey);
    expect(await kind(text)).toBe('none');
  });

  it.each([
    { exp: 'never' },
    { nbf: 4102444800 },
    { iat: 4102444800 },
    { exp: 1e300 },
    { exp: -1 },
    { sub: 1 },
    { aud: [1] },
    { aud: 1 },
    { aud: null },
    { aud: {} },
    { 'kubernetes.io': undefined },
    { 'kubernetes.io': [] },
    { 'kubernetes.io': { namespace: 'n', serviceaccount: { name: 'sa' } } },
  ])('with a valid signature and claims %j are refused', async (more) => {
    const payload = Buffer.from(JSON.stringify({ ...claims(), ...more }));
    const text = await new CompactSign(payload)
      .setProtectedHeader({ alg: 'RS256', kid: signing.id })
      .sign(rsa.privateKey);
    expect(await kind(text)).toBe('failed');
  });

  it('with any change are never accepted', async () => {
    const text = await issuer().issue(token());
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom('A', 'b', '-', '.', '{'), async (at, letter) => {
        fc.pre(text[at] !== letter);
        const forged = text.slice(0, at) + letter + text.slice(at + 1);
        // The last letter of a part in base64url may have bits that are not decoded.
        const same = forged
          .split('.')
          .every((p, i) => Buffer.from(p, 'base64url').equals(Buffer.from(text.split('.')[i] ?? '', 'base64url')));
        fc.pre(!same);
        expect(await kind(forged)).not.toBe('authenticated');
      }),
      { numRuns: 200 },
    );
  });

  it('random texts are never accepted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.array(fc.base64String(), { maxLength: 5 }).map((p) => p.join('.')),
        ),
        async (text) => {
          expect(await kind(text)).not.toBe('authenticated');
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('keys of tokens', () => {
  it('are read from private keys, public keys and several in one file', () => {
    const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;
    const all = verificationKeys(`${publicPem}\n${pem(ec.privateKey)}`);
    expect(all.map((key) => [key.id, key.algorithm])).toEqual([
      [signing.id, 'RS256'],
      [elliptic.id, 'ES256'],
    ]);
    expect(() => verificationKeys('nothing')).toThrow(/^data does not contain any valid RSA or ECDSA public keys$/);
    expect(() => signingKey('nothing')).toThrow(/^data does not contain a valid RSA or ECDSA private key$/);
    // What is no key is skipped, as in kube-apiserver.
    const other = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n';
    expect(verificationKeys(other + publicPem)).toHaveLength(1);
    expect(() => verificationKeys(other)).toThrow(TokenKeyError);
    expect(() => signingKey(publicPem)).toThrow(TokenKeyError);
    expect(() => signingKey('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----')).toThrow(TokenKeyError);
  });

  it('are published without their private halves', () => {
    const { keys } = keySet([signing, elliptic]);
    expect(keys.map((k) => Object.keys(k).sort())).toEqual([
      ['alg', 'e', 'kid', 'kty', 'n', 'use'],
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
    ]);
  });

  it('old ones verify tokens until they are removed', async () => {
    const text = await new TokenIssuer(ISSUER, elliptic, world).issue(token());
    expect(await kind(text)).toBe('authenticated');
    const config = { issuers: [ISSUER], audiences: [ISSUER], keys: [signing] };
    const later = new ServiceAccountAuthenticator(config, objects, world.clock);
    expect((await later.authenticateToken(text)).kind).toBe('failed');
  });
});

describe('reviews of tokens', () => {
  it('report why a token is not valid', async () => {
    expect(await reviewToken(authenticator, 'nonsense', [ISSUER], true)).toEqual({
      kind: 'failed',
      reason: 'invalid bearer token',
    });
    const text = await issuer().issue(token({ audiences: ['a'] }));
    expect(await reviewToken(authenticator, text, [ISSUER], true)).toEqual({
      kind: 'failed',
      reason: `[invalid bearer token, token audiences ["a"] is invalid for the target audiences ["${ISSUER}"]]`,
    });
    expect(await reviewToken(authenticator, ` ${text}`, [ISSUER], true)).toMatchObject({
      user: { name: 'system:anonymous' },
    });
    expect((await reviewToken(authenticator, ` ${text}`, [ISSUER], false)).kind).toBe('none');
  });

  it('give tokens of a file the audiences of the API server', async () => {
    const file = forAudiences([ISSUER], tokenFileAuthenticator('t,jane,u\n'));
    expect(await file.authenticateToken('t')).toMatchObject({ audiences: [ISSUER], user: { name: 'jane' } });
    expect((await file.authenticateToken('t', ['other'])).kind).toBe('none');
  });
});
