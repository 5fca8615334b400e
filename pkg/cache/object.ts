import type { JsonObject } from '../api/index.js';
import type { Revision } from '../base/index.js';
import type { KeyValue, Protection } from '../storage/index.js';
import type { EncodingBudget } from './encodings.js';
import { cacheLimits } from './limits.js';
import type { OwnWrites } from './ownwrites.js';
import type { SharedValues } from './sharedvalues.js';
import type { Slab, SlabAllocator } from './slab.js';

/** The labels of an object. Equal sets are the same value. */
export type Labels = Readonly<Record<string, string>>;

/**
 * One immutable version of one object. Its bytes are complete canonical JSON in the storage version, with resourceVersion, and are kept
 * outside the JavaScript heap.
 */
export interface StoredObject {
  readonly key: string;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** The resourceVersion: the revision of the put or, for the last state of a deleted object, of the deletion. */
  readonly revision: Revision;
  readonly createRevision: Revision;
  /**
   * The store has other bytes: these were upgraded when they were loaded, or encrypted with a key that is no longer
   * used for writing. A write of the same object then rewrites it.
   */
  readonly stale: boolean;
  /** The length of the JSON in bytes. */
  readonly length: number;
  /** Returns a new view of the bytes. The caller must not write to it, nor keep it longer than needed. */
  readonly json: Buffer;
  /** Copies the JSON from the offset `from` on to `target` at `at`; returns the offset after it. */
  copyTo(target: Buffer, at: number, from?: number): number;
  /** Parses the JSON. The caller owns the result. */
  parse(): JsonObject;
  /** The parsed JSON. Its readers share it, so it must not be changed. It is kept for a moment, for other readers of the same version. */
  value(): JsonObject;
  /** What `value` returned, if it is still kept. Its readers share it, too. */
  keptValue(): JsonObject | undefined;
  labels(): Labels;
  uid(): string;
  /** The values of the selectable fields that the collection declares; computed once. */
  fields(): readonly string[];
  /** Returns a kept encoding, or undefined. */
  kept(id: string): Buffer | undefined;
  /** Returns another encoding of this version. It is made at first use and kept for a while if the budget allows. */
  encoding(id: string, make: (o: StoredObject) => Buffer): Buffer;
  /** The length of an encoding in bytes. The object remembers it for the last encoding even if the encoding is not kept. */
  encodedBytes(id: string, make: (o: StoredObject) => Buffer): number;
}

/** The properties that all objects of one resource share. */
export interface ObjectForm {
  readonly prefix: string;
  parse(bytes: Buffer): JsonObject;
  fieldsOf(o: JsonObject): readonly string[];
  /**
   * Upgrades stored bytes of another version to the current storage version when they are loaded. Returns undefined if
   * they are up to date. Throws `NotDecodable` for bytes that are no object of the kind.
   */
  readonly upgrade?: (stored: Buffer) => Buffer | undefined;
  readonly labelSets: LabelSets;
  readonly encodings: EncodingBudget;
  readonly values: SharedValues;
  readonly ownWrites: OwnWrites;
}

const METADATA = '"metadata":{';
const METADATA_BYTES = Buffer.from(METADATA);
const VERSION_HEAD = '"resourceVersion":"';

export class CachedObject implements StoredObject {
  readonly key: string;
  readonly revision: Revision;
  readonly createRevision: Revision;
  readonly length: number;
  holders = 0;
  offset: number;
  #slab: Slab;
  readonly #form: ObjectForm;
  readonly #upgraded: boolean;
  readonly #protection: Protection | undefined;
  readonly #nameAt: number;
  #labels: Labels | undefined;
  #fields: readonly string[] | undefined;
  #encodings: Map<string, Buffer> | undefined;
  #sized: string | undefined;
  #sizedBytes = 0;
  #value: JsonObject | undefined;

  constructor(form: ObjectForm, key: string, at: Versions, slab: Slab, offset: number, length: number) {
    this.#form = form;
    this.key = key;
    this.revision = at.revision;
    this.createRevision = at.createRevision;
    this.#upgraded = at.upgraded;
    this.#protection = at.protection;
    this.#slab = slab;
    this.offset = offset;
    this.length = length;
    this.#nameAt = key.lastIndexOf('/') + 1;
  }

