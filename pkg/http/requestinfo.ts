import { errors, whyNotInt64 } from '../api/index.js';
import { ownText } from '../base/index.js';
import { limits } from './limits.js';

/** The attributes of a request that follow from its method and path alone. The path shapes are those of the API conventions. */
export type RequestInfo = ResourceInfo | PathInfo;

export interface PathInfo {
  readonly kind: 'path';
  /** Decoded. */
  readonly path: string;
  readonly query: Query;
}

export interface ResourceInfo {
  readonly kind: 'resource';
  readonly path: string;
  readonly query: Query;
  readonly group: string;
  readonly version: string;
  /** '' when the path has none, or when the resource is cluster-scoped. */
  readonly namespace: string;
  readonly resource: string;
  /** '' for collections. */
  readonly name: string;
  /** '' for the object itself. `proxy` and similar ones may be followed by a path. */
  readonly subresource: string;
  /** Segments after the subresource. */
  readonly rest: readonly string[];
  /** `.../watch/...`, the deprecated form of a watch. */
  readonly legacyWatch: boolean;
  /**
   * The verb of authorization: get, list, watch, create, update, patch, delete, deletecollection; '' when the method has none. Below
   * `.../watch/` and `.../proxy/`, which is the former place of proxied paths, it is that word for every method.
   */
  readonly verb: string;
}

/** Below `/namespaces/{name}` these are subresources of the namespace; any other segment names a resource in it. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * Reads a request line. `/apis/apps/v1/namespaces/a/deployments/b/scale` is subresource `scale` of deployment `b` in `a`;
 * `/api/v1/namespaces/a` is the namespace `a` itself; `/api/v1` is a path. Throws `MalformedPath` on broken percent encoding.
 */
export function requestInfo(method: string, url: string): RequestInfo {
  const mark = url.indexOf('?');
  // A watch keeps the names in its path, but not its query.
  const before = mark < 0 ? url : url.slice(0, mark);
  const raw = url.length > limits.longUrlCharacters ? ownText(before) : before;
  const query = new Query(mark < 0 ? '' : url.slice(mark + 1));
  const path = raw.includes('%') ? decodePath(raw) : raw;
  if (!path.startsWith('/api')) return { kind: 'path', path, query };
  // Empty segments at the end (`/configmaps/`) are ignored.
  const parts = path.split('/');
  while (parts.length > 1 && parts[parts.length - 1] === '') parts.pop();
  let at: number;
  let group: string;
  if (parts[1] === 'api') {
    if (parts.length < 4) return { kind: 'path', path, query };
    group = '';
    at = 2;
  } else if (parts[1] === 'apis') {
    // The core group has no name, so no path below `/apis/` has it.
    if (parts.length < 5 || parts[2] === '') return { kind: 'path', path, query };
    group = parts[2]!;
    at = 3;
  } else {
    return { kind: 'path', path, query };
  }
  const version = parts[at++]!;
  const prefix = parts.length > at + 1 && (parts[at] === 'watch' || parts[at] === 'proxy') ? parts[at++]! : '';
  let namespace = '';
  if (parts[at] === 'namespaces' && parts.length > at + 1) {
    namespace = parts[at + 1]!;
    if (parts.length > at + 2 && !NAMESPACE_SUBRESOURCES.has(parts[at + 2]!)) at += 2;
  }
  const resource = parts[at]!;
  const name = parts[at + 1] ?? '';
  const verb = prefix === '' ? verbOf(method, { name, query }) : prefix;
  return {
    kind: 'resource',
    path,
    query,
    group,
    version,
    namespace,
    resource,
    name,
    subresource: prefix === 'proxy' ? '' : (parts[at + 2] ?? ''),
    rest: parts.length > at + 3 ? parts.slice(at + 3) : NOTHING,
    legacyWatch: prefix === 'watch',
    verb,
  };
}

const NOTHING: readonly string[] = [];

