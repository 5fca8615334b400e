import protobuf, { type Writer } from 'protobufjs/minimal.js';
import { isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import { any, bool, double, extensions, int, key, message, named, text, texts, varint } from './gnosticwriter.js';

/**
 * An OpenAPI v3 document as protobuf (`proto-openapi.spec.v3@v1.0`): the OpenAPIv3 messages of gnostic. A value that may be a reference is
 * a message with one of the two. Field numbers are those of gnostic.
 */

/** `openapi` and `info`. */
export function encodeHeadV3(head: JsonObject): Uint8Array {
  const w = protobuf.Writer.create();
  const info = head['info'] as JsonObject;
  text(w, 1, head['openapi']);
  message(w, 2, () => {
    text(w, 1, info['title']);
    text(w, 6, info['version']);
  });
  return w.finish();
}

/** Encodes one path or one schema; `documentV3` joins them. */
export const encodePathV3 = (name: string, item: JsonObject): Uint8Array => entry(name, (w) => pathItem(w, item));
export const encodeSchemaV3 = (name: string, s: JsonObject): Uint8Array => entry(name, (w) => schemaOrReference(w, s));

function entry(name: string, write: (w: Writer) => void): Uint8Array {
  const w = protobuf.Writer.create();
  message(w, 1, () => named(w, name, () => write(w)));
  return w.finish();
}

/** Joins the parts. Each message occurs once, because not all decoders merge repeated messages. */
export function documentV3(
  head: Uint8Array,
  paths: readonly Uint8Array[],
  schemas: readonly Uint8Array[],
  security: JsonObject,
): readonly Uint8Array[] {
  const schemes = Object.entries((security['securitySchemes'] ?? {}) as JsonObject).map(([name, scheme]) =>
    entry(name, (w) => message(w, 1, () => securityScheme(w, scheme as JsonObject))),
  );
  return [head, ...around(4, paths), ...around(5, [...around(1, schemas), ...around(7, schemes)])];
}

/** The pieces as the content of field `number`. */
function around(number: number, pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  const length = pieces.reduce((n, piece) => n + piece.length, 0);
  return [protobuf.Writer.create().uint32(key(number)).uint32(length).finish(), ...pieces];
}

function securityScheme(w: Writer, s: JsonObject): void {
  text(w, 1, s['type']);
  text(w, 2, s['description']);
  text(w, 3, s['name']);
  text(w, 4, s['in']);
}

const METHODS = { get: 4, put: 5, post: 6, delete: 7, options: 8, head: 9, patch: 10, trace: 11 } as const;

function pathItem(w: Writer, item: JsonObject): void {
  text(w, 3, item['description']);
  for (const [method, number] of Object.entries(METHODS)) {
    const operation = item[method];
    if (isObject(operation)) message(w, number, () => writeOperation(w, operation));
  }
  parameters(w, 13, item['parameters']);
  extensions(w, 14, item);
}

function writeOperation(w: Writer, o: JsonObject): void {
  texts(w, 1, o['tags']);
  text(w, 3, o['description']);
  text(w, 5, o['operationId']);
  parameters(w, 6, o['parameters']);
  const body = o['requestBody'];
  if (isObject(body))
    message(w, 7, () =>
      message(w, 1, () => {
        text(w, 1, body['description']);
        content(w, 2, body['content']);
        bool(w, 3, body['required']);
      }),
    );
  message(w, 8, () => {
    for (const [code, response] of Object.entries((o['responses'] ?? {}) as JsonObject))
      message(w, 2, () => named(w, code, () => message(w, 1, () => writeResponse(w, response as JsonObject))));
  });
  extensions(w, 13, o);
}

function writeResponse(w: Writer, r: JsonObject): void {
  text(w, 1, r['description']);
  content(w, 3, r['content']);
}

function content(w: Writer, number: number, types: JsonValue | undefined): void {
  if (!isObject(types)) return;
  message(w, number, () => {
    for (const [type, media] of Object.entries(types)) {
      const inner = (media as JsonObject)['schema'];
      message(w, 1, () =>
        named(w, type, () => {
          if (isObject(inner)) message(w, 1, () => schemaOrReference(w, inner));
        }),
      );
    }
  });
}

function parameters(w: Writer, number: number, list: JsonValue | undefined): void {
  if (!Array.isArray(list)) return;
  for (const p of list as JsonObject[]) {
    const inner = p['schema'];
    message(w, number, () =>
      message(w, 1, () => {
        text(w, 1, p['name']);
        text(w, 2, p['in']);
        text(w, 3, p['description']);
        bool(w, 4, p['required']);
        if (isObject(inner)) message(w, 10, () => schemaOrReference(w, inner));
      }),
    );
  }
}

function schemaOrReference(w: Writer, s: JsonObject): void {
  if (typeof s['$ref'] === 'string') message(w, 2, () => text(w, 1, s['$ref']));
  else message(w, 1, () => schema(w, s));
}

function schema(w: Writer, s: JsonObject): void {
  bool(w, 1, s['nullable']);
  bool(w, 3, s['readOnly']);
  bool(w, 4, s['writeOnly']);
  any(w, 7, s['example']);
  bool(w, 8, s['deprecated']);
  text(w, 9, s['title']);
  double(w, 10, s['multipleOf']);
  double(w, 11, s['maximum']);
  bool(w, 12, s['exclusiveMaximum']);
  double(w, 13, s['minimum']);
  bool(w, 14, s['exclusiveMinimum']);
  int(w, 15, s['maxLength']);
  int(w, 16, s['minLength']);
  text(w, 17, s['pattern']);
  int(w, 18, s['maxItems']);
  int(w, 19, s['minItems']);
  bool(w, 20, s['uniqueItems']);
  int(w, 21, s['maxProperties']);
  int(w, 22, s['minProperties']);
  texts(w, 23, s['required']);
  if (Array.isArray(s['enum'])) for (const v of s['enum']) any(w, 24, v);
  text(w, 25, s['type']);
  combined(w, 26, s['allOf']);
  combined(w, 27, s['oneOf']);
  combined(w, 28, s['anyOf']);
  const { not, items, properties, additionalProperties: more } = s;
  if (isObject(not)) message(w, 29, () => schema(w, not));
  if (isObject(items)) message(w, 30, () => message(w, 1, () => schemaOrReference(w, items)));
  if (isObject(properties))
    message(w, 31, () => {
      for (const [name, inner] of Object.entries(properties))
        message(w, 1, () => named(w, name, () => schemaOrReference(w, inner as JsonObject)));
    });
  if (isObject(more)) message(w, 32, () => message(w, 1, () => schemaOrReference(w, more)));
  else if (typeof more === 'boolean') message(w, 32, () => w.uint32(varint(2)).bool(more));
  defaultValue(w, s['default']);
  text(w, 34, s['description']);
  text(w, 35, s['format']);
  extensions(w, 36, s);
}

function combined(w: Writer, number: number, list: JsonValue | undefined): void {
  if (Array.isArray(list)) for (const s of list) message(w, number, () => schemaOrReference(w, s as JsonObject));
}

/** The message has no form for a default that is an object or a list. */
function defaultValue(w: Writer, value: JsonValue | undefined): void {
  if (typeof value === 'number') message(w, 33, () => double(w, 1, value));
  else if (typeof value === 'boolean') message(w, 33, () => w.uint32(varint(2)).bool(value));
  else if (typeof value === 'string') message(w, 33, () => w.uint32(key(3)).string(value));
}
