import type { Random } from '../base/index.js';
import { aesCbc, aesGcm, type Cipher, CipherError, fingerprint, secretBox } from './ciphers.js';
import { goAggregate, type KeyConfiguration } from './configuration.js';
import type { TransformationMetrics } from './metrics.js';

/** A decrypted value. `label` identifies the key with which it was encrypted. */
export interface Opened {
  readonly plain: Buffer;
  readonly label: string;
}

/** An operation with the key of this prefix begins. Returns the function that records its end, with the error if it failed. */
export type KeyUse = (prefix: string) => (error?: unknown) => void;

/** One provider of a configuration. Prefixes are ASCII. */
export interface Provider {
  /** The bytes that its values begin with; '' for identity. */
  readonly prefix: string;
  /** Identifies the key that encrypts now. Values with another label are stale. */
  readonly label: string;
  /** The stored form of a value, with the prefix. Throws an error if the provider cannot encrypt now. */
  seal(plain: Uint8Array, path: string, using: KeyUse): Uint8Array;
  /**
   * Decrypts a stored value, without the prefix. Throws, or rejects, if it cannot. It returns a promise only if a KMS
   * plug-in must be called.
   */
  open(data: Buffer, path: string, using: KeyUse): Opened | Promise<Opened>;
}

/** The prefix of the values of every provider except identity. */
export const ENCRYPTED = 'k8s:enc:';
export const ENCRYPTED_BYTES = Buffer.from(ENCRYPTED);

/** Stores values unencrypted, and refuses to read encrypted ones. */
export const identityProvider: Provider = {
  prefix: '',
  label: 'identity',
  seal: (plain) => plain,
  open: (data) => {
    if (startsWith(data, ENCRYPTED_BYTES)) throw new CipherError('identity transformer tried to read encrypted data');
    return { plain: data, label: 'identity' };
  },
};

const CIPHERS = {
  aescbc: { make: aesCbc, word: 'AES' },
  aesgcm: { make: aesGcm, word: 'AES' },
  secretbox: { make: secretBox, word: 'Secretbox' },
} as const;

export type CipherName = keyof typeof CIPHERS;

/** A provider with keys of the configuration. The first key encrypts, all decrypt. Values begin `k8s:enc:aescbc:v1:key1:`. */
export function keysProvider(name: CipherName, keys: readonly KeyConfiguration[], random: Random): Provider {
  const { make, word } = CIPHERS[name];
  const prefix = `${ENCRYPTED}${name}:v1:`;
  const entries = keys.map(({ name: keyName = '', secret = '' }) => {
    const key = Buffer.from(secret, 'base64');
    const cipher: Cipher = make(key, random);
    return {
      name: `${keyName}:`,
      prefix: Buffer.from(`${keyName}:`),
      head: Buffer.from(`${prefix}${keyName}:`),
      label: `${prefix}${keyName}:${fingerprint(key)}`,
      cipher,
    };
  });
  const first = entries[0]!;
  return {
    prefix,
    label: first.label,
    seal(plain, path, using) {
      const done = using(first.name);
      const sealed = Buffer.concat([first.head, first.cipher.seal(plain, path)]);
      done();
      return sealed;
    },
    open(data, path, using) {
      const problems: string[] = [];
      // Several keys may have one name while they are rotated.
      for (const { name: keyName, prefix: own, label, cipher } of entries) {
        if (!startsWith(data, own)) continue;
        const done = using(keyName);
        try {
          const plain = cipher.open(data.subarray(own.length), path);
          done();
          return { plain, label };
        } catch (error) {
          done(error);
          if (!(error instanceof CipherError)) throw error;
          problems.push(error.message);
        }
      }
      if (problems.length > 0) throw new CipherError(goAggregate(problems));
      const none = new CipherError(`no matching key was found for the provided ${word} transformer`);
      using('unknown')(none);
      throw none;
    },
  };
}

/** The providers of one resource, in order: the first encrypts, all decrypt. */
export class Transformer {
  readonly #providers: readonly { readonly prefix: Buffer; readonly provider: Provider }[];
  readonly #metrics: TransformationMetrics;
  readonly #resource: string;

  constructor(providers: readonly Provider[], resource: string, metrics: TransformationMetrics) {
    this.#providers = providers.map((provider) => ({ prefix: Buffer.from(provider.prefix), provider }));
    this.#metrics = metrics;
    this.#resource = resource;
  }

  /** The label of values that are written now. */
  get label(): string {
    return this.#providers[0]!.provider.label;
  }

  /** Whether values are stored as they are. */
  get plain(): boolean {
    return this.#providers[0]!.provider === identityProvider;
  }

  seal(plain: Uint8Array, path: string): Uint8Array {
    const { provider } = this.#providers[0]!;
    const done = this.#metrics.began(this.#resource, 'to_storage', provider.prefix);
    try {
      const sealed = provider.seal(plain, path, (prefix) => this.#metrics.began(this.#resource, 'to_storage', prefix));
      done();
      return sealed;
    } catch (error) {
      done(error);
      throw error;
    }
  }

  open(data: Buffer, path: string): Opened | Promise<Opened> {
    return this.#openFrom(0, data, path, []);
  }

  #openFrom(first: number, data: Buffer, path: string, problems: string[]): Opened | Promise<Opened> {
    for (let i = first; i < this.#providers.length; i++) {
      const { prefix, provider } = this.#providers[i]!;
      if (!startsWith(data, prefix)) continue;
      const identity = provider.prefix === '';
      const done = this.#metrics.began(this.#resource, 'from_storage', identity ? 'identity' : provider.prefix);
      // An error of one provider does not end the search: a later one may have the same prefix and another key.
      const failed = (error: unknown): void => {
        if (identity) return;
        done(error);
        problems.push(error instanceof Error ? error.message : String(error));
      };
      try {
        const opened = provider.open(data.subarray(prefix.length), path, (key) =>
          this.#metrics.began(this.#resource, 'from_storage', key),
        );
        if (!(opened instanceof Promise)) {
          done();
          return opened;
        }
        return opened.then(
          (found) => {
            done();
            return found;
          },
          (error: unknown) => {
            failed(error);
            return this.#openFrom(i + 1, data, path, problems);
          },
        );
      } catch (error) {
        failed(error);
      }
    }
    if (problems.length > 0) throw new CipherError(goAggregate(problems));
    const none = new CipherError('no matching prefix found');
    this.#metrics.began(this.#resource, 'from_storage', 'unknown')(none);
    throw none;
  }
}

export function startsWith(data: Buffer, prefix: Buffer): boolean {
  return data.length >= prefix.length && data.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}
