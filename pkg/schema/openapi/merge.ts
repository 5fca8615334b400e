import { equalJson, isObject, type JsonArray, type JsonObject, type JsonValue, textAt } from '../../api/index.js';
import type { Steps } from '../../base/index.js';
import { type RemoteDocument, withPaths, withReferences } from './remote.js';
import type { ApiDescription } from './served.js';
import { type SwaggerPart, swaggerParts } from './swagger.js';
import type { Step } from './v3.js';

const KINDS = 'x-kubernetes-group-version-kind';

/**
 * The v2 document with those of aggregated servers, the most important first, by the rules of kube-apiserver: a path that is there
 * already is left out; equal definitions are shared (whatever their descriptions), and have the kinds of both; another definition of the same name is
 * `<name>_v2`, `_v3` and so on. The order is that of `swaggerParts`.
 */
export function* mergedParts(
  api: ApiDescription,
  remote: readonly RemoteDocument[],
): Generator<SwaggerPart | Step, void> {
  if (remote.length === 0) return yield* swaggerParts(api);
  // The names that this server uses must be known before the first part of another server is written. Its own parts are then
  // made again: to keep them would need the memory of the whole document.
  const merge = new Merge(remote);
  for (const part of swaggerParts(api)) {
    if (typeof part === 'object') merge.own(part);
    yield typeof part === 'object' ? undefined : part;
  }
  for (const document of remote) yield* merge.add(document);
  yield* merge.parts(api);
}

class Merge {
  readonly #compared: ReadonlySet<string>;
  readonly #ownPaths = new Set<string>();
  readonly #paths = new Map<string, JsonObject>();
  /** Undefined for definitions that are not compared. */
  readonly #definitions = new Map<string, JsonObject | undefined>();
  /** Those that are new, or differ from those of this server. */
  readonly #changed = new Map<string, JsonObject>();

  constructor(remote: readonly RemoteDocument[]) {
    this.#compared = new Set(remote.flatMap(({ definitions }) => [...definitions.keys()]));
  }

  /** Adds a part of the document of this server. */
  own(part: SwaggerPart): void {
    if (part.kind === 'path') this.#ownPaths.add(part.name);
    else if (part.kind === 'definition')
      this.#definitions.set(part.name, this.#compared.has(part.name) ? part.schema : undefined);
  }

  *add(given: RemoteDocument): Steps<void> {
    const isNew = (path: string): boolean => !this.#ownPaths.has(path) && !this.#paths.has(path);
    const fresh = [...given.paths.keys()].filter(isNew);
    if (fresh.length === 0) return;
    const document = fresh.length === given.paths.size ? given : yield* withPaths(given, isNew);
    const renamed = yield* this.#renamed(document);
    for (const [path, item] of document.paths) {
      this.#paths.set(path, withReferences(item, renamed) as JsonObject);
      yield;
    }
    for (const [name, schema] of document.definitions) {
      this.#define(renamed.get(name) ?? name, withReferences(schema, renamed) as JsonObject);
      yield;
    }
  }

  /** The merged document, by name. */
  *parts(api: ApiDescription): Generator<SwaggerPart | Step, void> {
    const names = [...this.#changed.keys()].sort();
    let next = 0;
    let written = false;
    for (const part of swaggerParts(api)) {
      if (typeof part !== 'object' || part.kind !== 'definition') {
        yield part;
        continue;
      }
      if (!written) yield* this.#pathParts();
      written = true;
      for (; next < names.length && names[next]! < part.name; next++) yield this.#definition(names[next]!);
      if (names[next] === part.name) yield this.#definition(names[next++]!);
      else yield part;
    }
    if (!written) yield* this.#pathParts();
    for (; next < names.length; next++) yield this.#definition(names[next]!);
  }

  *#pathParts(): Generator<SwaggerPart, void> {
    for (const [name, item] of this.#paths) yield { kind: 'path', name, item };
  }

  #definition(name: string): SwaggerPart {
    return { kind: 'definition', name, schema: this.#changed.get(name)! };
  }

  /** The new names of the definitions whose own name has another meaning already. */
  *#renamed({ definitions }: RemoteDocument): Steps<ReadonlyMap<string, string>> {
    const renamed = new Map<string, string>();
    const taken = new Set<string>();
    for (const [name, schema] of definitions) {
      yield;
      if (this.#accepts(name, schema)) continue;
      const isTaken = (other: string): boolean =>
        !this.#definitions.has(other) && (taken.has(other) || definitions.has(other));
      let n = 2;
      while (!this.#accepts(`${name}_v${n}`, schema) || isTaken(`${name}_v${n}`)) n++;
      taken.add(`${name}_v${n}`);
      renamed.set(name, `${name}_v${n}`);
    }
    return renamed;
  }

  /** Whether a definition of this name would be new, or equal to the one that is there. */
  #accepts(name: string, schema: JsonObject): boolean {
    return !this.#definitions.has(name) || equalExceptKinds(this.#definitions.get(name), schema);
  }

  #define(name: string, schema: JsonObject): void {
    const known = this.#definitions.get(name);
    const merged = known === undefined ? schema : withKinds(known, schema);
    if (merged === known) return;
    this.#definitions.set(name, merged);
    this.#changed.set(name, merged);
  }
}

function equalExceptKinds(a: JsonObject | undefined, b: JsonObject): boolean {
  return a !== undefined && isSameType(withoutKinds(a), withoutKinds(b));
}

/** Descriptions are no difference: the types that all servers share are described here in other words. */
function isSameType(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => isSameType(item, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b || (a !== undefined && b !== undefined && equalJson(a, b));
  const names = (o: JsonObject): string[] => Object.keys(o).filter((k) => !isDescription(k, o[k]));
  const all = names(a);
  return all.length === names(b).length && all.every((name) => Object.hasOwn(b, name) && isSameType(a[name], b[name]));
}

const isDescription = (name: string, value: JsonValue | undefined): boolean =>
  name === 'description' && typeof value === 'string';

function withoutKinds(schema: JsonObject): JsonObject {
  if (schema[KINDS] === undefined) return schema;
  const { ...rest } = schema;
  delete rest[KINDS];
  return rest;
}

/** The definition with the kinds of both, sorted; the given one if it has them all. */
function withKinds(schema: JsonObject, other: JsonObject): JsonObject {
  const [known, more] = [kindsOf(schema), kindsOf(other)];
  const kinds = new Map(known.map((kind) => [kindKey(kind), kind]));
  for (const kind of more) kinds.set(kindKey(kind), kind);
  if (kinds.size === known.length) return schema;
  const sorted = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
  return { ...schema, [KINDS]: known.length === 0 ? [...more] : sorted };
}

const kindsOf = (schema: JsonObject): JsonArray => {
  const kinds = schema[KINDS];
  return Array.isArray(kinds) ? kinds : [];
};

const kindKey = (kind: JsonValue): string =>
  isObject(kind) ? `${textAt(kind, 'group')}/${textAt(kind, 'version')}.${textAt(kind, 'kind')}` : '';
