import assert from 'node:assert/strict';
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  X509Certificate,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { PeerCertificate } from 'node:tls';
import { ApiError, isObject, type JsonObject, type JsonValue } from '../../pkg/api/index.js';
import { tokenChain } from '../../pkg/auth/authn/authenticator.js';
import { bearerAuthenticator } from '../../pkg/auth/authn/bearer.js';
import { CertificateInspector, certificateUser } from '../../pkg/auth/authn/certificate.js';
import { requestHeaderAuthenticator } from '../../pkg/auth/authn/requestheader.js';
import { ServiceAccountAuthenticator } from '../../pkg/auth/authn/serviceaccount.js';
import { tokenFileAuthenticator } from '../../pkg/auth/authn/tokenfile.js';
import type { Authorizer } from '../../pkg/auth/authz/authorizer.js';
import { type Headers, Impersonator } from '../../pkg/auth/impersonate.js';
import { TestObjects } from '../../pkg/auth/testing.js';
import { signingKey, verificationKeys } from '../../pkg/auth/tokens/keys.js';
import { issueAuthority, issueLeaf } from '../../pkg/server/issue.js';
import { ImpersonationMetrics } from '../../pkg/telemetry/index.js';
import type { Target } from './target.js';

const impersonatorOf = (authorizer: Authorizer, constrained: boolean): Impersonator =>
  new Impersonator(authorizer, {
    constrained,
    clock: { now: () => 0, monotonic: () => 0 },
    metrics: new ImpersonationMetrics(),
  });

/** Credentials: tokens, certificates, and headers. What was not signed, or not named, must not become a user. */

const ISSUER = 'https://kubernetes.default.svc';
const NOW = Date.parse('2026-01-01T00:00:00Z');
const SECONDS = NOW / 1000;
const LEEWAY_SECONDS = 60;
const clock = { now: () => NOW, monotonic: () => 0 };

/** A fixed key for tests only, so that a seed has the same inputs in every run. */
const PEM = readFileSync(new URL('token.key', import.meta.url), 'utf8');
const own = createPrivateKey(PEM);
const publicPem = createPublicKey(own).export({ type: 'spki', format: 'pem' }) as string;
const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const key = signingKey(PEM);

const objects = new TestObjects();
objects.put({ group: '', resource: 'serviceaccounts' }, 'n', 'sa', {
  metadata: { name: 'sa', namespace: 'n', uid: 'u1' },
});
const accounts = (): ServiceAccountAuthenticator =>
  new ServiceAccountAuthenticator(
    { issuers: [ISSUER], audiences: [ISSUER], keys: [key, ...verificationKeys(publicPem)] },
    objects,
    clock,
  );

const encoded = (value: JsonValue): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEADER = { alg: 'RS256', kid: key.id };
const CLAIMS = {
  iss: ISSUER,
  aud: [ISSUER],
  sub: 'system:serviceaccount:n:sa',
  iat: SECONDS - 10,
  nbf: SECONDS - 10,
  exp: SECONDS + 3600,
  jti: '6f5f7c9e-0000-4000-8000-000000000000',
  'kubernetes.io': { namespace: 'n', serviceaccount: { name: 'sa', uid: 'u1' } },
};

/** How the token of a description is signed. The public key as a secret is the confusion of algorithms. */
const SIGNERS: Readonly<Record<string, (text: string) => string>> = {
  own: (text) => createSign('sha256').update(text).sign(own).toString('base64url'),
  other: (text) => createSign('sha256').update(text).sign(other).toString('base64url'),
  public: (text) => createHmac('sha256', publicPem).update(text).digest('base64url'),
  none: () => '',
};

