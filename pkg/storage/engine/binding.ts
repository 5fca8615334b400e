import { createRequire } from 'node:module';
import { StoreError } from '../errors.js';

/**
 * The parts of the `rocksdb` 5.2.1 binding that are used here, typed. It is loaded with `require` because it is
 * CommonJS without types, and only when a RocksDB engine is opened: an in-memory server never maps its 6 MB.
 * `level-rocksdb` resolves to the same copy; two copies in one process crash.
 */
export interface Binding {
  open(options: BindingOptions, done: (error: Error | null) => void): void;
  close(done: (error: Error | null) => void): void;
  getMany(
    keys: readonly Buffer[],
    options: { readonly fillCache: boolean },
    done: (error: Error | null, values: (Buffer | undefined)[]) => void,
  ): void;
  batch(): BindingBatch;
  iterator(options: BindingIteratorOptions): BindingIterator;
  clear(options: { readonly gte: Buffer; readonly lt: Buffer }, done: (error: Error | null) => void): void;
  compactRange(start: Buffer, end: Buffer, done: (error: Error | null) => void): void;
  getProperty(name: string): string;
}

export interface BindingOptions {
  readonly createIfMissing: boolean;
  readonly writeBufferSize: number;
  readonly cacheSize: number;
  readonly maxOpenFiles: number;
  readonly compression: boolean;
}

export interface BindingBatch {
  put(key: Buffer, value: Buffer): void;
  del(key: Buffer): void;
  /**
   * The native function behind `write`, which itself can be called only once: a batch that failed for lack of space is
   * written again.
   */
  _write(options: { readonly sync: boolean }, done: (error: Error | null) => void): void;
}

export interface BindingIteratorOptions {
  readonly gte: Buffer;
  readonly lt: Buffer;
  readonly reverse: boolean;
  readonly limit: number;
  /** Bytes that one call of the thread pool returns. */
  readonly highWaterMark: number;
  readonly fillCache: boolean;
}

export interface BindingIterator {
  /** `key` is undefined at the end. */
  next(done: (error: Error | null, key: Buffer | undefined, value: Buffer) => void): void;
  end(done: (error: Error | null) => void): void;
}

let loaded: ((folder: string) => Binding) | undefined;

export function bind(folder: string): Binding {
  loaded ??= loadNative<(folder: string) => Binding>('rocksdb');
  return loaded(folder);
}

/** Loads a native module. Throws a `StoreError` if it is not installed, or has no build for this platform. */
export function loadNative<T>(
  name: 'rocksdb' | 'level-rocksdb',
  require: (name: string) => unknown = createRequire(import.meta.url),
): T {
  try {
    return require(name) as T;
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw new StoreError(
      'noModule',
      `the module ${name} cannot be loaded (${reason}): install the optional dependencies; where rocksdb has no prebuilt ` +
        'binary, npm rebuild rocksdb compiles it, which needs Python, make and a C++ compiler',
      { cause: error },
    );
  }
}
