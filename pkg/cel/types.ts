/** A type of the checker. Types are plain data; compare them with `sameType`. */
export type Type =
  | { readonly kind: Primitive }
  | { readonly kind: 'list'; readonly element: Type }
  | { readonly kind: 'map'; readonly key: Type; readonly value: Type }
  | { readonly kind: 'type'; readonly of: Type | undefined }
  | { readonly kind: 'param'; readonly name: string }
  /** A named type: `optional_type(T)`, `kubernetes.Quantity`. */
  | { readonly kind: 'opaque'; readonly name: string; readonly params: readonly Type[] }
  /** An object with declared fields; the environment knows them by the name. */
  | { readonly kind: 'struct'; readonly name: string };

export type Primitive =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration';

export const DYN: Type = { kind: 'dyn' };
export const ERROR: Type = { kind: 'error' };
export const NULL: Type = { kind: 'null' };
export const BOOL: Type = { kind: 'bool' };
export const INT: Type = { kind: 'int' };
export const UINT: Type = { kind: 'uint' };
export const DOUBLE: Type = { kind: 'double' };
export const STRING: Type = { kind: 'string' };
export const BYTES: Type = { kind: 'bytes' };
export const TIMESTAMP: Type = { kind: 'timestamp' };
export const DURATION: Type = { kind: 'duration' };

export const listOf = (element: Type): Type => ({ kind: 'list', element });
export const mapOf = (key: Type, value: Type): Type => ({ kind: 'map', key, value });
export const typeOfType = (of?: Type): Type => ({ kind: 'type', of });
export const opaque = (name: string, ...params: readonly Type[]): Type => ({ kind: 'opaque', name, params });
export const struct = (name: string): Type => ({ kind: 'struct', name });
export const optionalOf = (t: Type): Type => opaque('optional_type', t);

/** Reports whether `t` is `optional_type(...)`, whose parameter is the type of the value. */
export function isOptionalType(t: Type): t is Type & { readonly kind: 'opaque' } {
  return t.kind === 'opaque' && t.name === 'optional_type';
}

/** The type as error messages show it: `map(string, int)`. */
export function showType(t: Type): string {
  switch (t.kind) {
    case 'error':
      return '!error!';
    case 'list':
      return `list(${showType(t.element)})`;
    case 'map':
      return `map(${showType(t.key)}, ${showType(t.value)})`;
    case 'type':
      return t.of === undefined ? 'type' : `type(${showType(t.of)})`;
    case 'param':
      return t.name;
    case 'opaque':
      return t.params.length === 0 ? t.name : `${t.name}(${t.params.map(showType).join(', ')})`;
    case 'struct':
      return t.name;
    default:
      return t.kind;
  }
}

export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'list':
      return sameType(a.element, (b as typeof a).element);
    case 'map':
      return sameType(a.key, (b as typeof a).key) && sameType(a.value, (b as typeof a).value);
    case 'type': {
      const other = (b as typeof a).of;
      return a.of === undefined || other === undefined ? a.of === other : sameType(a.of, other);
    }
    case 'param':
    case 'struct':
      return a.name === (b as typeof a).name;
    case 'opaque': {
      const { name, params } = b as typeof a;
      return a.name === name && a.params.length === params.length && a.params.every((p, i) => sameType(p, params[i]!));
    }
    default:
      return true;
  }
}

/** Returns the parts of a type that may contain type parameters. */
function parts(t: Type): readonly Type[] {
  if (t.kind === 'list') return [t.element];
  if (t.kind === 'map') return [t.key, t.value];
  if (t.kind === 'opaque') return t.params;
  if (t.kind === 'type' && t.of !== undefined) return [t.of];
  return [];
}

export function hasParameters(t: Type): boolean {
  return t.kind === 'param' || parts(t).some(hasParameters);
}

function rebuild(t: Type, map: (t: Type) => Type): Type {
  if (t.kind === 'list') return listOf(map(t.element));
  if (t.kind === 'map') return mapOf(map(t.key), map(t.value));
  if (t.kind === 'opaque' && t.params.length > 0) return { ...t, params: t.params.map(map) };
  if (t.kind === 'type' && t.of !== undefined) return typeOfType(map(t.of));
  return t;
}

/** The types of type parameters, as found so far. `assignable` extends them; a failed attempt leaves them as they were. */
export type Substitutions = Map<string, Type>;

export function substitute(s: Substitutions, t: Type, freeToDyn: boolean): Type {
  if (t.kind === 'param') {
    const found = s.get(t.name);
    if (found !== undefined) return substitute(s, found, freeToDyn);
    return freeToDyn ? DYN : t;
  }
  return rebuild(t, (p) => substitute(s, p, freeToDyn));
}

const isWild = (t: Type) => t.kind === 'dyn' || t.kind === 'error';

function occurs(s: Substitutions, name: string, within: Type): boolean {
  if (within.kind === 'param') {
    if (within.name === name) return true;
    const found = s.get(within.name);
    return found !== undefined && occurs(s, name, found);
  }
  return parts(within).some((p) => occurs(s, name, p));
}

