import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startWithFlags, type TestApiServer } from '../../pkg/server/library.js';
import { type Answer, call, eventually } from './client.js';

let server: TestApiServer | undefined;
const folder = mkdtempSync(join(tmpdir(), 'trireme-keys-'));
afterEach(async () => {
  await server?.close();
  rmSync(folder, { recursive: true });
});

it('reloads the files of the keys of service-account tokens', async () => {
  const newKey = (): { privatePem: string; publicPem: string } => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return {
      privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      publicPem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    };
  };
  const [first, second] = [newKey(), newKey()];
  const [signing, verifying] = [join(folder, 'signing.key'), join(folder, 'verifying.pub')];
  writeFileSync(signing, first.privatePem);
  writeFileSync(verifying, first.publicPem);
  server = await startWithFlags([
    '--controllers=serviceaccount-controller',
    `--service-account-signing-key-file=${signing}`,
    `--service-account-key-file=${verifying}`,
  ]);
  const { url, cert, key } = server;
  const newToken = async (): Promise<string> => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const made = await eventually(async () => {
      const answer = await call({ url, cert, key, method: 'POST', path, body: { spec: {} } });
      return answer.status === 201 ? answer : undefined;
    });
    return made.json.status.token;
  };
  const get = (token: string): Promise<Answer> => call({ url, token, path: '/api' });
  const keyIds = async (): Promise<string[]> =>
    (await call({ url, cert, key, path: '/openid/v1/jwks' })).json.keys.map((k: { kid: string }) => k.kid);
  const old = await newToken();
  const [firstId] = await keyIds();
  expect((await get(old)).status).toBe(200);
  // A rotation: the new key signs, and both verify.
  writeFileSync(verifying, first.publicPem + second.publicPem);
  writeFileSync(signing, second.privatePem);
  const ids = await eventually(async () => {
    const found = await keyIds();
    return found.length === 2 ? found : undefined;
  });
  expect(ids[0]).toBe(firstId);
  const kidOf = (token: string): string =>
    (JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { kid: string }).kid;
  const next = await eventually(async () => {
    const token = await newToken();
    return kidOf(token) === ids[1] ? token : undefined;
  });
  expect([(await get(old)).status, (await get(next)).status]).toEqual([200, 200]);
  writeFileSync(verifying, second.publicPem);
  await eventually(async () => ((await get(old)).status === 401 ? true : undefined));
  expect((await get(next)).status).toBe(200);
  expect(await keyIds()).toEqual([ids[1]]);
});
