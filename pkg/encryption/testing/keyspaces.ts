import type { World } from '../../base/index.js';
import { type Keyspace, openMemoryKeyspace } from '../../storage/index.js';
import { type TestWorld, testWorld } from '../../storage/testworld.js';
import { type Encryption, type EncryptionOptions, openEncryption } from '../encryption.js';
import type { EncryptedKey, KmsService } from '../kms.js';

// Helpers for the tests of pkg/encryption.

export const key = (letter: string, bytes = 32): string => Buffer.alloc(bytes, letter).toString('base64');

/** An EncryptionConfiguration with one rule for each entry: resources -> providers. */
export function configuration(
  rules: readonly (readonly [resources: readonly string[], providers: readonly object[]])[],
): string {
  return JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: rules.map(([resources, providers]) => ({ resources, providers })),
  });
}

export const keyed = (provider: string, ...keys: readonly (readonly [name: string, letter: string])[]): object => ({
  [provider]: { keys: keys.map(([name, letter]) => ({ name, secret: key(letter) })) },
});

export const IDENTITY = { identity: {} };

export const RESOURCES = [
  { group: '', resource: 'secrets', prefix: '/registry/secrets/' },
  { group: '', resource: 'configmaps', prefix: '/registry/configmaps/' },
  { group: '', resource: 'endpoints', prefix: '/registry/services/endpoints/' },
  { group: 'apps', resource: 'deployments', prefix: '/registry/deployments/' },
];

/** A KMS plug-in without a socket: it "encrypts" by prepending the key id. */
export class FakeKms implements KmsService {
  keyId = 'k1';
  healthz = 'ok';
  version = 'v2';
  down = false;
  closed = false;
  decrypts = 0;

  #check(): void {
    if (!this.down) return;
    const grpcCode = 'DeadlineExceeded';
    throw Object.assign(new Error(`rpc error: code = ${grpcCode} desc = no answer`), { grpcCode });
  }

  async status() {
    this.#check();
    return { version: this.version, healthz: this.healthz, keyId: this.keyId };
  }

  async encrypt(_uid: string, plaintext: Uint8Array): Promise<EncryptedKey> {
    this.#check();
    return {
      ciphertext: Buffer.concat([Buffer.from(`${this.keyId}|`), plaintext]),
      keyId: this.keyId,
      annotations: { 'a.example.com': Buffer.from('1') },
    };
  }

  async decrypt(_uid: string, { ciphertext, keyId }: EncryptedKey): Promise<Uint8Array> {
    this.decrypts++;
    this.#check();
    return Buffer.from(ciphertext).subarray(keyId.length + 1);
  }

  close(): void {
    this.closed = true;
  }
}

export interface Opened {
  readonly encryption: Encryption;
  /** The keyspace below the encryption. */
  readonly inner: Keyspace;
  readonly world: TestWorld;
  readonly kms: FakeKms;
  /** The text of the file. */
  file: string;
  get(key: string): Promise<string>;
  put(key: string, value: string): Promise<void>;
  /** The stored form. */
  raw(key: string): Promise<Buffer>;
}

let opened = 0;

export async function open(
  file: string,
  given: Partial<Pick<EncryptionOptions, 'reload'>> & { readonly inner?: Keyspace; readonly kms?: FakeKms } = {},
): Promise<Opened> {
  // Servers draw different seeds.
  const world = testWorld(1_800_000_000_000, ++opened);
  const inner = given.inner ?? (await openMemoryKeyspace(world as World));
  const kms = given.kms ?? new FakeKms();
  const state = { file };
  const encryption = await openEncryption({
    world,
    keyspace: inner,
    resources: RESOURCES,
    file: file === '' ? '' : '/encryption.yaml',
    reload: given.reload ?? false,
    readText: async () => state.file,
    connectKms: async () => kms,
    server: 'apiserver-a',
    log: { info: () => {}, warn: () => {} },
  });
  const read = async (from: Keyspace, at: string) => {
    const found = await from.range({ start: at, end: `${at}\u0000` });
    if (found.kind !== 'ok' || found.items.length === 0) throw new Error(`there is no ${at}`);
    return found.items[0]!;
  };
  return {
    encryption,
    inner,
    world,
    kms,
    get file() {
      return state.file;
    },
    set file(text: string) {
      state.file = text;
    },
    get: async (at) => {
      const { value, protection } = await read(encryption.keyspace, at);
      return protection?.problem === undefined
        ? Buffer.from(value).toString() + (protection?.stale === true ? ' (stale)' : '')
        : `problem: ${protection.problem}`;
    },
    put: async (at, value) => {
      const op = { kind: 'put', key: at, value: Buffer.from(value) } as const;
      await encryption.keyspace.txn({ compares: [], ops: [op] });
    },
    raw: async (at) => Buffer.from((await read(inner, at)).value),
  };
}