/**
 * Reports whether a value of `t1` is assignable to `t2`; dynamic values are always assignable. Extends the substitutions in place, because an
 * expression may have thousands of type parameters, and remembers how to undo that.
 */
class Unifier {
  readonly found: Substitutions;
  readonly #before: [name: string, type: Type | undefined][] = [];

  constructor(s: Substitutions) {
    this.found = s;
  }

  #set(name: string, t: Type): void {
    this.#before.push([name, this.found.get(name)]);
    this.found.set(name, t);
  }

  undo(): void {
    for (let last = this.#before.pop(); last !== undefined; last = this.#before.pop()) {
      const [name, type] = last;
      if (type === undefined) this.found.delete(name);
      else this.found.set(name, type);
    }
  }

  assignable(t1: Type, t2: Type): boolean {
    if (t2.kind === 'param') {
      const { valid, known } = this.#stands(t1, t2);
      if (valid) return true;
      if (known) return false;
    }
    if (t1.kind === 'param') return this.#stands(t2, t1).valid;
    if (isWild(t1) || isWild(t2)) return true;
    if (t1.kind === 'null') return acceptsNull(t2);
    if (t2.kind === 'null') return acceptsNull(t1);
    if (t1.kind !== t2.kind) return false;
    if (t1.kind === 'type') return true;
    if (t1.kind === 'struct') return t1.name === (t2 as typeof t1).name;
    if (t1.kind === 'opaque') {
      const other = t2 as typeof t1;
      return t1.name === other.name && this.all(t1.params, other.params);
    }
    return this.all(parts(t1), parts(t2));
  }

  all(a: readonly Type[], b: readonly Type[]): boolean {
    return a.length === b.length && a.every((t, i) => this.assignable(t, b[i]!));
  }

  /** Reports whether `t` is a valid type for the parameter. */
  #stands(t: Type, param: Type & { kind: 'param' }): { readonly valid: boolean; readonly known: boolean } {
    if (t.kind === 'param' && t.name === param.name) return { valid: true, known: true };
    const known = this.found.get(param.name);
    if (known !== undefined) {
      if (sameType(t, known)) return { valid: true, known: true };
      if (!this.assignable(t, known)) return { valid: false, known: true };
      const general = mostGeneral(t, known);
      if (!occurs(this.found, param.name, general)) this.#set(param.name, general);
      return { valid: true, known: true };
    }
    if (occurs(this.found, param.name, t)) return { valid: false, known: false };
    this.#set(param.name, t);
    return { valid: true, known: false };
  }
}

function acceptsNull(t: Type): boolean {
  return ['opaque', 'duration', 'timestamp', 'struct', 'null'].includes(t.kind);
}

/** The type that values of both have, of two types that are assignable to each other. */
export function mostGeneral(a: Type, b: Type): Type {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

function isEqualOrLessSpecific(a: Type, b: Type): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true;
  if (b.kind === 'dyn' || b.kind === 'param') return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'struct' || a.kind === 'type') return sameType(a, b);
  if (a.kind === 'opaque' && a.name !== (b as typeof a).name) return false;
  const [pa, pb] = [parts(a), parts(b)];
  return pa.length === pb.length && pa.every((p, i) => isEqualOrLessSpecific(p, pb[i]!));
}

/** Extends the substitutions so that all of `from` are assignable to `to`. Returns false, and changes nothing, if that is impossible. */
export function assignable(s: Substitutions, from: readonly Type[], to: readonly Type[]): boolean {
  const unifier = new Unifier(s);
  if (unifier.all(from, to)) return true;
  unifier.undo();
  return false;
}

/** Type parameters of a declaration get new names at each use. */
export function freshen(types: readonly Type[], next: () => string): readonly Type[] {
  const names = new Map<string, Type>();
  const fresh = (t: Type): Type => {
    if (t.kind !== 'param') return rebuild(t, fresh);
    let found = names.get(t.name);
    if (found === undefined) {
      found = { kind: 'param', name: next() };
      names.set(t.name, found);
    }
    return found;
  };
  return types.map(fresh);
}

/**
 * Parses a type in the declarations of functions: `int`, `list(string)`, `map(K, V)`, `optional_type(T)`, one capital
 * letter for a type parameter, `type` for any type, and otherwise the name of an opaque type.
 */
export function readType(text: string): Type {
  const open = text.indexOf('(');
  const name = (open < 0 ? text : text.slice(0, open)).trim();
  const inner = open < 0 ? [] : splitTypes(text.slice(open + 1, text.lastIndexOf(')'))).map(readType);
  if (/^[A-Z]$/.test(name)) return { kind: 'param', name };
  switch (name) {
    case 'dyn':
    case 'null':
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
    case 'timestamp':
    case 'duration':
      return { kind: name };
    case 'list':
      return listOf(inner[0]!);
    case 'map':
      return mapOf(inner[0]!, inner[1]!);
    case 'type':
      return typeOfType(inner[0]);
    default:
      return opaque(name, ...inner);
  }
}

/** Splits at the commas that are outside parentheses. */
export function splitTypes(text: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    else if (text[i] === ',' && depth === 0) {
      found.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  const last = text.slice(start).trim();
  return last === '' && found.length === 0 ? [] : [...found, last];
}
