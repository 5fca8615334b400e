import { cloneJson, type JsonObject } from '../api/index.js';
import type { Revision, World } from '../base/index.js';
import type { EventType, Framer, StoredObject } from '../cache/index.js';
import { decodeValue, encodeCbor, encodeJson, encodeProtobuf, sealEnvelope } from '../codec/index.js';
import { type StructSchema, structByName } from '../schema/index.js';
import { cborOf, metadataJson, protobufOf, tableOfOne } from './render.js';
import type { Representation, Target } from './requests.js';
import { servedJson, servedObject } from './stored.js';
import { partialMetadata, tableColumns, tableOf } from './table.js';

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** How a watch writes its events: a JSON line each, or the framing of its encoding. */
export function createFramer(target: Target, r: Representation, world: World): Framer {
  const id = `${target.resource.apiVersion} ${r.encoding} ${r.form} ${r.metaVersion} ${r.includeObject}`;
  return r.encoding === 'json' || r.encoding === 'yaml'
    ? jsonFramer(id, target, r, world)
    : binaryFramer(id, target, r, world);
}

const LINE = 22; // {"type":"","object":}\n

function jsonFramer(id: string, target: Target, r: Representation, world: World): Framer {
  const { resource } = target;
  const plain = r.form === 'object' && resource.conversion === undefined;
  const bodyOf = (o: StoredObject): Buffer => {
    switch (r.form) {
      case 'object':
        return servedJson(resource, o);
      case 'metadata':
        return o.encoding(`metadata ${resource.apiVersion} ${r.metaVersion}`, (s) => metadataJson(resource, s, r));
      case 'table':
        return tableBody(o, false);
    }
  };
  /** Cells hold ages, so a Table is good for the moment only; but frames are made once for all watchers of it. */
  const tableBody = (o: StoredObject, first: boolean): Buffer => {
    const table = tableOfOne(target, o.parse(), () => servedObject(resource, o), r, world, first);
    return Buffer.from(JSON.stringify(table));
  };
  const frameOf = (type: string, body: Buffer): Buffer => {
    const out = Buffer.allocUnsafe(LINE + type.length + body.length);
    const from = head(out, 0, type);
    finish(out, from + body.copy(out, from));
    return out;
  };
  const bookmark = (at: Revision, initialEnd: boolean, first: boolean): Buffer =>
    frameOf('BOOKMARK', bookmarkJson(target, r, at, initialEnd, first));
  if (r.form === 'table') {
    const made = new WeakMap<StoredObject, Buffer>();
    const row = (o: StoredObject): Buffer => {
      const known = made.get(o) ?? tableBody(o, false);
      made.set(o, known);
      return known;
    };
    return {
      id,
      size: (type, o) => LINE + type.length + row(o).length,
      write: (type, o, out, at) => {
        const from = head(out, at, type);
        return finish(out, from + row(o).copy(out, from));
      },
      first: (type, o) => frameOf(type, tableBody(o, true)),
      bookmark,
    };
  }
  return {
    id,
    size: (type, o) => LINE + type.length + (plain ? o.length : bodyOf(o).length),
    write: (type, o, out, at) => {
      const from = head(out, at, type);
      return finish(out, plain ? o.copyTo(out, from) : from + bodyOf(o).copy(out, from));
    },
    bookmark,
  };
}

function head(out: Buffer, at: number, type: string): number {
  return at + out.write(`{"type":"${type}","object":`, at);
}

function finish(out: Buffer, at: number): number {
  out[at] = 0x7d;
  out[at + 1] = 0x0a;
  return at + 2;
}

/** A bookmark is an object of the kind in which only the version (and the mark of the initial events' end) says anything. */
function bookmarkObject(target: Target, at: Revision, initialEnd: boolean): JsonObject {
  const { resource } = target;
  const metadata: JsonObject = {
    resourceVersion: String(at),
    ...(initialEnd ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}),
  };
  const more = cloneJson(resource.declaration.emptyObject ?? {});
  const empty = decodeValue(resource.schema, {
    ...more,
    kind: resource.kind,
    apiVersion: resource.apiVersion,
    metadata,
  });
  return empty.ok ? empty.object : { kind: resource.kind, apiVersion: resource.apiVersion, metadata };
}

function bookmarkJson(target: Target, r: Representation, at: Revision, initialEnd: boolean, first: boolean): Buffer {
  const { resource } = target;
  const o = bookmarkObject(target, at, initialEnd);
  switch (r.form) {
    case 'object':
      return encodeJson(resource.schema, o);
    case 'metadata':
      return encodeJson(structByName('meta/v1.PartialObjectMetadata'), partialMetadata(o, r.metaVersion));
    case 'table':
      return Buffer.from(JSON.stringify(bookmarkTable(target, r, o, first)));
  }
}

