import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AppliedEvent } from '../storage/index.js';
import { configuration, FakeKms, IDENTITY, key, keyed, open } from './testing/keyspaces.js';

const SECRET = '/registry/secrets/default/a';
const TEXT = '{"kind":"Secret","data":{"password":"aHVudGVyMg=="}}';
const secrets = (...providers: object[]): string => configuration([[['secrets'], providers]]);

describe('values in the store', () => {
  for (const provider of ['aescbc', 'aesgcm', 'secretbox']) {
    it(`are encrypted by ${provider}, with the prefix that etcd users know`, async () => {
      const s = await open(secrets(keyed(provider, ['key1', 'a']), IDENTITY));
      await s.put(SECRET, TEXT);
      const raw = await s.raw(SECRET);
      expect(raw.toString('latin1').startsWith(`k8s:enc:${provider}:v1:key1:`)).toBe(true);
      expect(raw.includes('password')).toBe(false);
      expect(await s.get(SECRET)).toBe(TEXT);
      await s.put('/registry/configmaps/default/a', '{"kind":"ConfigMap"}');
      expect((await s.raw('/registry/configmaps/default/a')).toString()).toBe('{"kind":"ConfigMap"}');
    });
  }

  it('of kube-apiserver are readable: both servers have the same ciphertext format', async () => {
    const vectors = JSON.parse(readFileSync(new URL('../../test/kms/vectors.json', import.meta.url), 'utf8')) as {
      readonly values: Readonly<Record<string, string>>;
    };
    const c = { name: 'key-3', secret: key('c', 24) };
    const s = await open(
      configuration([
        [['secrets'], [keyed('aescbc', ['key1', 'a'])]],
        [['configmaps'], [{ aesgcm: { keys: [c] } }]],
        [['endpoints'], [keyed('secretbox', ['key1', 'a'])]],
      ]),
    );
    const kinds: string[] = [];
    for (const [at, value] of Object.entries(vectors.values)) {
      const op = { kind: 'put', key: at, value: Buffer.from(value, 'base64') } as const;
      await s.inner.txn({ compares: [], ops: [op] });
      // Protobuf: the envelope names the kind.
      kinds.push(/^k8s\0.*?(Secret|ConfigMap|Endpoints)/s.exec(await s.get(at))?.[1] ?? '');
    }
    expect(kinds).toEqual(['Secret', 'ConfigMap', 'Endpoints']);
  });

  it('are bound to their key: aesgcm refuses a value that was copied to another one', async () => {
    const s = await open(secrets(keyed('aesgcm', ['key1', 'a'])));
    await s.put(SECRET, TEXT);
    const copy = { kind: 'put', key: '/registry/secrets/default/b', value: await s.raw(SECRET) } as const;
    await s.inner.txn({ compares: [], ops: [copy] });
    expect(await s.get('/registry/secrets/default/b')).toBe('problem: cipher: message authentication failed');
  });

  it('with a flipped bit affect only that object, with every provider', async () => {
    for (const provider of ['aescbc', 'aesgcm', 'secretbox']) {
      const s = await open(secrets(keyed(provider, ['key1', 'a'])));
      await s.put(SECRET, TEXT);
      await s.put('/registry/secrets/default/whole', TEXT);
      const raw = Buffer.from(await s.raw(SECRET));
      raw[raw.length - 1]! ^= 0x80;
      await s.inner.txn({ compares: [], ops: [{ kind: 'put', key: SECRET, value: raw }] });
      expect(await s.get(SECRET)).toMatch(/^problem: /);
      expect(await s.get('/registry/secrets/default/whole')).toBe(TEXT);
      for (const length of [0, 1, 8, 28, 40, 41]) {
        const cut = { kind: 'put', key: SECRET, value: raw.subarray(0, length) } as const;
        await s.inner.txn({ compares: [], ops: [cut] });
        expect(await s.get(SECRET)).toMatch(/^problem: /);
      }
    }
  });
});

