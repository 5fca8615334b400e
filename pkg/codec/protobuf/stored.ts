import { isObject, type JsonObject } from '../../api/index.js';
import type { StructSchema } from '../../schema/index.js';
import { fieldSetsOf } from '../json/splice.js';
import { encodeProtobuf } from './encode.js';
import { verbatim } from './verbatim.js';

/**
 * Builds the protobuf message of a stored object from its canonical JSON. The fields that managers own are JSON in the
 * message too, with the same bytes, and often more than half of the object: they are cut out and copied instead of
 * parsed and written again. `parse` reads the rest.
 */
export function encodeStoredProtobuf(schema: StructSchema, json: Buffer, parse: (text: string) => JsonObject): Buffer {
  const cuts = fieldSetsOf(json);
  let text = '';
  let from = 0;
  for (const { start, end } of cuts) {
    text += `${json.toString('utf8', from, start)}${PLACEHOLDER}`;
    from = end;
  }
  const object = parse(text + json.toString('utf8', from));
  const holes = entriesOf(object).filter((entry) => entry['fieldsV1'] === PLACEHOLDER);
  if (holes.length !== cuts.length) return encodeProtobuf(schema, parse(json.toString()));
  holes.forEach((entry, i) => {
    entry['fieldsV1'] = verbatim(json.subarray(cuts[i]!.start, cuts[i]!.end));
  });
  return encodeProtobuf(schema, object);
}

const PLACEHOLDER = 0;

function entriesOf(object: JsonObject): readonly JsonObject[] {
  const metadata = object['metadata'];
  const entries = isObject(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(entries) ? entries.filter(isObject) : [];
}
