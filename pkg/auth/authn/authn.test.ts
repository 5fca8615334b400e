import { describe, expect, it } from 'vitest';
import { withAnonymous } from './anonymous.js';
import {
  type Authentication,
  authenticatorChain,
  type Credentials,
  NONE,
  type TokenAuthenticator,
  tokenChain,
} from './authenticator.js';
import { bearerAuthenticator, webSocketAuthenticator } from './bearer.js';
import { CertificateInspector, certificateAuthenticator } from './certificate.js';
import { requestHeaderAuthenticator } from './requestheader.js';
import { TokenFileError, tokenFileAuthenticator } from './tokenfile.js';

const tokens: TokenAuthenticator = tokenFileAuthenticator(
  '# comment\ngood,jane,u1,"dev,ops"\nplain,bob,u2\n"quo""ted",eve,u3,solo\n',
);

function credentials(values: Readonly<Record<string, string | readonly string[]>>, more: Partial<Credentials> = {}) {
  const warnings: string[] = [];
  const of: Credentials & { warnings: string[] } = {
    headers: Object.fromEntries(Object.entries(values).map(([name, v]) => [name, [v].flat().join(', ')])),
    lines: (name) => (Object.hasOwn(values, name) ? [values[name]!].flat() : []),
    connection: { identity: undefined, digested: undefined, certificate: () => undefined },
    path: '/api',
    warn: (text) => warnings.push(text),
    annotateCredential: () => {},
    warnings,
    ...more,
  };
  return of;
}

describe('token files', () => {
  it('have users with their groups', async () => {
    expect(await tokens.authenticateToken('good')).toEqual({
      kind: 'authenticated',
      user: { name: 'jane', uid: 'u1', groups: ['dev', 'ops', 'system:authenticated'] },
    });
    expect(await tokens.authenticateToken('plain')).toMatchObject({
      user: { name: 'bob', groups: ['system:authenticated'] },
    });
    expect(await tokens.authenticateToken('quo"ted')).toMatchObject({
      user: { name: 'eve', groups: ['solo', 'system:authenticated'] },
    });
    expect(await tokens.authenticateToken('goo')).toEqual(NONE);
  });

  it('need three columns', () => {
    expect(() => tokenFileAuthenticator('a,b\n')).toThrow(TokenFileError);
  });
});

