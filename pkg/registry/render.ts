import { isObject, type JsonObject, type JsonValue } from '../api/index.js';
import type { World } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import { encodeCbor, encodeProtobuf, encodeYaml, envelopeAround, envelopeEnd, metadataSlice } from '../codec/index.js';
import { type StructSchema, structByName } from '../schema/index.js';
import type { ServedResource } from './catalogue.js';
import { encodeAny, encodeBody, indented, lineEnded } from './encodings.js';
import { limits } from './limits.js';
import type { Answer, ListResult, Representation, Target } from './requests.js';
import { parseStored, servedJson, servedObject } from './stored.js';
import { partialMetadata, tableColumns, tableOf, tableRow } from './table.js';

/** A body, made piece by piece: a large list never stands in memory as a whole. */
export interface Rendering {
  /** Size of the whole when it is known before it is made (JSON lists of stored bytes, single objects). */
  readonly bytes: number | undefined;
  /**
   * About 256 KiB each. Who asks for the next one with `next(true)` has done with the one before, whose memory is then used again:
   * a list of 46 MB otherwise costs the collector more than the copying.
   */
  readonly chunks: Iterable<Buffer, void, boolean | undefined>;
}

/** The encoded answer; may be shared: never written into. */
export type RenderAnswer = (target: Target, answer: Answer, representation: Representation) => Buffer;

export type RenderList = (target: Target, result: ListResult, representation: Representation) => Rendering;

export interface Renderer {
  readonly renderAnswer: RenderAnswer;
  readonly renderList: RenderList;
}

export function createRenderer(world: World): Renderer {
  return {
    renderAnswer: (target, answer, representation) => renderAnswer(target, answer, representation, world),
    renderList: (target, result, representation) => renderList(target, result, representation, world),
  };
}

/** Kind and schema of what a target answers with: its own, or that of a subresource which has its own. */
export function kindOfTarget(target: Target): { readonly kind: string; readonly schema: StructSchema } {
  const { resource, subresource } = target;
  const own = subresource === '' ? undefined : resource.subresources[subresource]?.kind;
  return own === undefined
    ? { kind: resource.kind, schema: resource.schema }
    : { kind: own.kind, schema: structByName(`${own.schema}.${own.kind}`) };
}

function renderAnswer(target: Target, answer: Answer, r: Representation, world: World): Buffer {
  const { resource } = target;
  if (answer.kind === 'stored') {
    const { stored } = answer;
    if (r.form === 'object') return renderStored(resource, stored, r);
    if (r.form === 'metadata') return renderMetadata(resource, stored, r);
    const table = tableOfOne(target, stored.parse(), () => servedObject(resource, stored), r, world);
    return encodeAny(r.encoding, table, r.pretty);
  }
  const { value } = answer;
  if (r.form === 'object' || value['kind'] === 'Status')
    return encodeBody(r.encoding, schemaOfValue(target, value), value, r.pretty);
  if (r.form === 'metadata') return encodeBody(r.encoding, PARTIAL(), partialMetadata(value, r.metaVersion), r.pretty);
  return encodeAny(
    r.encoding,
    tableOfOne(target, value, () => value, r, world),
    r.pretty,
  );
}

const PARTIAL = (): StructSchema => structByName('meta/v1.PartialObjectMetadata');
const STATUS = (): StructSchema => structByName('meta/v1.Status');
const LIST_META = (): StructSchema => structByName('meta/v1.ListMeta');

function schemaOfValue(target: Target, value: JsonObject): StructSchema {
  return value['kind'] === 'Status' ? STATUS() : kindOfTarget(target).schema;
}

function renderStored(resource: ServedResource, stored: StoredObject, r: Representation): Buffer {
  switch (r.encoding) {
    case 'yaml':
      return encodeYaml(parseStored(servedJson(resource, stored)));
    case 'json': {
      const json = servedJson(resource, stored);
      return lineEnded(r.pretty ? indented(json) : json);
    }
    case 'cbor':
      return cborOf(resource, stored);
    case 'protobuf': {
      const raw = protobufOf(resource, stored);
      return Buffer.concat([...envelopeAround(resource.apiVersion, resource.kind, raw.length), raw, envelopeEnd]);
    }
  }
}

/** The message alone, without envelope: what a list's item is. */
export function protobufOf(resource: ServedResource, stored: StoredObject): Buffer {
  return stored.encoding(`protobuf ${resource.apiVersion}`, (s) =>
    encodeProtobuf(resource.schema, servedObject(resource, s)),
  );
}

export function cborOf(resource: ServedResource, stored: StoredObject): Buffer {
  return stored.encoding(`cbor ${resource.apiVersion}`, (s) => encodeCbor(resource.schema, servedObject(resource, s)));
}

