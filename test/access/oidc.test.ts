import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWithFlags, type TestApiServer } from '../../pkg/server/library.js';
import { type Answer, call, eventually } from './client.js';
import { newKey, startIssuer, type TestIssuer } from './issuer.js';

const SELF = {
  path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  method: 'POST',
  body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
};

let issuer: TestIssuer;
let server: TestApiServer | undefined;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-oidc-'));
  issuer = await startIssuer();
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await issuer.close();
  rmSync(folder, { recursive: true });
});

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const start = async (...flags: string[]): Promise<void> => {
  server = await startWithFlags(['--controllers=', ...flags]);
};

const whoAmI = (token: string): Promise<Answer> => call({ url: server!.url, token, ...SELF });

/** The user of a token, after the issuer was discovered. */
async function userOf(token: string): Promise<Record<string, unknown>> {
  const found = await eventually(async () => {
    const answer = await whoAmI(token);
    return answer.status === 201 ? answer : undefined;
  });
  return found.json.status.userInfo;
}

const configOf = (jwt: object, more: object = {}): string =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [jwt],
    ...more,
  });

const authenticator = (more: object = {}): object => ({
  issuer: { url: issuer.url, audiences: ['trireme'], certificateAuthority: issuer.authority },
  claimMappings: { username: { claim: 'sub', prefix: '' } },
  ...more,
});

