import {
  cloneJson,
  equalJson,
  getOwn,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '../api/index.js';
import { PatchError } from './errors.js';
import { documentDepthMax, jsonPatchCopyBytesMax, jsonPatchOperationsMax } from './limits.js';
import { nestedDeeper } from './nesting.js';
import { arrayIndex, type PatchDialect, pointerTokens } from './pointer.js';

/** A decoded JSON patch. Operations are not validated yet, because an unknown one fails only when it is applied. */
export type JsonPatch = readonly JsonObject[];

const members: readonly string[] = ['op', 'path', 'from', 'value'];

/**
 * Checks the outer form of a JSON patch document. `null` and null entries are taken as the reference takes them: no operations,
 * and operations of no kind. Throws `badRequest` and `tooLarge`.
 *
 * @param typed the request validates fields (Warn, Strict): members must have their types already here.
 */
export function decodeJsonPatch(document: JsonValue, typed: boolean): JsonPatch {
  if (document === null) return [];
  if (!Array.isArray(document)) throw wrongType(document, '[]handlers.jsonPatchOp', 'jsonpatch.Patch', typed);
  const operations: JsonObject[] = [];
  for (const entry of document) {
    if (entry !== null && !isObject(entry))
      throw wrongType(entry, 'handlers.jsonPatchOp', 'jsonpatch.Operation', typed);
    if (typed && entry !== null) {
      for (const name of ['op', 'path', 'from']) {
        const v = getOwn(entry, name);
        if (v !== undefined && v !== null && typeof v !== 'string') {
          throw new PatchError(
            'badRequest',
            `error decoding patch: json: cannot unmarshal ${jsonTypeName(v)} into Go struct field jsonPatchOp.${name} of type string`,
          );
        }
      }
    }
    operations.push(entry ?? {});
  }
  if (operations.length > jsonPatchOperationsMax) {
    throw new PatchError(
      'tooLarge',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, got ${operations.length}`,
    );
  }
  return operations;
}

/** Paths of members that no operation has (`[0].comment`), for field validation. */
export function unknownOperationMembers(patch: JsonPatch): readonly string[] {
  return patch.flatMap((op, i) => Object.keys(op).flatMap((k) => (members.includes(k) ? [] : [`[${i}].${k}`])));
}

function wrongType(v: JsonValue, typedAs: string, plain: string, typed: boolean): PatchError {
  const found = jsonTypeName(v);
  return new PatchError(
    'badRequest',
    typed
      ? `error decoding patch: json: cannot unmarshal ${found} into Go value of type ${typedAs}`
      : `json: cannot unmarshal ${found} into Go value of type ${plain}`,
  );
}

/** Returns the type of a JSON value, as in decoding errors. */
export function jsonTypeName(v: JsonValue): string {
  if (Array.isArray(v)) return 'array';
  if (v === null) return 'null';
  if (typeof v === 'boolean') return 'bool';
  return typeof v === 'bigint' ? 'number' : typeof v;
}

export interface JsonPatchOptions {
  /**
   * `reference` (default) is what clients of the API know: a replaced object member need not exist, a missing value is null,
   * negative indexes count from the end, a path's text before its first slash is ignored, the root cannot be added or removed.
   * `rfc6902` is the standard to the letter.
   */
  readonly dialect?: PatchDialect;
  /**
   * Operations whose value spells a number otherwise than the server does (`1.0`): their `test` fails, because the reference
   * compares spelling. See `oddlySpelledOperations`.
   */
  readonly oddlySpelled?: ReadonlySet<number>;
}

/**
 * The document after all operations, in order; the document itself is left as it was, and what no operation touched is shared
 * with it. Throws `rejected` at the first operation that does not apply, and then nothing has happened.
 */
export function applyJsonPatch(document: JsonValue, patch: JsonPatch, options: JsonPatchOptions = {}): JsonValue {
  const run = new Run(document, options.dialect ?? 'reference');
  for (let i = 0; i < patch.length; i++) run.apply(patch[i]!, options.oddlySpelled?.has(i) === true);
  // Moves and copies can build what no text could hold.
  if (nestedDeeper(run.root, documentDepthMax)) throw rejected('the result is nested too deeply');
  return run.root;
}

/** One application: the root so far and the containers that are already private to it and may be changed in place. */
class Run {
  root: JsonValue;
  readonly #dialect: PatchDialect;
  readonly #own = new Set<JsonArray | JsonObject>();
  #copiedBytes = 0;

  constructor(root: JsonValue, dialect: PatchDialect) {
    this.root = root;
    this.#dialect = dialect;
  }

  apply(op: JsonObject, oddlySpelled: boolean): void {
    switch (getOwn(op, 'op')) {
      case 'add':
        this.#add(this.#path(op, 'path'), this.#value(op));
        break;
      case 'remove':
        this.#remove(this.#path(op, 'path'));
        break;
      case 'replace':
        this.#replace(this.#path(op, 'path'), this.#value(op));
        break;
      case 'move':
        this.#move(this.#path(op, 'from'), this.#path(op, 'path'));
        break;
      case 'copy':
        this.#copy(this.#path(op, 'from'), this.#path(op, 'path'));
        break;
      case 'test': {
        const path = this.#path(op, 'path');
        const expected = this.#value(op);
        if (oddlySpelled || !equalJson(this.#find(path), expected)) throw rejected(`test failed: ${path.join('/')}`);
        break;
      }
      default:
        throw rejected('unknown operation');
    }
  }

  #move(from: readonly string[], path: readonly string[]): void {
    if (this.#dialect === 'rfc6902') {
      if (isProperPrefix(from, path)) throw rejected('move into its own child');
      if (from.length === 0) return;
    }
    this.#add(path, this.#remove(from));
  }

  #copy(from: readonly string[], path: readonly string[]): void {
    if (from.length === 0 && this.#dialect === 'reference') throw rejected('the root cannot be copied');
    const value = this.#find(from);
    if (value === undefined) throw rejected(`copy: nothing at ${from.join('/')}`);
    this.#countCopy(value);
    this.#add(path, cloneJson(value));
  }

  #path(op: JsonObject, name: 'path' | 'from'): readonly string[] {
    const text = getOwn(op, name);
    const tokens = typeof text === 'string' ? pointerTokens(text, this.#dialect) : undefined;
    if (tokens === undefined || tokens.length > documentDepthMax) throw rejected(`bad or missing ${name}`);
    return tokens;
  }

  #value(op: JsonObject): JsonValue {
    const value = getOwn(op, 'value');
    if (value !== undefined) return value;
    if (this.#dialect === 'rfc6902') throw rejected('missing value');
    return null;
  }

  #countCopy(value: JsonValue): void {
    if (nestedDeeper(value, documentDepthMax)) throw rejected('what is copied is nested too deeply');
    this.#copiedBytes += jsonBytes(value, jsonPatchCopyBytesMax - this.#copiedBytes);
    if (this.#copiedBytes > jsonPatchCopyBytesMax) throw rejected('copies are too large');
  }

  /** What `copy` and `test` find at a path: the reference takes a missing member of an object for null. */
  #find(path: readonly string[]): JsonValue | undefined {
    const found = this.#get(path);
    return found === undefined && this.#dialect === 'reference' ? null : found;
  }

  /** The value at a path; undefined where an object has no such member. A missing parent or a bad index is an error. */
  #get(path: readonly string[]): JsonValue | undefined {
    if (path.length === 0) return this.root;
    const parent = this.#parent(path, false);
    const last = path[path.length - 1]!;
    return Array.isArray(parent) ? parent[this.#index(parent, last, 0)] : getOwn(parent, last);
  }

  #add(path: readonly string[], value: JsonValue): void {
    if (path.length === 0) {
      if (this.#dialect === 'reference') throw rejected('the root cannot be added');
      this.root = value;
      return;
    }
    const parent = this.#parent(path, true);
    const last = path[path.length - 1]!;
    if (!Array.isArray(parent)) setOwn(parent, last, value);
    else if (last === '-') parent.push(value);
    else parent.splice(this.#index(parent, last, 1), 0, value);
  }

  #remove(path: readonly string[]): JsonValue {
    if (path.length === 0) throw rejected('the root cannot be removed');
    const parent = this.#parent(path, true);
    const last = path[path.length - 1]!;
    if (Array.isArray(parent)) return parent.splice(this.#index(parent, last, 0), 1)[0]!;
    const old = getOwn(parent, last);
    if (old === undefined) throw rejected(`nothing to remove: ${last}`);
    delete parent[last];
    return old;
  }

  #replace(path: readonly string[], value: JsonValue): void {
    if (path.length === 0) {
      if (this.#dialect === 'reference' && (typeof value !== 'object' || value === null))
        throw rejected('not a document');
      this.root = value;
      return;
    }
    const parent = this.#parent(path, true);
    const last = path[path.length - 1]!;
    if (Array.isArray(parent)) parent[this.#index(parent, last, 0)] = value;
    else {
      if (this.#dialect === 'rfc6902' && getOwn(parent, last) === undefined)
        throw rejected(`nothing to replace: ${last}`);
      setOwn(parent, last, value);
    }
  }

  /** Position in `list` that a token names; `room` 1 when the place after the end counts too. */
  #index(list: JsonArray, token: string, room: 0 | 1): number {
    const i = arrayIndex(token, list.length + room, this.#dialect);
    if (i === undefined || i >= list.length + room) throw rejected(`bad index ${token}`);
    return i;
  }

  /** The container that holds the last token of `path`; private to this run when it is to be changed. */
  #parent(path: readonly string[], change: boolean): JsonArray | JsonObject {
    let at = container(this.root);
    if (change) {
      at = this.#private(at);
      this.root = at;
    }
    for (let i = 0; i < path.length - 1; i++) {
      const token = path[i]!;
      if (Array.isArray(at)) {
        const index = this.#index(at, token, 0);
        let next = container(at[index]);
        if (change) {
          next = this.#private(next);
          at[index] = next;
        }
        at = next;
      } else {
        let next = container(getOwn(at, token));
        if (change) {
          next = this.#private(next);
          setOwn(at, token, next);
        }
        at = next;
      }
    }
    return at;
  }

  #private(c: JsonArray | JsonObject): JsonArray | JsonObject {
    if (this.#own.has(c)) return c;
    const copy = Array.isArray(c) ? c.slice() : shallow(c);
    this.#own.add(copy);
    return copy;
  }
}

function container(v: JsonValue | undefined): JsonArray | JsonObject {
  if (typeof v !== 'object' || v === null) throw rejected('missing parent');
  return v;
}

/** A copy of an object that shares its members' values. */
export function shallow(o: JsonObject): JsonObject {
  // Spread defines own properties, so a member `__proto__` stays one.
  return { ...o };
}

function isProperPrefix(a: readonly string[], b: readonly string[]): boolean {
  return a.length < b.length && a.every((t, i) => t === b[i]);
}

function rejected(why: string): PatchError {
  return new PatchError('rejected', why);
}

/** About as many bytes as `v` has in JSON; stops counting once beyond `enough`. */
function jsonBytes(v: JsonValue, enough: number): number {
  if (typeof v === 'string') return v.length + 2;
  if (typeof v !== 'object' || v === null) return 5;
  let sum = 2;
  if (Array.isArray(v)) {
    for (let i = 0; i < v.length && sum <= enough; i++) sum += jsonBytes(v[i]!, enough - sum) + 1;
  } else {
    const keys = Object.keys(v);
    for (let i = 0; i < keys.length && sum <= enough; i++) {
      sum += keys[i]!.length + 4 + jsonBytes(v[keys[i]!]!, enough - sum);
    }
  }
  return sum;
}

/**
 * Which operations of a JSON patch hold a number that is not spelled as the server spells it: `1.0`, `1e2`, `-0`. Decoding loses
 * the spelling, and `test` compares it. One pass over the text, which must be valid JSON; nearly always empty.
 */
export function oddlySpelledOperations(text: string): ReadonlySet<number> {
  const odd = new Set<number>();
  if (!/[0-9][.eE]|-0/.test(text)) return odd;
  let depth = 0;
  let operation = 0;
  const token = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[[\]{},]/gs;
  for (let m = token.exec(text); m !== null; m = token.exec(text)) {
    const t = m[0];
    const c = t[0]!;
    if (c === '[' || c === '{') depth++;
    else if (c === ']' || c === '}') depth--;
    else if (c === ',') operation += depth === 1 ? 1 : 0;
    else if (c !== '"' && /[.eE]|^-0/.test(t) && String(Number(t)) !== t) odd.add(operation);
  }
  return odd;
}
