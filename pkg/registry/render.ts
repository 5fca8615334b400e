import { cloneJson, isObject, type JsonArray, type JsonObject } from '../api/index.js';
import type { Steps, World } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import {
  cborList,
  encodeCbor,
  encodeProtobuf,
  jsonItemOffset,
  jsonListHead,
  jsonText,
  type ListHead,
  prettySteps,
  prettyText,
  protobufItemBytes,
  protobufList,
  yamlList,
} from '../codec/index.js';
import { isCustom, machinery } from '../schema/index.js';
import { rowSource } from './conversion.js';
import { encoded, encodedSteps, rowForm, rowJson, storedPartsSteps } from './forms.js';
import { limits } from './limits.js';
import { metadataJson, metadataOnly } from './metadataonly.js';
import type { Answer, ListResult, Representation, Target } from './requests.js';
import type { ServedResource } from './servedresources.js';
import { parseStored, storedProtobuf, storedProtobufBytes } from './stored.js';
import { noRows, tableOfOne, tableRow, tableWith } from './table.js';
import { toStorageVersion } from './upgrade.js';

/** A response body in pieces, so that a large list is never in memory as a whole. */
export interface Rendering {
  /** The size of the body if it is known in advance (JSON lists of stored bytes, single objects). */
  readonly bytes: number | undefined;
  /**
   * Chunks of about 256 KiB, smaller if they take long to build; an empty chunk is an opportunity to yield. After
   * `next(true)` the caller no longer uses the previous chunk, and its memory is reused. Without this, a list of 46 MB
   * costs more for garbage collection than for copying.
   */
  readonly chunks: Iterable<Buffer, void, boolean | undefined>;
}

/** Returns the encoded response, in steps. It may be shared, so callers must not write to it. */
export type RenderAnswer = (target: Target, answer: Answer, representation: Representation) => Steps<Buffer>;

export type RenderList = (target: Target, result: ListResult, representation: Representation) => Rendering;

export interface Renderer {
  readonly renderAnswer: RenderAnswer;
  readonly renderList: RenderList;
}

export function createRenderer(world: World): Renderer {
  return {
    renderAnswer: (target, answer, representation) => renderAnswer(target, answer, representation, world),
    renderList: (target, result, representation) => renderList({ target, result, r: representation, world }),
  };
}

const LINE_END = Buffer.from('\n');

function* renderAnswer(target: Target, answer: Answer, r: Representation, world: World): Steps<Buffer> {
  if (answer.kind === 'value') return yield* encodedSteps(r, valueIn(target, answer.value, r, world));
  const parts = yield* storedPartsSteps(target, answer.stored, r, world, true);
  if (r.encoding !== 'json') return Buffer.concat(parts);
  return r.pretty ? yield* prettySteps(Buffer.concat(parts)) : Buffer.concat([...parts, LINE_END]);
}

function valueIn(target: Target, value: JsonObject, r: Representation, world: World): JsonObject {
  if (r.form === 'object' || value['kind'] === 'Status') return value;
  if (r.form === 'metadata') return metadataOnly(target.resource, value, r.metaVersion);
  return tableOfOne(rowForm(target, r, world), storedForm(target, value), () => value, true);
}

/** The cells of a row of a built-in kind are made from the storage version. */
function storedForm({ resource }: Target, value: JsonObject): JsonObject {
  const { conversion, kind, type } = resource;
  if (conversion === undefined || isCustom(type) || value['kind'] !== kind) return value;
  const copy = cloneJson(value);
  toStorageVersion(resource, copy);
  return copy;
}

interface Listing {
  readonly target: Target;
  readonly result: ListResult;
  readonly r: Representation;
  readonly world: World;
}