  get stale(): boolean {
    return this.#upgraded || this.#protection?.stale === true;
  }

  /** The same object with a later revision has the same origin. */
  at(revision: Revision): Versions {
    const { createRevision } = this;
    return { revision, createRevision, upgraded: this.#upgraded, protection: this.#protection };
  }

  get name(): string {
    return this.key.slice(this.#nameAt);
  }

  get namespace(): string {
    return this.key.slice(this.#form.prefix.length, Math.max(this.#form.prefix.length, this.#nameAt - 1));
  }

  get json(): Buffer {
    return this.#slab.bytes.subarray(this.offset, this.offset + this.length);
  }

  copyTo(target: Buffer, at: number, from = 0): number {
    this.#slab.bytes.copy(target, at, this.offset + from, this.offset + this.length);
    return at + this.length - from;
  }

  parse(): JsonObject {
    return this.#form.parse(this.json);
  }

  value(): JsonObject {
    this.#value ??= this.#form.values.keep(this, this.parse());
    return this.#value;
  }

  keptValue(): JsonObject | undefined {
    return this.#value;
  }

  /** Keeps what `value` would return. */
  adopt(value: JsonObject): void {
    this.#value ??= this.#form.values.keep(this, value);
  }

  dropValue(): void {
    this.#value = undefined;
  }

  labels(): Labels {
    this.#labels ??= this.#form.labelSets.of(this.json);
    return this.#labels;
  }

  uid(): string {
    const json = this.json;
    const where = findInMetadata(json, '"uid"');
    return where === undefined ? '' : json.toString('latin1', where.start + 1, where.end - 1);
  }

  fields(): readonly string[] {
    this.#fields ??= this.#form.fieldsOf(this.value());
    return this.#fields;
  }

  kept(id: string): Buffer | undefined {
    return this.#encodings?.get(id);
  }

  encoding(id: string, make: (o: StoredObject) => Buffer): Buffer {
    const kept = this.#encodings?.get(id);
    if (kept !== undefined) {
      this.#form.encodings.use(this);
      return kept;
    }
    const bytes = make(this);
    this.#sized = id;
    this.#sizedBytes = bytes.length;
    // Objects without a holder (history, the last state of an object that left a selection) are read once; do not keep their encodings.
    if (this.holders > 0 && this.#form.encodings.keep(this, bytes.length)) {
      this.#encodings ??= new Map();
      this.#encodings.set(id, bytes);
    }
    return bytes;
  }

  encodedBytes(id: string, make: (o: StoredObject) => Buffer): number {
    return this.#sized === id ? this.#sizedBytes : this.encoding(id, make).length;
  }

  dropEncodings(): void {
    this.#encodings = undefined;
  }

  place(slab: Slab, offset: number): void {
    this.#slab = slab;
    this.offset = offset;
  }

  hold(): void {
    this.holders++;
  }

  letGo(allocator: SlabAllocator): void {
    if (--this.holders > 0) return;
    allocator.release(this.#slab, this);
    this.#forgetEncodings();
  }

  /** Drops the kept encodings when all holders are dropped together with the slab. Existing readers may continue to read the object. */
  abandon(): void {
    this.holders = 0;
    this.#forgetEncodings();
  }

  #forgetEncodings(): void {
    if (this.#encodings === undefined) return;
    this.#encodings = undefined;
    this.#form.encodings.forget(this);
  }
}

interface Versions {
  readonly revision: Revision;
  readonly createRevision: Revision;
  readonly upgraded: boolean;
  readonly protection: Protection | undefined;
}

/**
 * Inserts the resourceVersion as the first field of the metadata. Stored bytes begin `{"kind":"K","apiVersion":"V","metadata":{` and have
 * no resourceVersion, because the revision is unknown until the write is in the log.
 */
export function fromStored(form: ObjectForm, allocator: SlabAllocator, kv: KeyValue): CachedObject {
  const given = Buffer.from(kv.value.buffer, kv.value.byteOffset, kv.value.byteLength);
  const upgraded = form.upgrade?.(given);
  const stored = upgraded ?? given;
  const at = stored.indexOf(METADATA_BYTES) + METADATA_BYTES.length;
  const version = `${VERSION_HEAD}${kv.modRevision}",`;
  const length = stored.length + version.length;
  const { slab, offset } = allocator.reserve(length);
  stored.copy(slab.bytes, offset, 0, at);
  slab.bytes.write(version, offset + at);
  stored.copy(slab.bytes, offset + at + version.length, at);
  const versions = {
    revision: kv.modRevision,
    createRevision: kv.createRevision,
    upgraded: upgraded !== undefined,
    protection: kv.protection,
  };
  const made = new CachedObject(form, kv.key, versions, slab, offset, length);
  allocator.settle(slab, made);
  return made;
}

/** The same object with a later revision: the last state of a deleted object, or of an object that left a selection. */
export function atRevision(
  form: ObjectForm,
  allocator: SlabAllocator,
  object: CachedObject,
  revision: Revision,
): CachedObject {
  const old = object.json;
  const head = old.indexOf(METADATA_BYTES) + METADATA_BYTES.length + VERSION_HEAD.length;
  const tail = old.indexOf(0x22, head);
  const version = String(revision);
  const length = old.length - (tail - head) + version.length;
  const { slab, offset } = allocator.reserve(length);
  old.copy(slab.bytes, offset, 0, head);
  slab.bytes.write(version, offset + head);
  old.copy(slab.bytes, offset + head + version.length, tail);
  const made = new CachedObject(form, object.key, object.at(revision), slab, offset, length);
  allocator.settle(slab, made);
  return made;
}

const NONE: Labels = Object.freeze({});

/** Interned label sets by their text. The pods of a workload share one set, and so do the versions of an object. */
export class LabelSets {
  #known = new Map<string, Labels>();

  of(json: Buffer): Labels {
    const where = findInMetadata(json, '"labels"');
    if (where === undefined) return NONE;
    const text = json.toString('utf8', where.start, where.end);
    let set = this.#known.get(text);
    if (set === undefined) {
      if (this.#known.size >= cacheLimits.labelSetsMax) this.#known = new Map();
      set = JSON.parse(text) as Labels;
      this.#known.set(text, set);
    }
    return set;
  }
}

/**
 * Finds the value of a field in the metadata of an object without parsing the object. `quoted` is the name with its quotation marks.
 * Expects JSON without white space.
 */
export function findInMetadata(
  json: Buffer,
  quoted: string,
): { readonly start: number; readonly end: number } | undefined {
  let at = json.indexOf(METADATA_BYTES);
  if (at < 0) return undefined;
  at += METADATA_BYTES.length;
  while (json[at] === 0x22) {
    const nameEnd = endOfString(json, at);
    const start = nameEnd + 1;
    const found = nameEnd - at === quoted.length && json.toString('latin1', at, nameEnd) === quoted;
    const end = endOfValue(json, start);
    if (found) return { start, end };
    if (json[end] !== 0x2c) return undefined;
    at = end + 1;
  }
  return undefined;
}

/** Returns the offset after the string that begins at `at`. */
function endOfString(json: Buffer, at: number): number {
  let i = at + 1;
  for (;;) {
    const c = json[i];
    if (c === 0x22) return i + 1;
    if (c === undefined) return i;
    i += c === 0x5c ? 2 : 1;
  }
}

/** Returns the offset after the value that begins at `at` in JSON without white space. */
function endOfValue(json: Buffer, at: number): number {
  const first = json[at];
  if (first === 0x22) return endOfString(json, at);
  let i = at;
  let depth = 0;
  while (i < json.length) {
    const c = json[i]!;
    if (c === 0x22) {
      i = endOfString(json, i);
      continue;
    }
    if (c === 0x7b || c === 0x5b) depth++;
    else if (c === 0x7d || c === 0x5d) {
      if (depth === 0) return i;
      depth--;
      if (depth === 0) return i + 1;
    } else if (c === 0x2c && depth === 0) return i;
    i++;
  }
  return i;
}
