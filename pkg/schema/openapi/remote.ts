import { type GroupVersion, isObject, type JsonObject, type JsonValue, setOwn } from '../../api/index.js';
import type { Steps } from '../../base/index.js';

/** The part of the OpenAPI v2 document of an aggregated server that describes its group version. */
export interface RemoteDocument {
  readonly paths: ReadonlyMap<string, JsonObject>;
  /** References name them as `#/definitions/<name>`. */
  readonly definitions: ReadonlyMap<string, JsonObject>;
}

/**
 * Takes the paths of a group version from the document of its server, and the definitions that they use. Shared parameters are
 * written where they are used, because their names may mean others in the document of this server. Undefined if the value is not an OpenAPI
 * v2 document, or nested too deeply.
 */
export function* remoteDocument(given: JsonValue, { group, version }: GroupVersion): Steps<RemoteDocument | undefined> {
  if (!isObject(given) || given['swagger'] !== '2.0') return undefined;
  const [paths, definitions, shared] = ['paths', 'definitions', 'parameters'].map((key) => objectEntries(given[key]));
  // First of all: what follows is recursive.
  for (const [, part] of [...paths!, ...definitions!, ...shared!]) {
    if (isDeeper(part, DEPTH_MAX)) return undefined;
    yield;
  }
  const parameters = new Map(shared);
  const all = new Map<string, JsonObject>();
  for (const [path, item] of paths!) {
    all.set(path, parameters.size === 0 ? item : withParameters(item, parameters));
    yield;
  }
  const document = { paths: all, definitions: new Map(definitions) };
  return yield* withPaths(document, (path) => path.startsWith(`/apis/${group}/${version}/`));
}

/** The document with fewer paths, without the definitions that only the others use. */
export function* withPaths(
  { paths, definitions }: RemoteDocument,
  isKept: (path: string) => boolean,
): Steps<RemoteDocument> {
  const kept = new Map([...paths].filter(([path]) => isKept(path)));
  const before = yield* usedDefinitions(paths, definitions);
  const after = yield* usedDefinitions(kept, definitions);
  return {
    paths: kept,
    definitions: new Map([...definitions].filter(([name]) => after.has(name) || !before.has(name))),
  };
}

/** Returns the value with other definitions in its references. Numbers are doubles, as in kube-apiserver. */
export function withReferences(value: JsonValue, renamed: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map((v) => withReferences(v, renamed));
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    const name = key === '$ref' ? definitionOf(inner) : undefined;
    const other = name === undefined ? undefined : renamed.get(name);
    setOwn(out, key, other === undefined ? withReferences(inner, renamed) : `${DEFINITION}${other}`);
  }
  return out;
}

/** Levels of one path, definition or parameter. Encoders are recursive; real documents have some twenty. */
const DEPTH_MAX = 200;

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

const DEFINITION = '#/definitions/';
const PARAMETER = '#/parameters/';

const definitionOf = (reference: JsonValue): string | undefined =>
  typeof reference === 'string' && reference.startsWith(DEFINITION) ? reference.slice(DEFINITION.length) : undefined;

/** The names of the definitions that paths use, also through others. */
function* usedDefinitions(
  paths: ReadonlyMap<string, JsonObject>,
  definitions: ReadonlyMap<string, JsonObject>,
): Steps<ReadonlySet<string>> {
  const used = new Set<string>();
  for (const item of paths.values()) {
    addReferences(item, used);
    yield;
  }
  // A set also visits what is added meanwhile.
  for (const name of used) {
    const definition = definitions.get(name);
    if (definition !== undefined) addReferences(definition, used);
    yield;
  }
  return used;
}

function addReferences(value: JsonValue, found: Set<string>): void {
  if (Array.isArray(value)) for (const v of value) addReferences(v, found);
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const name = key === '$ref' ? definitionOf(inner) : undefined;
    if (name !== undefined) found.add(name);
    else addReferences(inner, found);
  }
}

/** A path with its shared parameters in place of the references to them. */
function withParameters(item: JsonObject, shared: ReadonlyMap<string, JsonObject>): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(item)) {
    if (key === 'parameters' && Array.isArray(value)) out[key] = value.map((p) => parameterOf(p, shared));
    else
      setOwn(out, key, isObject(value) && Array.isArray(value['parameters']) ? withParameters(value, shared) : value);
  }
  return out;
}

function parameterOf(parameter: JsonValue, shared: ReadonlyMap<string, JsonObject>): JsonValue {
  const reference = isObject(parameter) ? parameter['$ref'] : undefined;
  if (typeof reference !== 'string' || !reference.startsWith(PARAMETER)) return parameter;
  return shared.get(reference.slice(PARAMETER.length)) ?? parameter;
}

const objectEntries = (value: JsonValue | undefined): [string, JsonObject][] =>
  isObject(value) ? Object.entries(value).filter((e): e is [string, JsonObject] => isObject(e[1])) : [];
