import {
  equalJson,
  getOwn,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setOwn,
  whyNotInt64,
} from '../api/index.js';
import { finish, type Steps } from '../base/index.js';
import { PatchError } from './errors.js';
import { documentDepthMax, findingsMax, jsonPatchCopyBytesMax, jsonPatchOperationsMax } from './limits.js';
import { nestedDeeper } from './nesting.js';
import { Obstacle, type Place, sentenceOf, textOf } from './obstacle.js';
import { arrayIndex, type PatchDialect, pointerTokens } from './pointer.js';

/** A decoded JSON patch. Operations are not validated yet, because an unknown one fails only when it is applied. */
export type JsonPatch = readonly JsonObject[];

const members: readonly string[] = ['op', 'path', 'from', 'value'];

/**
 * Validates the form of a JSON patch document. As in kube-apiserver, `null` is a patch without operations, and a null entry is
 * an operation without a type. Throws `badRequest` and `tooLarge`.
 *
 * @param typed the request validates fields (Warn, Strict), so members must have the right types
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

/** Returns the paths of unknown members of operations (`[0].comment`), for field validation. */
export function unknownOperationMembers(patch: JsonPatch): readonly string[] {
  const found: string[] = [];
  for (const [i, op] of patch.entries())
    for (const key of Object.keys(op)) {
      if (found.length === findingsMax) return found;
      if (!members.includes(key)) found.push(`[${i}].${key}`);
    }
  return found;
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
   * `reference` (default) is the behaviour of kube-apiserver: a replaced object member need not exist, a missing value is null,
   * negative indexes count from the end, a path's text before its first slash is ignored, the root cannot be added or removed.
   * `rfc6902` follows the standard exactly.
   */
  readonly dialect?: PatchDialect;
  /**
   * Operations whose value has a number in another spelling than the server's (`1.0`). Their `test` fails, because
   * kube-apiserver compares the spelling. See `oddlySpelledOperations`.
   */
  readonly oddlySpelled?: ReadonlySet<number>;
  /** Collects the containers of `current` that a copy or test looked into: kube-apiserver writes them anew, with sorted keys. */
  readonly entered?: Set<JsonValue>;
  /** A `test` for null fails where there is no value, as in the patches that admission policies compute. */
  readonly nullIsValue?: boolean;
}

/**
 * Returns the document after all operations, in order. The argument is not changed, and unchanged parts are shared with
 * it. Throws `rejected` at the first operation that fails.
 */
export function applyJsonPatch(document: JsonValue, patch: JsonPatch, options: JsonPatchOptions = {}): JsonValue {
  return finish(jsonPatchSteps(document, patch, options));
}

/** `applyJsonPatch` in steps. */
export function* jsonPatchSteps(document: JsonValue, patch: JsonPatch, options: JsonPatchOptions): Steps<JsonValue> {
  const run = new Run(document, options);
  for (let i = 0; i < patch.length; i++) {
    run.apply(patch[i]!, options.oddlySpelled?.has(i) === true);
    yield;
  }
  // Moves and copies can build a document deeper than any text.
  if (nestedDeeper(run.root, documentDepthMax)) throw rejected('the result is nested too deeply');
  return run.root;
}

/**
 * The state of one application: the current root, and the containers that are already private and may be changed in
 * place.
 */
class Run {
  root: JsonValue;
  readonly #dialect: PatchDialect;
  readonly #nullIsValue: boolean;
  readonly #entered: Set<JsonValue> | undefined;
  readonly #own = new Set<JsonArray | JsonObject>();
  #copiedBytes = 0;

  constructor(root: JsonValue, { dialect = 'reference', nullIsValue = false, entered }: JsonPatchOptions) {
    this.root = root;
    this.#entered = entered;
    this.#dialect = dialect;
    this.#nullIsValue = nullIsValue;
  }

  apply(op: JsonObject, oddlySpelled: boolean): void {
    try {
      this.#apply(op, oddlySpelled);
    } catch (error) {
      throw error instanceof Obstacle ? rejected(sentenceOf(op, error)) : error;
    }
  }

