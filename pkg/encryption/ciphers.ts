import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import type { Random } from '../base/index.js';

/**
 * A symmetric cipher with one key. `path` is the key of the value in the store; ciphers with authentication bind the value to it, so that a
 * value copied to another key does not decrypt.
 */
export interface Cipher {
  seal(plain: Uint8Array, path: string): Buffer;
  /** Throws `CipherError`. */
  open(data: Buffer, path: string): Buffer;
}

/** The stored bytes do not decrypt. The messages are those of kube-apiserver, because operators search for them. */
export class CipherError extends Error {
  override readonly name = 'CipherError';
}

const TOO_SHORT = 'the stored data was shorter than the required size';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BLOCK_BYTES = 16;

/** AES-GCM: nonce (12 random bytes), ciphertext, tag (16 bytes). The path is authenticated. */
export function aesGcm(key: Uint8Array, random: Random): Cipher {
  const name = `aes-${key.length * 8}-gcm` as 'aes-256-gcm';
  return {
    seal(plain, path) {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv(name, key, nonce);
      cipher.setAAD(Buffer.from(path));
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(data, path) {
      if (data.length < NONCE_BYTES) throw new CipherError(TOO_SHORT);
      const end = data.length - TAG_BYTES;
      if (end < NONCE_BYTES) throw new CipherError('cipher: message authentication failed');
      const cipher = createDecipheriv(name, key, data.subarray(0, NONCE_BYTES));
      cipher.setAAD(Buffer.from(path));
      cipher.setAuthTag(data.subarray(end));
      const plain = cipher.update(data.subarray(NONCE_BYTES, end));
      try {
        cipher.final();
      } catch {
        throw new CipherError('cipher: message authentication failed');
      }
      return plain;
    },
  };
}

/** AES-CBC: initialization vector (16 random bytes), ciphertext with the padding of PKCS #7. It has no authentication. */
export function aesCbc(key: Uint8Array, random: Random): Cipher {
  const name = `aes-${key.length * 8}-cbc`;
  return {
    seal(plain) {
      const vector = random.bytes(BLOCK_BYTES);
      const cipher = createCipheriv(name, key, vector);
      return Buffer.concat([vector, cipher.update(plain), cipher.final()]);
    },
    open(data) {
      if (data.length < BLOCK_BYTES) throw new CipherError(TOO_SHORT);
      if (data.length % BLOCK_BYTES !== 0) throw new CipherError('the stored data is not a multiple of the block size');
      const cipher = createDecipheriv(name, key, data.subarray(0, BLOCK_BYTES)).setAutoPadding(false);
      return unpadded(Buffer.concat([cipher.update(data.subarray(BLOCK_BYTES)), cipher.final()]));
    },
  };
}

function unpadded(padded: Buffer): Buffer {
  const padding = padded.at(-1) ?? 0;
  if (padding === 0 || padding > padded.length) throw new CipherError('invalid PKCS7 data (empty or not padded)');
  const size = padded.length - padding;
  if (padded.subarray(size).some((byte) => byte !== padding)) throw new CipherError('invalid padding on input');
  return padded.subarray(0, size);
}

const BOX_NONCE_BYTES = 24;

/** NaCl's secretbox (XSalsa20 and Poly1305): nonce (24 random bytes), tag, ciphertext. The path is not authenticated. */
export function secretBox(key: Uint8Array, random: Random): Cipher {
  return {
    seal(plain) {
      const nonce = random.bytes(BOX_NONCE_BYTES);
      return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(plain)]);
    },
    open(data) {
      if (data.length < BOX_NONCE_BYTES) throw new CipherError(TOO_SHORT);
      try {
        return Buffer.from(
          xsalsa20poly1305(key, data.subarray(0, BOX_NONCE_BYTES)).decrypt(data.subarray(BOX_NONCE_BYTES)),
        );
      } catch {
        throw new CipherError('output array was not large enough for encryption');
      }
    },
  };
}

const INFO_BYTES = 32;

/**
 * AES-GCM with a separate key for each value: info (32 random bytes), then the form of `aesGcm`. The key is HKDF-Expand
 * (RFC 5869) with SHA-256 of the seed and the info, so that the number of values per seed is not limited.
 */
export function extendedNonceGcm(seed: Uint8Array, random: Random): Cipher {
  const cipherOf = (info: Uint8Array): Cipher => aesGcm(expand(seed, info), random);
  return {
    seal(plain, path) {
      const info = random.bytes(INFO_BYTES);
      return Buffer.concat([info, cipherOf(info).seal(plain, path)]);
    },
    open(data, path) {
      if (data.length < INFO_BYTES) throw new CipherError(TOO_SHORT);
      return cipherOf(data.subarray(0, INFO_BYTES)).open(data.subarray(INFO_BYTES), path);
    },
  };
}

/** The first 32 bytes of HKDF-Expand: T(1) of RFC 5869, 2.3. Node's `hkdf` always extracts first. */
function expand(seed: Uint8Array, info: Uint8Array): Buffer {
  return createHmac('sha256', seed).update(info).update(Uint8Array.of(1)).digest();
}

/**
 * A short id of a key that reveals nothing about it: keys with the same name and different secrets have different ids.
 */
export function fingerprint(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}
