import { type Macro, macroTable } from './macros.js';
import { hasParameters, readType, splitTypes, struct, type Type, typeOfType } from './types.js';
import type { CelError, Value } from './values.js';

/** One signature of a function. For a method the receiver is the first argument. */
export interface Overload {
  /** The name by which costs are looked up: `add_string`. */
  readonly id: string;
  readonly method: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  /** Whether arguments or result have type parameters. */
  readonly isGeneric: boolean;
}

/** The implementation of a function at run time. Arguments and result are values or errors; see `strict`. */
export type Implementation = (...args: Value[]) => Value;

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly call: Implementation;
  /** The function receives errors in its arguments. Otherwise the first error is the result. */
  readonly nonStrict: boolean;
  /** Implementations of signatures that decide more than the arguments, by their ids. */
  readonly bySignature?: Readonly<Record<string, Implementation>> | undefined;
}

/** The fields of a declared object type. */
export interface StructType {
  readonly name: string;
  field(name: string): Type | undefined;
}

/** A group of functions, macros and types that were introduced together in one release. */
export interface Library {
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** Identifiers such as the names of types, with their values. */
  readonly constants?: ReadonlyMap<string, { readonly type: Type; readonly value: Value }>;
  readonly optionalSyntax?: boolean;
}

/**
 * Declares a function. Each signature is `id: receiver.name(args): result` or `id: name(args): result`, without the
 * name if it equals the function's: `size_string: (string): int`, `string_size: string.(): int`.
 */
export function declare(
  name: string,
  signatures: readonly string[],
  call: Implementation,
  options: Partial<Pick<FunctionDeclaration, 'nonStrict' | 'bySignature'>> = {},
): FunctionDeclaration {
  const { nonStrict = false, bySignature } = options;
  return { name, overloads: signatures.map(readSignature), call, nonStrict, bySignature };
}

function readSignature(text: string): Overload {
  const colon = text.indexOf(':');
  const result = text.lastIndexOf('):');
  const call = text.slice(colon + 1, result + 1).trim();
  // The arguments are in the last pair of parentheses that is closed.
  let depth = 0;
  let open = call.length - 1;
  for (; open >= 0; open--) {
    if (call[open] === ')') depth++;
    else if (call[open] === '(' && --depth === 0) break;
  }
  const head = call.slice(0, open);
  const args = splitTypes(call.slice(open + 1, -1)).map(readType);
  const method = head.endsWith('.');
  if (method) args.unshift(readType(head.slice(0, -1)));
  const returned = readType(text.slice(result + 2).trim());
  return {
    id: text.slice(0, colon).trim(),
    method,
    args,
    result: returned,
    isGeneric: [...args, returned].some(hasParameters),
  };
}

/** The names that an expression can refer to. Immutable; `extend` returns a new one. */
export class Environment {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly macros: ReadonlyMap<string, Macro>;
  readonly variables: ReadonlyMap<string, Type>;
  readonly #structs: ReadonlyMap<string, StructType>;
  readonly #resolveStruct: (name: string) => StructType | undefined;
  readonly constants: ReadonlyMap<string, { readonly type: Type; readonly value: Value }>;
  readonly optionalSyntax: boolean;
  readonly #libraries: readonly Library[];

  private constructor(
    libraries: readonly Library[],
    variables: ReadonlyMap<string, Type>,
    structs: ReadonlyMap<string, StructType>,
    shared?: Environment,
    resolveStruct: (name: string) => StructType | undefined = () => undefined,
  ) {
    this.#libraries = libraries;
    this.variables = variables;
    this.#structs = structs;
    this.#resolveStruct = resolveStruct;
    this.functions = shared?.functions ?? mergeFunctions(libraries);
    this.macros = shared?.macros ?? macroTable(libraries.flatMap((l) => l.macros ?? []));
    this.constants = shared?.constants ?? new Map(libraries.flatMap((l) => [...(l.constants ?? [])]));
    this.optionalSyntax = shared?.optionalSyntax ?? libraries.some((l) => l.optionalSyntax === true);
  }

  static of(libraries: readonly Library[]): Environment {
    return new Environment(libraries, new Map(), new Map());
  }

  withLibraries(libraries: readonly Library[]): Environment {
    return new Environment([...this.#libraries, ...libraries], this.variables, this.#structs);
  }

  extend(variables: Readonly<Record<string, Type>>, structs: readonly StructType[] = []): Environment {
    const allVariables = new Map([...this.variables, ...Object.entries(variables)]);
    const allStructs = new Map([...this.#structs, ...structs.map((s) => [s.name, s] as const)]);
    return new Environment(this.#libraries, allVariables, allStructs, this, this.#resolveStruct);
  }

  /** Adds types that are created when an expression names them. */
  withStructs(resolve: (name: string) => StructType | undefined): Environment {
    return new Environment(this.#libraries, this.variables, this.#structs, this, resolve);
  }

  /** The type of the constant of this name. Types that are created when they are named have no value: see `isTypeOnly`. */
  constantType(name: string): Type | undefined {
    return this.constants.get(name)?.type ?? (this.isTypeOnly(name) ? typeOfType(struct(name)) : undefined);
  }

  /** As in kube-apiserver, an expression may make objects of these types, but one that uses the type as a value has no program. */
  isTypeOnly(name: string): boolean {
    return !this.constants.has(name) && this.#resolveStruct(name) !== undefined;
  }

  struct(name: string): StructType | undefined {
    return this.#structs.get(name) ?? this.#resolveStruct(name);
  }
}

/** Several libraries may declare the same function: the last one that accepts the arguments decides. */
function mergeFunctions(libraries: readonly Library[]): ReadonlyMap<string, FunctionDeclaration> {
  const merged = new Map<string, FunctionDeclaration>();
  for (const f of libraries.flatMap((l) => l.functions ?? [])) {
    const before = merged.get(f.name);
    if (before === undefined) {
      merged.set(f.name, f);
      continue;
    }
    merged.set(f.name, {
      name: f.name,
      overloads: [...before.overloads, ...f.overloads],
      nonStrict: before.nonStrict || f.nonStrict,
      bySignature: { ...before.bySignature, ...f.bySignature },
      call: (...args) => {
        const result = f.call(...args);
        if (!isNoOverload(result)) return result;
        return before.call(...args);
      },
    });
  }
  return merged;
}

function isNoOverload(v: Value): boolean {
  return typeof v === 'object' && v !== null && (v as CelError).noOverload === true;
}
