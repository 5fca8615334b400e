import { isUtf8 } from 'node:buffer';
import { type JsonArray, type JsonObject, type JsonValue, setOwn } from '../../api/index.js';
import { finish, type Steps } from '../../base/index.js';
import { utf8, utf8At } from '../json/text.js';
import { codecLimits, tooManyKeys, tooManyValues } from '../limits.js';
import { halfValue } from './write.js';

export type ReadCbor =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string };

/**
 * Reads one CBOR data item (RFC 8949) as kube-apiserver does. Byte strings become text, or base64, base64url or
 * hexadecimal text under the tags for those; other tags are ignored. It refuses duplicate keys, keys that are not
 * strings, integers beyond int64, NaN, infinities, big numbers and simple values other than true, false and null. It
 * accepts indefinite lengths.
 */
export function readCbor(bytes: Buffer): ReadCbor {
  return finish(cborSteps(bytes));
}

/** `readCbor` in steps. Only a large item takes more than one. */
export function* cborSteps(bytes: Buffer): Steps<ReadCbor> {
  const reader = new CborReader(bytes);
  try {
    return { ok: true, value: yield* reader.whole() };
  } catch (failure) {
    if (failure instanceof CborFailure) return { ok: false, message: failure.message };
    throw failure;
  }
}

/** Thrown and caught inside this file only. */
class CborFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

const BREAK = Symbol('break');
/** Additional information: a break ends the item. */
const INDEFINITE = 31;
/** The tags up to this one are those of times and big numbers. */
const LAST_SCALAR_TAG = 3;

type Rendering = 'text' | 'base64' | 'base64url' | 'hex';
const RENDERINGS: ReadonlyMap<number, Rendering> = new Map([
  [21, 'base64url'],
  [22, 'base64'],
  [23, 'hex'],
]);

/** Smaller items are read at once. */
const STEPPED_BYTES_MIN = 64 * 1024;
/** Values that are read in one step. */
const VALUES_AT_ONCE = 1_000;

/**
 * Reads a small item by recursion (`#item`), and a large one by generators (`#itemSteps`), whose containers pause between their items. Generators
 * are slower.
 */
class CborReader {
  readonly #bytes: Buffer;
  #at = 0;
  #depth = 0;
  #values = 0;
  #valuesAtPause = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  *whole(): Steps<JsonValue> {
    if (this.#bytes.length === 0) this.#fail('EOF');
    const stepped = this.#bytes.length >= STEPPED_BYTES_MIN;
    const value = stepped ? this.#unbroken(yield* this.#itemSteps('text')) : this.#item('text');
    const rest = this.#bytes.length - this.#at;
    if (rest > 0) this.#fail(`cbor: ${rest} bytes of extraneous data starting at index ${this.#at}`);
    return value;
  }

