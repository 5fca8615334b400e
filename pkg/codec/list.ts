import type { JsonObject } from '../api/index.js';
import { structByName } from '../schema/index.js';
import { encodeCbor, SELF_DESCRIBED } from './cbor/write.js';
import { encodeJson } from './json/encode.js';
import { writeString } from './json/write.js';
import { encodeProtobuf } from './protobuf/encode.js';
import { envelopeAround, envelopeEnd } from './protobuf/envelope.js';

/** A list made of items that are encoded already: nothing of them is parsed or encoded again. */
export interface EncodedList {
  /** Size of the whole. */
  readonly bytes: number;
  readonly chunks: Iterable<Buffer>;
}

export interface ListHead {
  readonly apiVersion: string;
  /** Of the list: `PodList`. */
  readonly kind: string;
  /** ListMeta: resourceVersion, continue, remainingItemCount. */
  readonly metadata: JsonObject;
}

function whole(chunks: readonly Buffer[]): EncodedList {
  return { bytes: chunks.reduce((n, c) => n + c.length, 0), chunks };
}

/** What stands before the first item of a JSON list, up to and including the bracket. The end is `]}` and a line break. */
export function jsonListHead({ apiVersion, kind, metadata }: ListHead): Buffer {
  const meta = encodeJson(structByName('meta/v1.ListMeta'), metadata).toString();
  return Buffer.from(
    `{"kind":${writeString(kind)},"apiVersion":${writeString(apiVersion)},"metadata":${meta},"items":[`,
  );
}

/**
 * Bytes at the beginning of an object's canonical JSON that a list of a built-in kind leaves out: items of those have no kind and
 * apiVersion. An item is `{` and the object from here on.
 */
export function jsonItemOffset(apiVersion: string, kind: string): number {
  return Buffer.byteLength(`{"kind":${writeString(kind)},"apiVersion":${writeString(apiVersion)},`);
}

/** A list of a built-in kind in protobuf, envelope included, from the bare messages (`encodeProtobuf`) of its items. */
export function protobufList({ apiVersion, kind, metadata }: ListHead, items: readonly Buffer[]): EncodedList {
  const meta = encodeProtobuf(structByName('meta/v1.ListMeta'), metadata);
  const message: Buffer[] = [lengthDelimited(1, meta.length), meta];
  for (const item of items) message.push(lengthDelimited(2, item.length), item);
  const { bytes } = whole(message);
  return whole([...envelopeAround(apiVersion, kind, bytes), ...message, envelopeEnd]);
}

/** Tag and length of a field. */
function lengthDelimited(proto: number, length: number): Buffer {
  const head = [proto * 8 + 2];
  let rest = length;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) head.push((rest % 128) | 0x80);
  head.push(rest);
  return Buffer.from(head);
}

/** A list in CBOR from the CBOR bodies (`encodeCbor`) of its items, whose self-describing tags are taken off. */
export function cborList({ apiVersion, kind, metadata }: ListHead, items: readonly Buffer[]): EncodedList {
  const part = (value: string | JsonObject): Buffer => encodeCbor(undefined, value).subarray(SELF_DESCRIBED.length);
  // Keys in the order of their encodings: kind, items, metadata, apiVersion.
  const chunks: Buffer[] = [
    SELF_DESCRIBED,
    Buffer.from([0xa4]),
    part('kind'),
    part(kind),
    part('items'),
    listHead(items.length),
  ];
  for (const item of items) chunks.push(item.subarray(SELF_DESCRIBED.length));
  chunks.push(part('metadata'), part(metadata), part('apiVersion'), part(apiVersion));
  return whole(chunks);
}

function listHead(length: number): Buffer {
  if (length < 24) return Buffer.from([0x80 | length]);
  if (length < 0x100) return Buffer.from([0x98, length]);
  if (length < 0x10000) return Buffer.from([0x99, length >> 8, length & 0xff]);
  const head = Buffer.from([0x9a, 0, 0, 0, 0]);
  head.writeUInt32BE(length, 1);
  return head;
}
