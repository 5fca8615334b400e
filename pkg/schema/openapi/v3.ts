import { compareText, type JsonObject } from '../../api/index.js';
import { clientGroupVersions } from '../kinds.js';
import { customDefinition, customListDefinition } from './custom.js';
import { Definitions } from './definitions.js';
import { customDefinitionName } from './names.js';
import { type Content, type Operation, pathsOf } from './operations.js';
import type { Parameter } from './parameters.js';
import { type ApiGroupVersion, isCustom } from './served.js';

/** A piece of work that may take a millisecond: the schema of a custom resource. Others are small. */
export const LARGE = 'large';
export type Step = typeof LARGE | undefined;

/** Makes the OpenAPI v3 document of one group version. Yields between pieces of work. */
export function* groupVersionDocument(gv: ApiGroupVersion, version: string): Generator<Step, JsonObject> {
  const custom = isCustom(gv);
  const definitions = new Definitions('v3', custom ? clientGroupVersions() : [gv]);
  for (const resource of gv.resources) {
    if (resource.custom === undefined) continue;
    definitions.add(customDefinitionName(gv, resource.kind), customDefinition('v3', gv, resource, definitions));
    definitions.add(
      customDefinitionName(gv, resource.custom.listKind),
      customListDefinition('v3', gv, resource, definitions),
    );
    yield LARGE;
  }
  const paths = yield* pathsOf(gv, definitions);
  const items: JsonObject = {};
  for (const path of [...paths.keys()].sort()) {
    items[path] = writePath(paths.get(path) as Operation[]);
    yield;
  }
  while (definitions.writeNext()) yield;
  return custom ? customDocument(items, definitions.sorted()) : document(version, items, definitions.sorted());
}

/** The document of a group version of custom resources: kube-apiserver describes neither its own version nor its security there. */
function customDocument(paths: JsonObject, schemas: JsonObject): JsonObject {
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
    paths,
    components: { schemas },
  };
}

export function document(version: string, paths: JsonObject, schemas: JsonObject): JsonObject {
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    paths,
    components: {
      schemas,
      securitySchemes: {
        BearerToken: { type: 'apiKey', description: 'Bearer token', name: 'authorization', in: 'header' },
      },
    },
  };
}

export function writePath(operations: readonly Operation[]): JsonObject {
  const { shared, own } = splitParameters(operations);
  const item: JsonObject = {};
  for (const operation of operations) item[operation.method] = writeOperation(operation, own(operation));
  if (shared.length > 0) item['parameters'] = shared.map(writeParameter);
  return item;
}

/** Parameters of all operations of a path are listed once, at the path. All are in the order of kube-apiserver: by name. */
export function splitParameters(operations: readonly Operation[]): {
  readonly shared: readonly Parameter[];
  readonly own: (o: Operation) => readonly Parameter[];
} {
  const inAll = (p: Parameter): boolean =>
    operations.every((o) => o.parameters.some((q) => q.name === p.name && q.in === p.in));
  const shared = (operations[0]?.parameters ?? []).filter(inAll).sort(byName);
  const isShared = (p: Parameter): boolean => shared.some((q) => q.name === p.name && q.in === p.in);
  return { shared, own: (o) => o.parameters.filter((p) => !isShared(p)).sort(byName) };
}

const byName = (a: Parameter, b: Parameter): number => compareText(a.name, b.name) || compareText(a.in, b.in);

function writeOperation(o: Operation, parameters: readonly Parameter[]): JsonObject {
  const responses: JsonObject = {};
  for (const { code, description, content } of o.responses) {
    responses[code] = { description, ...(content !== undefined && { content: writeContent(content) }) };
  }
  return {
    tags: [o.tag],
    description: o.description,
    operationId: o.id,
    ...(parameters.length > 0 && { parameters: parameters.map(writeParameter) }),
    ...(o.body !== undefined && {
      requestBody: {
        content: writeContent(o.body),
        ...((o.action === 'post' || o.action === 'put' || o.action === 'patch') && { required: true }),
      },
    }),
    responses,
    ...(o.action !== undefined && { 'x-kubernetes-action': o.action }),
    ...(o.gvk !== undefined && { 'x-kubernetes-group-version-kind': { ...o.gvk } }),
  };
}

function writeContent(content: Content): JsonObject {
  return Object.fromEntries(content.types.map((type) => [type, { schema: content.schema }]));
}

function writeParameter(p: Parameter): JsonObject {
  return {
    name: p.name,
    in: p.in,
    ...(p.description !== '' && { description: p.description }),
    ...(p.in === 'path' && { required: true }),
    schema: { type: p.type, uniqueItems: true },
  };
}