  #fail(message: string): never {
    throw new CborFailure(message);
  }

  #item(rendering: Rendering): JsonValue {
    return this.#unbroken(this.#itemOrBreak(rendering));
  }

  #unbroken(value: JsonValue | typeof BREAK): JsonValue {
    if (value === BREAK) this.#fail('cbor: unexpected "break" code');
    return value;
  }

  /** `#itemOrBreak` in steps. */
  *#itemSteps(rendering: Rendering): Steps<JsonValue | typeof BREAK> {
    const first = this.#bytes[this.#at];
    const major = first === undefined ? -1 : first >>> 5;
    if (major < 4 || major > 6) return this.#itemOrBreak(rendering);
    this.#at++;
    const info = first! & 0x1f;
    const tag = major === 6 ? Number(this.#argument(info)) : 0;
    if (major === 6 && tag <= LAST_SCALAR_TAG) return this.#tagged(tag, rendering);
    this.#enter();
    const value =
      major === 4
        ? yield* this.#listSteps(info, rendering)
        : major === 5
          ? yield* this.#mapSteps(info, rendering)
          : this.#unbroken(yield* this.#itemSteps(RENDERINGS.get(tag) ?? rendering));
    this.#depth--;
    return value;
  }

  #pauses(): boolean {
    if (this.#values - this.#valuesAtPause < VALUES_AT_ONCE) return false;
    this.#valuesAtPause = this.#values;
    return true;
  }

  *#listSteps(info: number, rendering: Rendering): Steps<JsonArray> {
    const list: JsonArray = [];
    const count = this.#count(info);
    while (list.length < count) {
      const item = yield* this.#itemSteps(rendering);
      if (item === BREAK && info === INDEFINITE) break;
      list.push(this.#unbroken(item));
      this.#counted();
      if (this.#pauses()) yield;
    }
    return list;
  }

  *#mapSteps(info: number, rendering: Rendering): Steps<JsonObject> {
    const map: JsonObject = {};
    const count = this.#count(info);
    for (let i = 0; i < count; i++) {
      const key = this.#key(map, info, i);
      if (key === BREAK) break;
      setOwn(map, key, this.#unbroken(yield* this.#itemSteps(rendering)));
      if (this.#pauses()) yield;
    }
    return map;
  }

  #itemOrBreak(rendering: Rendering): JsonValue | typeof BREAK {
    const first = this.#next();
    const major = first >>> 5;
    const info = first & 0x1f;
    switch (major) {
      case 0:
        return this.#integer(this.#argument(info), 1n);
      case 1:
        return this.#integer(this.#argument(info), -1n);
      case 2:
        return rendering === 'text' && info !== INDEFINITE
          ? this.#text(info)
          : render(this.#string(info, 2), rendering);
      case 3: {
        const text = this.#string(info, 3);
        if (!isUtf8(text)) this.#fail('cbor: invalid UTF-8 string');
        return text.toString('utf8');
      }
      case 4:
        return this.#nested(() => this.#list(info, rendering));
      case 5:
        return this.#nested(() => this.#map(info, rendering));
      case 6:
        return this.#tagged(Number(this.#argument(info)), rendering);
      default:
        return info === INDEFINITE ? BREAK : this.#simple(info);
    }
  }

  #nested<T>(read: () => T): T {
    this.#enter();
    const value = read();
    this.#depth--;
    return value;
  }

  #enter(): void {
    if (++this.#depth > codecLimits.binaryDepthMax)
      this.#fail(`cbor: exceeded max nested level ${codecLimits.binaryDepthMax}`);
  }

  #counted(): void {
    if (++this.#values > codecLimits.valuesMax) this.#fail(tooManyValues('body'));
  }

  #next(): number {
    const b = this.#bytes[this.#at];
    if (b === undefined) this.#fail('unexpected EOF');
    this.#at++;
    return b;
  }

  #take(size: number): Buffer {
    if (size > this.#bytes.length - this.#at) this.#fail('unexpected EOF');
    this.#at += size;
    return this.#bytes.subarray(this.#at - size, this.#at);
  }

  #argument(info: number): number | bigint {
    switch (info) {
      case 24:
        return this.#next();
      case 25:
        return this.#take(2).readUInt16BE();
      case 26:
        return this.#take(4).readUInt32BE();
      case 27: {
        const big = this.#take(8).readBigUInt64BE();
        return big <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(big) : big;
      }
      default:
        if (info < 24) return info;
        return this.#fail(`cbor: invalid additional information ${info}`);
    }
  }

  #integer(argument: number | bigint, sign: 1n | -1n): JsonValue {
    if (typeof argument === 'number') {
      const value = sign === 1n ? argument : -1 - argument;
      if (Number.isSafeInteger(value)) return value;
    }
    const big = sign === 1n ? BigInt(argument) : -1n - BigInt(argument);
    if (BigInt.asIntN(64, big) !== big)
      this.#fail(`cbor: cannot unmarshal ${big} into Go value of type int64 (overflow)`);
    return big;
  }

  /**
   * Reads a count of items. Each item takes at least one byte, so a count above the remaining bytes is refused before
   * any allocation.
   */
  #length(info: number): number {
    const length = Number(this.#argument(info));
    if (length > this.#bytes.length - this.#at) this.#fail('unexpected EOF');
    return length;
  }

  #text(info: number): string {
    const size = this.#length(info);
    this.#at += size;
    return utf8At(this.#bytes, this.#at - size, this.#at);
  }

  #string(info: number, major: number): Buffer {
    if (info !== INDEFINITE) return this.#take(this.#length(info));
    const chunks: Buffer[] = [];
    for (;;) {
      const first = this.#next();
      if (first === 0xff) return Buffer.concat(chunks);
      if (first >>> 5 !== major || (first & 0x1f) === INDEFINITE)
        this.#fail('cbor: wrong element type for indefinite-length string');
      chunks.push(this.#take(this.#length(first & 0x1f)));
    }
  }

  /** The number of items or entries of a container; infinite if a break ends it. */
  #count(info: number): number {
    return info === INDEFINITE ? Number.POSITIVE_INFINITY : this.#length(info);
  }

  #list(info: number, rendering: Rendering): JsonArray {
    const list: JsonArray = [];
    const count = this.#count(info);
    while (list.length < count) {
      const item = this.#itemOrBreak(rendering);
      if (item === BREAK && info === INDEFINITE) break;
      list.push(this.#unbroken(item));
      this.#counted();
    }
    return list;
  }

  #map(info: number, rendering: Rendering): JsonObject {
    const map: JsonObject = {};
    const count = this.#count(info);
    for (let i = 0; i < count; i++) {
      const key = this.#key(map, info, i);
      if (key === BREAK) break;
      setOwn(map, key, this.#item(rendering));
    }
    return map;
  }

  /** The key of entry `i` of a map. */
  #key(map: JsonObject, info: number, i: number): string | typeof BREAK {
    const key = this.#itemOrBreak('text');
    if (key === BREAK && info === INDEFINITE) return key;
    if (i === codecLimits.keysMax) this.#fail(tooManyKeys('body'));
    this.#counted();
    if (typeof key !== 'string') {
      this.#unbroken(key);
      this.#fail('cbor: cannot unmarshal a map key that is no string');
    }
    if (Object.hasOwn(map, key)) this.#fail(`cbor: found duplicate map key "${key}" at map element index ${i}`);
    return key;
  }

  #tagged(tag: number, rendering: Rendering): JsonValue {
    if (tag === 2 || tag === 3) this.#fail(`cbor: cannot unmarshal tag ${tag}: bignum`);
    return this.#nested(() => {
      if (tag === 0 || tag === 1) return this.#time(tag);
      return this.#item(RENDERINGS.get(tag) ?? rendering);
    });
  }

  #time(tag: 0 | 1): JsonValue {
    const value = this.#item('text');
    if (tag === 0) return typeof value === 'string' ? value : this.#fail('cbor: tag 0 content is no string');
    const date = new Date(typeof value === 'number' ? value * 1000 : Number.NaN);
    if (Number.isNaN(date.getTime())) this.#fail('cbor: tag 1 content is no time');
    return date.toISOString().replace('.000Z', 'Z');
  }

  #simple(info: number): JsonValue {
    switch (info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
        return null;
      case 25:
        return this.#finite(halfValue(this.#take(2).readUInt16BE()));
      case 26:
        return this.#finite(this.#take(4).readFloatBE());
      case 27:
        return this.#finite(this.#take(8).readDoubleBE());
      default:
        return this.#fail(`cbor: simple value ${info} is not recognized`);
    }
  }

  #finite(value: number): number {
    if (!Number.isFinite(value)) this.#fail('cbor: floating-point NaN and infinity are not permitted');
    return value;
  }
}

function render(bytes: Buffer, rendering: Rendering): string {
  return rendering === 'text' ? utf8(bytes) : bytes.toString(rendering);
}
