import { isObject, type JsonObject } from '../../api/index.js';
import type { StructSchema } from '../../schema/index.js';
import { fieldSetsOf } from '../json/splice.js';
import { encodeProtobuf } from './encode.js';
import { verbatim } from './verbatim.js';

/** The value of a stored object. */
export interface StoredValue {
  /** The parsed JSON, if it is at hand. It is not changed. */
  readonly value?: JsonObject | undefined;
  /** Parses JSON otherwise. */
  readonly parse: (text: string) => JsonObject;
}

/**
 * Builds the protobuf message of a stored object from its canonical JSON. The fields that managers own are JSON in the
 * message too, with the same bytes, and often more than half of the object: they are copied instead of written again,
 * and are not parsed for it.
 */
export function encodeStoredProtobuf(schema: StructSchema, json: Buffer, { value, parse }: StoredValue): Buffer {
  const sets = fieldSetsOf(json);
  if (sets.length === 0) return encodeProtobuf(schema, value ?? parse(json.toString()));
  const object = value ?? parse(withoutSets(json, sets));
  const { metadata, entries } = ownersOf(object);
  const owners = entries.filter((entry) => isObject(entry['fieldsV1']));
  if (owners.length !== sets.length) return encodeProtobuf(schema, value ?? parse(json.toString()));
  let next = 0;
  const managedFields = entries.map((entry) => {
    if (!isObject(entry['fieldsV1'])) return entry;
    const { start, end } = sets[next++]!;
    return { ...entry, fieldsV1: verbatim(json.subarray(start, end)) };
  });
  return encodeProtobuf(schema, { ...object, metadata: { ...metadata, managedFields } });
}

/** The text of an object with empty field sets. */
function withoutSets(json: Buffer, sets: ReturnType<typeof fieldSetsOf>): string {
  let text = '';
  let from = 0;
  for (const { start, end } of sets) {
    text += `${json.toString('utf8', from, start)}{}`;
    from = end;
  }
  return text + json.toString('utf8', from);
}

function ownersOf(object: JsonObject): { readonly metadata: JsonObject; readonly entries: readonly JsonObject[] } {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const entries = metadata['managedFields'];
  return { metadata, entries: Array.isArray(entries) ? entries.filter(isObject) : [] };
}