describe('order and rotation', () => {
  it('the first provider and its first key encrypt; all decrypt; values of other keys are stale', async () => {
    const one = await open(secrets(keyed('aescbc', ['key1', 'a']), IDENTITY));
    await one.put(SECRET, TEXT);
    const { inner } = one;
    const added = await open(secrets(keyed('aescbc', ['key1', 'a'], ['key2', 'b']), IDENTITY), { inner });
    expect(await added.get(SECRET)).toBe(TEXT);
    const promoted = await open(secrets(keyed('aescbc', ['key2', 'b'], ['key1', 'a']), IDENTITY), { inner });
    expect(await promoted.get(SECRET)).toBe(`${TEXT} (stale)`);
    await promoted.put(SECRET, TEXT);
    expect((await promoted.raw(SECRET)).toString('latin1')).toMatch(/^k8s:enc:aescbc:v1:key2:/);
    const removed = await open(secrets(keyed('aescbc', ['key1', 'a'])), { inner });
    expect(await removed.get(SECRET)).toBe('problem: no matching key was found for the provided AES transformer');
  });

  it('two keys with one name are different keys', async () => {
    const one = await open(secrets(keyed('aesgcm', ['key', 'a'])));
    await one.put(SECRET, TEXT);
    const both = await open(secrets(keyed('aesgcm', ['key', 'b']), keyed('aesgcm', ['key', 'a'])), one);
    expect(await both.get(SECRET)).toBe(`${TEXT} (stale)`);
    const wrong = await open(secrets(keyed('aesgcm', ['key', 'b'])), one);
    expect(await wrong.get(SECRET)).toBe('problem: cipher: message authentication failed');
  });

  it('identity first decrypts, and stores without encryption; identity last reads what is not encrypted yet', async () => {
    const plain = await open('');
    await plain.put(SECRET, TEXT);
    const { inner } = plain;
    const on = await open(secrets(keyed('aesgcm', ['key1', 'a']), IDENTITY), { inner });
    expect(await on.get(SECRET)).toBe(`${TEXT} (stale)`);
    await on.put(SECRET, TEXT);
    const off = await open(secrets(IDENTITY, keyed('aesgcm', ['key1', 'a'])), { inner });
    expect(await off.get(SECRET)).toBe(`${TEXT} (stale)`);
    await off.put(SECRET, TEXT);
    expect((await off.raw(SECRET)).toString()).toBe(TEXT);
    expect(await on.get(SECRET)).toBe(`${TEXT} (stale)`);
  });

  it('without a configuration encrypted values are refused, and not taken for objects', async () => {
    const one = await open(secrets(keyed('aesgcm', ['key1', 'a'])));
    await one.put(SECRET, TEXT);
    const none = await open('', one);
    expect(await none.get(SECRET)).toBe('problem: no matching prefix found');
  });

  it('wildcards cover a group or everything, and an exact name takes precedence', async () => {
    const s = await open(
      configuration([
        [['configmaps'], [IDENTITY]],
        [['*.apps'], [keyed('aescbc', ['apps', 'a'])]],
        [['*.'], [keyed('aescbc', ['core', 'a'])]],
        [['*.*'], [keyed('aescbc', ['rest', 'a'])]],
      ]),
    );
    const prefixOf = async (at: string): Promise<string> => {
      await s.put(at, '{}');
      return (await s.raw(at)).toString('latin1').split(':').slice(0, 5).join(':');
    };
    expect(await prefixOf('/registry/configmaps/default/a')).toBe('{}');
    expect(await prefixOf('/registry/deployments/default/a')).toBe('k8s:enc:aescbc:v1:apps');
    expect(await prefixOf(SECRET)).toBe('k8s:enc:aescbc:v1:core');
    expect(await prefixOf('/registry/services/endpoints/default/a')).toBe('k8s:enc:aescbc:v1:core');
    expect(await prefixOf('/registry/example.com/widgets/default/a')).toBe('k8s:enc:aescbc:v1:rest');
    expect(await prefixOf('/registry/ranges/serviceips')).toBe('{}');
  });
});

