import { createHash } from 'node:crypto';

/** An encoded document. */
export interface EncodedDocument {
  /** Shared; callers must not write to it. */
  readonly bytes: Buffer;
  /** SHA-512 of the content, upper-case hex: the ETag, and `?hash=` in the index. */
  readonly hash: string;
}

/** A document with the time at which its content was first made, in Unix milliseconds. */
export interface DatedDocument extends EncodedDocument {
  readonly modified: number;
}

/** Bytes of the documents of one server that stay in memory: many times those of the built-in kinds. */
const KEPT_BYTES_MAX = 48 * 1024 * 1024;
/** A document that is larger is made for each request that needs its content. */
const ONE_BYTES_MAX = KEPT_BYTES_MAX / 2;

/** The documents that were used last, up to a bound in bytes. */
export class DocumentMemory {
  readonly #documents = new Map<KeptDocument, DatedDocument>();
  #bytes = 0;
  /** Unix milliseconds. */
  readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  get(key: KeptDocument): DatedDocument | undefined {
    const found = this.#documents.get(key);
    if (found === undefined) return undefined;
    this.#documents.delete(key);
    this.#documents.set(key, found);
    return found;
  }

  set(key: KeptDocument, document: DatedDocument): void {
    if (document.bytes.length > ONE_BYTES_MAX) return;
    this.drop(key);
    this.#documents.set(key, document);
    this.#bytes += document.bytes.length;
    for (const oldest of this.#documents.keys()) {
      if (this.#bytes <= KEPT_BYTES_MAX) break;
      this.drop(oldest);
    }
  }

  drop(key: KeptDocument): void {
    this.#bytes -= this.#documents.get(key)?.bytes.length ?? 0;
    this.#documents.delete(key);
  }

  get bytes(): number {
    return this.#bytes;
  }
}

/** A document that is made when it is requested, once for all requests that wait. Its hash and the time of its content stay known. */
export class KeptDocument {
  readonly #make: () => Promise<EncodedDocument>;
  readonly #memory: DocumentMemory;
  #making: Promise<DatedDocument> | undefined;
  #hash: string | undefined;
  #modified = 0;

  constructor(memory: DocumentMemory, make: () => Promise<EncodedDocument>) {
    this.#memory = memory;
    this.#make = make;
  }

  /** The hash, if the document was made before. */
  get knownHash(): string | undefined {
    return this.#hash;
  }

  async hash(): Promise<string> {
    return this.#hash ?? (await this.get()).hash;
  }

  async get(): Promise<DatedDocument> {
    const known = this.#memory.get(this);
    if (known !== undefined) return known;
    this.#making ??= this.#made().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #made(): Promise<DatedDocument> {
    const made = await this.#make();
    if (made.hash !== this.#hash) this.#modified = this.#memory.now();
    this.#hash = made.hash;
    const dated = { ...made, modified: this.#modified };
    this.#memory.set(this, dated);
    return dated;
  }

  drop(): void {
    this.#memory.drop(this);
  }
}

/** Bytes that are copied and hashed between two yields: one or two milliseconds. */
const PIECE_BYTES = 512 * 1024;

/** Joins the pieces of a document, in steps. */
export async function encoded(pieces: readonly Uint8Array[], pause: () => Promise<void>): Promise<EncodedDocument> {
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((sum, p) => sum + p.length, 0));
  const hash = createHash('sha512');
  let at = 0;
  let hashed = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
    if (at - hashed < PIECE_BYTES) continue;
    hash.update(bytes.subarray(hashed, at));
    hashed = at;
    await pause();
  }
  hash.update(bytes.subarray(hashed, at));
  return { bytes, hash: hash.digest('hex').toUpperCase() };
}