function renderList(list: Listing): Rendering {
  const { result, r } = list;
  if (result.value !== undefined) return atOnce(encoded(r, valueListIn(list, result.value)));
  if (r.encoding === 'json') {
    if (r.form === 'object' && !r.pretty && list.target.resource.conversion === undefined) return storedList(list);
    return inPieces(list, r.form === 'table' ? tableList(list) : jsonList(list));
  }
  switch (r.encoding) {
    case 'protobuf':
      return inPieces(list, protobuf(list));
    case 'cbor':
      return inPieces(list, cborList(headOf(list), result.items.length, cborItems(list)));
    case 'yaml':
      return inPieces(list, yamlList(headOf(list), yamlItems(list)));
  }
}

const atOnce = (body: Buffer): Rendering => ({ bytes: body.length, chunks: [body] });

function headOf({ target, result, r, world }: Listing): ListHead {
  if (r.form === 'table') {
    const form = rowForm(target, r, world);
    const { apiVersion, columnDefinitions, kind } = tableWith(form, {}, [], true);
    return {
      apiVersion: apiVersion as string,
      kind: kind as string,
      metadata: listMeta(result),
      columns: columnDefinitions as JsonArray,
      nullIfEmpty: form.table.nullWithoutRows === true,
    };
  }
  const metadata = r.form === 'object' ? objectListMeta(target, result) : listMeta(result);
  if (r.form === 'metadata')
    return {
      apiVersion: `meta.k8s.io/${r.metaVersion}`,
      kind: 'PartialObjectMetadataList',
      metadata,
      nullIfEmpty: true,
    };
  return { apiVersion: target.resource.apiVersion, kind: target.resource.declaration.listKind, metadata };
}

function listMeta(result: ListResult): JsonObject {
  return {
    resourceVersion: String(result.revision),
    ...(result.continue === '' ? {} : { continue: result.continue }),
    ...(result.remainingItemCount === undefined ? {} : { remainingItemCount: result.remainingItemCount }),
  };
}

/** A list of custom resources has an empty `continue`, as kube-apiserver writes it. */
function objectListMeta({ resource }: Target, result: ListResult): JsonObject {
  const metadata = listMeta(result);
  return isCustom(resource.type) ? { continue: '', ...metadata } : metadata;
}

const OPEN = Buffer.from('{');
const COMMA = Buffer.from(',');

/**
 * An item consists of the stored bytes from `"metadata"` on, because items of a list have no kind and apiVersion.
 * Nothing is parsed, and the size is known before the first byte.
 */
function storedList(list: Listing): Rendering {
  const { result, target } = list;
  const head = jsonListHead(headOf(list));
  const tail = Buffer.from(']}\n');
  const { skip, open } = itemForm(target.resource);
  let bytes = head.length + tail.length + Math.max(0, result.items.length - 1);
  for (const o of result.items) bytes += o.length - skip + open.length;
  return { bytes, chunks: chunks() };

  function* chunks(): Generator<Buffer, void, boolean | undefined> {
    let chunk = Buffer.allocUnsafe(Math.min(bytes, limits.listChunkBytes));
    let at = head.copy(chunk);
    let left = bytes - at;
    for (let i = 0; i < result.items.length; i++) {
      const o = result.items[i]!;
      const need = o.length - skip + open.length + COMMA.length;
      if (at + need > chunk.length) {
        const free = yield chunk.subarray(0, at);
        const room = Math.max(need, Math.min(left, limits.listChunkBytes));
        if (free !== true || chunk.length < room) chunk = Buffer.allocUnsafe(room);
        at = 0;
      }
      if (i > 0) at += COMMA.copy(chunk, at);
      at += open.copy(chunk, at);
      at = o.copyTo(chunk, at, skip);
      left -= need;
    }
    if (at + tail.length > chunk.length) {
      yield chunk.subarray(0, at);
      yield tail;
      return;
    }
    at += tail.copy(chunk, at);
    yield chunk.subarray(0, at);
  }
}

