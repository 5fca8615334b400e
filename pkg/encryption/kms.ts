import { createHash } from 'node:crypto';
import { encryptedObjectCodec, type WireEncryptedObject } from '../../proto/index.js';
import { formatTime } from '../api/index.js';
import type { World } from '../base/index.js';
import { aesGcm, type Cipher, CipherError, extendedNonceGcm } from './ciphers.js';
import { fullyQualifiedDomainProblems, goAggregate } from './configuration.js';
import { hashOf, type TransformationMetrics } from './metrics.js';
import { ENCRYPTED, type Opened, type Provider } from './provider.js';

export type Annotations = Readonly<Record<string, Uint8Array>>;

/** A KMS plug-in (KMS v2). Calls reject if it does not respond in time. */
export interface KmsService {
  status(): Promise<{ readonly version: string; readonly healthz: string; readonly keyId: string }>;
  encrypt(uid: string, plaintext: Uint8Array): Promise<EncryptedKey>;
  decrypt(uid: string, key: EncryptedKey): Promise<Uint8Array>;
  close(): void;
}

/** A data key (or the seed of data keys) that the plug-in encrypted. */
export interface EncryptedKey {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: Annotations;
}

const KEY_ID_BYTES_MAX = 1024;
const SOURCE_BYTES_MAX = 1024;
const ANNOTATION_BYTES_MAX = 32 * 1024;
const SEED_BYTES = 32;
/**
 * Maximum number of cached decrypted data keys. There is one for each key of the plug-in and each start of a server.
 */
const KEYS_MAX = 4096;

/** Milliseconds between probes of a plug-in, after a success and after a failure. */
const PROBE_PERIOD = 60_000;
const PROBE_PERIOD_FAILED = 10_000;
/** How long health checks use the result of a probe. */
const HEALTH_AGE = 20_000;
const HEALTH_AGE_FAILED = 3_000;
/** How long values may be encrypted with the last key if the plug-in no longer responds. */
const WRITE_TIME = 180_000;

/** What kube-apiserver says as long as there is no key for writing. */
const NO_KEY = 'got unexpected nil transformer';
const GO_ZERO_TIME = '0001-01-01T00:00:00Z';

const TYPE_KEY = 0;
const TYPE_SEED = 1;

/** The key that encrypts now. */
interface WriteKey {
  readonly cipher: Cipher;
  readonly source: EncryptedKey;
  readonly label: string;
  /** Monotonic milliseconds. */
  expires: number;
}

export interface KmsOptions {
  readonly name: string;
  readonly service: KmsService;
  readonly world: World;
  readonly metrics: TransformationMetrics;
  /** Called when the plug-in responds again after a failure: values that could not be read may be readable again. */
  readonly recovered: () => void;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/**
 * Encrypts with a data key that a KMS plug-in protects. The server creates a seed, has the plug-in encrypt it, and
 * stores the result with each value; the key of each value is derived from the seed. A new key id in the plug-in's
 * status leads to a new seed. Reads of values with another seed call the plug-in once and cache the result.
 */
export class KmsProvider implements Provider {
  readonly prefix: string;
  readonly name: string;
  readonly #options: KmsOptions;
  readonly #keys = new Map<string, Cipher>();
  readonly #asking = new Map<string, Promise<Cipher>>();
  #write: WriteKey | undefined;
  #version = '';
  #problem: string | undefined = 'the plug-in was not called yet';
  /** Whether the problem is that of a call of Status. */
  #statusFailed = false;
  #isReported = false;
  #probed = Number.NEGATIVE_INFINITY;
  #probing: Promise<void> | undefined;
  #cancel: () => void = () => {};
  #closed = false;

  constructor(options: KmsOptions) {
    this.#options = options;
    this.name = options.name;
    this.prefix = `${ENCRYPTED}kms:v2:${options.name}:`;
  }

  get label(): string {
    return this.#write?.label ?? this.prefix;
  }

  /** Probes the plug-in once, and then regularly. Resolves when the first probe is done, whatever its outcome. */
  async start(): Promise<void> {
    await this.probe();
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
    this.#options.service.close();
  }

