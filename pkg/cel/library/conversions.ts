import { Bytes, Duration, fail, noOverload, Timestamp, Uint, type Value } from '../values.js';
import { int, uint } from './arithmetic.js';
import { formatDouble, parseBool, parseDouble, parseInt64, parseUint64 } from './numbers.js';
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp, timestampInRange } from './time.js';

/** Conversions between the types of the language. */

const failedConversion = (from: string, to: string) => fail(`type conversion error from '${from}' to '${to}'`);

export function toInt(v: Value): Value {
  if (typeof v === 'bigint') return v;
  if (v instanceof Uint) return int(v.value);
  if (typeof v === 'number') {
    if (!(v > -(2 ** 63) && v < 2 ** 63)) return fail('integer overflow');
    return BigInt(Math.trunc(v));
  }
  if (typeof v === 'string') return parseInt64(v) ?? failedConversion('string', 'int');
  if (v instanceof Timestamp) return BigInt(v.seconds);
  if (v instanceof Duration) return v.nanos;
  return noOverload('int', v);
}

export function toUint(v: Value): Value {
  if (v instanceof Uint) return v;
  if (typeof v === 'bigint') return uint(v);
  if (typeof v === 'number') {
    if (!(v >= 0 && v < 2 ** 64)) return fail('unsigned integer overflow');
    return new Uint(BigInt(Math.trunc(v)));
  }
  if (typeof v === 'string') {
    const parsed = parseUint64(v);
    return parsed === undefined ? failedConversion('string', 'uint') : new Uint(parsed);
  }
  return noOverload('uint', v);
}

export function toDouble(v: Value): Value {
  if (typeof v === 'number') return v;
  if (typeof v === 'bigint') return Number(v);
  if (v instanceof Uint) return Number(v.value);
  if (typeof v === 'string') return parseDouble(v) ?? failedConversion('string', 'double');
  return noOverload('double', v);
}

export function toText(v: Value): Value {
  if (typeof v === 'string') return v;
  if (typeof v === 'bigint' || typeof v === 'boolean') return String(v);
  if (v instanceof Uint) return String(v.value);
  if (typeof v === 'number') return formatDouble(v);
  if (v instanceof Timestamp) return formatTimestamp(v);
  if (v instanceof Duration) return formatDuration(v);
  if (v instanceof Bytes) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(v.value);
    } catch {
      return fail('invalid UTF-8 in bytes, cannot convert to string');
    }
  }
  return noOverload('string', v);
}

/** Returns the text of a timestamp, a duration or another scalar, as in `string()`. */
export function valueText(v: Value): string {
  const text = toText(v);
  return typeof text === 'string' ? text : '';
}

export function toBytes(v: Value): Value {
  if (v instanceof Bytes) return v;
  if (typeof v === 'string') return new Bytes(new TextEncoder().encode(v));
  return noOverload('bytes', v);
}

export function toBool(v: Value): Value {
  if (typeof v === 'boolean') return v;
  if (typeof v === 'string') return parseBool(v) ?? failedConversion('string', 'bool');
  return noOverload('bool', v);
}

export function toTimestamp(v: Value): Value {
  if (v instanceof Timestamp) return v;
  if (typeof v === 'bigint') {
    return timestampInRange(Number(v)) ? new Timestamp(Number(v), 0) : fail('timestamp overflow');
  }
  if (typeof v === 'string') {
    const parsed = parseTimestamp(v);
    if (parsed === undefined) return failedConversion('string', 'google.protobuf.Timestamp');
    return timestampInRange(parsed.seconds) ? parsed : fail('timestamp overflow');
  }
  return noOverload('timestamp', v);
}

export function toDuration(v: Value): Value {
  if (v instanceof Duration) return v;
  if (typeof v === 'string') return parseDuration(v) ?? failedConversion('string', 'google.protobuf.Duration');
  return noOverload('duration', v);
}
