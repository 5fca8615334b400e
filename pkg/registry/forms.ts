import type { JsonObject } from '../api/index.js';
import { finish, invariant, type Steps, type World } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import { answerSteps, encodeYaml, envelopeAround, envelopeEnd, jsonText, partialMetadata } from '../codec/index.js';
import { originOf } from './conversion.js';
import type { Representation, Target } from './requests.js';
import { parseStored, storedCbor, storedProtobuf } from './stored.js';
import { metadataOnly, tableOf, tableOfOne } from './table.js';

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
  switch (r.form) {
    case 'object':
      return objectParts(target, stored, r);
    case 'metadata':
      if (r.encoding === 'json') return [partialMetadata(stored.json, r.metaVersion)];
      return [encoded(r, metadataOnly(stored.parse(), r.metaVersion))];
    case 'table': {
      const form = { table: tableOf(target), now: world.clock.now(), representation: r };
      const table = tableOfOne(form, originOf(stored).parse(), () => stored.parse(), columns);
      return [r.encoding === 'json' ? Buffer.from(jsonText(table)) : encoded(r, table)];
    }
  }
}

function objectParts({ resource }: Target, stored: StoredObject, r: Representation): Parts {
  switch (r.encoding) {
    case 'json':
      return [stored.json];
    case 'yaml':
      // Stored bytes are already in canonical form.
      return [encodeYaml(parseStored(stored.json))];
    case 'cbor':
      return [storedCbor(resource, stored)];
    case 'protobuf': {
      const message = storedProtobuf(resource, stored);
      return [...envelopeAround(resource.apiVersion, resource.kind, message.length), message, envelopeEnd];
    }
  }
}
