import assert from 'node:assert/strict';
import { createHmac, createPrivateKey, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { FieldErrors, isObject, type JsonObject, type JsonValue, parseTime } from '../../pkg/api/index.js';
import { bootstrapTokenAuthenticator } from '../../pkg/auth/authn/bootstraptoken.js';
import { SIGNING_ALGORITHMS } from '../../pkg/auth/jwt/config.js';
import { compileAuthentication, JwtSet } from '../../pkg/auth/jwt/index.js';
import { TestObjects } from '../../pkg/auth/testing.js';
import { testWorld } from '../../pkg/storage/testworld.js';
import { type Target, texts } from './target.js';

/** Tokens of OpenID Connect issuers, their documents, and bootstrap tokens. */

const ISSUER = 'https://issuer.example';
const AUDIENCE = 'cluster';
const NOW = Date.parse('2026-01-01T00:00:00Z');
const SECONDS = NOW / 1000;
const NOT_BEFORE_LEEWAY = 300;

/** A fixed key for tests only, so that a seed has the same inputs in every run. */
const own = createPrivateKey(readFileSync(new URL('token.key', import.meta.url), 'utf8'));
const publicKey = createPublicKey(own);
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const KEY = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' } as JsonObject;

const CONFIGURATION = {
  issuer: {
    url: ISSUER,
    discoveryURL: '',
    certificateAuthority: '',
    audiences: [AUDIENCE],
    audienceMatchPolicy: '',
    egressSelectorType: '',
  },
  claimValidationRules: [
    { claim: 'hd', requiredValue: 'example.com', expression: '', message: '' },
    { claim: '', requiredValue: '', expression: 'claims.exp - claims.nbf <= 86400', message: 'lives too long' },
  ],
  claimMappings: {
    username: { claim: '', prefix: undefined, expression: "'oidc:' + claims.sub" },
    groups: { claim: '', prefix: undefined, expression: "claims.?roles.orValue([]).map(r, 'oidc:' + r)" },
    uid: { claim: 'uid', expression: '' },
    extra: [{ key: 'example.com/team', valueExpression: "claims.?team.orValue('')" }],
  },
  userValidationRules: [{ expression: "!user.username.startsWith('oidc:system:')", message: 'reserved' }],
};

async function authenticatorOf(documents: { readonly discovery: string; readonly keys: string }): Promise<JwtSet> {
  const errors = new FieldErrors();
  const compiled = compileAuthentication({ jwt: [CONFIGURATION], anonymous: undefined }, [], errors);
  assert.deepEqual(errors.list, []);
  const set = new JwtSet({
    fetchOf: () => async (url) => ({ status: 200, body: url.endsWith('/keys') ? documents.keys : documents.discovery }),
    readJson: async (text) => JSON.parse(text),
    pace: () => ({ spent: () => false, yield: async () => {} }),
    algorithms: SIGNING_ALGORITHMS,
    world: testWorld(NOW),
    observer: { authenticated: () => {}, keysFetched: () => {}, discovered: () => {} },
  });
  set.use(compiled);
  // The discovery has no network to wait for.
  await new Promise((resolve) => setImmediate(resolve));
  return set;
}

const DISCOVERY = JSON.stringify({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys` });
const trusted = await authenticatorOf({ discovery: DISCOVERY, keys: JSON.stringify({ keys: [KEY] }) });

/** How the token of a description is signed. The public key as a secret is the confusion of algorithms. */
const SIGNERS: Readonly<Record<string, ((text: string) => string) | undefined>> = Object.assign(Object.create(null), {
  own: (text: string) => createSign('sha256').update(text).sign(own).toString('base64url'),
  other: (text: string) => createSign('sha256').update(text).sign(other).toString('base64url'),
  public: (text: string) => createHmac('sha256', publicPem).update(text).digest('base64url'),
});
const encoded = (value: JsonValue): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = (header: JsonValue, claims: JsonValue, by: string): string => {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${SIGNERS[by]?.(text) ?? ''}`;
};

const HEADER = { alg: 'RS256', kid: 'k1' };
const CLAIMS = {
  iss: ISSUER,
  aud: AUDIENCE,
  sub: 'jane',
  hd: 'example.com',
  nbf: SECONDS - 10,
  exp: SECONDS + 3600,
  roles: ['a', 'b'],
  uid: 'u',
  team: 'x',
};
const WORDS = [
  ...['"own"', '"other"', '"public"', '"none"', '"RS256"', '"HS256"', '"PS256"', '"kid":""', '"crit":["exp"]'],
  ...['null', '[]', '{}', 'true', '1e400', '-1', '1.5', `${SECONDS}`, '"exp":', '"nbf":', '"roles":', '"__proto__":'],
  ...[`"aud":["${AUDIENCE}","x"]`, '"system:masters"', '"_claim_names":{"roles":"s"}', '\\u0000', '\\ud800'],
];

/** Whether these claims, signed by the issuer, name a user. */
function isValid(header: JsonValue, claims: JsonValue): boolean {
  if (!isObject(header) || !isObject(claims)) return false;
  const { iss, aud, exp, nbf, hd, sub } = claims as JsonObject;
  const inTime =
    typeof exp === 'number' && exp >= SECONDS && !(typeof nbf === 'number' && nbf > SECONDS + NOT_BEFORE_LEEWAY);
  const isNamed = typeof sub === 'string' && !sub.startsWith('system:');
  return (
    header['alg'] === 'RS256' &&
    iss === ISSUER &&
    [aud ?? []].flat().includes(AUDIENCE) &&
    inTime &&
    hd === 'example.com' &&
    isNamed
  );
}

// Otherwise the target below would show nothing.
assert.equal((await trusted.authenticateToken(signed(HEADER, CLAIMS, 'own'))).kind, 'authenticated');

const objects = new TestObjects();
const SECRET = { id: 'abcdef', secret: '0123456789abcdef' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const issuerTargets: readonly Target[] = [
  {
    name: 'access: tokens of an issuer',
    seeds: texts(
      ...[
        { by: 'own', header: HEADER, claims: CLAIMS },
        { by: 'other', header: HEADER, claims: CLAIMS },
        { by: 'public', header: { ...HEADER, alg: 'HS256' }, claims: CLAIMS },
        { by: 'own', header: { alg: 'none' }, claims: { ...CLAIMS, aud: ['x', AUDIENCE], sub: 'system:admin' } },
      ].map((one) => JSON.stringify(one)),
    ),
    words: WORDS,
    refusals: [SyntaxError],
    async run(input) {
      const described = JSON.parse(input.toString()) as JsonValue;
      if (!isObject(described)) return;
      const { by, header = null, claims = null } = described;
      const found = await trusted.authenticateToken(signed(header, claims, String(by)));
      if (found.kind !== 'authenticated') return;
      assert.equal(by, 'own');
      assert.ok(isValid(header, claims), JSON.stringify(described));
      assert.equal(found.user.name, `oidc:${(claims as JsonObject)['sub']}`);
      for (const group of found.user.groups)
        assert.ok(group === 'system:authenticated' || group.startsWith('oidc:'), group);
    },
  },
  {
    name: 'access: documents of an issuer',
    seeds: texts(
      JSON.stringify({ discovery: JSON.parse(DISCOVERY), keys: { keys: [KEY] } }),
      JSON.stringify({
        discovery: { issuer: ISSUER },
        keys: { keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }] },
      }),
    ),
    words: [...WORDS, '"kty":"oct"', '"kty":"EC"', '"k":"AAAA"', '"n":""', '"e":"AQ"', '"e":"AQAB"', '"use":"enc"'],
    refusals: [SyntaxError],
    async run(input) {
      const described = JSON.parse(input.toString()) as JsonValue;
      if (!isObject(described)) return;
      const [discovery, keys] = [described['discovery'] ?? null, described['keys'] ?? null].map((d) =>
        JSON.stringify(d),
      );
      const set = await authenticatorOf({ discovery: discovery!, keys: keys! });
      for (const by of ['other', 'public', 'none'])
        assert.equal((await set.authenticateToken(signed(HEADER, CLAIMS, by))).kind, 'failed');
      set.close();
    },
  },
  {
    name: 'access: bootstrap tokens',
    seeds: texts(
      JSON.stringify({ token: `${SECRET.id}.${SECRET.secret}` }),
      JSON.stringify({
        token: `${SECRET.id}.${SECRET.secret}`,
        groups: 'system:bootstrappers:a,system:bootstrappers:b',
      }),
      JSON.stringify({ token: `${SECRET.id}.${SECRET.secret}`, expiration: '2026-01-01T00:00:01Z', use: 'true' }),
    ),
    words: [
      '"groups":',
      '"expiration":',
      '"use":"false"',
      'system:masters',
      ',',
      ':',
      '2025-12-31T23:59:59Z',
      '.',
      '\\n',
    ],
    refusals: [SyntaxError],
    async run(input) {
      const described = JSON.parse(input.toString()) as JsonValue;
      if (!isObject(described)) return;
      const text = (name: string, otherwise = ''): string => String(described[name] ?? otherwise);
      const [token, expiration, groups] = [text('token'), text('expiration'), text('groups')];
      objects.put({ group: '', resource: 'secrets' }, 'kube-system', `bootstrap-token-${SECRET.id}`, {
        type: 'bootstrap.kubernetes.io/token',
        metadata: { name: `bootstrap-token-${SECRET.id}`, namespace: 'kube-system' },
        data: {
          'token-id': base64(SECRET.id),
          'token-secret': base64(SECRET.secret),
          'usage-bootstrap-authentication': base64(text('use', 'true')),
          expiration: base64(expiration),
          'auth-extra-groups': base64(groups),
        },
      });
      const clock = { now: () => NOW, monotonic: () => 0 };
      const found = await bootstrapTokenAuthenticator(objects, clock).authenticateToken(token);
      if (found.kind !== 'authenticated') return;
      assert.equal(token, `${SECRET.id}.${SECRET.secret}`);
      assert.equal(text('use', 'true'), 'true');
      assert.ok(expiration === '' || parseTime(expiration)! > NOW, expiration);
      for (const group of found.user.groups) assert.match(group, /^system:bootstrappers(?::[a-z0-9:-]*[a-z0-9])?$/);
    },
  },
];
