import type { JsonArray, JsonObject, JsonValue } from '../../api/index.js';
import type { Schema } from '../../schema/index.js';

/** Head of tag 55799 (RFC 8949, 3.4.6). It precedes every body and identifies it as CBOR. */
export const SELF_DESCRIBED = Buffer.from([0xd9, 0xd9, 0xf7]);

const FIRST_SIZE = 4096;
const MAP = 5;
const LIST = 4;
const BYTE_STRING = 2;
/** Tag 22: convert these bytes to base64 where text is expected. */
const LATER_BASE64 = 0xd6;

/**
 * Encodes an object (in normal form) as kube-apiserver does: strings and keys are byte strings, keys are sorted by
 * their encodings, heads and floats are as short as possible, and `bytes` fields are raw under tag 22. Without a schema
 * (custom resources) all strings are encoded as strings.
 */
export function encodeCbor(schema: Schema | undefined, value: JsonValue): Buffer {
  const out = new CborWriter();
  out.bytes(SELF_DESCRIBED);
  writeItem(out, schema, value);
  return out.finish();
}

class CborWriter {
  #buffer = Buffer.allocUnsafe(FIRST_SIZE);
  #at = 0;

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  bytes(value: Uint8Array): void {
    this.#room(value.length);
    this.#buffer.set(value, this.#at);
    this.#at += value.length;
  }

  byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#at++] = value;
  }

  /** Writes a major type and its argument in as few bytes as possible. */
  head(major: number, argument: number | bigint): void {
    this.#room(9);
    const type = major << 5;
    const b = this.#buffer;
    if (argument < 24) b[this.#at++] = type | Number(argument);
    else if (argument < 0x100) {
      b[this.#at++] = type | 24;
      b[this.#at++] = Number(argument);
    } else if (argument < 0x10000) {
      b[this.#at] = type | 25;
      this.#at = b.writeUInt16BE(Number(argument), this.#at + 1);
    } else if (argument < 0x1_0000_0000) {
      b[this.#at] = type | 26;
      this.#at = b.writeUInt32BE(Number(argument), this.#at + 1);
    } else {
      b[this.#at] = type | 27;
      this.#at = b.writeBigUInt64BE(BigInt(argument), this.#at + 1);
    }
  }

  float(value: number): void {
    this.#room(9);
    const b = this.#buffer;
    const half = halfOf(value);
    if (half !== undefined) {
      b[this.#at] = 0xf9;
      this.#at = b.writeUInt16BE(half, this.#at + 1);
    } else if (Math.fround(value) === value) {
      b[this.#at] = 0xfa;
      this.#at = b.writeFloatBE(value, this.#at + 1);
    } else {
      b[this.#at] = 0xfb;
      this.#at = b.writeDoubleBE(value, this.#at + 1);
    }
  }

  text(value: string): void {
    const size = Buffer.byteLength(value);
    this.head(BYTE_STRING, size);
    this.#room(size);
    this.#at += this.#buffer.write(value, this.#at, size, 'utf8');
  }

  #room(size: number): void {
    if (this.#at + size <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#at + size));
    this.#buffer.copy(grown, 0, 0, this.#at);
    this.#buffer = grown;
  }
}

function writeItem(out: CborWriter, schema: Schema | undefined, value: JsonValue): void {
  switch (typeof value) {
    case 'string':
      if (schema?.kind === 'scalar' && schema.type === 'bytes') {
        const raw = Buffer.from(value, 'base64');
        out.byte(LATER_BASE64);
        out.head(BYTE_STRING, raw.length);
        out.bytes(raw);
      } else out.text(value);
      return;
    case 'boolean':
      out.byte(value ? 0xf5 : 0xf4);
      return;
    case 'number':
      if (!Number.isSafeInteger(value) || (schema?.kind === 'scalar' && schema.type === 'float64')) out.float(value);
      else if (value < 0) out.head(1, -1 - value);
      else out.head(0, value);
      return;
    case 'bigint':
      if (value < 0n) out.head(1, -1n - value);
      else out.head(0, value);
      return;
    default:
      if (value === null) out.byte(0xf6);
      else if (Array.isArray(value)) writeList(out, schema, value);
      else writeMap(out, schema, value);
  }
}

function writeList(out: CborWriter, schema: Schema | undefined, list: JsonArray): void {
  const items = schema?.kind === 'list' ? schema.items : schema?.kind === 'any' ? schema.either?.object : undefined;
  out.head(LIST, list.length);
  for (const item of list) writeItem(out, items, item);
}

function writeMap(out: CborWriter, schema: Schema | undefined, map: JsonObject): void {
  const keys = Object.keys(map);
  keys.sort(compareEncoded);
  const owner = schema?.kind === 'any' ? schema.either?.object : schema;
  out.head(MAP, keys.length);
  for (const key of keys) {
    out.text(key);
    const inner =
      owner?.kind === 'struct' ? owner.byName.get(key)?.schema : owner?.kind === 'map' ? owner.values : undefined;
    writeItem(out, inner, map[key]!);
  }
}

const ASCII = /^[\0-\x7f]*$/;

/** Orders encoded keys: shorter ones first, then by their bytes. */
function compareEncoded(a: string, b: string): number {
  if (ASCII.test(a) && ASCII.test(b)) return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
  const x = Buffer.from(a);
  const y = Buffer.from(b);
  return x.length - y.length || Buffer.compare(x, y);
}

const FLOAT_BITS = new DataView(new ArrayBuffer(4));

/** Returns the bits of the half-precision float that equals the value exactly, or undefined. */
function halfOf(value: number): number | undefined {
  if (Math.fround(value) !== value) return undefined;
  FLOAT_BITS.setFloat32(0, value);
  const bits = FLOAT_BITS.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const mantissa = bits & 0x7fffff;
  if (exponent === 0 && mantissa === 0) return sign;
  const scaled = exponent - 112;
  if (scaled >= 31) return undefined;
  if (scaled >= 1) return (mantissa & 0x1fff) === 0 ? sign | (scaled << 10) | (mantissa >>> 13) : undefined;
  // A subnormal half has no implicit leading bit: write it out and shift it down.
  const shift = 14 - scaled;
  if (shift > 24) return undefined;
  const whole = mantissa | 0x800000;
  return (whole & ((1 << shift) - 1)) === 0 ? sign | (whole >>> shift) : undefined;
}

/** Returns the value of half-precision bits. */
export function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const mantissa = bits & 0x3ff;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}
