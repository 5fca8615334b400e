import { posix } from 'node:path';
import { errors, isObject, type JsonObject, type JsonValue } from '../api/index.js';
import { revision as asRevision, type Revision } from '../base/index.js';
import { readJson } from '../codec/index.js';
import { limits } from './limits.js';

/** The position of the next page of a list. The form is that of kube-apiserver, so that tokens are interchangeable. */
export interface Continuation {
  /** The revision of the pages; undefined for the current state (the successor of an expired token). */
  readonly revision: Revision | undefined;
  /** The first key, relative to the prefix of the list. */
  readonly start: string;
}

const VERSION = 'meta.k8s.io/v1';

export function encodeContinue(c: Continuation): string {
  const token = JSON.stringify({ v: VERSION, rv: c.revision ?? -1, start: c.start });
  return Buffer.from(token).toString('base64url');
}

export function decodeContinue(text: string): Continuation {
  if (text.length > limits.continueTokenMax) throw bad('token is too long');
  const invalidAt = firstInvalid(text);
  if (invalidAt !== undefined) throw bad(`illegal base64 data at input byte ${invalidAt}`);
  const json = readJson(Buffer.from(text, 'base64url'));
  if (!json.ok) throw bad(json.message);
  if (json.value !== null && !isObject(json.value))
    throw bad(`json: cannot unmarshal ${kindOf(json.value)} into Go value of type storage.continueToken`);
  const { v = '', rv, start } = fieldsOf(json.value ?? {});
  if (v !== VERSION) throw bad(`server does not recognize this encoded version ${String(v)}`);
  if (typeof rv !== 'number' || rv === 0) throw bad(`incorrect encoded start resourceVersion (version ${VERSION})`);
  if (typeof start !== 'string' || start === '') throw bad(`encoded start key empty (version ${VERSION})`);
  const key = start.startsWith('/') ? start : `/${start}`;
  if (posix.normalize(key) !== key || key.endsWith('/')) throw bad(start);
  return { revision: rv < 0 ? undefined : asRevision(rv), start: key.slice(1) };
}

/** The types of the fields of a token in Go, which accepts their names in any case. */
const FIELDS = { v: 'string', rv: 'int64', start: 'string' } as const;
type Fields = { -readonly [name in keyof typeof FIELDS]?: JsonValue };

function fieldsOf(token: JsonObject): Fields {
  const found: Fields = {};
  for (const [key, value] of Object.entries(token)) {
    const name = key.toLowerCase();
    if (value === null || !(name === 'v' || name === 'rv' || name === 'start')) continue;
    const wanted = FIELDS[name];
    const fits = wanted === 'string' ? typeof value === 'string' : isInt64(value);
    if (!fits) {
      const shown = wanted === 'int64' && typeof value === 'number' ? `number ${numberText(value)}` : kindOf(value);
      throw bad(`json: cannot unmarshal ${shown} into Go struct field continueToken.${name} of type ${wanted}`);
    }
    found[name] = value;
  }
  return found;
}

/** Integers of 64 bits that are not safe are bigint. */
const isInt64 = (value: JsonValue): boolean => typeof value === 'bigint' || Number.isSafeInteger(value);
const numberText = (value: number): string => (Number.isInteger(value) ? BigInt(value).toString() : String(value));

function bad(why: string): Error {
  return errors.badRequest(`invalid continue token: continue key is not valid: ${why}`);
}

/** Returns the offset of the byte at which Go's unpadded URL-safe decoder fails. */
function firstInvalid(text: string): number | undefined {
  const at = text.search(/[^A-Za-z0-9_-]/);
  if (at >= 0) return at;
  return text.length % 4 === 1 ? text.length - 1 : undefined;
}

function kindOf(v: unknown): string {
  if (Array.isArray(v)) return 'array';
  if (typeof v === 'object') return 'object';
  return typeof v === 'string' ? 'string' : typeof v === 'boolean' ? 'bool' : 'number';
}