describe('reload', () => {
  it('applies a changed file: earlier values become stale, unreadable ones are read again', async () => {
    const s = await open(secrets(keyed('aesgcm', ['key1', 'a'])), { reload: true });
    await s.put(SECRET, TEXT);
    let readable = 0;
    s.encryption.onReadable(() => readable++);
    const seen = (await s.encryption.keyspace.range({ start: SECRET, end: `${SECRET}\u0000` })) as {
      readonly items: readonly { readonly protection?: { readonly stale: boolean } }[];
    };
    expect(seen.items[0]!.protection!.stale).toBe(false);
    s.file = secrets(keyed('aesgcm', ['key2', 'b'], ['key1', 'a']));
    await s.encryption.reload();
    expect(readable).toBe(1);
    // Values that were read before the change become stale too.
    expect(seen.items[0]!.protection!.stale).toBe(true);
    expect(await s.get(SECRET)).toBe(`${TEXT} (stale)`);
    await s.encryption.reload();
    expect(readable).toBe(1);
  });

  it('keeps the last configuration if the file is invalid', async () => {
    const s = await open(secrets(keyed('aesgcm', ['key1', 'a'])), { reload: true });
    await s.put(SECRET, TEXT);
    s.file = secrets(keyed('aesgcm'));
    await expect(s.encryption.reload()).rejects.toThrow(/at least one keys is required/);
    expect(await s.get(SECRET)).toBe(TEXT);
  });
});

const kmsProvider = (name = 'plug'): object => ({
  kms: { apiVersion: 'v2', name, endpoint: 'unix:///nowhere.sock' },
});

describe('a file that could not be applied', () => {
  const first = secrets(keyed('aesgcm', ['key1', 'a']));
  const next = secrets(keyed('aesgcm', ['key2', 'b'], ['key1', 'a']));
  const invalid = secrets(keyed('aesgcm'));
  const total = (s: Awaited<ReturnType<typeof open>>, status: string): number =>
    s.encryption.metrics.families
      .find((f) => f.name === 'apiserver_encryption_config_controller_automatic_reloads_total')!
      .get()
      .values.filter(({ labels }) => labels['status'] === status)
      .reduce((sum, { value }) => sum + value, 0);

  it('is read again after 5 ms, and after twice that for each further failure', async () => {
    const s = await open(first, { reload: true });
    s.file = invalid;
    await s.world.advance(60_000);
    expect(total(s, 'failure')).toBe(1);
    for (let failures = 1; failures < 12; failures++) {
      const delay = 5 * 2 ** (failures - 1);
      await s.world.advance(delay - 1);
      expect(total(s, 'failure')).toBe(failures);
      await s.world.advance(1);
      expect(total(s, 'failure')).toBe(failures + 1);
    }
    s.file = next;
    await s.world.advance(5 * 2 ** 11);
    expect([total(s, 'failure'), total(s, 'success')]).toEqual([12, 1]);
  });

  it.each([
    ['a changed file', next],
    ['the file in force', first],
  ])('does not delay the retries of a later failure after %s', async (_, valid) => {
    const s = await open(first, { reload: true });
    s.file = invalid;
    await s.world.advance(60_000 + 5 + 10 + 20);
    expect(total(s, 'failure')).toBe(4);
    s.file = valid;
    await s.world.advance(60_000 - 5 - 10 - 20 - 1);
    s.file = invalid;
    await s.world.advance(1);
    expect(total(s, 'failure')).toBe(5);
    await s.world.advance(5);
    expect(total(s, 'failure')).toBe(6);
  });

  it('is not read again after the end', async () => {
    const s = await open(first, { reload: true });
    s.file = invalid;
    await s.world.advance(60_000);
    s.encryption.close();
    await s.world.advance(600_000);
    expect(total(s, 'failure')).toBe(1);
  });
});