describe('bearer tokens', () => {
  const bearer = bearerAuthenticator(tokens);

  it.each([
    ['Bearer good', 'authenticated'],
    ['bearer good', 'authenticated'],
    [' BEARER good ', 'authenticated'],
    ['Bearer good more', 'authenticated'],
    ['Bearer nonsense', 'failed'],
    ['Bearer "good"', 'failed'],
    ['Bearer', 'none'],
    ['Bearer  good', 'none'],
    ['Token good', 'none'],
    ['good', 'none'],
    [`Bearer ${'x'.repeat(100_000)}`, 'failed'],
  ])('%s', async (authorization, kind) => {
    expect((await bearer.authenticate(credentials({ authorization }))).kind).toBe(kind);
  });

  it('are ignored after a second space, with a warning', async () => {
    const asked = credentials({ authorization: 'Bearer  good' });
    await bearer.authenticate(asked);
    expect(asked.warnings).toEqual([
      'the provided Authorization header contains extra space before the bearer token, and is ignored',
    ]);
  });

  it('are accepted as a subprotocol of a WebSocket, beside another one', async () => {
    const socket = webSocketAuthenticator(tokens);
    const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from('good').toString('base64url')}`;
    const kind = async (protocols: string | readonly string[], upgrade = 'websocket') =>
      (await socket.authenticate(credentials({ upgrade, 'sec-websocket-protocol': protocols }))).kind;
    expect(await kind(`${protocol}, v4.channel.k8s.io`)).toBe('authenticated');
    expect(await kind([protocol, 'v4.channel.k8s.io'])).toBe('authenticated');
    expect(await kind(protocol)).toBe('failed');
    expect(await kind([protocol, protocol, 'x'])).toBe('failed');
    expect(await kind('v4.channel.k8s.io')).toBe('none');
    expect(await kind(`${protocol}, x`, 'h2c')).toBe('none');
  });
});

describe('a chain of authenticators', () => {
  const of = (found: Authentication | Promise<Authentication>) => ({ authenticate: () => found });
  const jane: Authentication = { kind: 'authenticated', user: { name: 'jane', groups: [] } };

  it('accepts a user of a later authenticator, and adds system:authenticated', async () => {
    const failed: Authentication = { kind: 'failed', reason: 'x' };
    const chain = authenticatorChain([of(failed), of(Promise.resolve(NONE)), of(jane)]);
    expect(await chain.authenticate(credentials({}))).toEqual({
      kind: 'authenticated',
      user: { name: 'jane', groups: ['system:authenticated'] },
    });
    expect(await authenticatorChain([of(failed), of(Promise.resolve(NONE))]).authenticate(credentials({}))).toEqual(
      failed,
    );
    expect(await authenticatorChain([]).authenticate(credentials({}))).toEqual(NONE);
    expect(await tokenChain([tokens]).authenticateToken('nonsense')).toEqual(NONE);
  });

  it('admits anonymous users only if no credentials failed, and only to the given paths', async () => {
    const user = async (found: Authentication, paths?: readonly string[]) =>
      withAnonymous(of(found), paths).authenticate(credentials({}));
    expect(await user(NONE)).toMatchObject({ user: { name: 'system:anonymous', groups: ['system:unauthenticated'] } });
    expect(await user(jane)).toBe(jane);
    expect((await user({ kind: 'failed', reason: '' })).kind).toBe('failed');
    expect((await user(NONE, ['/healthz'])).kind).toBe('none');
    expect((await user(NONE, ['/api'])).kind).toBe('authenticated');
  });
});

describe('front proxies', () => {
  const config = {
    usernameHeaders: ['X-Remote-User'],
    uidHeaders: ['x-remote-uid'],
    groupHeaders: ['X-Remote-Group'],
    extraHeaderPrefixes: ['X-Remote-Extra-'],
    allowedNames: ['proxy'],
  };
  const headers = {
    'x-remote-user': 'jane',
    'x-remote-uid': 'u',
    'x-remote-group': ['a', 'b'],
    'x-remote-extra-acme.com%2Fscope': ['s', 't'],
  };
  /** An inspector with the findings of the test. */
  const inspector = (found: ReturnType<CertificateInspector['look']>) =>
    ({ look: () => found }) as unknown as CertificateInspector;
  const ask = (
    found: ReturnType<CertificateInspector['look']>,
    of: Record<string, string | readonly string[]> = headers,
  ) => requestHeaderAuthenticator(config, inspector(found), () => 1).authenticate(credentials(of));
  const valid = { user: 'bad', proxy: { name: 'proxy', validUntil: 2 } } as const;

  it('authenticate the users in their headers', async () => {
    expect(await ask(valid)).toEqual({
      kind: 'authenticated',
      user: { name: 'jane', uid: 'u', groups: ['a', 'b'], extra: { 'acme.com/scope': ['s', 't'] } },
    });
    expect(await ask(valid, {})).toEqual(NONE);
  });

  it('must present a valid certificate with an allowed name', async () => {
    expect((await ask({ user: 'none', proxy: undefined })).kind).toBe('none');
    expect((await ask({ user: 'bad', proxy: undefined })).kind).toBe('failed');
    expect((await ask({ user: 'bad', proxy: { name: 'other', validUntil: 2 } })).kind).toBe('failed');
    expect((await ask({ user: 'bad', proxy: { name: 'proxy', validUntil: 1 } })).kind).toBe('failed');
  });
});

describe('client certificates', () => {
  it('are invalid if no configured authority signed them', async () => {
    const inspector = new CertificateInspector(
      { client: '', proxy: undefined },
      () => 0,
      () => {},
    );
    const certificate = { fingerprint256: 'AA', subject: { CN: 'jane' } } as never;
    const connection = {
      identity: undefined,
      digested: undefined,
      certificate: () => ({ verified: true, certificate }),
    };
    const authenticator = certificateAuthenticator(inspector, () => 0);
    expect((await authenticator.authenticate(credentials({}, { connection }))).kind).toBe('failed');
    expect((await authenticator.authenticate(credentials({}))).kind).toBe('none');
  });
});