describe('--oidc-*', () => {
  it('names users by claims with their prefixes', async () => {
    issuer.keys = [newKey('r', 'rsa')];
    await start(
      `--oidc-issuer-url=${issuer.url}`,
      '--oidc-client-id=trireme',
      `--oidc-ca-file=${file('ca.pem', issuer.authority)}`,
      '--oidc-groups-claim=roles',
      '--oidc-groups-prefix=oidc:',
      '--oidc-required-claim=tenant=a',
    );
    const user = await userOf(await issuer.token({ roles: ['x', 'y'], tenant: 'a', jti: '7' }));
    expect(user).toEqual({
      username: `${issuer.url}#jane`,
      groups: ['oidc:x', 'oidc:y', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=7'] },
    });
    expect(await userOf(await issuer.token({ roles: 'one', tenant: 'a' }))).toMatchObject({
      groups: ['oidc:one', 'system:authenticated'],
    });
    for (const claims of [{ tenant: 'b' }, {}, { tenant: 'a', aud: 'other' }, { tenant: 'a', roles: [1] }])
      expect((await whoAmI(await issuer.token(claims))).status).toBe(401);
  });

  it('refuses algorithms that are not listed', async () => {
    await start(
      `--oidc-issuer-url=${issuer.url}`,
      '--oidc-client-id=trireme',
      `--oidc-ca-file=${file('ca', issuer.authority)}`,
    );
    issuer.keys.push(newKey('r', 'rsa'));
    await userOf(await issuer.token({}, { key: issuer.keys[1]! }));
    expect((await whoAmI(await issuer.token({}))).status).toBe(401);
  });
});

describe('AuthenticationConfiguration', () => {
  it('maps claims by expressions and applies the validation rules', async () => {
    const config = configOf(
      authenticator({
        claimMappings: {
          username: { expression: "'u:' + claims.sub" },
          groups: { expression: "claims.?roles.orValue('').split(',')" },
          uid: { expression: 'claims.deep.id' },
          extra: [
            { key: 'example.com/tenant', valueExpression: 'claims.tenant' },
            { key: 'example.com/dotted', valueExpression: 'claims.deep.a__dot__b' },
            { key: 'example.com/none', valueExpression: "''" },
          ],
        },
        claimValidationRules: [{ expression: 'claims.exp - claims.iat <= 3600.0', message: 'lives too long' }],
        userValidationRules: [{ expression: "!user.username.startsWith('u:system')", message: 'reserved' }],
      }),
    );
    await start(`--authentication-config=${file('config.yaml', config)}`);
    const claims = { roles: 'a,b', tenant: ['t', ''], deep: { id: 'me', 'a.b': 'dot' } };
    expect(await userOf(await issuer.token(claims))).toEqual({
      username: 'u:jane',
      uid: 'me',
      groups: ['a', 'b', 'system:authenticated'],
      extra: { 'example.com/tenant': ['t'], 'example.com/dotted': ['dot'] },
    });
    const seconds = Math.floor(Date.now() / 1000);
    expect((await whoAmI(await issuer.token({ ...claims, exp: seconds + 9000 }))).status).toBe(401);
    expect((await whoAmI(await issuer.token({ ...claims, sub: 'system:x' }))).status).toBe(401);
    const review = await call({
      url: server!.url,
      cert: server!.cert,
      key: server!.key,
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: { spec: { token: await issuer.token({ ...claims, sub: 'system:x' }) } },
    });
    expect(review.json.status.error).toContain("'!user.username.startsWith('u:system')' failed: reserved");
  });

  it('uses another discovery URL, and the issuer from the document', async () => {
    const name = 'https://issuer.example';
    issuer.claimedIssuer = name;
    const jwt = authenticator({
      issuer: {
        url: name,
        discoveryURL: `${issuer.url}/.well-known/openid-configuration`,
        audiences: ['a', 'trireme'],
        audienceMatchPolicy: 'MatchAny',
        certificateAuthority: issuer.authority,
      },
    });
    await start(`--authentication-config=${file('config', configOf(jwt))}`);
    expect(await userOf(await issuer.token({ iss: name }))).toMatchObject({ username: 'jane' });
    expect((await whoAmI(await issuer.token({}))).status).toBe(401);
  });

  it('is refused if an issuer selects a network without an egress configuration', async () => {
    const selecting = { url: issuer.url, audiences: ['client'], egressSelectorType: 'cluster' };
    const flag = `--authentication-config=${file('config', configOf(authenticator({ issuer: selecting })))}`;
    await expect(start(flag)).rejects.toThrow('oidc: egress lookup required with egress selector type "cluster"');
  });

  it('is reloaded with the file, and stays if the new one is invalid', async () => {
    const path = file('config', configOf(authenticator()));
    await start(`--authentication-config=${path}`);
    const token = await issuer.token({ other: 'joe' });
    expect(await userOf(token)).toMatchObject({ username: 'jane' });
    const metric = async (name: string): Promise<number> => {
      const { body } = await call({ url: server!.url, path: '/metrics', cert: server!.cert, key: server!.key });
      const line = body.split('\n').find((l) => l.startsWith(name));
      return Number(line?.slice(line.lastIndexOf(' ')) ?? 0);
    };
    const reloads = 'apiserver_authentication_config_controller_automatic_reloads_total';
    writeFileSync(path, configOf(authenticator({ claimMappings: {} })));
    await eventually(async () => ((await metric(`${reloads}{status="failure"`)) === 1 ? true : undefined));
    expect(await userOf(token)).toMatchObject({ username: 'jane' });
    writeFileSync(path, configOf(authenticator({ claimMappings: { username: { claim: 'other', prefix: '' } } })));
    await eventually(async () => ((await metric(`${reloads}{status="success"`)) === 1 ? true : undefined));
    expect(await userOf(token)).toMatchObject({ username: 'joe' });
  });

  it('is reloaded only when the new issuers are discovered', async () => {
    const path = file('config', configOf(authenticator()));
    await start(`--authentication-config=${path}`);
    const token = await issuer.token({ other: 'joe' });
    expect(await userOf(token)).toMatchObject({ username: 'jane' });
    const asked = issuer.asked.length;
    issuer.available = false;
    writeFileSync(path, configOf(authenticator({ claimMappings: { username: { claim: 'other', prefix: '' } } })));
    await eventually(async () => (issuer.asked.length > asked ? true : undefined));
    expect(await userOf(await issuer.token({ sub: 'new' }))).toMatchObject({ username: 'new' });
    issuer.available = true;
    await eventually(async () => ((await whoAmI(token)).json.status.userInfo.username === 'joe' ? true : undefined));
  }, 120_000);

  it('follows redirects of the issuer to https URLs', async () => {
    issuer.redirects.set('/.well-known/openid-configuration', '/elsewhere');
    issuer.redirects.set('/elsewhere', `${issuer.url}/document`);
    issuer.documents.set('/document', JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/moved` }));
    issuer.redirects.set('/moved', '/keys');
    await start(`--authentication-config=${file('config', configOf(authenticator()))}`);
    expect(await userOf(await issuer.token({}))).toMatchObject({ username: 'jane' });
  });

  it('gives up on redirects in a circle, and on those to http', async () => {
    issuer.redirects.set('/keys', '/keys');
    await start(`--authentication-config=${file('config', configOf(authenticator()))}`);
    await eventually(async () => (issuer.asked.length > 0 ? true : undefined));
    await eventually(async () => {
      expect((await whoAmI(await issuer.token({}))).status).toBe(401);
      return issuer.asked.filter((path) => path === '/keys').length >= 10 ? true : undefined;
    });
    issuer.redirects.set('/keys', `${issuer.url.replace('https:', 'http:')}/other`);
    expect((await whoAmI(await issuer.token({}))).status).toBe(401);
    expect(issuer.asked).not.toContain('/other');
  });

  it('ignores keys that no token can be signed with, and those beyond a thousand', async () => {
    const [key] = issuer.keys;
    const odd = [
      {},
      1,
      { kty: 'RSA', n: 'A'.repeat(100_000), e: 'AQAB' },
      { kty: 'RSA', n: 'AQAB', e: 'A'.repeat(20) },
      { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
    ];
    const own = { ...key!.publicKey.export({ format: 'jwk' }), kid: key!.id };
    const other = { ...newKey('x').publicKey.export({ format: 'jwk' }), kid: 'x' };
    issuer.documents.set('/keys', JSON.stringify({ keys: [...odd, own] }));
    await start(`--authentication-config=${file('config', configOf(authenticator()))}`);
    expect(await userOf(await issuer.token({}))).toMatchObject({ username: 'jane' });
    await server?.close();
    issuer.documents.set('/keys', JSON.stringify({ keys: [...Array.from({ length: 1000 }, () => other), own] }));
    await start(`--authentication-config=${file('config', configOf(authenticator()))}`);
    const before = issuer.asked.filter((path) => path === '/keys').length;
    await eventually(async () => {
      expect((await whoAmI(await issuer.token({ sub: 'late' }))).status).toBe(401);
      return issuer.asked.filter((path) => path === '/keys').length > before ? true : undefined;
    });
    expect((await whoAmI(await issuer.token({ sub: 'late' }))).status).toBe(401);
  });

  it('finds new keys, and retries while the issuer is unavailable', async () => {
    issuer.available = false;
    await start(`--authentication-config=${file('config', configOf(authenticator()))}`);
    expect((await whoAmI(await issuer.token({}))).status).toBe(401);
    issuer.available = true;
    expect(await userOf(await issuer.token({}))).toMatchObject({ username: 'jane' });
    issuer.keys = [newKey('two')];
    expect(await userOf(await issuer.token({ sub: 'rotated' }))).toMatchObject({ username: 'rotated' });
  });

  it('fetches distributed groups', async () => {
    const groups = await issuer.token({ roles: ['far'] });
    issuer.documents.set('/groups', groups);
    const mappings = { username: { claim: 'sub', prefix: '' }, groups: { claim: 'roles', prefix: '' } };
    await start(`--authentication-config=${file('config', configOf(authenticator({ claimMappings: mappings })))}`);
    const token = await issuer.token({
      _claim_names: { roles: 'src' },
      _claim_sources: { src: { endpoint: `${issuer.url}/groups` } },
    });
    expect(await userOf(token)).toMatchObject({ groups: ['far', 'system:authenticated'] });
  });

  it('lets anonymous requests use the listed paths only', async () => {
    const config = configOf(authenticator(), { anonymous: { enabled: true, conditions: [{ path: '/livez' }] } });
    const path = file('config', config);
    await start(`--authentication-config=${path}`);
    const get = async (p: string): Promise<number> => (await call({ url: server!.url, path: p })).status;
    expect([await get('/livez'), await get('/readyz'), await get('/version')]).toEqual([200, 401, 401]);
    await expect(startWithFlags([`--authentication-config=${path}`, '--anonymous-auth=true'])).rejects.toThrow(
      'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured',
    );
  });

  it.each([
    ['none of both', ['--oidc-client-id=a'], 'must be specified together'],
    ['both', ['--authentication-config=/x', '--oidc-client-id=a'], 'mutually exclusive'],
  ])('contradicting flags: %s', async (_name, flags, message) => {
    await expect(startWithFlags(flags)).rejects.toThrow(message);
  });
});

describe('invalid tokens', () => {
  const forged = async (): Promise<readonly (readonly [string, string])[]> => {
    const good = await issuer.token({});
    const [header = '', payload = '', signature = ''] = good.split('.');
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const published = issuer.keys[0]!.publicKey.export({ type: 'spki', format: 'pem' });
    const mac = (head: string): string =>
      createHmac('sha256', published).update(`${head}.${payload}`).digest('base64url');
    const hs = encode({ alg: 'HS256', kid: 'one' });
    const seconds = Math.floor(Date.now() / 1000);
    const stranger = newKey('one');
    return [
      ['without signature', `${encode({ alg: 'none' })}.${payload}.`],
      ['with the signature of none', `${encode({ alg: 'None', kid: 'one' })}.${payload}.${signature}`],
      ['signed with the public key as a secret', `${hs}.${payload}.${mac(hs)}`],
      [
        'with another payload',
        `${header}.${encode({ iss: issuer.url, aud: 'trireme', exp: seconds + 9, sub: 'x' })}.${signature}`,
      ],
      ['of a stranger with the same key id', await issuer.token({}, { key: stranger })],
      [
        'with a key in the header',
        await issuer.token({}, { key: stranger, header: { jwk: stranger.publicKey.export({ format: 'jwk' }) } }),
      ],
      ['with a strange key id', await issuer.token({}, { header: { kid: '../../etc/passwd' } })],
      ['that expired', await issuer.token({ exp: seconds - 1 })],
      ['without expiry', await issuer.token({ exp: undefined })],
      ['with an expiry that is no number', await issuer.token({ exp: 'never' })],
      ['with an expiry beyond all times', await issuer.token({ exp: 1e300 })],
      ['that expired by another spelling', await issuer.token({ EXP: seconds - 1 })],
      ['of the future', await issuer.token({ nbf: seconds + 1000 })],
      ['for another audience', await issuer.token({ aud: ['a', 'b'] })],
      ['without an audience', await issuer.token({ aud: undefined })],
      ['with a payload that should not be encoded', await issuer.token({}, { header: { b64: false } })],
      ['that is too large', await issuer.token({ pad: 'x'.repeat(15_000) }, { key: stranger })],
      ['cut off', good.slice(0, -2)],
      ['with a fourth part', `${good}.x`],
      ['without the claim of the user name', await issuer.token({ sub: undefined })],
    ];
  };

  it('are refused with 401, each for its own reason', async () => {
    await start(`--authentication-config=${file('config', configOf(authenticator()))}`);
    await userOf(await issuer.token({}));
    const seen: string[] = [];
    for (const [name, token] of await forged()) {
      const { status } = await whoAmI(token);
      if (status !== 401) seen.push(`${name}: ${status}`);
    }
    expect(seen).toEqual([]);
  });
});
