import type { JsonObject, JsonValue } from '../../api/index.js';
import {
  CelMap,
  type Compilation,
  type Compiled,
  CURRENT,
  compile,
  DYN,
  isError,
  JsonList,
  kubernetesEnvironment,
  listOf,
  mapOf,
  RESERVED_WORDS,
  STRING,
  struct,
  type Type,
  type Value,
} from '../../cel/index.js';
import type { UserInfo } from '../user.js';

const USER = 'kubernetes.UserInfo';
const USER_FIELDS: Readonly<Record<string, Type>> = {
  username: STRING,
  uid: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
};

const CLAIMS_ENVIRONMENT = kubernetesEnvironment(CURRENT).extend({ claims: mapOf(STRING, DYN) });
const USER_ENVIRONMENT = kubernetesEnvironment(CURRENT).extend({ user: struct(USER) }, [
  { name: USER, field: (name) => (Object.hasOwn(USER_FIELDS, name) ? USER_FIELDS[name] : undefined) },
]);

/** Compiles an expression over the variable `claims`. */
export function compileClaims(expression: string, result: Type): Compilation {
  return compile(expression, CLAIMS_ENVIRONMENT, [result]);
}

/** Compiles an expression over the variable `user`. */
export function compileUser(expression: string, result: Type): Compilation {
  return compile(expression, USER_ENVIRONMENT, [result]);
}

/**
 * Cost units of one expression for one token. The administrator writes the expression, but clients choose the claims: a
 * token of 64 KB must not block the thread.
 */
const COST_MAX = 100_000;

/** Evaluates an expression over claims or a user. Throws an Error with the reason if it has no value. */
export function evaluate({ program }: Compiled, name: 'claims' | 'user', value: Value): Value {
  const found = program.run((variable) => (variable === name ? value : undefined), COST_MAX).value;
  if (isError(found)) throw new Error(found.message);
  return found;
}

/**
 * The variable `claims`. Claims have their names in the token; fields of nested objects can also be read with escaped
 * names.
 */
export const claimsValue = (claims: JsonObject): Value => new ClaimObject(claims, false);

/** The variable `user`. */
export function userValue({ name, uid = '', groups, extra = {} }: UserInfo): Value {
  const lists = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
  return new ClaimObject({ username: name, uid, groups: [...groups], extra: lists }, false);
}

/** JSON as Go decodes it: every number is a double. */
function claimValue(json: JsonValue): Value {
  if (typeof json === 'bigint') return Number(json);
  if (json === null || typeof json !== 'object') return json;
  return Array.isArray(json) ? new JsonList(json, claimValue) : new ClaimObject(json as JsonObject, true);
}

class ClaimObject extends CelMap {
  readonly #json: JsonObject;
  readonly #unescapes: boolean;

  constructor(json: JsonObject, unescapes: boolean) {
    super();
    this.#json = json;
    this.#unescapes = unescapes;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const name = this.#unescapes ? unescapedName(key) : key;
    return Object.hasOwn(this.#json, name) ? claimValue(this.#json[name]!) : undefined;
  }

  keys(): readonly Value[] {
    return Object.keys(this.#json);
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['__underscores__', '__'],
  ['__dot__', '.'],
  ['__dash__', '-'],
  ['__slash__', '/'],
]);

/**
 * Returns the unescaped name of an identifier: `acme__dot__io` is `acme.io`, `__in__` is the word `in`. A name with two
 * underscores that start no escape is unchanged.
 */
function unescapedName(name: string): string {
  if (!name.includes('__')) return name;
  if (name.startsWith('__') && name.endsWith('__') && RESERVED_WORDS.has(name.slice(2, -2))) return name.slice(2, -2);
  let out = '';
  for (let at = 0; at < name.length; ) {
    if (!name.startsWith('__', at)) {
      out += name[at++];
      continue;
    }
    const found = [...ESCAPES].find(([text]) => name.startsWith(text, at));
    if (found === undefined) return name;
    out += found[1];
    at += found[0].length;
  }
  return out;
}