/** Items of built-in kinds have no kind and apiVersion in a list; custom resources do. */
function itemForm({ apiVersion, kind, type }: ServedResource): { readonly skip: number; readonly open: Buffer } {
  if (isCustom(type)) return { skip: 0, open: NOTHING };
  return { skip: jsonItemOffset(apiVersion, kind), open: OPEN };
}

/** A list of metadata, an indented one, or one in a version other than the stored one. */
function* jsonList(list: Listing): Generator<Buffer, void, void> {
  const { target, result, r } = list;
  const { resource } = target;
  const { skip, open } = itemForm(resource);
  const itemOf =
    r.form === 'metadata'
      ? (o: StoredObject) => metadataJson(resource, o, r.metaVersion)
      : (o: StoredObject) => Buffer.concat([open, o.json.subarray(skip)]);
  const end = r.form === 'metadata' && result.items.length === 0 ? 'null}' : '[]}';
  const head = jsonListHead(headOf(list)).toString().slice(0, -1);
  yield* jsonWith(`${head}${end}`, result.items, itemOf, r.pretty);
}

/** Writes a document whose last value is an empty list, with the items inserted into the list, in pieces. */
function* jsonWith(
  empty: string,
  items: readonly StoredObject[],
  itemOf: (o: StoredObject) => Buffer,
  pretty: boolean,
): Generator<Buffer, void, void> {
  const whole = pretty ? prettyText(Buffer.from(empty)) : empty;
  const end = pretty ? '' : '\n';
  const at = whole.lastIndexOf(']');
  if (items.length === 0) {
    yield Buffer.from(`${whole}${end}`);
    return;
  }
  yield Buffer.from(whole.slice(0, at));
  for (let i = 0; i < items.length; i++) {
    const item = itemOf(items[i]!);
    if (pretty) yield Buffer.from(`${i === 0 ? '' : ','}\n    ${prettyText(item, 2)}`);
    else {
      if (i > 0) yield COMMA;
      yield item;
    }
  }
  yield Buffer.from(`${pretty ? '\n  ' : ''}${whole.slice(at)}${end}`);
}

function* tableList({ target, result, r, world }: Listing): Generator<Buffer, void, void> {
  const form = rowForm(target, r, world);
  const rowOf = (o: StoredObject): Buffer => Buffer.concat(rowJson(form, o, rowSource(form.resource, o).parse()));
  const rows = result.items.length === 0 ? noRows(form.table) : [];
  yield* jsonWith(jsonText(tableWith(form, listMeta(result), rows, true)), result.items, rowOf, r.pretty);
}

/**
 * A message begins with its length, so the length of all items is computed before the first byte is written. An item
 * whose encoding cannot be kept until then is encoded twice; so a list of any length needs little memory.
 */
function* protobuf(list: Listing): Generator<Buffer, void, void> {
  const { target, result, r } = list;
  const { resource } = target;
  const metadata = r.form === 'metadata';
  const bytesOf = metadata
    ? (o: StoredObject) => metadataProtobuf(resource, o).length
    : (o: StoredObject) => storedProtobufBytes(resource, o);
  const itemOf = metadata
    ? (o: StoredObject) => metadataProtobuf(resource, o)
    : (o: StoredObject) => storedProtobuf(resource, o);
  let bytes = 0;
  for (const o of result.items) {
    bytes += protobufItemBytes(bytesOf(o));
    yield NOTHING;
  }
  yield* protobufList(headOf(list), bytes, mapped(result.items, itemOf));
}

const NOTHING = Buffer.alloc(0);

/** Encodes the items of a metadata list. A PartialObjectMetadata in a list has metadata only. */
function metadataProtobuf(resource: ServedResource, stored: StoredObject): Buffer {
  const only = metadataJson(resource, stored, 'v1');
  return encodeProtobuf(machinery.partialObjectMetadata, parseStored(only));
}

