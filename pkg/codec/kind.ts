import {
  apiVersionOf,
  type GroupVersion,
  type GroupVersionKind,
  goQuote,
  isObject,
  type JsonValue,
  parseApiVersion,
} from '../api/index.js';
import { type KindSchema, kindSchema } from '../schema/index.js';
import { type Node, nodeName } from './json/node.js';

/** The kind and version in a body; '' if absent. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

const NO_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Finds kind and version in a JSON text, ignoring case (as the type detection of kube-apiserver does, unlike its decoder), or returns the
 * error.
 */
export function interpretNode(root: Node): TypeMeta | string {
  if (root === null) return { apiVersion: '', kind: '' };
  if (typeof root !== 'object' || root.kind !== 'map')
    return parseError(`${nodeName(root)} into Go value of type ${NO_STRUCT}`);
  const found = { apiVersion: '', kind: '' };
  for (let i = 0; i < root.keys.length; i++) {
    const name = root.keys[i]!.toLowerCase();
    const field = name === 'kind' ? 'kind' : name === 'apiversion' ? 'apiVersion' : undefined;
    const value = root.values[i]!;
    if (field === undefined || value === null) continue;
    if (typeof value !== 'string')
      return parseError(`${nodeName(value)} into Go struct field .${field} of type string`);
    found[field] = value;
  }
  return found;
}

function parseError(what: string): string {
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${what}`;
}

/** Finds kind and apiVersion with exact spelling in a plain value; undefined if the exact search is needed. */
export function interpretValue(value: JsonValue): TypeMeta | undefined {
  if (!isObject(value)) return undefined;
  const kind = value['kind'] ?? '';
  const apiVersion = value['apiVersion'] ?? '';
  return typeof kind === 'string' && typeof apiVersion === 'string' ? { apiVersion, kind } : undefined;
}

export type Resolved =
  | { readonly ok: true; readonly gvk: GroupVersionKind }
  | { readonly ok: false; readonly message: string };

/** Adds the expected kind and apiVersion if the body has none. */
export function withDefaults({ apiVersion, kind }: TypeMeta, expected: GroupVersionKind): Resolved {
  let gv: GroupVersion = { group: '', version: '' };
  if (apiVersion !== '' && apiVersion !== '/') {
    const parsed = parseApiVersion(apiVersion);
    if (parsed === undefined) return { ok: false, message: `unexpected GroupVersion string: ${apiVersion}` };
    gv = parsed;
  }
  if (gv.version === '' && (gv.group === '' || gv.group === expected.group))
    gv = { group: expected.group, version: expected.version };
  return { ok: true, gvk: { ...gv, kind: kind === '' ? expected.kind : kind } };
}

const SCHEME = 'pkg/runtime/scheme.go:111';

/** The error for an unknown kind. An empty version is that of kube-apiserver's internal types. */
export function notRegistered({ group, version, kind }: GroupVersionKind): string {
  const where =
    version === ''
      ? `the internal version of group ${goQuote(group)}`
      : `version ${goQuote(apiVersionOf({ group, version }))}`;
  return `no kind ${goQuote(kind)} is registered for ${where} in scheme ${goQuote(SCHEME)}`;
}

/**
 * Returns the error for a body of another kind. It has the Go types: the package of the version, or the internal one if
 * the body was read without a version, and the internal one.
 */
export function notConvertible(from: KindSchema, to: KindSchema, read: 'versioned' | 'internal' = 'versioned'): string {
  const source = read === 'versioned' ? from.info.version : internalPackage(from);
  return `converting (${source}.${from.info.kind}) to (${internalPackage(to)}.${to.info.kind}): unknown conversion`;
}

const internalPackage = ({ info }: KindSchema): string =>
  info.kind === 'Event' ? 'core' : info.package.slice(0, info.package.indexOf('/'));

export function registeredKind(gvk: GroupVersionKind): KindSchema | undefined {
  return kindSchema(gvk);
}
