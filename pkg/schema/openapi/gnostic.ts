import protobuf, { type Writer } from 'protobufjs/minimal.js';
import { isObject, type JsonArray, type JsonObject, type JsonValue } from '../../api/index.js';
import { any, bool, double, extensions, int, message, named, text, texts, varint } from './gnosticwriter.js';
import type { SwaggerPart } from './swagger.js';

/**
 * The OpenAPI v2 document as protobuf, which kubectl requests (`proto-openapi.spec.v2@v1.0`): the OpenAPIv2 messages of gnostic. Maps are
 * lists of names and values; vendor extensions contain YAML text (here JSON, a subset). Field numbers are those of gnostic.
 */

/** The document fields of `swaggerHead` and `swaggerTail`. */
export function encodeHead(head: JsonObject): Uint8Array {
  const w = protobuf.Writer.create();
  text(w, 1, head['swagger']);
  const info = head['info'] as JsonObject;
  message(w, 2, () => {
    text(w, 1, info['title']);
    text(w, 2, info['version']);
  });
  return w.finish();
}

/**
 * `paths` (field 8), `definitions` (9) and `parameters` (10) may be repeated, because decoders merge them. Each part is therefore written
 * separately.
 */
export function encodePart(part: SwaggerPart): Uint8Array {
  const w = protobuf.Writer.create();
  if (part.kind === 'path') {
    message(w, 8, () => message(w, 2, () => named(w, part.name, () => pathItem(w, part.item))));
  } else if (part.kind === 'parameter') {
    message(w, 10, () => message(w, 1, () => named(w, part.name, () => parameter(w, part.parameter))));
  } else {
    message(w, 9, () => message(w, 1, () => named(w, part.name, () => schema(w, part.schema))));
  }
  return w.finish();
}

export function encodeTail(tail: JsonObject): Uint8Array {
  const w = protobuf.Writer.create();
  for (const requirement of tail['security'] as JsonArray) {
    message(w, 12, () => {
      for (const name of Object.keys(requirement as JsonObject)) message(w, 1, () => named(w, name, () => {}));
    });
  }
  message(w, 13, () => {
    for (const [name, item] of Object.entries(tail['securityDefinitions'] as JsonObject)) {
      const security = item as JsonObject;
      message(w, 1, () =>
        named(w, name, () =>
          message(w, 2, () => {
            text(w, 1, security['type']);
            text(w, 2, security['name']);
            text(w, 3, security['in']);
            text(w, 4, security['description']);
          }),
        ),
      );
    }
  });
  return w.finish();
}

const METHODS = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 } as const;

function pathItem(w: Writer, item: JsonObject): void {
  for (const [method, number] of Object.entries(METHODS)) {
    const operation = item[method];
    if (isObject(operation)) message(w, number, () => writeOperation(w, operation));
  }
  parameters(w, 9, item['parameters']);
}

function writeOperation(w: Writer, o: JsonObject): void {
  texts(w, 1, o['tags']);
  text(w, 3, o['description']);
  text(w, 5, o['operationId']);
  texts(w, 6, o['produces']);
  texts(w, 7, o['consumes']);
  parameters(w, 8, o['parameters']);
  message(w, 9, () => {
    for (const [code, r] of objectsIn(o['responses'])) {
      const body = r['schema'];
      // ResponseValue.response, Response.schema, SchemaItem.schema
      const write = (): void => {
        text(w, 1, r['description']);
        if (isObject(body)) message(w, 2, () => message(w, 1, () => schema(w, body)));
      };
      message(w, 1, () => named(w, code, () => message(w, 1, write)));
    }
  });
  texts(w, 10, o['schemes']);
  extensions(w, 13, o);
}

function parameters(w: Writer, number: number, list: JsonValue | undefined): void {
  if (!Array.isArray(list)) return;
  for (const p of list.filter(isObject)) {
    // ParametersItem.parameter or json_reference
    message(w, number, () =>
      typeof p['$ref'] === 'string' ? message(w, 2, () => text(w, 1, p['$ref'])) : message(w, 1, () => parameter(w, p)),
    );
  }
}

/** Parameter.body_parameter, or non_body_parameter with its sub-schema. */
function parameter(w: Writer, p: JsonObject): void {
  if (p['in'] === 'body') bodyParameter(w, p);
  else valueParameter(w, p);
}

function bodyParameter(w: Writer, p: JsonObject): void {
  message(w, 1, () => {
    text(w, 2, p['name']);
    text(w, 3, p['in']);
    bool(w, 4, p['required']);
    const body = p['schema'];
    if (isObject(body)) message(w, 5, () => schema(w, body));
  });
}

function valueParameter(w: Writer, p: JsonObject): void {
  const query = p['in'] === 'query';
  message(w, 2, () =>
    message(w, query ? 3 : 4, () => {
      bool(w, 1, p['required']);
      text(w, 2, p['in']);
      text(w, 3, p['description']);
      text(w, 4, p['name']);
      text(w, query ? 6 : 5, p['type']);
      bool(w, query ? 20 : 19, p['uniqueItems']);
    }),
  );
}

/** The members that are objects: documents of other servers may have others. */
const objectsIn = (value: JsonValue | undefined): readonly [string, JsonObject][] =>
  isObject(value) ? Object.entries(value).filter((e): e is [string, JsonObject] => isObject(e[1])) : [];

function schema(w: Writer, s: JsonObject): void {
  text(w, 1, s['$ref']);
  text(w, 2, s['format']);
  text(w, 3, s['title']);
  text(w, 4, s['description']);
  any(w, 5, s['default']);
  double(w, 6, s['multipleOf']);
  double(w, 7, s['maximum']);
  bool(w, 8, s['exclusiveMaximum']);
  double(w, 9, s['minimum']);
  bool(w, 10, s['exclusiveMinimum']);
  int(w, 11, s['maxLength']);
  int(w, 12, s['minLength']);
  text(w, 13, s['pattern']);
  int(w, 14, s['maxItems']);
  int(w, 15, s['minItems']);
  bool(w, 16, s['uniqueItems']);
  int(w, 17, s['maxProperties']);
  int(w, 18, s['minProperties']);
  texts(w, 19, s['required']);
  if (Array.isArray(s['enum'])) for (const v of s['enum']) any(w, 20, v);
  const more = s['additionalProperties'];
  if (isObject(more)) message(w, 21, () => message(w, 1, () => schema(w, more)));
  else if (typeof more === 'boolean') message(w, 21, () => w.uint32(varint(2)).bool(more));
  const { type, items, properties } = s as { type?: JsonValue; items?: JsonValue; properties?: JsonValue };
  if (typeof type === 'string') message(w, 22, () => texts(w, 1, [type]));
  if (isObject(items)) message(w, 23, () => message(w, 1, () => schema(w, items)));
  if (isObject(properties)) {
    message(w, 25, () => {
      for (const [name, inner] of objectsIn(properties)) {
        message(w, 1, () => named(w, name, () => schema(w, inner)));
      }
    });
  }
  any(w, 30, s['example']);
  extensions(w, 31, s);
}