function renderMetadata(resource: ServedResource, stored: StoredObject, r: Representation): Buffer {
  if (r.encoding === 'json' && !r.pretty) return lineEnded(metadataJson(resource, stored, r));
  return encodeBody(r.encoding, PARTIAL(), partialMetadata(servedObject(resource, stored), r.metaVersion), r.pretty);
}

/** Cut out of the stored bytes; conversions leave the metadata of most kinds alone, but not of all. */
export function metadataJson(resource: ServedResource, stored: StoredObject, r: Representation): Buffer {
  const inside = metadataSlice(servedJson(resource, stored)) ?? Buffer.from('{}');
  return Buffer.concat([
    Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${r.metaVersion}","metadata":`),
    inside,
    Buffer.from('}'),
  ]);
}

export function tableOfOne(
  target: Target,
  stored: JsonObject,
  served: () => JsonObject,
  r: Representation,
  world: World,
  columns = true,
): JsonObject {
  const table = tableOf(target);
  const meta = isObject(stored['metadata']) ? stored['metadata'] : {};
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${r.metaVersion}`,
    metadata: meta['resourceVersion'] === undefined ? {} : { resourceVersion: meta['resourceVersion'] },
    columnDefinitions: columns ? tableColumns(table) : null,
    rows: [tableRow(table, stored, served, world.clock.now(), r)],
  };
}

function listMeta(result: ListResult): JsonObject {
  return {
    resourceVersion: String(result.revision),
    ...(result.continue === '' ? {} : { continue: result.continue }),
    ...(result.remainingItemCount === undefined ? {} : { remainingItemCount: result.remainingItemCount }),
  };
}

function renderList(target: Target, result: ListResult, r: Representation, world: World): Rendering {
  const { resource } = target;
  if (result.value !== undefined) {
    const schema = structByName(`${resource.declaration.versions[0]!.schema}.${resource.kind}List`);
    const body = encodeBody(r.encoding, schema, result.value, r.pretty);
    return { bytes: body.length, chunks: [body] };
  }
  if (r.encoding === 'json' && !r.pretty) {
    if (r.form === 'object') return jsonList(resource, result);
    if (r.form === 'metadata') return { bytes: undefined, chunks: pieces(metadataList(resource, result, r)) };
    return { bytes: undefined, chunks: pieces(tableList(target, result, r, world)) };
  }
  if (r.encoding === 'protobuf' && r.form === 'object')
    return { bytes: undefined, chunks: pieces(protobufList(resource, result)) };
  const body = wholeList(target, result, r, world);
  return { bytes: body.length, chunks: [body] };
}

const OPEN = Buffer.from('{');
const COMMA = Buffer.from(',');

/** `{"kind":"PodList","apiVersion":"v1","metadata":{...},"items":[` */
function listHead(kind: string, apiVersion: string, result: ListResult): string {
  return `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${JSON.stringify(listMeta(result))},"items":[`;
}

/**
 * Items are the stored bytes from `"metadata"` on: items of a list have no kind and apiVersion of their own. Nothing is parsed, and
 * the size is known before the first byte.
 */
function jsonList(resource: ServedResource, result: ListResult): Rendering {
  const head = Buffer.from(listHead(`${resource.kind}List`, resource.apiVersion, result));
  const tail = Buffer.from(']}\n');
  const skip = itemStart(resource);
  const converted = resource.conversion !== undefined;
  const sizeOf = (o: StoredObject): number => (converted ? servedJson(resource, o).length : o.length) - skip + 1;
  let bytes = head.length + tail.length + Math.max(0, result.items.length - 1);
  for (const o of result.items) bytes += sizeOf(o);
  return { bytes, chunks: chunks() };

  function* chunks(): Generator<Buffer, void, boolean | undefined> {
    let chunk = Buffer.allocUnsafe(Math.min(bytes, limits.listChunkBytes));
    let at = head.copy(chunk);
    let left = bytes - at;
    for (let i = 0; i < result.items.length; i++) {
      const o = result.items[i]!;
      const need = sizeOf(o) + 1;
      if (at + need > chunk.length) {
        const free = yield chunk.subarray(0, at);
        const room = Math.max(need, Math.min(left, limits.listChunkBytes));
        if (free !== true || chunk.length < room) chunk = Buffer.allocUnsafe(room);
        at = 0;
      }
      if (i > 0) at += COMMA.copy(chunk, at);
      at += OPEN.copy(chunk, at);
      if (converted) at += servedJson(resource, o).copy(chunk, at, skip);
      else at = o.copyTo(chunk, at, skip);
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

/** Offset of `"metadata"` in an object's canonical JSON. */
export function itemStart(resource: ServedResource): number {
  return `{"kind":"${resource.kind}","apiVersion":"${resource.apiVersion}",`.length;
}

function* metadataList(resource: ServedResource, result: ListResult, r: Representation): IterableIterator<Buffer> {
  const head = listHead('PartialObjectMetadataList', `meta.k8s.io/${r.metaVersion}`, result);
  if (result.items.length === 0) {
    yield Buffer.from(`${head.slice(0, -1)}null}\n`);
    return;
  }
  yield Buffer.from(head);
  let first = true;
  for (const o of result.items) {
    if (!first) yield COMMA;
    first = false;
    yield metadataJson(resource, o, r);
  }
  yield Buffer.from(']}\n');
}

function* tableList(target: Target, result: ListResult, r: Representation, world: World): IterableIterator<Buffer> {
  const table = tableOf(target);
  const now = world.clock.now();
  yield Buffer.from(
    `{"kind":"Table","apiVersion":"meta.k8s.io/${r.metaVersion}","metadata":${JSON.stringify(listMeta(result))},"columnDefinitions":${JSON.stringify(tableColumns(table))},"rows":[`,
  );
  let first = true;
  for (const o of result.items) {
    const row = tableRow(table, o.parse(), () => servedObject(target.resource, o), now, r);
    yield Buffer.from(first ? textOf(row) : `,${textOf(row)}`);
    first = false;
  }
  yield Buffer.from(']}\n');
}

/** JSON of a value; integers beyond doubles keep their digits. */
function textOf(v: JsonValue): string {
  return JSON.stringify(v, (_, x: unknown) => (typeof x === 'bigint' ? Number(x) : x));
}

const ITEMS_TAG = 0x12;
const METADATA_TAG = 0x0a;

/** The list's message, item by item from the encodings that the objects keep. */
function* protobufList(resource: ServedResource, result: ListResult): IterableIterator<Buffer> {
  const meta = encodeProtobuf(LIST_META(), listMeta(result));
  let bytes = 1 + varintBytes(meta.length) + meta.length;
  for (const o of result.items) {
    const n = protobufOf(resource, o).length;
    bytes += 1 + varintBytes(n) + n;
  }
  yield* envelopeAround(resource.apiVersion, `${resource.kind}List`, bytes);
  yield tagged(METADATA_TAG, meta.length);
  yield meta;
  for (const o of result.items) {
    const item = protobufOf(resource, o);
    yield tagged(ITEMS_TAG, item.length);
    yield item;
  }
  yield envelopeEnd;
}

function varintBytes(n: number): number {
  let bytes = 1;
  for (; n >= 128; n = Math.floor(n / 128)) bytes++;
  return bytes;
}

function tagged(tag: number, length: number): Buffer {
  const out = Buffer.allocUnsafe(1 + varintBytes(length));
  out[0] = tag;
  let at = 1;
  let n = length;
  for (; n >= 128; n = Math.floor(n / 128)) out[at++] = (n % 128) | 0x80;
  out[at] = n;
  return out;
}

/** Small pieces joined into chunks of the size that connections like. */
function* pieces(small: Iterable<Buffer>): Generator<Buffer, void, boolean | undefined> {
  let held: Buffer[] = [];
  let bytes = 0;
  for (const b of small) {
    held.push(b);
    bytes += b.length;
    if (bytes < limits.listChunkBytes) continue;
    yield Buffer.concat(held, bytes);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held, bytes);
}

/** Encodings that nobody asks for large lists in. */
function wholeList(target: Target, result: ListResult, r: Representation, world: World): Buffer {
  const { resource } = target;
  const items = result.items.map((o) => servedObject(resource, o));
  const metadata = listMeta(result);
  if (r.form === 'table') {
    const table = tableOf(target);
    const now = world.clock.now();
    const rows = result.items.map((o, i) => tableRow(table, o.parse(), () => items[i]!, now, r));
    const apiVersion = `meta.k8s.io/${r.metaVersion}`;
    const whole = { kind: 'Table', apiVersion, metadata, columnDefinitions: tableColumns(table), rows };
    return encodeAny(r.encoding, whole, r.pretty);
  }
  if (r.form === 'metadata') {
    const schema = structByName('meta/v1.PartialObjectMetadataList');
    const kind = 'PartialObjectMetadataList';
    const apiVersion = `meta.k8s.io/${r.metaVersion}`;
    const list = { kind, apiVersion, metadata, items: items.map((o) => partialMetadata(o, r.metaVersion)) };
    return encodeBody(r.encoding, schema, list, r.pretty);
  }
  for (const o of items) {
    delete o['kind'];
    delete o['apiVersion'];
  }
  const list = { kind: `${resource.kind}List`, apiVersion: resource.apiVersion, metadata, items };
  return encodeBody(r.encoding, listSchema(resource), list, r.pretty);
}

function listSchema(resource: ServedResource): StructSchema {
  const version = resource.declaration.versions.find(
    (v) => v.version === resource.version && (v.group ?? resource.declaration.group) === resource.group,
  )!;
  return structByName(`${version.schema}.${resource.kind}List`);
}
