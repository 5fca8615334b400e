import { cloneJson, type JsonObject, objectAt } from '../api/index.js';
import type { Revision, World } from '../base/index.js';
import type { EventType, Framer, StoredObject } from '../cache/index.js';
import {
  cborWatchFraming,
  decodeAs,
  jsonWatchFraming,
  protobufWatchFraming,
  type WatchFraming,
  watchFrame,
  websocketFramings,
} from '../codec/index.js';
import { localVersion } from './conversion.js';
import { encoded, type Parts, storedParts } from './forms.js';
import type { RowMemory } from './memory.js';
import { metadataOnly } from './metadataonly.js';
import type { Representation, Target } from './requests.js';
import type { ServedResource } from './servedresources.js';
import { tableOf, tableOfOne } from './table.js';

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

type Framings = Readonly<Record<Representation['encoding'], WatchFraming>>;

// Watches in YAML do not exist; they are served as JSON.
const FRAMINGS: Framings = {
  json: jsonWatchFraming,
  yaml: jsonWatchFraming,
  protobuf: protobufWatchFraming,
  cbor: cborWatchFraming,
};
const MESSAGES: Framings = { ...websocketFramings, yaml: websocketFramings.json };

/** The form of events, and whether each event is a WebSocket message. */
export interface StreamForm {
  readonly representation: Representation;
  readonly websocket: boolean;
}

/** Returns the framer of a watch: a JSON line for each event, or the framing of its encoding. */
export function createFramer(target: Target, form: StreamForm, world: World): Framer {
  const r = streamForm(form.representation);
  const { resource } = target;
  const framing = framingOf(form, r);
  const shape = `${resource.apiVersion} ${r.encoding} ${r.form} ${r.metaVersion} ${r.includeObject}`;
  const bookmark: Framer['bookmark'] = (at, initialEnd, first) =>
    watchFrame(framing, 'BOOKMARK', bookmarkBody(target, r, bookmarkObject(target, at, initialEnd), first));
  const make = (o: StoredObject): Parts => storedParts(target, localVersion(resource, o), r, world, false);
  const partsOf = r.form === 'object' ? make : remembered(resource, shape, make);
  const id = form.websocket ? `${shape} messages` : shape;
  const frame = (type: EventType, o: StoredObject): Parts => framed(framing, type, partsOf(o));
  if (r.form !== 'table') return { id, bookmark, frame };
  return {
    id,
    bookmark,
    frame,
    first: (type, o) =>
      Buffer.concat(framed(framing, type, storedParts(target, localVersion(resource, o), r, world, true))),
  };
}

/** Objects in a stream are never pretty-printed. */
function streamForm(r: Representation): Representation {
  return { ...r, encoding: r.encoding === 'yaml' ? 'json' : r.encoding, pretty: false };
}

function framingOf({ websocket }: StreamForm, { encoding }: Representation): WatchFraming {
  return (websocket ? MESSAGES : FRAMINGS)[encoding];
}

function framed(framing: WatchFraming, type: EventType, parts: Parts): Parts {
  let bytes = 0;
  for (const part of parts) bytes += part.length;
  return [framing.head(type, bytes), ...parts, framing.tail];
}

/** The number of objects whose rows or metadata are cached. */
const REMEMBERED = 256;

/**
 * Rows and metadata are not kept with the object, because a row shows an age and is valid only briefly. The last few
 * hundred are cached, so that all watches of one form that deliver the same event share them.
 */
function remembered(
  resource: ServedResource,
  shape: string,
  make: (o: StoredObject) => Parts,
): (o: StoredObject) => Parts {
  const { rows } = resource.memory;
  const memory = rows.get(shape) ?? createMemory();
  rows.set(shape, memory);
  return (o) => memory(o, make);
}

function createMemory(): RowMemory {
  let young = new Map<StoredObject, Parts>();
  let old = new Map<StoredObject, Parts>();
  return (o, make) => {
    let found = young.get(o) ?? old.get(o);
    if (found === undefined) {
      found = make(o);
      if (young.size === REMEMBERED) {
        old = young;
        young = new Map();
      }
      young.set(o, found);
    }
    return found;
  };
}

/**
 * Returns the object of a bookmark: an object of the kind with only a resourceVersion, and the annotation at the end of
 * the initial events.
 */
function bookmarkObject(target: Target, at: Revision, initialEnd: boolean): JsonObject {
  const { resource } = target;
  const more = cloneJson(resource.declaration.emptyObject ?? {});
  const annotations = { ...objectAt(more, 'metadata', 'annotations') };
  if (initialEnd) annotations[INITIAL_EVENTS_END] = 'true';
  const metadata: JsonObject = {
    resourceVersion: String(at),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  const empty = decodeAs(resource.type, {
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
      return inStream(r, metadataOnly(target.resource, o, r.metaVersion));
    case 'table':
      return inStream(
        r,
        tableOfOne({ resource: target.resource, table: tableOf(target), now: 0, representation: r }, o, () => o, first),
      );
  }
}

/** Returns the last event of a watch that failed; its object is a Status. */
export function failureFrame(form: StreamForm, status: JsonObject): Buffer {
  const r = streamForm(form.representation);
  return watchFrame(framingOf(form, r), 'ERROR', inStream(r, status));
}

/** Returns a body without its final line break. */
function inStream(r: Representation, value: JsonObject): Buffer {
  const body = encoded(r, value);
  return r.encoding === 'json' ? body.subarray(0, -1) : body;
}