describe('KMS', () => {
  it('encrypts with a seed that the plug-in protects, and calls it once for each seed that it reads', async () => {
    const s = await open(secrets(kmsProvider()));
    await s.put(SECRET, TEXT);
    await s.put('/registry/secrets/default/b', TEXT);
    expect((await s.raw(SECRET)).toString('latin1')).toMatch(/^k8s:enc:kms:v2:plug:/);
    expect((await s.raw(SECRET)).includes('password')).toBe(false);
    expect(await s.get(SECRET)).toBe(TEXT);
    expect(s.kms.decrypts).toBe(0);
    const other = await open(secrets(kmsProvider()), { inner: s.inner });
    expect(await other.get(SECRET)).toBe(TEXT);
    expect(await other.get('/registry/secrets/default/b')).toBe(TEXT);
    expect(other.kms.decrypts).toBe(1);
  });

  it('rotates when the plug-in reports another key, and earlier values become stale', async () => {
    const s = await open(secrets(kmsProvider()));
    await s.put(SECRET, TEXT);
    s.kms.keyId = 'k2';
    await s.world.advance(60_000);
    await s.encryption.health!();
    expect(await s.get(SECRET)).toBe(`${TEXT} (stale)`);
    await s.put(SECRET, TEXT);
    expect(await s.get(SECRET)).toBe(TEXT);
  });

  it('continues for three minutes without its plug-in, then refuses writes; reads continue', async () => {
    const s = await open(secrets(kmsProvider()));
    await s.put(SECRET, TEXT);
    s.kms.down = true;
    await s.world.advance(170_000);
    expect(await s.encryption.health!()).toBe('kms-provider-0: rpc error: code = DeadlineExceeded desc = no answer');
    await s.put(SECRET, TEXT);
    await s.world.advance(20_000);
    await expect(s.put(SECRET, TEXT)).rejects.toThrow(
      /^Internal error occurred: encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at [-\dT:]{19}Z \(current time is [-\dT:]{19}Z\)$/,
    );
    expect(await s.get(SECRET)).toBe(TEXT);
    s.kms.down = false;
    await s.world.advance(20_000);
    expect(await s.encryption.health!()).toBeUndefined();
    await s.put(SECRET, TEXT);
  });

  it('a plug-in that is down at the start makes values unreadable until it responds', async () => {
    const first = await open(secrets(kmsProvider()));
    await first.put(SECRET, TEXT);
    const kms = new FakeKms();
    kms.down = true;
    const s = await open(secrets(kmsProvider()), { inner: first.inner, kms });
    let readable = 0;
    s.encryption.onReadable(() => readable++);
    expect(await s.get(SECRET)).toBe('problem: got unexpected nil transformer');
    kms.down = false;
    await s.world.advance(10_000);
    await s.encryption.health!();
    expect(readable).toBe(1);
    expect(await s.get(SECRET)).toBe(TEXT);
  });

  it('of version 1 is refused', async () => {
    const v1 = { kms: { name: 'old', endpoint: 'unix:///nowhere.sock' } };
    await expect(open(secrets(v1))).rejects.toThrow(/KMSv1 is deprecated/);
  });

  it('delivers changes in order, although some wait for the plug-in', async () => {
    const writer = await open(secrets(kmsProvider()));
    const reader = await open(secrets(kmsProvider()), { inner: writer.inner });
    const seen: string[] = [];
    reader.encryption.keyspace.watch(
      { start: '/registry/', end: '/registry0', after: 0 as never, previous: false },
      {
        events: (batch: readonly AppliedEvent[]) => {
          for (const e of batch)
            for (const c of e.changes) seen.push(c.kind === 'put' ? Buffer.from(c.current.value).toString() : c.key);
        },
        end: (why) => seen.push(why.kind),
      },
    );
    for (let i = 0; i < 5; i++) {
      await writer.put(SECRET, `{"n":${i}}`);
      await writer.put('/registry/configmaps/default/a', `{"plain":${i}}`);
    }
    await expect.poll(() => seen.length).toBe(10);
    expect(seen).toEqual([0, 1, 2, 3, 4].flatMap((i) => [`{"n":${i}}`, `{"plain":${i}}`]));
    expect(reader.kms.decrypts).toBe(1);
  });
});

