import { cloneJson, type JsonObject } from '../api/index.js';
import type { Revision, World } from '../base/index.js';
import type { Framer, StoredObject } from '../cache/index.js';
import {
  cborWatchFraming,
  decodeValue,
  jsonWatchFraming,
  protobufWatchFraming,
  type WatchFraming,
  watchFrame,
} from '../codec/index.js';
import { encoded, type Parts, storedParts } from './forms.js';
import type { Representation, Target } from './requests.js';
import { metadataOnly, tableOf, tableOfOne } from './table.js';

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

const FRAMINGS: Readonly<Record<Representation['encoding'], WatchFraming>> = {
  json: jsonWatchFraming,
  // There is no stream of YAML.
  yaml: jsonWatchFraming,
  protobuf: protobufWatchFraming,
  cbor: cborWatchFraming,
};

/** How a watch writes its events: a JSON line each, or the framing of its encoding. */
export function createFramer(target: Target, representation: Representation, world: World): Framer {
  const r = streamForm(representation);
  const { resource } = target;
  const framing = FRAMINGS[r.encoding];
  const id = `${resource.apiVersion} ${r.encoding} ${r.form} ${r.metaVersion} ${r.includeObject}`;
  const bookmark: Framer['bookmark'] = (at, initialEnd, first) =>
    watchFrame(framing, 'BOOKMARK', bookmarkBody(target, r, bookmarkObject(target, at, initialEnd), first));
  if (r.encoding === 'json' && r.form === 'object' && resource.conversion === undefined)
    return { id, bookmark, ...storedBytes(framing) };
  const partsOf = (o: StoredObject): Parts => storedParts(target, o, r, world, false);
  // Cells hold ages, so a Table is good for the moment only; but frames are made once for all watchers of it.
  const whole = { id, bookmark, ...parts(framing, r.form === 'object' ? partsOf : remembered(partsOf)) };
  if (r.form !== 'table') return whole;
  return {
    ...whole,
    first: (type, o) => watchFrame(framing, type, Buffer.concat(storedParts(target, o, r, world, true))),
  };
}

/** Objects in a stream are never laid out for people. */
function streamForm(r: Representation): Representation {
  return { ...r, encoding: r.encoding === 'yaml' ? 'json' : r.encoding, pretty: false };
}

/** The bytes of the cache, copied. */
function storedBytes(framing: WatchFraming): Pick<Framer, 'size' | 'write'> {
  const { tail } = framing;
  return {
    size: (type, o) => framing.headBytes(type, o.length) + o.length + tail.length,
    write: (type, o, out, at) => {
      const end = o.copyTo(out, framing.writeHead(type, o.length, out, at));
      return end + tail.copy(out, end);
    },
  };
}

function parts(framing: WatchFraming, partsOf: (o: StoredObject) => Parts): Pick<Framer, 'size' | 'write'> {
  const { tail } = framing;
  const bytesOf = (all: Parts): number => all.reduce((n, part) => n + part.length, 0);
  return {
    size: (type, o) => {
      const bytes = bytesOf(partsOf(o));
      return framing.headBytes(type, bytes) + bytes + tail.length;
    },
    write: (type, o, out, at) => {
      const all = partsOf(o);
      let end = framing.writeHead(type, bytesOf(all), out, at);
      for (const part of all) end += part.copy(out, end);
      return end + tail.copy(out, end);
    },
  };
}

function remembered(partsOf: (o: StoredObject) => Parts): (o: StoredObject) => Parts {
  const made = new WeakMap<StoredObject, Parts>();
  return (o) => {
    const known = made.get(o) ?? partsOf(o);
    made.set(o, known);
    return known;
  };
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

function bookmarkBody(target: Target, r: Representation, o: JsonObject, first: boolean): Buffer {
  switch (r.form) {
    case 'object':
      return inStream(r, o);
    case 'metadata':
      return inStream(r, metadataOnly(o, r.metaVersion));
    case 'table':
      return inStream(
        r,
        tableOfOne({ table: tableOf(target), now: 0, representation: r }, o, () => o, first),
      );
  }
}

/** The event with which a watch ends that failed: a Status where the object would be. */
export function failureFrame(representation: Representation, status: JsonObject): Buffer {
  const r = streamForm(representation);
  return watchFrame(FRAMINGS[r.encoding], 'ERROR', inStream(r, status));
}

/** A body without the line break that ends one which stands alone. */
function inStream(r: Representation, value: JsonObject): Buffer {
  const body = encoded(r, value);
  return r.encoding === 'json' ? body.subarray(0, -1) : body;
}