const signed = (header: JsonValue, claims: JsonValue, by: string): string => {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${(SIGNERS[by] ?? SIGNERS['none']!)(text)}`;
};

const descriptions = [
  { by: 'own', header: HEADER, claims: CLAIMS },
  { by: 'public', header: { ...HEADER, alg: 'HS256' }, claims: CLAIMS },
  { by: 'none', header: { ...HEADER, alg: 'none' }, claims: CLAIMS },
  {
    by: 'other',
    header: { ...HEADER, jwk: { kty: 'RSA' }, jku: 'https://other/jwks', crit: ['b64'], b64: false },
    claims: CLAIMS,
  },
  { by: 'own', header: { alg: 'RS256' }, claims: { ...CLAIMS, exp: SECONDS - 3600 } },
  { by: 'own', header: HEADER, claims: { ...CLAIMS, nbf: SECONDS + 3600 } },
];

/** Whether kube-apiserver would accept these claims, signed with the key of the server. */
function isValid(header: JsonValue, claims: JsonValue): boolean {
  if (!isObject(header) || !isObject(claims)) return false;
  const { iss, aud, exp, nbf } = claims as JsonObject;
  const audiences = [aud ?? []].flat();
  const named = audiences.length === 0 || audiences.includes(ISSUER);
  const inTime =
    (exp === undefined || (typeof exp === 'number' && exp >= SECONDS - LEEWAY_SECONDS)) &&
    (nbf === undefined || (typeof nbf === 'number' && nbf <= SECONDS + LEEWAY_SECONDS));
  return header['alg'] === 'RS256' && iss === ISSUER && named && inTime;
}

const decodedParts = (token: string): string => {
  const [header = '', claims = '', signature = '', ...more] = token.split('.');
  return (
    [header, claims, signature].map((part) => Buffer.from(part, 'base64url').toString('hex')).join('.') + more.length
  );
};

const valid = signed(HEADER, CLAIMS, 'own');
const staticTokens = tokenFileAuthenticator('secret-token,jane,1,"a,b"\n');
const bearer = bearerAuthenticator(tokenChain([staticTokens, accounts()]));
const wordsOfTokens = [
  '.',
  '..',
  '=',
  'eyJ',
  'Bearer ',
  'bearer',
  ' ',
  '  ',
  '\t',
  ',',
  '"',
  '\u0000',
  'secret-token',
  encoded({ alg: 'none' }),
  encoded({ alg: 'HS256' }),
];

const noCertificate = { certificate: () => undefined, identity: undefined, digested: undefined };

function linesOf(text: string): { readonly headers: Headers; lines(name: string): readonly string[] } {
  const found = Object.create(null) as Record<string, string[]>;
  for (const line of text.split('\n')) {
    const at = line.indexOf(':');
    if (at <= 0) continue;
    const name = line.slice(0, at).toLowerCase();
    found[name] = [...(found[name] ?? []), line.slice(at + 1).trim()];
  }
  return { headers: found, lines: (name) => found[name] ?? [] };
}

/** Every part of a user is text, and no prototype was changed. */
function checkUser(user: { readonly name: string; readonly groups: readonly string[]; readonly extra?: object }): void {
  assert.equal(typeof user.name, 'string');
  for (const group of user.groups) assert.equal(typeof group, 'string');
  for (const values of Object.values(user.extra ?? {}))
    for (const value of values as unknown[]) assert.equal(typeof value, 'string');
  assert.deepEqual(Object.keys(Object.prototype), []);
}

const authority = await issueAuthority('fuzz', NOW, 3650);
const authorityCertificate = new X509Certificate(authority.cert);
const leaf = await issueLeaf(
  authority,
  {
    subject: { commonName: 'jane', organizations: ['a', 'b'] },
    use: 'client',
    days: 3000,
    dnsNames: [],
    addresses: [],
  },
  NOW,
);
const leafDer = new X509Certificate(leaf.cert).raw;
const inspector = new CertificateInspector({ client: authority.cert, proxy: authority.cert }, Date.now, () => {});
const front = requestHeaderAuthenticator(
  {
    usernameHeaders: ['x-remote-user', 'x-user'],
    uidHeaders: ['x-remote-uid'],
    groupHeaders: ['x-remote-group'],
    extraHeaderPrefixes: ['x-remote-extra-'],
    allowedNames: ['jane'],
  },
  inspector,
  () => NOW,
);

/** The leaf as TLS would report it. */
const reported = (der: Buffer): { readonly verified: boolean; readonly certificate: PeerCertificate } => {
  const certificate = new X509Certificate(der);
  const issuerCertificate = authorityCertificate.toLegacyObject();
  const verified = certificate.verify(authorityCertificate.publicKey);
  return { verified, certificate: { ...certificate.toLegacyObject(), issuerCertificate } as PeerCertificate };
};
const shown = reported(leafDer);

export const accessTargets: readonly Target[] = [
  {
    name: 'access: bearer tokens',
    seeds: [valid, `Bearer ${valid}`, 'Bearer secret-token', signed({ alg: 'none' }, CLAIMS, 'none')].map((t) =>
      Buffer.from(t),
    ),
    words: wordsOfTokens,
    refusals: [],
    async run(input) {
      const text = input.toString('latin1');
      for (const authorization of [text, `Bearer ${text}`]) {
        const given = {
          headers: { authorization },
          lines: () => [authorization],
          connection: noCertificate,
          path: '/',
          warn: () => {},
          annotateCredential: () => {},
        };
        const found = await bearer.authenticate(given);
        if (found.kind !== 'authenticated') continue;
        const token = authorization.trim().split(' ')[1]!;
        checkUser(found.user);
        if (found.user.name === 'jane') assert.equal(token, 'secret-token');
        else assert.equal(decodedParts(token), decodedParts(valid));
      }
    },
  },
  {
    name: 'access: tokens that someone signed',
    seeds: descriptions.map((d) => Buffer.from(JSON.stringify(d))),
    words: [
      '"own"',
      '"other"',
      '"public"',
      '"none"',
      '"RS256"',
      '"HS256"',
      '"ES256"',
      '"PS256"',
      '"crit":["exp"]',
      '"b64":false',
      '"kid":""',
      `"${key.id}"`,
      'null',
      '[]',
      '{}',
      `${SECONDS}`,
      '1e400',
      '-1',
      '"exp":',
      '"nbf":',
      '"__proto__":',
    ],
    refusals: [SyntaxError],
    async run(input) {
      const described = JSON.parse(input.toString()) as JsonValue;
      if (!isObject(described)) return;
      const { by, header = null, claims = null } = described;
      const found = await accounts().authenticateToken(signed(header, claims, String(by)));
      if (found.kind !== 'authenticated') return;
      checkUser(found.user);
      assert.equal(by, 'own');
      assert.ok(isValid(header, claims), JSON.stringify(described));
    },
  },
  {
    name: 'access: headers of a front proxy',
    seeds: ['x-remote-user: u\nx-remote-group: a\nx-remote-group: b\nx-remote-extra-a%2fb: 1\nx-remote-uid: 7'].map(
      (t) => Buffer.from(t),
    ),
    words: ['x-remote-user: ', 'X-Remote-Extra-', '%', '%2F', '%ff', '%zz', '__proto__', 'constructor', '\n', ':', ','],
    refusals: [],
    async run(input) {
      const lines = linesOf(input.toString('latin1'));
      const of = (certificate: typeof shown | undefined) =>
        front.authenticate({
          ...lines,
          connection: { certificate: () => certificate, identity: undefined, digested: undefined },
          path: '/',
          warn: () => {},
          annotateCredential: () => {},
        });
      assert.equal((await of(undefined)).kind, 'none');
      const found = await of(shown);
      if (found.kind !== 'authenticated') return;
      checkUser(found.user);
      assert.ok([...lines.lines('x-remote-user'), ...lines.lines('x-user')].includes(found.user.name));
      assert.deepEqual(found.user.groups, lines.lines('x-remote-group'));
    },
  },
  {
    name: 'access: impersonation',
    seeds: [
      'Impersonate-User: jane\nImpersonate-Group: a\nImpersonate-Group: b\nImpersonate-Uid: 7\nImpersonate-Extra-Acme.com%2FRole: x',
      'Impersonate-User: system:serviceaccount:n:sa',
      'Impersonate-User: system:node:a',
    ].map((t) => Buffer.from(t)),
    words: [
      'Impersonate-User: ',
      'Impersonate-Group: ',
      'impersonate-extra-',
      'system:masters',
      'system:node:',
      'system:serviceaccount:',
      '%',
      '%2f',
      '%ff',
      '%00',
      '__proto__',
      '\n',
      ':',
    ],
    refusals: [ApiError],
    async run(input) {
      const lines = linesOf(input.toString('latin1'));
      const caller = { name: 'caller', groups: ['system:authenticated'] };
      const attributes = { kind: 'path', path: '/', verb: 'get' } as never;
      const asked: string[] = [];
      const authorizer = (allows: boolean): Authorizer => ({
        authorize: (_, of) => {
          if ('resource' in of) asked.push(`${of.resource}/${of.subresource}/${of.name}`);
          return allows ? { kind: 'allow', reason: '' } : { kind: 'noOpinion', reason: '' };
        },
      });
      for (const constrained of [false, true]) {
        const denied = impersonatorOf(authorizer(false), constrained).impersonate(caller, lines, attributes);
        await assert.rejects(denied, ApiError);
      }
      asked.length = 0;
      const { user } = await impersonatorOf(authorizer(true), false).impersonate(caller, lines, attributes);
      checkUser(user);
      assert.equal(user.name, lines.lines('impersonate-user')[0]);
      // Each part was authorized: the name, the groups of the headers, the UID and each extra.
      const groups = new Set(lines.lines('impersonate-group'));
      for (const group of groups) assert.ok(user.groups.includes(group));
      assert.ok(asked.length > 0);
      for (const name of Object.keys(user.extra ?? {}))
        assert.ok(
          asked.some((one) => one.startsWith(`userextras/${name}/`) || one.includes('*')),
          name,
        );
    },
  },
  {
    name: 'access: client certificates',
    seeds: [leafDer],
    words: [
      '\u0006\u0003U\u0004\u0003',
      '\u0006\u0003U\u0004\n',
      '\f\u0004jane',
      '\u0013\u0004jane',
      '\u0000',
      '0\u0082',
    ],
    inputBytesMax: 16 * 1024,
    refusals: [],
    run(input) {
      let given: ReturnType<typeof reported>;
      try {
        given = reported(input);
      } catch {
        // Not a certificate: TLS refuses it.
        return;
      }
      const { user, proxy } = inspector.look({ certificate: () => given, identity: undefined, digested: undefined });
      if (!given.verified) return assert.deepEqual([user, proxy], ['bad', undefined]);
      // Only what the authority signed has a signature: bytes that OpenSSL ignores may follow.
      assert.deepEqual(new X509Certificate(input).raw, leafDer);
    },
  },
  {
    name: 'access: subjects of certificates',
    seeds: [
      { CN: 'jane', O: ['a', 'b'] },
      { CN: ['x', 'jane'], O: 'a', '1.3.6.1.4.1.57683.2': 'uid' },
    ].map((s) => Buffer.from(JSON.stringify(s))),
    words: ['"CN":', '"O":', '[]', '""', '"1.3.6.1.4.1.57683.2":', '"__proto__":', '\\u0000', 'system:masters'],
    refusals: [SyntaxError],
    run(input) {
      const subject = JSON.parse(input.toString()) as JsonValue;
      if (!isObject(subject) || !Object.values(subject).every(isSubjectValue)) return;
      const certificate = { ...shown.certificate, subject } as unknown as PeerCertificate;
      assert.equal(certificateUser({ verified: false, certificate }), undefined);
      const found = certificateUser({ verified: true, certificate });
      if (found === undefined) return;
      checkUser(found.user);
      assert.equal(found.user.name, [subject['CN'] ?? []].flat().at(-1));
      assert.deepEqual(found.user.groups, Object.hasOwn(subject, 'O') ? [subject['O']!].flat() : []);
    },
  },
];

/** OpenSSL gives an attribute as a text, or as a list of texts. */
function isSubjectValue(value: JsonValue): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
}