describe('a configuration', () => {
  const problem = async (text: string): Promise<string> => {
    try {
      await open(text);
      return '';
    } catch (error) {
      return (error as Error).message.replace('error while parsing file: ', '');
    }
  };
  const of = (resources: string[], ...providers: object[]): string => configuration([[resources, providers]]);

  it.each([
    [configuration([]), 'resources: Required value: at least one resources is required'],
    [
      of(['secrets'], { aescbc: { keys: [{ name: 'a', secret: 'MDEyMzQ1Njc4OTAxMjM0NQ==' }] }, ...IDENTITY }),
      'resources[0].providers[0]: Invalid value: {"AESGCM":null,"AESCBC":{"Keys":[{"Name":"a","Secret":"REDACTED"}]},"Secretbox":null,"Identity":{},"KMS":null}: more than one provider specified in a single element, should split into different list elements',
    ],
    [of([], IDENTITY), 'resources[0].resources: Required value: at least one resources[0].resources is required'],
    [of(['secrets']), 'resources[0].providers: Required value: at least one resources[0].providers is required'],
    [
      of(['Secrets'], IDENTITY),
      'resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters',
    ],
    [
      of(['*'], IDENTITY),
      `resources[0].resources[0]: Invalid value: "*": use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources`,
    ],
    [
      of(['pods.*'], IDENTITY),
      'resources[0].resources[0]: Invalid value: "pods.*": encrypting the same resource across groups is not supported',
    ],
    [
      of(['secrets', 'secrets'], IDENTITY),
      'resources[0].resources: Invalid value: ["secrets","secrets"]: the same resource cannot be specified multiple times',
    ],
    [
      of(['secrets', '*.'], IDENTITY),
      `resources[0].resources: Invalid value: ["secrets","*."]: using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked`,
    ],
    [
      of(['secrets'], { aesgcm: { keys: [{ name: 'a', secret: 'YQ==' }] } }),
      'resources[0].providers[0].aesgcm.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 1, expected one of [16 24 32]',
    ],
    [
      of(['secrets'], { secretbox: { keys: [{ name: 'a', secret: '?' }] } }),
      'resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded',
    ],
    [
      of(['secrets'], { aescbc: { keys: [{ secret: key('a') }] } }),
      'resources[0].providers[0].aescbc.keys[0].name: Required value: name is a mandatory field for a key',
    ],
    [
      of(['secrets'], { kms: { apiVersion: 'v2', name: 'a:b', endpoint: 'unix:///x' } }),
      'resources[0].providers[0].kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain \':\'',
    ],
    [
      of(['secrets'], { kms: { apiVersion: 'v2', name: 'a', endpoint: 'tcp://x' } }),
      'resources[0].providers[0].kms.endpoint: Invalid value: "tcp://x": unsupported scheme "tcp" for KMS provider, only unix is supported',
    ],
    [
      of(['secrets'], { kms: { apiVersion: 'v2', name: 'a', endpoint: 'unix:///x', cachesize: 3 } }),
      'resources[0].providers[0].kms.cachesize: Invalid value: 3: cachesize is not supported in v2',
    ],
    [
      configuration([
        [['*.*'], [IDENTITY]],
        [['secrets'], [IDENTITY]],
      ]),
      'error while building transformers: resource "secrets" is masked by earlier rule "*.*"',
    ],
  ])('%s is refused', async (text, expected) => {
    expect(await problem(text)).toBe(expected);
  });

  it('with unknown fields, another kind or no text is refused', async () => {
    const kms = (fields: object) => of(['secrets'], { kms: { apiVersion: 'v2', name: 'a', ...fields } });
    const decoding = 'error decoding encryption provider configuration file "/encryption.yaml": ';
    expect(await problem(kms({ timeout: '3x' }))).toBe(`${decoding}time: unknown unit "x" in duration "3x"`);
    expect(await problem(kms({ cachesize: 'x' }))).toBe(
      `${decoding}json: cannot unmarshal string into Go struct field KMSConfiguration.resources.providers.kms.cachesize of type int32`,
    );
    expect(
      await problem('{"apiVersion":"apiserver.config.k8s.io/v1","kind":"EncryptionConfiguration","x":1}'),
    ).toContain('unknown field');
    expect(await problem('{"apiVersion":"v1","kind":"EncryptionConfig"}')).toContain(
      'must be one of EncryptionConfiguration',
    );
  });
});