  #apply(op: JsonObject, oddlySpelled: boolean): void {
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
        const isAbsent = this.#nullIsValue && getOwn(op, 'value') === null && this.#get(path) === undefined;
        const found = this.#find(path);
        if (oddlySpelled || isAbsent || !equalJson(found, expected))
          throw rejected(`testing value ${textOf(op, 'path')} failed: test failed`);
        if (this.#entered !== undefined) enterAll(found, this.#entered);
        break;
      }
      default:
        throw rejected(`Unexpected kind: ${typeof getOwn(op, 'op') === 'string' ? textOf(op, 'op') : 'unknown'}`);
    }
  }

  #move(from: readonly string[], path: readonly string[]): void {
    if (this.#dialect === 'rfc6902') {
      if (isProperPrefix(from, path)) throw rejected('move into its own child');
      if (from.length === 0) return;
    }
    this.#put(
      path,
      relocating('key', 'moved', () => this.#remove(from)),
    );
  }

  /** Adds a moved or copied value. */
  #put(path: readonly string[], value: JsonValue): void {
    relocating('parent', 'destination', () => this.#add(path, value));
  }

  #copy(from: readonly string[], path: readonly string[]): void {
    if (from.length === 0 && this.#dialect === 'reference') throw new Obstacle('parent', '');
    const value = this.#find(from);
    if (value === undefined)
      throw new Obstacle('key', `unable to copy nonexistent key: ${from.join('/')}: missing value`);
    this.#countCopy(value);
    relocating('key', 'copied', () => {
      // kube-apiserver copies the text, after it entered the way to the destination.
      if (path.length > 0) relocating('parent', 'destination', () => this.#parent(path, true));
      this.#put(path, this.#duplicate(this.#find(from) ?? value));
    });
  }

  /** Copies the private containers of a value. The others are shared, because they are copied before they change. */
  #duplicate(value: JsonValue): JsonValue {
    if (typeof value !== 'object' || value === null || !this.#own.has(value)) return value;
    const copy = Array.isArray(value) ? value.slice() : shallow(value);
    this.#own.add(copy);
    if (Array.isArray(copy)) for (const [i, item] of copy.entries()) copy[i] = this.#duplicate(item);
    else for (const [key, member] of Object.entries(copy)) setOwn(copy, key, this.#duplicate(member));
    return copy;
  }

  #path(op: JsonObject, name: 'path' | 'from'): readonly string[] {
    const text = getOwn(op, name);
    if (text === undefined && name === 'from' && this.#dialect === 'reference')
      throw rejected(
        `${textOf(op, 'op')} operation failed to decode from: operation, missing from field: missing value`,
      );
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
    if (nestedDeeper(value, documentDepthMax)) throw rejected('the copied value is nested too deeply');
    this.#copiedBytes += jsonBytes(value, jsonPatchCopyBytesMax - this.#copiedBytes);
    if (this.#copiedBytes > jsonPatchCopyBytesMax) throw rejected('the copied values are too large');
  }

  /** Returns the value for `copy` and `test`: as in kube-apiserver, a missing member of an object is null. */
  #find(path: readonly string[]): JsonValue | undefined {
    const found = this.#get(path);
    return found === undefined && this.#dialect === 'reference' ? null : found;
  }

  /**
   * Returns the value at a path; undefined if an object has no such member. A missing parent or an invalid index is an
   * error.
   */
  #get(path: readonly string[]): JsonValue | undefined {
    if (path.length === 0) return this.root;
    const parent = this.#parent(path, false);
    const last = path[path.length - 1]!;
    return Array.isArray(parent) ? parent[this.#index(parent, last, 0)] : getOwn(parent, last);
  }

  #add(path: readonly string[], value: JsonValue): void {
    if (path.length === 0) {
      if (this.#dialect === 'reference') throw new Obstacle('parent', '');
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
    if (path.length === 0) throw new Obstacle('parent', '');
    const parent = this.#parent(path, true);
    const last = path[path.length - 1]!;
    if (Array.isArray(parent)) return parent.splice(this.#index(parent, last, 0), 1)[0]!;
    const old = getOwn(parent, last);
    if (old === undefined) throw new Obstacle('key', `Unable to remove nonexistent key: ${last}: missing value`);
    delete parent[last];
    return old;
  }

  #replace(path: readonly string[], value: JsonValue): void {
    if (path.length === 0) {
      if (this.#dialect === 'reference' && (typeof value !== 'object' || value === null))
        throw rejected('replace operation value must be object or array: %!w(<nil>)');
      this.root = value;
      return;
    }
    const parent = this.#parent(path, true);
    const last = path[path.length - 1]!;
    if (Array.isArray(parent)) parent[relocating('key', 'replaced', () => this.#index(parent, last, 0))] = value;
    else {
      if (this.#dialect === 'rfc6902' && getOwn(parent, last) === undefined) throw new Obstacle('parent', last);
      setOwn(parent, last, value);
    }
  }

  /** Returns the index in `list` for a token; `room` is 1 if the position after the end is allowed too. */
  #index(list: JsonArray, token: string, room: 0 | 1): number {
    const i = arrayIndex(token, list.length + room, this.#dialect);
    if (i !== undefined && i < list.length + room) return i;
    const why = whyNotInt64(token)?.replace('ParseInt', 'Atoi');
    if (why === undefined)
      throw new Obstacle('key', `Unable to access invalid index: ${token}: invalid index referenced`);
    throw new Obstacle('key', room === 1 ? `value was not a proper array index: '${token}': ${why}` : why);
  }

  /** Returns the container of the last token of `path`; copied before use if it will be changed. */
  #parent(path: readonly string[], change: boolean): JsonArray | JsonObject {
    let at = container(this.root);
    if (change) {
      at = this.#private(at);
      this.root = at;
    }
    for (let i = 0; i < path.length - 1; i++) {
      if (!change) this.#entered?.add(at);
      const token = path[i]!;
      if (Array.isArray(at)) {
        const index = arrayIndex(token, at.length, this.#dialect) ?? at.length;
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
    if (!change) this.#entered?.add(at);
    return at;
  }

  #private(c: JsonArray | JsonObject): JsonArray | JsonObject {
    if (this.#own.has(c)) return c;
    const copy = Array.isArray(c) ? c.slice() : shallow(c);
    this.#own.add(copy);
    return copy;
  }
}

/** Runs a part of an operation, whose obstacles at `place` are reported at another one. */
function relocating<T>(place: Place, reported: Place, f: () => T): T {
  try {
    return f();
  } catch (error) {
    throw error instanceof Obstacle && error.at === place ? new Obstacle(reported, error.message) : error;
  }
}

function container(v: JsonValue | undefined): JsonArray | JsonObject {
  if (typeof v !== 'object' || v === null) throw new Obstacle('parent', '');
  return v;
}

function enterAll(value: JsonValue | undefined, entered: Set<JsonValue>): void {
  if (typeof value !== 'object' || value === null) return;
  entered.add(value);
  for (const member of Object.values(value)) enterAll(member, entered);
}

/** Returns a shallow copy of an object. */
export function shallow(o: JsonObject): JsonObject {
  // Spread defines own properties, so `__proto__` stays an ordinary member.
  return { ...o };
}

function isProperPrefix(a: readonly string[], b: readonly string[]): boolean {
  return a.length < b.length && a.every((t, i) => t === b[i]);
}

function rejected(why: string): PatchError {
  return new PatchError('rejected', why);
}

/** Estimates the bytes of `v` in JSON; stops counting beyond `enough`. */
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
 * Returns the indexes of the operations of a JSON patch that have a number in another spelling than the server's:
 * `1.0`, `1e2`, `-0`. Decoding loses the spelling, and `test` compares it. One pass over the text, which must be valid
 * JSON; the result is nearly always empty.
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
