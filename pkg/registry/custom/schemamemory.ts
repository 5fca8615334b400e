/** Bytes of the JSON of the schemas whose compiled forms are kept. A compiled form takes about twice as much memory. */
const SCHEMA_BYTES_MAX = 16 * 1024 * 1024;

interface Held {
  readonly bytes: number;
  used: number;
  drop(): void;
}

/**
 * The compiled schemas of custom resources. A schema is compiled when an object of its version is read or written, and can be compiled
 * again at any time. Thousands of definitions may be installed, so only the recently used forms are kept.
 */
export class SchemaMemory {
  readonly #bytesMax: number;
  readonly #held = new Set<Held>();
  #bytes = 0;
  #uses = 0;

  constructor(bytesMax = SCHEMA_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** The bytes of the schemas whose compiled forms are kept. The last one is kept even if it is larger than the bound. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns a function that returns the value, which it makes at first use and after it was dropped. `bytes` is the size of the schema. */
  value<T>(bytes: number, make: () => T): () => T {
    let made: { readonly value: T } | undefined;
    const held: Held = {
      bytes,
      used: 0,
      drop: () => {
        made = undefined;
      },
    };
    return () => {
      held.used = ++this.#uses;
      if (made === undefined) {
        made = { value: make() };
        this.#add(held);
      }
      return made.value;
    };
  }

  #add(held: Held): void {
    // `make` may have used other values, and even this one.
    if (this.#held.has(held)) return;
    this.#held.add(held);
    this.#bytes += held.bytes;
    if (this.#bytes <= this.#bytesMax) return;
    // A quarter is dropped at once, because finding the oldest takes time.
    for (const old of [...this.#held].sort((a, b) => a.used - b.used)) {
      if (this.#bytes <= this.#bytesMax * 0.75 || old === held) return;
      this.#held.delete(old);
      this.#bytes -= old.bytes;
      old.drop();
    }
  }
}
