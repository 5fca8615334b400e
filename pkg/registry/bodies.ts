import {
  type ApiError,
  apiVersionOf,
  cloneJson,
  errors,
  FieldErrors,
  FieldPath,
  goQuote,
  isObject,
  type JsonObject,
  type JsonValue,
  parseApiVersion,
  restoreGivenEmpty,
} from '../api/index.js';
import { finish, type Steps } from '../base/index.js';
import {
  bodySteps,
  codecLimits,
  type Decoded,
  decodeAsSteps,
  decodeValue,
  encodeJsonSteps,
  interpretNode,
  notConvertible,
  notRegistered,
  readJsonBody,
  readSteps,
  type Strictness,
  strictMessage,
  type TypeMeta,
  topOf,
} from '../codec/index.js';
import { PatchError, type Patched, type PatchInput, patchSteps } from '../patch/index.js';
import { inKeyOrder, isCustom, type KindSchema, kindSchema } from '../schema/index.js';
import { hubSteps, requestedForm } from './hub.js';
import { metaOf, text } from './meta.js';
import type { Body, DecodedBody, FieldValidation, PatchRequest, RequestContext, Target } from './requests.js';
import { refuseLongLists } from './size.js';
import { parseStored } from './stored.js';

/** Decodes request bodies as the kind of their target. */

/** Returns the kind of the body of a target: that of the resource, or that of a subresource with another kind. */
export function expectedKind({ resource, subresource }: Target): KindSchema {
  return subresource === '' ? resource.type : resource.subresources[subresource]!.type;
}

/**
 * Decodes an object. The field validation of the request decides whether unknown and duplicate fields are refused, warned about or
 * ignored. `now`: Unix milliseconds, for the defaults that an audit event shows.
 */
export function* decodeObject(
  target: Target,
  body: Body,
  validation: FieldValidation,
  context: RequestContext,
  now: number,
): Steps<JsonObject> {
  const expected = expectedKind(target);
  // A Scale has one version: those of earlier releases are not converted.
  const otherVersions =
    target.kind !== 'scale' && target.subresource !== '' && expected.info.kind !== target.resource.kind;
  const decoded = yield* bodySteps(body, expected, { otherVersions });
  const read = decoded.ok ? decoded : decoded.other;
  if (validation === 'Strict' && read !== undefined && read.strict.errors.length > 0)
    throw errors.badRequest(strictMessage(read.gvk, expected.info, read.strict));
  if (validation === 'Warn') for (const text of read?.strict.warnings ?? []) context.warn(text);
  if (!decoded.ok) throw errors.badRequest(decoded.message);
  const { object } = decoded;
  yield;
  yield* refuseLongLists(target, object, body.bytes.length * BYTES_PER_BODY_BYTE[body.encoding]);
  yield;
  const why = unreadable(target, expected, object);
  if (why !== undefined) {
    const { kind, version } = decoded.gvk;
    throw errors.badRequest(`${kind} in version "${version}" cannot be handled as a ${expected.info.kind}: ${why}`);
  }
  object['apiVersion'] = apiVersionOf(expected.info);
  const recorded = (): JsonObject => {
    const copy = withDefaults(target, expected, object, now);
    // An event shows the version in which the body was sent.
    if (otherVersions) copy['apiVersion'] = apiVersionOf(decoded.gvk);
    return copy;
  };
  context.bodyRecord?.decoded({ meta: identityOf(object), object: recorded });
  return object;
}

function identityOf(object: JsonObject): DecodedBody['meta'] {
  const meta = metaOf(object);
  const [namespace, name] = [text(meta, 'namespace'), text(meta, 'name')];
  return { namespace, name, uid: text(meta, 'uid'), resourceVersion: text(meta, 'resourceVersion') };
}

/** A copy of a decoded object with the defaults of its version, or of its action. Other kinds of subresources have no defaults. */
function withDefaults(target: Target, expected: KindSchema, object: JsonObject, now: number): JsonObject {
  const copy = cloneJson(object);
  restoreGivenEmpty(copy);
  if (target.kind === 'action') target.defaults?.(copy);
  if (expected.info.kind !== target.resource.kind) return copy;
  finish(hubSteps(target.resource, copy, { now }));
  return requestedForm(target.resource, copy);
}

