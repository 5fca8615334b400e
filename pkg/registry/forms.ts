import type { JsonObject } from '../api/index.js';
import { finish, invariant, type Steps, type World } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import { answerSteps, encodeYamlSteps, envelopeAround, envelopeEnd, jsonText } from '../codec/index.js';
import { rowSource } from './conversion.js';
import { metadataJson, metadataOnly } from './metadataonly.js';
import type { Representation, Target } from './requests.js';
import { parseStored, storedCbor, storedProtobuf } from './stored.js';
import { type RowForm, rowHead, tableOf, tableOfNone, tableOfOne } from './table.js';

/** Objects as responses, or as parts of responses. */

/** Consecutive pieces of an encoded object. Bytes from the cache are a separate piece and are not copied. */
export type Parts = readonly Buffer[];

/** Encodes a complete value (with kind and apiVersion) as a response body. */
export function encoded(r: Representation, value: JsonObject): Buffer {
  return finish(encodedSteps(r, value));
}

/** `encoded` in steps. */
export function* encodedSteps(r: Representation, value: JsonObject): Steps<Buffer> {
  const body = yield* answerSteps(value, r.encoding, { pretty: r.pretty });
  invariant(body !== undefined, `${String(value['kind'])} has no ${r.encoding}, which was negotiated`);
  return body;
}

/**
 * Encodes a stored object without indentation and without the line break that ends a JSON body. `columns` is for
 * Tables.
 */
export function storedParts(
  target: Target,
  stored: StoredObject,
  r: Representation,
  world: World,
  columns: boolean,
): Parts {
  return finish(storedPartsSteps(target, stored, r, world, columns));
}

/** `storedParts` in steps. */
export function* storedPartsSteps(
  target: Target,
  stored: StoredObject,
  r: Representation,
  world: World,
  columns: boolean,
): Steps<Parts> {
  switch (r.form) {
    case 'object':
      return yield* objectParts(target, stored, r);
    case 'metadata':
      if (r.encoding === 'json') return [metadataJson(target.resource, stored, r.metaVersion)];
      return [yield* encodedSteps(r, metadataOnly(target.resource, stored.parse(), r.metaVersion))];
    case 'table': {
      const form = rowForm(target, r, world);
      const origin = rowSource(target.resource, stored).value();
      if (r.encoding !== 'json') {
        const table = tableOfOne(form, origin, () => stored.parse(), columns);
        return [yield* encodedSteps(r, table)];
      }
      const empty = jsonText(tableOfNone(form, origin, columns));
      return [Buffer.from(empty.slice(0, empty.lastIndexOf(']'))), ...rowJson(form, stored, origin), TABLE_END];
    }
  }
}

export function rowForm(target: Target, representation: Representation, world: World): RowForm {
  return { resource: target.resource, table: tableOf(target), now: world.clock.now(), representation };
}

const TABLE_END = Buffer.from(']}');

/** The row of a stored object in a JSON Table; `origin` is its value for the cells. The object is cut out of the stored bytes. */
export function rowJson(form: RowForm, stored: StoredObject, origin: JsonObject): Parts {
  const { table, now } = form;
  const head = jsonText(rowHead(table, origin, now)).slice(0, -1);
  return [Buffer.from(`${head},"object":`), rowObjectJson(form, stored), ROW_END];
}

function rowObjectJson({ resource, representation }: RowForm, stored: StoredObject): Buffer {
  const { includeObject, metaVersion } = representation;
  switch (includeObject) {
    case 'None':
      return NULL;
    case 'Object':
      return stored.json;
    case 'Metadata':
      return metadataJson(resource, stored, metaVersion);
  }
}

const NULL = Buffer.from('null');
const ROW_END = Buffer.from('}');

function* objectParts({ resource }: Target, stored: StoredObject, r: Representation): Steps<Parts> {
  switch (r.encoding) {
    case 'json':
      return [stored.json];
    case 'yaml': {
      // Stored bytes are already in canonical form.
      const value = parseStored(stored.json);
      yield;
      return [yield* encodeYamlSteps(value)];
    }
    case 'cbor':
      return [storedCbor(resource, stored)];
    case 'protobuf': {
      const message = storedProtobuf(resource, stored);
      return [...envelopeAround(resource.apiVersion, resource.kind, message.length), message, envelopeEnd];
    }
  }
}
