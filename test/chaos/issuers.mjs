// Plays hostile issuers of tokens (OpenID Connect) and a hostile KMS plug-in on a running server. See play.mjs for what it reports and for its
// arguments. FOLDER gets the certificate of the issuers, which listen on 127.0.0.1, port HOSTILE_PORT, and the configuration files; the plug-in
// listens on FOLDER/kms.sock:
//   node test/chaos/issuers.mjs prepare FOLDER
//   ... dist/cmd/apiserver/main.js --authentication-config=FOLDER/authentication.yaml --encryption-provider-config=FOLDER/encryption.yaml &
//   HOSTILE=FOLDER node test/chaos/issuers.mjs PORT PKI_FOLDER [PID [TURNS_FILE [PART_OF_A_NAME]]]
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompactSign } from 'jose';

const hostilePort = Number(process.env.HOSTILE_PORT ?? 26_901);
const origin = `https://127.0.0.1:${hostilePort}`;
/** Each attack on discovery has an issuer of its own: a server asks for the document until it has one. */
const DISCOVERIES = ['endless', 'dribble', 'silent', 'values', 'brackets', 'digits', 'garbage', 'circle', 'html', 'headers'];

if (process.argv[2] === 'prepare') {
  const folder = process.argv[3];
  mkdirSync(folder, { recursive: true });
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-subj', '/CN=hostile', '-addext', 'subjectAltName=IP:127.0.0.1', ...files], { stdio: 'ignore' });
  const certificateAuthority = readFileSync(`${folder}/cert.pem`, 'utf8');
  const jwt = ['keys', ...DISCOVERIES].map((name) => ({
    issuer: { url: `${origin}/${name}`, certificateAuthority, audiences: ['trireme'] },
    claimMappings: { username: { claim: 'sub', prefix: '' }, groups: { claim: 'groups', prefix: '' } },
  }));
  const of = (kind, rest) => JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind, ...rest });
  writeFileSync(`${folder}/authentication.yaml`, of('AuthenticationConfiguration', { jwt }));
  const kms = { apiVersion: 'v2', name: 'hostile', endpoint: `unix://${folder}/kms.sock`, timeout: '3s' };
  writeFileSync(`${folder}/encryption.yaml`, of('EncryptionConfiguration', { resources: [{ resources: ['secrets'], providers: [{ kms }, { identity: {} }] }] }));
  process.exit(0);
}

const { agent, play, request } = await import('./play.mjs');
const folder = process.env.HOSTILE;
const [cert, key] = ['cert', 'key'].map((name) => readFileSync(`${folder}/${name}.pem`));
const mine = agent();
const many = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const keysOf = (n) => Object.fromEntries(many(n, (i) => [`k${i}`, '']));
const KB = 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

const endless = (outgoing) => {
  outgoing.writeHead(200, JSON_TYPE);
  const chunk = Buffer.alloc(64 * KB, ' ');
  const more = () => {
    while (!outgoing.destroyed && outgoing.write(chunk));
    if (!outgoing.destroyed) outgoing.once('drain', more);
  };
  outgoing.on('error', () => {});
  more();
};
const dribble = (outgoing) => {
  outgoing.writeHead(200, JSON_TYPE);
  const timer = setInterval(() => (outgoing.destroyed ? clearInterval(timer) : outgoing.write(' ')), 1);
  outgoing.on('error', () => {});
};
const redirect = (outgoing, to) => outgoing.writeHead(302, { location: to }).end('moved');

/** How the issuers answer, by path; an issuer without an answer has no document. */
const answers = new Map();
let calls = 0;
const server = https.createServer({ cert, key }, (incoming, outgoing) => {
  calls++;
  const found = answers.get(incoming.url);
  if (typeof found === 'function') return found(outgoing);
  if (found === undefined) return outgoing.writeHead(404).end();
  outgoing.writeHead(200, JSON_TYPE);
  outgoing.end(typeof found === 'string' ? found : JSON.stringify(found));
});
await new Promise((resolve) => server.listen(hostilePort, '127.0.0.1', resolve));

/** Answers with a document of discovery until it was asked for three times. */
const discovery = (name, answer) => async () => {
  const before = calls;
  answers.set(`/${name}/.well-known/openid-configuration`, answer);
  await sleep(14_000);
  answers.delete(`/${name}/.well-known/openid-configuration`);
  return `${calls - before} calls`;
};