/** The maximum ratio of JSON bytes to body bytes: an empty protobuf message is two bytes, and YAML has aliases. */
const BYTES_PER_BODY_BYTE = { json: 1, yaml: Infinity, protobuf: 4, cbor: 4 } as const;

/** Returns why a decoded object is invalid under the format rules of its kind, or undefined. */
export function unreadable(target: Target, kind: KindSchema, object: JsonObject): string | undefined {
  if (kind.info.kind !== target.resource.kind) return undefined;
  return target.resource.declaration.unreadable?.(object);
}

/** A patch document, parsed once for all attempts (see `ReadJson`). */
export interface PatchDocument {
  readonly value: JsonValue;
  readonly duplicates: readonly string[];
  readonly repeated: ReadonlyMap<JsonValue, readonly string[]> | undefined;
  readonly text: string | undefined;
}

/**
 * Reads a patch, in steps. A text that is not JSON is refused at once, even if the object does not exist; the returned function throws the other
 * errors.
 */
export function* readPatch({ body, type }: PatchRequest): Steps<() => PatchDocument> {
  const read = yield* readJsonBody(body.bytes);
  if (!read.ok && read.syntax) throw errors.badRequest('invalid JSON patch');
  return () => {
    if (!read.ok)
      throw errors.badRequest(type === 'strategic' ? read.message : `error decoding patch: ${read.message}`);
    const { value, duplicates, repeated } = read;
    return { value, duplicates, repeated, text: body.bytes.toString() };
  };
}

export interface PatchTarget {
  readonly kind: KindSchema;
  readonly live: JsonObject;
  /** The length of the stored JSON that `live` comes from. */
  readonly liveBytes: number;
}

/** Decodes the patched object in the served version. Errors are those of kube-apiserver. */
export function* patchObject(
  request: PatchRequest,
  document: PatchDocument,
  { kind, live, liveBytes }: PatchTarget,
  context: RequestContext,
): Steps<JsonObject> {
  const { fieldValidation } = request.options;
  const typed = fieldValidation !== 'Ignore';
  try {
    const patchOf = (current: JsonObject): Steps<Patched> =>
      patchSteps({
        kind: request.type as PatchInput['kind'],
        current,
        patch: document.value,
        schema: kind.schema,
        typed,
        ...(document.text === undefined ? {} : { text: document.text }),
        ...(document.repeated === undefined ? {} : { repeated: document.repeated }),
      });
    /** The result as an error shows it. Members that the patch does not change have the order of the type. */
    function* shown(): Steps<string> {
      return (yield* patchOf(yield* inDeclaredOrder(kind, live))).show();
    }
    const patched = yield* patchOf(live);
    const found = typed ? findingsOf(request, document, patched) : [];
    yield;
    if (isCustom(kind)) {
      const meta = typeMetaOf(patched.object);
      // The text of the result is part of this message.
      if (typeof meta !== 'string' && meta.kind === '') {
        const text = yield* shown();
        throw badResult(text, `Object 'Kind' is missing in '${text}'`);
      }
      if (typeof meta === 'string') throw badResult(yield* shown(), meta);
      checkTypeMeta(request.target.name, kind, meta);
    }
    const decoded = yield* decodePatched(kind, patched.object);
    if (!decoded.ok) throw badResult(yield* shown(), decoded.message);
    const { object, strict } = decoded;
    yield;
    // Items of a result come from the object or the patch, but a JSON patch may copy them.
    const bytesMax = request.type === 'json' ? Infinity : liveBytes + request.body.bytes.length;
    yield* refuseLongLists(request.target, object, bytesMax);
    yield;
    const why = unreadable(request.target, kind, object);
    if (why !== undefined) throw request.type === 'strategic' ? errors.badRequest(why) : badResult(yield* shown(), why);
    const repeated = patched.repeatedFields.map((path) => `duplicate field ${goQuote(path)}`);
    const [inErrors, inWarnings] = [strict.errors, strict.warnings].map((texts) => ofDecoding(texts, repeated));
    const problems = [...found, ...inErrors!];
    if (fieldValidation === 'Strict' && problems.length > 0)
      throw badResult(yield* shown(), `strict decoding error: ${problems.join(', ')}`);
    if (fieldValidation === 'Warn') for (const text of [...found, ...inWarnings!]) context.warn(text);
    return object;
  } catch (e) {
    throw e instanceof PatchError ? patchFailure(e) : e;
  }
}

