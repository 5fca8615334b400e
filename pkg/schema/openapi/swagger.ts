import type { JsonObject } from '../../api/index.js';
import { knownGroupVersions } from '../kinds.js';
import { structByName } from '../load.js';
import { customDefinition, customListDefinition } from './custom.js';
import { Definitions } from './definitions.js';
import { customDefinitionName } from './names.js';
import { type Operation, pathsOf } from './operations.js';
import type { Parameter } from './parameters.js';
import { rootPaths } from './roots.js';
import type { ApiDescription } from './served.js';
import { SharedParameters } from './sharedparameters.js';
import { LARGE, type Step, splitParameters } from './v3.js';

/** The parts of the OpenAPI v2 document. Each is small, so that encoders can yield in between. */
export type SwaggerPart =
  | { readonly kind: 'path'; readonly name: string; readonly item: JsonObject }
  | { readonly kind: 'definition'; readonly name: string; readonly schema: JsonObject }
  /** A parameter to which paths refer as `#/parameters/<name>`. */
  | { readonly kind: 'parameter'; readonly name: string; readonly parameter: JsonObject };

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

/** The document of all served resources: its paths, then its definitions by name, then the parameters that its paths share. */
export function* swaggerParts(api: ApiDescription): Generator<SwaggerPart | Step> {
  const definitions = new Definitions('v2', knownGroupVersions());
  const shared = new SharedParameters();
  const custom = customDefinitions(api, definitions);
  // The types to which they refer.
  if (custom.size > 0)
    for (const type of ['meta/v1.ObjectMeta', 'meta/v1.ListMeta']) definitions.struct(structByName(type));
  for (const name of custom.keys()) definitions.add(name, {});
  for (const { paths } of rootPaths(api, definitions)) {
    for (const [name, operations] of paths) yield { kind: 'path', name, item: pathItem(operations, shared) };
  }
  for (const gv of api.groupVersions) {
    const paths = yield* pathsOf(gv, definitions);
    for (const [name, operations] of paths) yield { kind: 'path', name, item: pathItem(operations, shared) };
  }
  while (definitions.writeNext()) yield;
  for (const [name, schema] of Object.entries(definitions.sorted())) {
    const make = custom.get(name);
    if (make !== undefined) yield LARGE;
    yield { kind: 'definition', name, schema: make?.() ?? (schema as JsonObject) };
  }
  for (const [name, parameter] of shared.sorted()) yield { kind: 'parameter', name, parameter };
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

function pathItem(operations: readonly Operation[], shared: SharedParameters): JsonObject {
  const { shared: ofAll, own } = splitParameters(operations);
  const item: JsonObject = {};
  for (const operation of operations) item[operation.method] = operationObject(operation, own(operation), shared);
  if (ofAll.length > 0) item['parameters'] = ofAll.map((p) => shared.parameter(p));
  return item;
}

function operationObject(o: Operation, own: readonly Parameter[], shared: SharedParameters): JsonObject {
  const parameters = own.map((p) => shared.parameter(p));
  if (o.body !== undefined) {
    const required = o.action === 'post' || o.action === 'put' || o.action === 'patch';
    const body = shared.body({ name: 'body', in: 'body', ...(required && { required }), schema: o.body.schema });
    // Among the others by its name.
    parameters.splice(own.filter((p) => p.name < 'body').length, 0, body);
  }
  const consumes = o.body?.types ?? o.consumes ?? ['*/*'];
  const responses: JsonObject = {};
  const produces = new Set<string>();
  for (const { code, description, content } of o.responses) {
    responses[code] = { description, ...(content !== undefined && { schema: content.schema }) };
    for (const type of content?.types ?? []) produces.add(type);
  }
  return {
    description: o.description,
    ...(consumes.length > 0 && { consumes: [...consumes] }),
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