  /**
   * Why the plug-in is not healthy, or undefined. Calls it if the last result is too old. As in kube-apiserver, only the check that called
   * it says which call failed.
   */
  async health(): Promise<string | undefined> {
    const age = this.#options.world.clock.monotonic() - this.#probed;
    if (age < (this.#problem === undefined ? HEALTH_AGE : HEALTH_AGE_FAILED)) return this.#problem;
    await this.probe();
    if (this.#problem === undefined || !this.#statusFailed) return this.#problem;
    return `failed to perform status section of the healthz check for KMS Provider ${this.name}, error: ${this.#problem}`;
  }

  seal(plain: Uint8Array, path: string): Uint8Array {
    const write = this.#write;
    if (write === undefined) throw new Error(NO_KEY);
    const { clock } = this.#options.world;
    if (clock.monotonic() > write.expires) {
      const at = formatTime(clock.now() + write.expires - clock.monotonic());
      throw new Error(
        `encryptedDEKSource with keyID hash ${JSON.stringify(hashOf(write.source.keyId))} expired at ${at} (current time is ${formatTime(clock.now())})`,
      );
    }
    this.#options.metrics.keyUsed('to_storage', this.name, write.source.keyId);
    const { ciphertext, keyId, annotations } = write.source;
    return Buffer.concat([
      Buffer.from(this.prefix),
      encryptedObjectCodec.encode({
        encryptedData: write.cipher.seal(plain, path),
        keyId,
        encryptedDekSource: ciphertext,
        annotations,
        encryptedDekSourceType: TYPE_SEED,
      }),
    ]);
  }

  open(data: Buffer, path: string): Opened | Promise<Opened> {
    const object = decode(data);
    const { keyId, encryptedDekSource: ciphertext, annotations, encryptedDekSourceType: type } = object;
    const sealed = Buffer.from(object.encryptedData);
    const label = this.#labelOf(keyId, type);
    const id = cacheKey(type, { ciphertext, keyId, annotations });
    const cipher = this.#keys.get(id);
    if (cipher !== undefined) return this.#opened(cipher, sealed, path, { label, keyId });
    return this.#ask(id, type, { ciphertext, keyId, annotations }).then((found) =>
      this.#opened(found, sealed, path, { label, keyId }),
    );
  }

  #opened(
    cipher: Cipher,
    sealed: Buffer,
    path: string,
    of: { readonly label: string; readonly keyId: string },
  ): Opened {
    this.#options.metrics.keyUsed('from_storage', this.name, of.keyId);
    return { plain: cipher.open(sealed, path), label: of.label };
  }

  #labelOf(keyId: string, type: number): string {
    return `${this.prefix}${type}:${keyId}`;
  }

  /** Concurrent reads of values with one data key share one call of the plug-in. */
  #ask(id: string, type: number, key: EncryptedKey): Promise<Cipher> {
    let asking = this.#asking.get(id);
    if (asking === undefined) {
      const { service, world, metrics } = this.#options;
      metrics.keyMissed();
      asking = service
        .decrypt(world.random.uuid(), key)
        .then(
          (plain) => {
            const cipher = type === TYPE_SEED ? seedCipher(plain, world) : aesGcm(plain, world.random);
            this.#keep(id, cipher);
            return cipher;
          },
          (error: Error) => {
            // kube-apiserver reads nothing without a key for writing. Here a plug-in that only decrypts serves reads, too.
            const why = this.#write === undefined ? NO_KEY : `failed to decrypt DEK, error: ${error.message}`;
            throw new CipherError(why, { cause: error });
          },
        )
        .finally(() => this.#asking.delete(id));
      this.#asking.set(id, asking);
    }
    return asking;
  }

  #keep(id: string, cipher: Cipher): void {
    // The oldest entry is removed first: a Map keeps the order of insertion.
    if (this.#keys.size >= KEYS_MAX) this.#keys.delete(this.#keys.keys().next().value!);
    this.#keys.set(id, cipher);
    this.#options.metrics.sourcesKept(this.name, this.#keys.size, KEYS_MAX);
  }