function verbOf(method: string, about: { readonly name: string; readonly query: Query }): string {
  const verb = VERBS[method] ?? '';
  // `watch` is a parameter of collections: a read of one object ignores it.
  if (about.name !== '') return verb;
  if (verb === 'get') return about.query.flag('watch') ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

/** A path that cannot be decoded. The response is plain text. */
export class MalformedPath extends Error {
  override readonly name = 'MalformedPath';
}

function decodePath(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new MalformedPath(raw);
  }
}

/**
 * Query parameters, parsed on demand. A value is decoded when it is read: a request with a selector of a hundred kilobytes that waits has it
 * once. A parameter with broken percent encoding is absent. Unknown parameters are ignored.
 */
export class Query {
  #text: string;
  #values: ReadonlyMap<string, readonly Parameter[]> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get empty(): boolean {
    return this.#text === '';
  }

  /** The first value, '' when absent. */
  text(name: string): string {
    return this.#first(name) ?? '';
  }

  all(name: string): readonly string[] {
    return this.#given(name).flatMap((p) => p.decoded ?? []);
  }

  has(name: string): boolean {
    return this.#first(name) !== undefined;
  }

  /** True when present and neither `false` nor `0`: `?watch`, `?watch=` and `?watch=yes` all are. */
  flag(name: string): boolean {
    return this.optionalFlag(name) ?? false;
  }

  optionalFlag(name: string): boolean | undefined {
    const first = this.#first(name)?.toLowerCase();
    if (first === undefined) return undefined;
    return first !== 'false' && first !== '0';
  }

  /**
   * Returns a signed 64-bit integer in decimal; undefined if absent. Throws kube-apiserver's 400 for any other value,
   * including ''.
   */
  integer(name: string): number | undefined {
    const text = this.#first(name);
    if (text === undefined) return undefined;
    const why = whyNotInt64(text);
    if (why !== undefined) throw errors.badRequest(why);
    return Number(text);
  }

  /** Drops the parsed values: they are parsed again when one is read. */
  forget(): void {
    this.#values = undefined;
  }

  /** Drops all parameters: they are absent afterwards. */
  drop(): void {
    this.#text = '';
    this.#values = undefined;
  }

  #first(name: string): string | undefined {
    for (const { decoded } of this.#given(name)) if (decoded !== undefined) return decoded;
    return undefined;
  }

  #given(name: string): readonly Parameter[] {
    if (this.#text === '') return NO_PARAMETERS;
    this.#values ??= parseQuery(this.#text);
    return this.#values.get(name) ?? NO_PARAMETERS;
  }
}

/** The value of a parameter. */
class Parameter {
  readonly #raw: string;
  #decoded: string | undefined;

  constructor(raw: string) {
    this.#raw = raw;
  }

  /** Undefined if its percent encoding is broken. */
  get decoded(): string | undefined {
    this.#decoded ??= decodeQuery(this.#raw);
    return this.#decoded;
  }
}

const NO_PARAMETERS: readonly Parameter[] = [];

function parseQuery(text: string): ReadonlyMap<string, readonly Parameter[]> {
  const found = new Map<string, Parameter[]>();
  for (const pair of text.split('&', QUERY_MAX)) {
    if (pair === '' || pair.includes(';')) continue;
    const eq = pair.indexOf('=');
    const name = decodeQuery(eq < 0 ? pair : pair.slice(0, eq));
    if (name === undefined) continue;
    const value = new Parameter(eq < 0 ? '' : pair.slice(eq + 1));
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else values.push(value);
  }
  return found;
}

/** The number of parameters that are read. */
const QUERY_MAX = 1000;

function decodeQuery(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    if (/%(?![0-9A-Fa-f]{2})/.test(spaced)) return undefined;
    // Bytes that are not UTF-8 are a value, too: a selector of such bytes is invalid, and selects not everything.
    const bytes = spaced.replace(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
    return Buffer.from(bytes, 'latin1').toString();
  }
}