function* cborItems({ target, result, r, world }: Listing): Generator<Buffer, void, void> {
  const { resource } = target;
  const form = r.form === 'table' ? rowForm(target, r, world) : undefined;
  for (const o of result.items) {
    if (form !== undefined) {
      yield encodeCbor(
        undefined,
        tableRow(form, rowSource(target.resource, o).parse(), () => o.parse()),
      );
      continue;
    }
    const item = o.parse();
    if (r.form === 'metadata')
      yield encodeCbor(machinery.partialObjectMetadata, metadataOnly(resource, item, r.metaVersion));
    else yield encodeCbor(resource.type.schema, asItem(resource, item));
  }
}

function* yamlItems({ target, result, r, world }: Listing): Generator<JsonObject, void, void> {
  const form = r.form === 'table' ? rowForm(target, r, world) : undefined;
  for (const o of result.items) {
    if (form !== undefined) yield tableRow(form, rowSource(target.resource, o).parse(), () => o.parse());
    // The bytes of the metadata have the fields that their kind always writes.
    else if (r.form === 'metadata') yield parseStored(metadataJson(target.resource, o, r.metaVersion));
    else yield asItem(target.resource, o.parse());
  }
}

/** Items of a list of a built-in kind have no kind and apiVersion. Changes `item`. */
function asItem(resource: ServedResource, item: JsonObject): JsonObject {
  if (!isCustom(resource.type)) {
    delete item['kind'];
    delete item['apiVersion'];
  }
  return item;
}

function* mapped<T, U>(items: readonly T[], f: (item: T) => U): Generator<U, void, void> {
  for (const item of items) yield f(item);
}

function inPieces({ world }: Listing, small: Iterable<Buffer>): Rendering {
  return { bytes: undefined, chunks: pieces(small, world) };
}

/** The number of small pieces between two readings of the clock. */
const PIECES_STRIDE = 16;
/** The bytes of the first chunk; most lists are short. */
const FIRST_CHUNK = 16 * 1024;

/** Joins small pieces into chunks of a size that suits connections, or into smaller ones if it is time to yield. */
function* pieces(small: Iterable<Buffer>, { clock }: World): Generator<Buffer, void, boolean | undefined> {
  let chunk = Buffer.allocUnsafe(FIRST_CHUNK);
  let from = 0;
  let at = 0;
  let looked = 0;
  let since = clock.monotonic();
  for (const b of small) {
    if (at + b.length > chunk.length) {
      const free = at > from && (yield chunk.subarray(from, at));
      if (free !== true || chunk.length < limits.listChunkBytes)
        chunk = Buffer.allocUnsafe(Math.max(b.length, Math.min(4 * chunk.length, limits.listChunkBytes)));
      else if (chunk.length < b.length) chunk = Buffer.allocUnsafe(b.length);
      from = at = 0;
      since = clock.monotonic();
    }
    if (b.length > 0) at += b.copy(chunk, at);
    if (++looked % PIECES_STRIDE !== 0 || clock.monotonic() - since < limits.listChunkTime) continue;
    // The yielded chunk may not be written yet; the next one begins after it.
    const free = yield chunk.subarray(from, at);
    if (free === true) at = 0;
    from = at;
    since = clock.monotonic();
  }
  if (at > from) yield chunk.subarray(from, at);
}

/** A list of a virtual resource: it has few items, and none is stored. */
function valueListIn({ target, r, world }: Listing, value: JsonObject): JsonObject {
  if (r.form === 'object') return value;
  const { kind, apiVersion } = target.resource;
  const given = Array.isArray(value['items']) ? value['items'].filter(isObject) : [];
  const items = given.map((o): JsonObject => ({ kind, apiVersion, ...o }));
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  if (r.form === 'table') {
    const form = rowForm(target, r, world);
    return tableWith(
      form,
      metadata,
      items.map((o) => tableRow(form, o, () => o)),
      true,
    );
  }
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: `meta.k8s.io/${r.metaVersion}`,
    metadata,
    items: items.length === 0 ? null : items.map((o) => metadataOnly(target.resource, o, r.metaVersion)),
  };
}
