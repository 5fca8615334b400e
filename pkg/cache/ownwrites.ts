import type { JsonObject } from '../api/index.js';
import { TurnoverMap } from '../base/index.js';
import type { KeyValue } from '../storage/index.js';

/** An object that this server has encoded and whose write may be committed. */
interface OwnWrite {
  readonly bytes: Buffer;
  readonly value: JsonObject;
}

/**
 * The objects of writes that are under way. When their bytes come back as an event, the value from which they were encoded is there
 * already and they need not be parsed.
 */
export class OwnWrites {
  readonly #byKey = new TurnoverMap<string, OwnWrite>();

  /**
   * Announces a write. `value` is what parsing `bytes` gives; it must not change any more if the write is committed. Returns the function to
   * call when the outcome is known.
   */
  begin(key: string, bytes: Buffer, value: JsonObject): () => void {
    const write = { bytes, value };
    this.#byKey.set(key, write);
    return () => {
      if (this.#byKey.get(key) === write) this.#byKey.delete(key);
    };
  }

  /** Returns the value of a stored object with its version, if it is that of a write of this server. */
  valueOf({ key, value: bytes, modRevision }: KeyValue): JsonObject | undefined {
    if (this.#byKey.size === 0) return undefined;
    const own = this.#byKey.get(key);
    if (own === undefined || !own.bytes.equals(bytes)) return undefined;
    const metadata = own.value['metadata'] as JsonObject;
    return { ...own.value, metadata: { ...metadata, resourceVersion: String(modRevision) } };
  }
}