const ISSUER = `${origin}/keys`;
answers.set('/keys/.well-known/openid-configuration', { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks` });
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const own = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'ES256', use: 'sig' };
const now = () => Math.floor(Date.now() / 1000);
const token = (claims = {}, header = {}) =>
  new CompactSign(Buffer.from(JSON.stringify({ iss: ISSUER, aud: 'trireme', exp: now() + 600, sub: `u${Math.random()}`, ...claims })))
    .setProtectedHeader({ alg: 'ES256', kid: 'own', ...header })
    .sign(pair.privateKey);
const ask = async (...of) =>
  request(new https.Agent({ rejectUnauthorized: false }), 'GET', '/api/v1/namespaces/default/configmaps', undefined, undefined, { authorization: `Bearer ${await token(...of)}` });
const ec = (i) => ({ ...own, kid: `ec${i}` });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
/** An odd number of this many bytes. */
const modulus = (bytes) => Buffer.concat([Buffer.from([0xc1]), randomBytes(bytes - 2), Buffer.from([0xff])]).toString('base64url');

/** Publishes a set of keys, and presents tokens that make the server fetch it and try its keys. */
const keySet = (set, header = { kid: 'absent' }, times = 5) => async () => {
  answers.set('/keys/jwks', set);
  const before = calls;
  const found = [];
  for (let i = 0; i < times; i++) {
    found.push(...(await Promise.all(many(8, () => ask({}, header)))));
    await sleep(1100);
  }
  return [...found, `${calls - before} calls`];
};
/** The groups of the user are in a token that the issuer serves elsewhere. */
const distributed = (answer, times = 5) => async () => {
  answers.set('/keys/jwks', { keys: [own] });
  const before = calls;
  const found = [];
  for (let i = 0; i < times; i++) {
    answers.set('/groups', await answer(i));
    const sources = { far: { endpoint: `${origin}/groups`, access_token: 'x' } };
    found.push(await ask({ _claim_names: { groups: 'far' }, _claim_sources: sources }));
  }
  return [...found, `${calls - before} calls`];
};

/** The plug-in: HTTP/2 by hand, because no library writes what it must not. */
const messages = {
  varint(n) {
    const bytes = [];
    for (; n > 127; n = Math.floor(n / 128)) bytes.push((n % 128) | 128);
    return Buffer.from([...bytes, n]);
  },
  field: (number, bytes) => Buffer.concat([Buffer.from([number * 8 + 2]), messages.varint(Buffer.byteLength(bytes)), Buffer.from(bytes)]),
  framed(message) {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    return Buffer.concat([head, message]);
  },
};
const { field, framed } = messages;
const status = (keyId = 'one', healthz = 'ok', version = 'v2') => Buffer.concat([field(1, version), field(2, healthz), field(3, keyId)]);
const encrypted = (keyId = 'one', ciphertext = 'sealed', more = Buffer.alloc(0)) => Buffer.concat([field(1, ciphertext), field(2, keyId), more]);
const annotation = (name, value) => field(3, Buffer.concat([field(1, name), field(2, value)]));
const KIND = { Status: () => status(), Encrypt: () => encrypted(), Decrypt: () => field(1, randomBytes(32)) };
let plugin = KIND;
let pluginCalls = 0;
rmSync(`${folder}/kms.sock`, { force: true });
const kms = http2.createServer();
kms.on('stream', (stream, headers) => {
  pluginCalls++;
  const method = headers[':path'].split('/').pop();
  stream.on('error', () => {});
  stream.resume();
  const found = plugin[method]();
  if (found === undefined) return;
  if (typeof found === 'function') return found(stream);
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(framed(found));
});
kms.on('sessionError', () => {});
await new Promise((resolve) => kms.listen(`${folder}/kms.sock`, resolve));
const flood = (stream) => {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
  const head = Buffer.alloc(5);
  head.writeUInt32BE(0xffffffff, 1);
  stream.write(head);
  const chunk = Buffer.alloc(64 * KB, 'x');
  const more = () => {
    while (!stream.destroyed && stream.write(chunk));
    if (!stream.destroyed) stream.once('drain', more);
  };
  more();
};
const secret = () => request(mine, 'POST', '/api/v1/namespaces/default/secrets', JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 'x' } }));
/** The health check asks the plug-in as soon as its last answer is too old. */
const kmsAttack = (methods, seconds = 12) => async () => {
  const before = pluginCalls;
  plugin = { ...KIND, ...methods };
  const found = [];
  for (let i = 0; i < seconds; i++) {
    found.push(await request(mine, 'GET', '/healthz/kms-providers'), await secret());
    await sleep(1000);
  }
  plugin = KIND;
  return [...found, `${pluginCalls - before} calls`];
};

await play({
  'an issuer: an answer without an end': discovery('endless', endless),
  'an issuer: a byte each millisecond': discovery('dribble', dribble),
  'an issuer: no answer': discovery('silent', () => {}),
  'an issuer: a document of 70,000 keys': discovery('values', keysOf(70_000)),
  'an issuer: a document of 1 MB of brackets': discovery('brackets', '['.repeat(500 * KB) + ']'.repeat(500 * KB)),
  'an issuer: a document of 1 MB of digits': discovery('digits', `{"a":${'9'.repeat(1000 * KB)}}`),
  'an issuer: 1 MB of garbage': discovery('garbage', 'x'.repeat(1000 * KB)),
  'an issuer: redirects in a circle': discovery('circle', (outgoing) => redirect(outgoing, `${origin}/circle/.well-known/openid-configuration`)),
  'an issuer: a page of HTML': discovery('html', (outgoing) => outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<html>'.repeat(100 * KB))),
  'an issuer: 15 KB of headers': discovery('headers', (outgoing) => outgoing.writeHead(200, { ...JSON_TYPE, ...Object.fromEntries(many(700, (i) => [`x${i}`, 'y'.repeat(10)])) }).end('{}')),
  'keys: 5,000 of elliptic curves': keySet({ keys: many(5000, ec) }),
  'keys: 5,000 of elliptic curves, tokens without a key id': keySet({ keys: many(5000, ec) }, { kid: undefined }),
  'keys: 2,000 RSA keys': keySet({ keys: many(2000, (i) => ({ ...rsa, kid: `r${i}` })) }),
  'keys: 2,000 RSA keys under the id of the token': keySet({ keys: many(2000, (i) => ({ ...rsa, n: modulus(256), kid: 'own' })) }, { alg: 'ES256' }),
  'keys: 300 RSA keys of 16,384 bits': keySet({ keys: many(300, () => ({ kty: 'RSA', n: modulus(2048), e: modulus(8), kid: 'absent' })) }),
  'keys: an RSA key of 5 million bits': keySet({ keys: [{ kty: 'RSA', n: modulus(650_000), e: modulus(100_000), kid: 'absent' }] }),
  'keys: 300,000 empty objects': keySet({ keys: many(300_000, () => ({})) }),
  'keys: 300,000 numbers': keySet({ keys: many(300_000, () => 1) }),
  'keys: 1 MB of brackets': keySet(`{"keys":${'['.repeat(500 * KB)}${']'.repeat(500 * KB)}}`),
  'keys: an answer without an end': keySet(endless, undefined, 1),
  'keys: redirects in a circle': keySet((outgoing) => redirect(outgoing, `${ISSUER}/jwks`)),
  'distributed claims: 60,000 groups': distributed(() => token({ groups: many(60_000, (i) => `g${i}`) })),
  'distributed claims: 50,000 other claims': distributed(() => token({ ...keysOf(50_000), groups: ['x'] })),
  'distributed claims: 1 MB of brackets': distributed(() => `${Buffer.from('{"alg":"ES256"}').toString('base64url')}.${Buffer.from(`{"a":${'['.repeat(350 * KB)}${']'.repeat(350 * KB)}}`).toString('base64url')}.AA`),
  'distributed claims: an answer without an end': distributed(() => endless, 2),
  'distributed claims: 200 issuers': distributed((i) => token({ iss: `${origin}/other${i}`, groups: ['x'] }), 200),
  'a plug-in: Status does not answer': kmsAttack({ Status: () => undefined }),
  'a plug-in: Status answers without an end': kmsAttack({ Status: () => flood }),
  'a plug-in: Status of 4 MB': kmsAttack({ Status: () => status('one', 'x'.repeat(4000 * KB)) }),
  'a plug-in: a version of 4 MB': kmsAttack({ Status: () => status('one', 'ok', 'x'.repeat(4000 * KB)) }),
  'a plug-in: a key id of 4 MB': kmsAttack({ Status: () => status('x'.repeat(4000 * KB)) }),
  'a plug-in: a million unknown fields': kmsAttack({ Status: () => Buffer.concat([status(), Buffer.alloc(4000 * KB, Buffer.from([0x38, 1]))]) }),
  'a plug-in: another key at each Status': kmsAttack({ Status: () => status(`k${Math.random()}`) }),
  'a plug-in: another key at each call, with which it encrypts': (() => {
    let id = '';
    return kmsAttack({ Status: () => status((id = `k${Math.random()}`)), Encrypt: () => encrypted(id, id) });
  })(),
  'a plug-in: an error message of 60 KB': kmsAttack({
    Status: () => (stream) => stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '2', 'grpc-message': 'x'.repeat(60 * KB) }, { endStream: true }),
  }),
  'a plug-in: health that flips': (() => {
    let n = 0;
    return kmsAttack({ Status: () => status('one', n++ % 2 === 0 ? 'ok' : 'no') });
  })(),
  'a plug-in: 200,000 annotations': kmsAttack({ Status: () => status(`k${Math.random()}`), Encrypt: () => encrypted('one', 'x', Buffer.concat(many(200_000, (i) => annotation(`a${i}.b`, '')))) }),
  'a plug-in: a ciphertext of 4 MB': kmsAttack({ Status: () => status(`k${Math.random()}`), Encrypt: () => encrypted('one', 'x'.repeat(4000 * KB)) }),
  'a plug-in: Encrypt does not answer': kmsAttack({ Status: () => status(`k${Math.random()}`), Encrypt: () => undefined }),
});