  #schedule(): void {
    if (this.#closed) return;
    const period = this.#problem === undefined ? PROBE_PERIOD : PROBE_PERIOD_FAILED;
    this.#cancel = this.#options.world.timers.after(period, () => void this.probe().then(() => this.#schedule()));
  }

  /** Calls the plug-in's status and replaces the write key if the key id changed. Never rejects. */
  probe(): Promise<void> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #probe(): Promise<void> {
    const before = this.#problem;
    this.#problem = await this.#problemNow();
    this.#probed = this.#options.world.clock.monotonic();
    if (this.#closed) return;
    if (this.#problem === undefined && before !== undefined) this.#options.recovered();
    if (this.#problem === undefined) this.#isReported = false;
    else if (!this.#isReported) {
      // Once for each outage: the texts differ from probe to probe, by a uid or a duration.
      this.#isReported = true;
      this.#options.warn('a KMS plug-in is not healthy', { name: this.name, why: this.#problem });
    }
  }

  async #problemNow(): Promise<string | undefined> {
    const { service, metrics } = this.#options;
    let status: Awaited<ReturnType<KmsService['status']>>;
    this.#statusFailed = false;
    try {
      status = await service.status();
    } catch (error) {
      this.#statusFailed = true;
      return (error as Error).message;
    }
    const problems: string[] = [];
    if (status.healthz !== 'ok') problems.push(`got unexpected healthz status: ${status.healthz}`);
    if (status.version !== 'v2' && status.version !== 'v2beta1')
      problems.push(`expected KMSv2 API version v2, got ${status.version}`);
    else if (this.#version === '') this.#version = status.version;
    else if (this.#version !== status.version)
      problems.push(
        `KMSv2 API version should not change after the initial status response version ${this.#version}, got ${status.version}`,
      );
    const wrong = keyIdProblem(status.keyId);
    if (wrong !== undefined) {
      metrics.invalidKeyId(this.name, wrong.code);
      problems.push(`got invalid KMSv2 KeyID hash ${JSON.stringify(hashOf(status.keyId))}: ${wrong.message}`);
    } else {
      metrics.keyNamed(this.name, status.keyId);
      const failed = await this.#rotate(status.keyId);
      if (failed !== undefined) problems.push(failed);
    }
    if (problems.length === 0) return undefined;
    return `kmsv2 Provider ${this.name} is not healthy, error: ${goAggregate(problems)}`;
  }

  /**
   * Extends the lifetime of the write key if the key id of the plug-in is the same, else creates a new one. Returns
   * what went wrong.
   */
  async #rotate(keyId: string): Promise<string | undefined> {
    const { service, world, metrics } = this.#options;
    const expires = world.clock.monotonic() + WRITE_TIME;
    if (this.#write?.source.keyId === keyId) {
      this.#write.expires = expires;
      return undefined;
    }
    const since = world.clock.monotonic();
    const seed = world.random.bytes(SEED_BYTES);
    metrics.keyGenerated(since);
    const uid = world.random.uuid();
    let source: EncryptedKey;
    try {
      source = await service.encrypt(uid, seed);
    } catch (error) {
      return this.#notRotated(uid, keyId, `failed to encrypt DEK, error: ${(error as Error).message}`);
    }
    const wrong = sourceProblem(source);
    if (wrong !== undefined) return this.#notRotated(uid, keyId, wrong);
    if (source.keyId !== keyId) return this.#notRotated(uid, keyId, '<nil>', source.keyId);
    const cipher = seedCipher(seed, world);
    this.#keep(cacheKey(TYPE_SEED, source), cipher);
    this.#write = { cipher, source, label: this.#labelOf(keyId, TYPE_SEED), expires };
    return undefined;
  }

  /**
   * kube-apiserver's sentence about a key that was not replaced. `encryptedWith` is the key id of a valid response to
   * Encrypt; it differs from that of the status.
   */
  #notRotated(uid: string, statusKeyId: string, why: string, encryptedWith = ''): string {
    const { clock } = this.#options.world;
    const write = this.#write;
    const expires = write === undefined ? GO_ZERO_TIME : formatTime(clock.now() + write.expires - clock.monotonic());
    return [
      `failed to rotate DEK uid=${JSON.stringify(uid)}`,
      'useSeed=true',
      `errState=${write === undefined ? NO_KEY : '<nil>'}`,
      `errGen=${why}`,
      `statusKeyIDHash=${JSON.stringify(hashOf(statusKeyId))}`,
      `encryptKeyIDHash=${JSON.stringify(hashOf(encryptedWith))}`,
      `stateKeyIDHash=${JSON.stringify(hashOf(write?.source.keyId ?? ''))}`,
      `expirationTimestamp=${expires}`,
    ].join(', ');
  }
}

function seedCipher(seed: Uint8Array, world: World): Cipher {
  if (seed.length < SEED_BYTES) throw new CipherError(`invalid seed length ${seed.length} used for key generation`);
  return extendedNonceGcm(seed, world.random);
}

function decode(data: Buffer): WireEncryptedObject {
  let object: WireEncryptedObject;
  try {
    object = encryptedObjectCodec.decode(data);
  } catch (error) {
    throw new CipherError(`proto: ${(error as Error).message}`);
  }
  const type = object.encryptedDekSourceType;
  if (type !== TYPE_KEY && type !== TYPE_SEED) throw new CipherError(`unknown encryptedDEKSourceType: ${type}`);
  if (object.encryptedData.length === 0) throw new CipherError('encrypted data is empty');
  const { encryptedDekSource: ciphertext, keyId, annotations } = object;
  const wrong = sourceProblem({ ciphertext, keyId, annotations });
  if (wrong !== undefined) throw new CipherError(wrong);
  return object;
}

function sourceProblem({ ciphertext, keyId, annotations }: EncryptedKey): string | undefined {
  if (ciphertext.length === 0) return 'failed to validate encrypted DEK source: encrypted DEK source is empty';
  if (ciphertext.length > SOURCE_BYTES_MAX)
    return `failed to validate encrypted DEK source: encrypted DEK source is ${ciphertext.length} bytes, which exceeds the max size of ${SOURCE_BYTES_MAX}`;
  const wrong = keyIdProblem(keyId);
  if (wrong !== undefined) return `failed to validate key id: ${wrong.message}`;
  let bytes = 0;
  const problems: string[] = [];
  for (const [name, value] of Object.entries(annotations)) {
    if (name === '') problems.push('annotations: Required value');
    else
      for (const problem of fullyQualifiedDomainProblems(name))
        problems.push(`annotations: Invalid value: ${JSON.stringify(name)}: ${problem}`);
    bytes += Buffer.byteLength(name) + value.length;
  }
  if (problems.length > 0) return `failed to validate annotations: ${goAggregate(problems)}`;
  if (bytes > ANNOTATION_BYTES_MAX)
    return `failed to validate annotations: total size of annotations is ${bytes}, which exceeds the max size of ${ANNOTATION_BYTES_MAX}`;
  return undefined;
}

function keyIdProblem(keyId: string): { readonly code: string; readonly message: string } | undefined {
  const bytes = Buffer.byteLength(keyId);
  if (bytes === 0) return { code: 'empty', message: 'keyID is empty' };
  if (bytes > KEY_ID_BYTES_MAX)
    return {
      code: 'too_long',
      message: `keyID is ${bytes} bytes, which exceeds the max size of ${KEY_ID_BYTES_MAX}`,
    };
  return undefined;
}

/** Identifies a data key by everything that the plug-in needs to decrypt it. */
function cacheKey(type: number, { ciphertext, keyId, annotations }: EncryptedKey): string {
  const hash = createHash('sha256');
  const add = (part: string | Uint8Array): void => {
    const bytes = Buffer.from(part as string);
    hash.update(`${bytes.length}:`).update(bytes);
  };
  add(String(type));
  add(ciphertext);
  add(keyId);
  for (const name of Object.keys(annotations).sort()) {
    add(name);
    add(annotations[name]!);
  }
  return hash.digest('base64');
}
