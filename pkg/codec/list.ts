import type { JsonArray, JsonObject } from '../api/index.js';
import { machinery } from '../schema/index.js';
import { encodeCbor, SELF_DESCRIBED } from './cbor/write.js';
import { writeString, writeValue } from './json/write.js';
import { encodeProtobuf } from './protobuf/encode.js';
import { envelopeAround, envelopeEnd } from './protobuf/envelope.js';
import { encodeYaml } from './yaml/write.js';

export interface ListHead {
  readonly apiVersion: string;
  /** The kind of the list: `PodList`. */
  readonly kind: string;
  /** ListMeta: resourceVersion, continue, remainingItemCount, as they are written. */
  readonly metadata: JsonObject;
  /** The columns of a Table, whose items are its rows. */
  readonly columns?: JsonArray;
  /** An empty list is null. */
  readonly nullIfEmpty?: boolean;
}

/** Returns the part of a JSON list before the first item, with the bracket. The part after the last item is `]}` and a line break. */
export function jsonListHead({ apiVersion, kind, metadata }: ListHead): Buffer {
  return Buffer.from(
    `{"kind":${writeString(kind)},"apiVersion":${writeString(apiVersion)},"metadata":${writeValue(metadata)},"items":[`,
  );
}

/**
 * Number of bytes at the beginning of an object's canonical JSON that a list of a built-in kind leaves out, because its
 * items have no kind and apiVersion. An item is `{` and the object from here on.
 */
export function jsonItemOffset(apiVersion: string, kind: string): number {
  return Buffer.byteLength(`{"kind":${writeString(kind)},"apiVersion":${writeString(apiVersion)},`);
}

/**
 * Builds a list of a built-in kind in protobuf, envelope included, from the bare messages (`encodeProtobuf`) of its
 * items. The caller computes their total length first (the sum of `protobufItemBytes`).
 */
export function* protobufList(
  { apiVersion, kind, metadata }: ListHead,
  itemsBytes: number,
  items: Iterable<Buffer>,
): Generator<Buffer, void, void> {
  const meta = encodeProtobuf(machinery.listMeta, metadata);
  const head = lengthDelimited(METADATA, meta.length);
  yield* envelopeAround(apiVersion, kind, head.length + meta.length + itemsBytes);
  yield head;
  yield meta;
  for (const item of items) {
    yield lengthDelimited(ITEMS, item.length);
    yield item;
  }
  yield envelopeEnd;
}

const METADATA = 1;
const ITEMS = 2;

/** Returns the protobuf field of an item of a list. */
export function protobufItemBytes(messageBytes: number): number {
  let bytes = 2 + messageBytes;
  for (let rest = messageBytes; rest >= 0x80; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

/** Length of a field's tag and length prefix. */
function lengthDelimited(proto: number, length: number): Buffer {
  const head = [proto * 8 + 2];
  let rest = length;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) head.push((rest % 128) | 0x80);
  head.push(rest);
  return Buffer.from(head);
}

/** Builds a YAML list from its items, in canonical form. Keys are sorted, as in any YAML: `rows` of a Table come last. */
export function* yamlList(
  { apiVersion, kind, metadata, columns, nullIfEmpty }: ListHead,
  items: Iterable<JsonObject>,
): Generator<Buffer, void, void> {
  const key = columns === undefined ? 'items' : 'rows';
  yield columns === undefined
    ? encodeYaml({ apiVersion })
    : encodeYaml({ apiVersion, columnDefinitions: columns, kind, metadata });
  let isEmpty = true;
  for (const item of items) {
    if (isEmpty) yield Buffer.from(`${key}:\n`);
    isEmpty = false;
    // Items of a list are at the column of its key, so they look as in a list of their own.
    yield encodeYaml([item]);
  }
  if (isEmpty) yield encodeYaml({ [key]: nullIfEmpty ? null : [] });
  if (columns === undefined) yield encodeYaml({ kind, metadata });
}

/** Builds a CBOR list from the CBOR bodies (`encodeCbor`) of its items, without their self-describing tags. */
export function* cborList(
  { apiVersion, kind, metadata, columns, nullIfEmpty }: ListHead,
  count: number,
  items: Iterable<Buffer>,
): Generator<Buffer, void, void> {
  const part = (value: string | JsonObject | JsonArray): Buffer =>
    encodeCbor(undefined, value).subarray(SELF_DESCRIBED.length);
  // Keys are sorted by their encodings: kind, items or rows, metadata, apiVersion, columnDefinitions.
  yield SELF_DESCRIBED;
  yield Buffer.from([columns === undefined ? 0xa4 : 0xa5]);
  const key = columns === undefined ? 'items' : 'rows';
  // A shorter key comes first, and `kind` before `rows`.
  yield* [part('kind'), part(kind), part(key), count === 0 && nullIfEmpty ? CBOR_NULL : listHead(count)];
  for (const item of items) yield item.subarray(SELF_DESCRIBED.length);
  yield* [part('metadata'), part(metadata), part('apiVersion'), part(apiVersion)];
  if (columns !== undefined) yield* [part('columnDefinitions'), part(columns)];
}

const CBOR_NULL = Buffer.from([0xf6]);

function listHead(length: number): Buffer {
  if (length < 24) return Buffer.from([0x80 | length]);
  if (length < 0x100) return Buffer.from([0x98, length]);
  if (length < 0x10000) return Buffer.from([0x99, length >> 8, length & 0xff]);
  const head = Buffer.from([0x9a, 0, 0, 0, 0]);
  head.writeUInt32BE(length, 1);
  return head;
}
