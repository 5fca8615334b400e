import type { Writer } from 'protobufjs/minimal.js';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { jsonOf } from './numbers.js';

/** Encoders for the gnostic messages of both versions of OpenAPI. */

/** Length-delimited field `number`. */
export const key = (number: number): number => (number << 3) | 2;
export const varint = (number: number): number => number << 3;

export function message(w: Writer, number: number, write: () => void): void {
  w.uint32(key(number)).fork();
  write();
  w.ldelim();
}

/** The body of a Named... message: the name, then the value as a message. */
export function named(w: Writer, name: string, write: () => void): void {
  text(w, 1, name);
  message(w, 2, write);
}

export function text(w: Writer, number: number, value: JsonValue | undefined): void {
  if (typeof value === 'string' && value !== '') w.uint32(key(number)).string(value);
}

export function bool(w: Writer, number: number, value: JsonValue | undefined): void {
  if (value === true) w.uint32(varint(number)).bool(true);
}

export function texts(w: Writer, number: number, values: JsonValue | undefined): void {
  if (Array.isArray(values)) for (const v of values) w.uint32(key(number)).string(String(v));
}

/** gnostic's Any: the value as YAML text. */
export function any(w: Writer, number: number, value: JsonValue | undefined): void {
  if (value === undefined) return;
  message(w, number, () => w.uint32(key(2)).string(jsonOf(value)!));
}

export function extensions(w: Writer, number: number, from: JsonObject): void {
  for (const [name, value] of Object.entries(from)) {
    if (!name.startsWith('x-')) continue;
    message(w, number, () => {
      text(w, 1, name);
      any(w, 2, value);
    });
  }
}

export function double(w: Writer, number: number, value: JsonValue | undefined): void {
  if (typeof value === 'number') w.uint32((number << 3) | 1).double(value);
}

export function int(w: Writer, number: number, value: JsonValue | undefined): void {
  if (typeof value === 'number') w.uint32(varint(number)).int64(value);
  else if (typeof value === 'bigint') {
    const half = (shift: bigint): number => Number(BigInt.asIntN(32, value >> shift));
    w.uint32(varint(number)).int64({ low: half(0n), high: half(32n), unsigned: false } as Long);
  }
}