/** The version and kind of a patched custom resource, or why there are none. */
function typeMetaOf(o: JsonObject): TypeMeta | string {
  const meta = interpretNode(topOf(o));
  if (typeof meta === 'string' || meta.kind === '') return meta;
  if (o['apiVersion'] === null) return '.apiVersion accessor error: <nil> is of the type <nil>, expected string';
  // A server error in kube-apiserver.
  if (meta.apiVersion === '' || meta.apiVersion === '/')
    return "Object 'apiVersion' is missing in 'object has no apiVersion field'";
  return meta;
}

/** A patched custom resource of another kind or version is invalid. */
function checkTypeMeta(name: string, { info }: KindSchema, { apiVersion, kind }: TypeMeta): void {
  const gv = parseApiVersion(apiVersion);
  if (gv === undefined) return;
  const found = new FieldErrors();
  const wanted = apiVersionOf(info);
  if (kind !== info.kind) found.invalid(FieldPath.of('kind'), kind, `must be ${info.kind}`);
  if (apiVersionOf(gv) !== wanted) found.invalid(FieldPath.of('apiVersion'), apiVersionOf(gv), `must be ${wanted}`);
  if (!found.empty) throw errors.invalid({ group: gv.group, kind }, name, found.list);
}

/**
 * A patch must not change the kind of an object. kube-apiserver then decodes the other kind, and fails at the latest when it converts it.
 * Without a kind the object has that of the resource.
 */
function* decodePatched(kind: KindSchema, o: JsonObject): Steps<Decoded> {
  const { info } = kind;
  const meta = isCustom(kind) ? undefined : interpretNode(topOf(o));
  if (typeof meta === 'string') return { ok: false, message: meta };
  const apiVersion = String(o['apiVersion'] ?? '');
  const name = String(o['kind'] ?? '') || info.kind;
  if (apiVersion === '' && !isCustom(kind)) return decodeUnversioned(kind, o, name);
  const gv = parseApiVersion(apiVersion);
  if (gv === undefined) return { ok: false, message: `unexpected GroupVersion string: ${apiVersion}` };
  if (name === info.kind && gv.version === info.version && gv.group === info.group)
    return yield* decodeAsSteps(kind, o['kind'] === name ? o : { ...o, kind: name });
  const other = kindSchema({ ...gv, kind: name });
  if (other === undefined) return { ok: false, message: notRegistered({ ...gv, kind: name }) };
  const decoded = decodeValue(other.schema, o);
  return decoded.ok ? { ok: false, message: notConvertible(other, kind) } : decoded;
}

/**
 * Without a version kube-apiserver decodes the object as the internal type of the kind, which knows no field by its
 * name in the API. Nothing is read, not even the name of the object.
 */
function decodeUnversioned(kind: KindSchema, o: JsonObject, name: string): Decoded {
  const { group, version } = kind.info;
  const other = kindSchema({ group, version, kind: name });
  if (other === undefined) return { ok: false, message: notRegistered({ group, version: '', kind: name }) };
  if (name !== kind.info.kind) return { ok: false, message: notConvertible(other, kind, 'internal') };
  const unknown = Object.keys(o).filter((field) => !TYPE_FIELDS.includes(field));
  const texts = unknown.slice(0, codecLimits.strictFindingsMax).map((field) => `unknown field ${goQuote(field)}`);
  return {
    ok: true,
    object: { kind: name, apiVersion: apiVersionOf(kind.info) },
    strict: { errors: texts, warnings: texts },
  };
}

const TYPE_FIELDS: readonly string[] = ['kind', 'apiVersion'];

/** The findings in the patch document itself. What is inside an unknown member of an operation is not read. */
function findingsOf(
  { type }: PatchRequest,
  { duplicates }: PatchDocument,
  { unknownFields }: Patched,
): readonly string[] {
  if (type !== 'json') return duplicates;
  const unknown = new Set(unknownFields.map(pathOf));
  const repeated = duplicates.filter((d) => !isWithin(pathOf(d), unknown)).map((d) => `json patch ${d}`);
  const operationOf = (finding: string): number => Number.parseInt(pathOf(finding).slice(1), 10);
  return [...repeated, ...unknownFields].sort((a, b) => operationOf(a) - operationOf(b));
}

