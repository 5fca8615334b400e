import { describe, expect, it } from 'vitest';
import type { EncryptedKey } from './kms.js';
import { hashOf } from './metrics.js';
import { configuration, FakeKms, open } from './testing/keyspaces.js';

const FILE = configuration([
  [['secrets'], [{ kms: { apiVersion: 'v2', name: 'plug', endpoint: 'unix:///nowhere.sock' } }]],
]);
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** Lets Encrypt fail with this message, or respond with these fields changed. */
function breakEncrypt(kms: FakeKms, fault: string | Partial<EncryptedKey>): void {
  const encrypt = kms.encrypt.bind(kms);
  kms.encrypt = async (uid, plain) => {
    if (typeof fault === 'string') throw new Error(fault);
    return { ...(await encrypt(uid, plain)), ...fault };
  };
}

/** The message of the health check, with the uid of the call of Encrypt replaced. */
async function unhealthy(of: {
  readonly encryption: { readonly health: (() => Promise<string | undefined>) | undefined };
}) {
  return (await of.encryption.health!())?.replace(/uid="[0-9a-f-]{36}"/, 'uid=UID');
}

describe('the health of a KMS plug-in', () => {
  it.each<readonly [fault: string | Partial<EncryptedKey>, why: string, encryptedWith: string]>([
    ['boom', 'failed to encrypt DEK, error: boom', ''],
    [{ keyId: 'k1' }, '<nil>', 'k1'],
    [{ ciphertext: new Uint8Array() }, 'failed to validate encrypted DEK source: encrypted DEK source is empty', ''],
    [{ keyId: '' }, 'failed to validate key id: keyID is empty', ''],
    [
      { annotations: { plain: new Uint8Array(1) } },
      'failed to validate annotations: annotations: Invalid value: "plain": should be a domain with at least two segments separated by dots',
      '',
    ],
    [
      { annotations: { ab: new Uint8Array(1), cd: new Uint8Array(1) } },
      'failed to validate annotations: [annotations: Invalid value: "ab": should be a domain with at least two segments separated by dots, ' +
        'annotations: Invalid value: "cd": should be a domain with at least two segments separated by dots]',
      '',
    ],
    [{ annotations: { '': new Uint8Array(1) } }, 'failed to validate annotations: annotations: Required value', ''],
    [
      { annotations: { 'A_b.example.com': new Uint8Array(1) } },
      `failed to validate annotations: annotations: Invalid value: "A_b.example.com": ${SUBDOMAIN}`,
      '',
    ],
  ])('says why no key of its new key id is used: %j', async (fault, why, encryptedWith) => {
    const s = await open(FILE);
    const expires = new Date(s.world.clock.now() + 180_000).toISOString().replace('.000Z', 'Z');
    s.kms.keyId = 'k2';
    breakEncrypt(s.kms, fault);
    await s.world.advance(20_000);
    expect(await unhealthy(s)).toBe(
      `kms-provider-0: kmsv2 Provider plug is not healthy, error: failed to rotate DEK uid=UID, useSeed=true, errState=<nil>, errGen=${why}, ` +
        `statusKeyIDHash="${hashOf('k2')}", encryptKeyIDHash="${hashOf(encryptedWith)}", stateKeyIDHash="${hashOf('k1')}", expirationTimestamp=${expires}`,
    );
  });

  it('says that there is no key if the first one could not be made', async () => {
    const kms = new FakeKms();
    breakEncrypt(kms, 'boom');
    expect(await unhealthy(await open(FILE, { kms }))).toBe(
      'kms-provider-0: kmsv2 Provider plug is not healthy, error: failed to rotate DEK uid=UID, useSeed=true, errState=got unexpected nil transformer, ' +
        `errGen=failed to encrypt DEK, error: boom, statusKeyIDHash="${hashOf('k1')}", encryptKeyIDHash="", stateKeyIDHash="", expirationTimestamp=0001-01-01T00:00:00Z`,
    );
  });

  it('is the error of Status alone if that fails', async () => {
    const s = await open(FILE);
    s.kms.down = true;
    await s.world.advance(20_000);
    const failed = 'rpc error: code = DeadlineExceeded desc = no answer';
    expect(await s.encryption.health!()).toBe(
      `kms-provider-0: failed to perform status section of the healthz check for KMS Provider plug, error: ${failed}`,
    );
    // The next check has the result of this one.
    expect(await s.encryption.health!()).toBe(`kms-provider-0: ${failed}`);
  });
});
