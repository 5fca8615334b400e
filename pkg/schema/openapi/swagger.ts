import type { GroupVersion, JsonObject } from '../../api/index.js';
import { structByName } from '../load.js';
import { customDefinition, customListDefinition } from './custom.js';
import { Definitions } from './definitions.js';
import { customDefinitionName } from './names.js';
import { type Operation, pathsOf } from './operations.js';
import type { Parameter } from './parameters.js';
import { rootPaths } from './roots.js';
import type { ApiDescription } from './served.js';
import { LARGE, type Step, splitParameters } from './v3.js';

/** The parts of the OpenAPI v2 document. Each is small, so that encoders can yield in between. */
export type SwaggerPart =
  | { readonly kind: 'path'; readonly name: string; readonly item: JsonObject }
  | { readonly kind: 'definition'; readonly name: string; readonly schema: JsonObject };

/** The fields beside paths and definitions. */
export function swaggerHead(version: string): JsonObject {
  return { swagger: '2.0', info: { title: 'Kubernetes', version } };
}

export const swaggerTail: JsonObject = {
  securityDefinitions: {
    BearerToken: { description: 'Bearer token', type: 'apiKey', name: 'authorization', in: 'header' },
  },
  security: [{ BearerToken: [] }],
};

/** The document of all served resources: its paths, then its definitions by name. */
export function* swaggerParts(api: ApiDescription): Generator<SwaggerPart | Step> {
  const served: readonly GroupVersion[] = api.groupVersions;
  const definitions = new Definitions('v2', served);
  const custom = customDefinitions(api, definitions);
  // The types to which they refer.
  if (custom.size > 0)
    for (const type of ['meta/v1.ObjectMeta', 'meta/v1.ListMeta']) definitions.struct(structByName(type));
  for (const name of custom.keys()) definitions.add(name, {});
  for (const { paths } of rootPaths(api, definitions)) {
    for (const [name, operations] of paths) yield { kind: 'path', name, item: pathItem(operations) };
  }
  for (const gv of api.groupVersions) {
    const paths = yield* pathsOf(gv, definitions);
    for (const [name, operations] of paths) yield { kind: 'path', name, item: pathItem(operations) };
  }
  while (definitions.writeNext()) yield;
  for (const [name, schema] of Object.entries(definitions.sorted())) {
    const make = custom.get(name);
    if (make !== undefined) yield LARGE;
    yield { kind: 'definition', name, schema: make?.() ?? (schema as JsonObject) };
  }
}

/**
 * The definitions of custom resources and their lists, by name. Each is made when it is written: all of them together may be a thousand times as large
 * as one.
 */
function customDefinitions(api: ApiDescription, definitions: Definitions): ReadonlyMap<string, () => JsonObject> {
  const made = new Map<string, () => JsonObject>();
  for (const gv of api.groupVersions) {
    for (const resource of gv.resources) {
      if (resource.custom === undefined) continue;
      const { listKind } = resource.custom;
      made.set(customDefinitionName(gv, resource.kind), () => customDefinition('v2', gv, resource, definitions));
      made.set(customDefinitionName(gv, listKind), () => customListDefinition('v2', gv, resource, definitions));
    }
  }
  return made;
}

function pathItem(operations: readonly Operation[]): JsonObject {
  const { shared, own } = splitParameters(operations);
  const item: JsonObject = {};
  for (const operation of operations) item[operation.method] = operationObject(operation, own(operation));
  if (shared.length > 0) item['parameters'] = shared.map(parameterObject);
  return item;
}

function operationObject(o: Operation, own: readonly Parameter[]): JsonObject {
  const parameters = own.map(parameterObject);
  if (o.body !== undefined) {
    const required = o.action === 'post' || o.action === 'put' || o.action === 'patch';
    parameters.unshift({ name: 'body', in: 'body', ...(required && { required }), schema: o.body.schema });
  }
  const responses: JsonObject = {};
  const produces = new Set<string>();
  for (const { code, description, content } of o.responses) {
    responses[code] = { description, ...(content !== undefined && { schema: content.schema }) };
    for (const type of content?.types ?? []) produces.add(type);
  }
  return {
    description: o.description,
    consumes: o.body === undefined ? [...(o.consumes ?? ['*/*'])] : [...o.body.types],
    produces: [...produces],
    schemes: ['https'],
    tags: [o.tag],
    operationId: o.id,
    ...(parameters.length > 0 && { parameters }),
    responses,
    ...(o.action !== undefined && { 'x-kubernetes-action': o.action }),
    ...(o.gvk !== undefined && { 'x-kubernetes-group-version-kind': { ...o.gvk } }),
  };
}

function parameterObject(p: Parameter): JsonObject {
  return {
    uniqueItems: true,
    type: p.type,
    ...(p.description !== '' && { description: p.description }),
    name: p.name,
    in: p.in,
    ...(p.in === 'path' && { required: true }),
  };
}