function bookmarkTable(target: Target, r: Representation, o: JsonObject, first: boolean): JsonObject {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${r.metaVersion}`,
    metadata: { resourceVersion: (o['metadata'] as JsonObject)['resourceVersion']! },
    columnDefinitions: first ? tableColumns(tableOf(target)) : null,
    rows: [],
  };
}

/** `WatchEvent` messages with a length before each (protobuf), or a sequence of maps (CBOR). */
function binaryFramer(id: string, target: Target, r: Representation, world: World): Framer {
  const { resource } = target;
  const memo = (o: StoredObject, type: EventType): Buffer =>
    o.encoding(`frame ${id} ${type}`, (s) => frame(type, bodyOf(s)));
  const bodyOf = (o: StoredObject): Buffer => {
    if (r.form === 'object')
      return r.encoding === 'cbor'
        ? cborOf(resource, o)
        : envelope(resource.apiVersion, resource.kind, protobufOf(resource, o));
    const value =
      r.form === 'metadata'
        ? partialMetadata(servedObject(resource, o), r.metaVersion)
        : tableOfOne(target, o.parse(), () => servedObject(resource, o), r, world, false);
    return encodeForm(r, value);
  };
  const frame = (type: string, body: Buffer): Buffer =>
    r.encoding === 'cbor' ? cborEvent(type, body) : protobufEvent(type, body);
  return {
    id,
    size: (type, o) => memo(o, type).length,
    write: (type, o, out, at) => at + memo(o, type).copy(out, at),
    bookmark: (at, initialEnd) => {
      const o = bookmarkObject(target, at, initialEnd);
      if (r.form === 'object') {
        const body =
          r.encoding === 'cbor'
            ? encodeCbor(resource.schema, o)
            : envelope(resource.apiVersion, resource.kind, encodeProtobuf(resource.schema, o));
        return frame('BOOKMARK', body);
      }
      const value = r.form === 'metadata' ? partialMetadata(o, r.metaVersion) : bookmarkTable(target, r, o, true);
      return frame('BOOKMARK', encodeForm(r, value));
    },
  };
}

function encodeForm(r: Representation, value: JsonObject): Buffer {
  const schema: StructSchema = structByName(r.form === 'metadata' ? 'meta/v1.PartialObjectMetadata' : 'meta/v1.Table');
  if (r.encoding === 'cbor') return encodeCbor(schema, value);
  return envelope(String(value['apiVersion']), String(value['kind']), encodeProtobuf(schema, value));
}

const envelope = (apiVersion: string, kind: string, raw: Buffer): Buffer => sealEnvelope({ apiVersion, kind, raw });

/** Four bytes of length, big endian, then `WatchEvent { type = 1, object = 2 (RawExtension { raw = 1 }) }`. */
function protobufEvent(type: string, body: Buffer): Buffer {
  const raw = Buffer.concat([field(0x0a, body.length), body]);
  const message = Buffer.concat([field(0x0a, type.length), Buffer.from(type), field(0x12, raw.length), raw]);
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(message.length);
  return Buffer.concat([length, message]);
}

function field(tag: number, length: number): Buffer {
  const out = [tag];
  let n = length;
  for (; n >= 128; n = Math.floor(n / 128)) out.push((n % 128) | 0x80);
  out.push(n);
  return Buffer.from(out);
}

const CBOR_SELF_DESCRIBED = 3;

/** `{type, object}` as one item of a sequence; the object's own bytes follow without their tag. */
function cborEvent(type: string, body: Buffer): Buffer {
  const text = (s: string): Buffer => Buffer.concat([cborHead(2, Buffer.byteLength(s)), Buffer.from(s)]);
  return Buffer.concat([
    body.subarray(0, CBOR_SELF_DESCRIBED),
    Buffer.from([0xa2]),
    text('type'),
    text(type),
    text('object'),
    body.subarray(CBOR_SELF_DESCRIBED),
  ]);
}

function cborHead(major: number, n: number): Buffer {
  if (n < 24) return Buffer.from([(major << 5) | n]);
  return Buffer.from([(major << 5) | 24, n]);
}

/** The event with which a watch ends that failed: a Status where the object would be. */
export function failureFrame(r: Representation, status: JsonObject): Buffer {
  const schema = structByName('meta/v1.Status');
  switch (r.encoding) {
    case 'json':
    case 'yaml':
      return Buffer.concat([Buffer.from('{"type":"ERROR","object":'), encodeJson(schema, status), Buffer.from('}\n')]);
    case 'cbor':
      return cborEvent('ERROR', encodeCbor(schema, status));
    case 'protobuf':
      return protobufEvent('ERROR', envelope('v1', 'Status', encodeProtobuf(schema, status)));
  }
}