/** The findings in the decoded result of a patch, with the fields that it has twice. What is inside an unknown field is not read. */
function ofDecoding(texts: readonly string[], repeated: readonly string[]): readonly string[] {
  if (repeated.length === 0) return inFieldOrder(texts);
  const unknown = new Set(texts.map(pathOf));
  return inFieldOrder([...texts, ...repeated.filter((text) => !isWithin(pathOf(text), unknown))]);
}

/** The path in a finding: `data.a` of `duplicate field "data.a"`. */
const pathOf = (finding: string): string => finding.slice(finding.indexOf('"') + 1, -1);

/** Reports whether a path is one of `others`, or inside one. */
function isWithin(path: string, others: ReadonlySet<string>): boolean {
  if (others.has(path)) return true;
  for (let i = 0; i < path.length; i++)
    if ((path[i] === '.' || path[i] === '[') && others.has(path.slice(0, i))) return true;
  return false;
}

/** kube-apiserver decodes the result of a patch from a map with sorted keys, and finds unknown fields in that order. */
function inFieldOrder(texts: readonly string[]): readonly string[] {
  if (texts.length < 2) return texts;
  const keyed = texts.map((text) => ({ text, path: pathOf(text).split(/[.[]/) }));
  return keyed.sort((a, b) => comparePaths(a.path, b.path)).map(({ text }) => text);
}

function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [x, y] = [a[i]!, b[i]!];
    if (x === y) continue;
    // indexes of lists are compared as numbers
    const [m, n] = [Number.parseInt(x, 10), Number.parseInt(y, 10)];
    return Number.isNaN(m) || Number.isNaN(n) || m === n ? (x < y ? -1 : 1) : m - n;
  }
  return a.length - b.length;
}

/** An object with its members in the order in which Go writes them. */
function* inDeclaredOrder(kind: KindSchema, object: JsonObject): Steps<JsonObject> {
  // A custom resource is a map in kube-apiserver.
  if (isCustom(kind)) return inKeyOrder(object);
  const bytes = yield* encodeJsonSteps(kind.schema, object);
  yield;
  return parseStored(bytes);
}

/** The error for the result of a patch that is not an object of the kind. */
function badResult(shown: string, why: string): ApiError {
  const found = new FieldErrors().invalid(PATCH_FIELD, shown, why);
  return errors.invalid({ group: '', kind: '' }, '', found.list);
}

const PATCH_FIELD = FieldPath.of('patch');

/** Returns the error of a patch as a Status. A client error is never a 500. */
export function patchFailure(e: PatchError): ApiError {
  switch (e.kind) {
    case 'badRequest':
    case 'malformed':
    case 'schema':
      return errors.badRequest(e.message);
    case 'tooLarge':
      return errors.tooLarge(e.message);
    case 'unsupported':
      return errors.unsupportedMediaType([
        'application/json-patch+json',
        'application/merge-patch+json',
        'application/apply-patch+yaml',
      ]);
    case 'rejected':
      return errors.rejected();
    case 'invalidResult':
      return badResult(e.value ?? '', e.message);
  }
}

/** Parses the configuration of an apply: YAML (of which JSON is a subset) or CBOR. */
export function* readApplied(body: Body): Steps<{ readonly value: JsonObject; readonly strict: Strictness }> {
  const encoding = body.encoding === 'json' ? 'yaml' : body.encoding;
  const read = yield* readSteps({ bytes: body.bytes, encoding });
  if (!read.ok) {
    // kube-apiserver converts a text to JSON for the audit first, unless it begins like JSON.
    const likeJson = encoding !== 'yaml' || body.bytes.toString('latin1').trimStart().startsWith('{');
    const why = likeJson ? `error decoding patch: ${converting(encoding)}` : 'error encoding patch: ';
    throw errors.badRequest(`${why}${read.message}`);
  }
  // An empty document is an object without fields.
  const value = read.value ?? {};
  if (!isObject(value))
    throw errors.badRequest(
      `error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonType(value)} into Go value of type map[string]interface {}`,
    );
  const { warnings } = read.strict;
  return { value, strict: { errors: read.strict.errors.map((text) => converting(encoding) + text), warnings } };
}

const converting = (encoding: Body['encoding']): string =>
  encoding === 'yaml' ? 'error converting YAML to JSON: ' : '';

function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}
