import fullProtobuf from 'protobufjs';
import protobuf from 'protobufjs/minimal.js';
import { describe, expect, it } from 'vitest';
import { recordedPaths, recordedText } from '../../../test/golden/recordings.mjs';
import { at, isObject, type JsonObject, type JsonValue, textAt } from '../../api/index.js';
import type { ApiGroupVersion, ApiResource, ApiSubresource } from './served.js';
import { createOpenApi } from './service.js';
import { groupVersionDocument } from './v3.js';

function servedFromDiscovery(list: JsonObject): ApiGroupVersion[] {
  return Object.entries(list).map(([apiVersion, entries]) => {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const gv = { group: group as string, version: version as string };
    const resources = new Map<string, ApiResource & { subresources: ApiSubresource[] }>();
    for (const entry of entries as JsonObject[]) {
      const [name, sub] = (entry['name'] as string).split('/') as [string, string | undefined];
      const kind = entry['kind'] as string;
      const verbs = entry['verbs'] as string[];
      if (sub === undefined) {
        resources.set(name, {
          ...{ name, kind, verbs, namespaced: entry['namespaced'] as boolean, subresources: [] },
        });
      }
    }
    for (const entry of entries as JsonObject[]) {
      const [name, sub] = (entry['name'] as string).split('/') as [string, string | undefined];
      if (sub === undefined) continue;
      resources.get(name)?.subresources.push({
        name: sub,
        verbs: entry['verbs'] as string[],
        kind: {
          group: (entry['group'] as string | undefined) ?? gv.group,
          version: (entry['version'] as string | undefined) ?? gv.version,
          kind: entry['kind'] as string,
        },
      });
    }
    return { ...gv, resources: [...resources.values()] };
  });
}

/** An alpha feature that differs between the recording and 1.37: device resources that are allocated by the node. */
const RESHAPED = /NodeAllocatableResource|nodeAllocatableResource/;

function finish(steps: Generator<unknown, JsonObject>): JsonObject {
  for (let i = 0; i < 100_000; i++) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
  throw new Error('the document never ends');
}

describe('OpenAPI v3 against the recorded documents', () => {
  const discovery = JSON.parse(recordedText('discovery.json')) as JsonObject;
  const served = servedFromDiscovery(discovery['groupVersions'] as JsonObject);
  for (const file of recordedPaths('openapi/')) {
    const apiVersion = file.replace(/^openapi\/|\.json$/g, '').replace(/_(?=[^_]*$)/, '/');
    it(apiVersion, () => {
      const expected = JSON.parse(recordedText(file)) as {
        schemas: JsonObject;
        paths: JsonObject;
      };
      const gv = served.find((s) => (s.group === '' ? s.version : `${s.group}/${s.version}`) === apiVersion);
      const document = finish(groupVersionDocument(gv as ApiGroupVersion, 'v1.37.0'));
      const { schemas } = document['components'] as { schemas: JsonObject };
      const differences: string[] = [];
      for (const [name, schema] of Object.entries(expected.schemas)) {
        compare(schema, bare(schemas[name] as JsonValue), name, differences);
      }
      const paths = document['paths'] as JsonObject;
      expect(Object.keys(paths).sort()).toEqual(Object.keys(expected.paths).sort());
      for (const [path, item] of Object.entries(expected.paths)) {
        compare(item, condense(paths[path] as JsonObject), path, differences);
      }
      expect(differences.filter((d) => !RESHAPED.test(d))).toEqual([]);
      expect(danglingReferences(document, schemas)).toEqual([]);
    });
  }
});

describe('OpenAPI service', () => {
  const api = {
    version: 'v1.37.0',
    groupVersions: [
      {
        group: 'apps',
        version: 'v1',
        resources: [
          {
            name: 'deployments',
            kind: 'Deployment',
            namespaced: true,
            verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
            subresources: [
              {
                name: 'scale',
                verbs: ['get', 'patch', 'update'],
                kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
              },
            ],
          },
        ],
      },
    ],
  };
  const custom: ApiGroupVersion = {
    group: 'stable.example.com',
    version: 'v1',
    resources: [
      {
        name: 'crontabs',
        kind: 'CronTab',
        namespaced: true,
        verbs: ['create', 'get', 'list', 'patch', 'watch'],
        subresources: [],
        custom: {
          listKind: 'CronTabList',
          schema: () => ({
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { cron: { type: 'string', nullable: true, default: 'x' } } },
            },
          }),
        },
      },
    ],
  };
  const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('names every document with the hash of its content', async () => {
    const openapi = createOpenApi({ now: () => 0, api, pause });
    const index = JSON.parse((await openapi.v3Index()).bytes.toString()) as { paths: JsonObject };
    const groups = ['api', 'apis', 'apis/apps', 'apis/apps/v1'];
    const issuer = ['.well-known/openid-configuration', 'openid/v1/jwks'];
    expect(Object.keys(index.paths).sort()).toEqual([...issuer, ...groups, 'version'].sort());
    for (const [name, entry] of Object.entries(index.paths)) {
      const made = await openapi.v3(name);
      expect(entry).toEqual({ serverRelativeURL: `/openapi/v3/${name}?hash=${made?.hash}` });
      const parsed = JSON.parse(made?.bytes.toString() ?? '') as JsonObject;
      const { schemas = {} } = parsed['components'] as { schemas?: JsonObject };
      expect(danglingReferences(parsed, schemas)).toEqual([]);
      expect(Object.keys(parsed['paths'] as JsonObject).length).toBeGreaterThan(0);
    }
    expect(await openapi.v3('apis/nothing/v1')).toBeUndefined();
    expect(await openapi.v3('apis/apps/v1')).toBe(await openapi.v3('apis/apps/v1'));
  });

  it('has the documents of the token issuer in both dialects and encodings', async () => {
    const openapi = createOpenApi({ now: () => 0, api, pause });
    const swagger = JSON.parse((await openapi.v2('json')).bytes.toString()) as JsonObject;
    for (const [name, id, type] of [
      ['.well-known/openid-configuration', 'getServiceAccountIssuerOpenIDConfiguration', 'application/json'],
      ['openid/v1/jwks', 'getServiceAccountIssuerOpenIDKeyset', 'application/jwk-set+json'],
    ] as const) {
      const v3 = JSON.parse((await openapi.v3(name))!.bytes.toString()) as JsonObject;
      expect(at(v3, 'components', 'schemas')).toBeUndefined();
      expect(at(v3, 'paths', `/${name}/`, 'get', 'operationId')).toBe(id);
      const content = { [type]: { schema: { type: 'string' } } };
      expect(at(v3, 'paths', `/${name}/`, 'get', 'responses', '200', 'content')).toEqual(content);
      expect(at(swagger, 'paths', `/${name}/`, 'get')).toMatchObject({
        operationId: id,
        produces: [type],
        responses: { 200: { schema: { type: 'string' } } },
      });
      expect((await openapi.v3(name, 'protobuf'))!.bytes.includes(id)).toBe(true);
    }
  });

  describe('the schema of a custom resource in Swagger 2', () => {
    const published = async (schema: JsonObject, dialect: 'v2' | 'v3' = 'v2'): Promise<JsonObject> => {
      const [resource] = custom.resources;
      const own = { ...resource!, custom: { listKind: 'CronTabList', schema: () => schema } };
      const openapi = createOpenApi({
        now: () => 0,
        api: { ...api, groupVersions: [{ ...custom, resources: [own] }] },
        pause,
      });
      const made = dialect === 'v2' ? await openapi.v2('json') : await openapi.v3('apis/stable.example.com/v1');
      const parsed = JSON.parse(made?.bytes.toString() ?? '') as JsonObject;
      const all = (
        dialect === 'v2' ? parsed['definitions'] : (parsed['components'] as JsonObject)['schemas']
      ) as JsonObject;
      return all['com.example.stable.v1.CronTab'] as JsonObject;
    };
    const gvk = {
      'x-kubernetes-group-version-kind': [{ group: 'stable.example.com', kind: 'CronTab', version: 'v1' }],
    };
    const open = { 'x-kubernetes-preserve-unknown-fields': true };

    it('is only an object if its root preserves unknown fields', async () => {
      expect(await published({ type: 'object', ...open })).toEqual({ type: 'object', ...gvk });
      const v3 = await published({ type: 'object', ...open }, 'v3');
      expect(v3).toMatchObject({ ...open, properties: { apiVersion: {}, kind: {}, metadata: {} } });
    });

    it('has the properties of every object, even without others', async () => {
      expect(Object.keys((await published({ type: 'object' }))['properties'] as JsonObject).sort()).toEqual([
        'apiVersion',
        'kind',
        'metadata',
      ]);
    });

    it('leaves out what its clients do not handle', async () => {
      const { properties } = await published({
        type: 'object',
        required: ['a', 'b'],
        properties: {
          a: { type: 'string', nullable: true },
          b: {
            type: 'object',
            ...open,
            properties: { x: { type: 'string' } },
            additionalProperties: { type: 'string' },
          },
          c: { type: 'array', ...open, items: { type: 'string' } },
          d: { type: 'object', required: ['e'], properties: { e: { type: 'string', nullable: true } } },
        },
      });
      expect(properties).toMatchObject({ a: {}, b: open, c: open });
      expect(properties).toHaveProperty('b', { ...open, additionalProperties: { type: 'string' } });
      expect(properties).toHaveProperty('c', open);
      expect(properties).toHaveProperty('d', { type: 'object', properties: { e: {} } });
    });

    it('keeps the rules', async () => {
      const rules = { 'x-kubernetes-validations': [{ rule: 'true' }] };
      const made = await published({
        type: 'object',
        ...rules,
        properties: { a: { type: 'object', nullable: true, ...rules }, b: { type: 'string', ...rules } },
      });
      expect(made).toMatchObject({ ...rules, properties: { a: rules, b: { type: 'string', ...rules } } });
      expect(made).not.toHaveProperty('properties.a.type');
    });
  });

  it('reuses unchanged documents and includes custom resources', async () => {
    const first = createOpenApi({ now: () => 0, api, pause });
    const apps = await first.v3('apis/apps/v1');
    const second = createOpenApi({
      now: () => 0,
      api: { ...api, groupVersions: [...api.groupVersions, custom] },
      pause,
      previous: first,
    });
    expect(await second.v3('apis/apps/v1')).toBe(apps);
    const made = JSON.parse((await second.v3('apis/stable.example.com/v1'))?.bytes.toString() ?? '') as JsonObject;
    const { schemas } = made['components'] as { schemas: JsonObject };
    expect(danglingReferences(made, schemas)).toEqual([]);
    expect(schemas['com.example.stable.v1.CronTab']).toMatchObject({
      properties: { spec: { properties: { cron: { nullable: true, default: 'x' } } } },
      'x-kubernetes-group-version-kind': [{ group: 'stable.example.com', kind: 'CronTab', version: 'v1' }],
    });
    const v2 = JSON.parse((await second.v2('json')).bytes.toString()) as JsonObject;
    const definitions = v2['definitions'] as JsonObject;
    expect(danglingReferences(v2, definitions, [], '#/definitions/')).toEqual([]);
    expect((definitions['com.example.stable.v1.CronTab'] as JsonObject)['properties']).toMatchObject({
      spec: { type: 'object', properties: { cron: {} } },
    });
  });

  it('has the operations of custom resources as kube-apiserver publishes them', async () => {
    const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
    const [resource] = custom.resources;
    const groupVersions = [...api.groupVersions, { ...custom, resources: [{ ...resource!, verbs }] }];
    const openapi = createOpenApi({ now: () => 0, api: { ...api, groupVersions }, pause });
    const index = JSON.parse((await openapi.v3Index()).bytes.toString()) as { paths: JsonObject };
    const isOwn = (path: string): boolean => path.includes('stable.example.com');
    // The lists of a group and of its versions are in no document.
    expect(Object.keys(index.paths).filter(isOwn)).toEqual(['apis/stable.example.com/v1']);
    expect(await openapi.v3('apis/stable.example.com')).toBeUndefined();
    const everywhere = '/apis/stable.example.com/v1/crontabs';
    const collection = '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs';
    const v3 = JSON.parse((await openapi.v3('apis/stable.example.com/v1'))?.bytes.toString() ?? '') as JsonObject;
    const v2 = JSON.parse((await openapi.v2('json')).bytes.toString()) as JsonObject;
    const names = (operation: JsonObject): string[] =>
      ((operation['parameters'] ?? []) as JsonObject[]).map(
        ({ name, $ref }) =>
          (name ?? at(at(v2['parameters'], String($ref).slice('#/parameters/'.length)), 'name')) as string,
      );
    for (const document of [v3, v2]) {
      const paths = document['paths'] as { readonly [path: string]: { readonly [method: string]: JsonObject } };
      expect(Object.keys(paths).filter(isOwn).sort()).toEqual([everywhere, collection, `${collection}/{name}`]);
      const one = paths[`${collection}/{name}`]!;
      expect(names(one['get']!)).toEqual(['resourceVersion']);
      expect(Object.keys(one['patch']!['responses'] as JsonObject)).toEqual(['200', '401']);
      const { get, delete: all } = paths[collection]!;
      expect(names(all!)).toEqual(names(get!));
      expect(names(all!)).toContain('watch');
    }
    const types = ['application/json', 'application/yaml'];
    expect(at(at(at(v2['paths'], collection), 'get'), 'consumes')).toEqual(types);
  });

  it('has the identifiers and kinds of kube-apiserver in the operations of custom resources', async () => {
    const [resource] = custom.resources;
    const scale = { name: 'scale', verbs: ['get'], kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } };
    const own = { ...resource!, verbs: ['get'], subresources: [scale] };
    const groupVersions = [{ ...custom, group: '3a-b-4c.x9.example', resources: [own] }];
    const openapi = createOpenApi({ now: () => 0, api: { ...api, groupVersions }, pause });
    const item = '/apis/3a-b-4c.x9.example/v1/namespaces/{namespace}/crontabs/{name}';
    const ownKind = { group: '3a-b-4c.x9.example', version: 'v1', kind: 'CronTab' };
    const v3 = JSON.parse((await openapi.v3('apis/3a-b-4c.x9.example/v1'))?.bytes.toString() ?? '') as JsonObject;
    const v2 = JSON.parse((await openapi.v2('json')).bytes.toString()) as JsonObject;
    for (const document of [v3, v2]) {
      expect(at(at(at(document, 'paths'), item), 'get')).toMatchObject({
        operationId: 'readAB4cX9ExampleV1NamespacedCronTab',
        tags: ['AB4cX9Example_v1'],
      });
      expect(at(at(at(document, 'paths'), `${item}/scale`), 'get')).toMatchObject({
        operationId: 'readAB4cX9ExampleV1NamespacedCronTabScale',
        'x-kubernetes-group-version-kind': ownKind,
      });
    }
  });

  it('writes v2 as protobuf with the same content as JSON', async () => {
    const openapi = createOpenApi({
      now: () => 0,
      api: { ...api, groupVersions: [...api.groupVersions, custom] },
      pause,
    });
    const json = JSON.parse((await openapi.v2('json')).bytes.toString()) as JsonObject;
    const { bytes } = await openapi.v2('protobuf');
    const names = namesIn(bytes);
    expect(names.definitions.sort()).toEqual(Object.keys(json['definitions'] as JsonObject).sort());
    expect(names.paths.sort()).toEqual(Object.keys(json['paths'] as JsonObject).sort());
  });

  it('writes v3 as protobuf with the same content as JSON', async () => {
    const openapi = createOpenApi({ now: () => 0, api, pause });
    const json = JSON.parse((await openapi.v3('apis/apps/v1'))!.bytes.toString()) as JsonObject;
    const { bytes, hash } = (await openapi.v3('apis/apps/v1', 'protobuf'))!;
    expect(hash).not.toBe((await openapi.v3('apis/apps/v1'))!.hash);
    const read = DOCUMENT_V3.toObject(DOCUMENT_V3.decode(bytes)) as ReadDocument;
    const paths = new Map(read.paths.path.map((p) => [p.name, p.value]));
    expect([...paths.keys()]).toEqual(Object.keys(json['paths'] as JsonObject));
    for (const [path, item] of Object.entries(json['paths'] as JsonObject))
      for (const method of ['get', 'put', 'post', 'delete', 'patch'] as const)
        expect(paths.get(path)?.[method]?.operationId).toBe(textAt(item, method, 'operationId') || undefined);
    const schemas = new Map(read.components.schemas.additionalProperties.map((s) => [s.name, s.value.schema]));
    const wanted = (json['components'] as JsonObject)['schemas'] as JsonObject;
    expect([...schemas.keys()]).toEqual(Object.keys(wanted));
    for (const [name, schema] of Object.entries(wanted)) {
      expect(schemas.get(name)?.type).toBe((schema as JsonObject)['type']);
      const properties = ((schema as JsonObject)['properties'] ?? {}) as JsonObject;
      const got = schemas.get(name)?.properties?.additionalProperties ?? [];
      expect(got.map((p) => [p.name, p.value.schema?.type, p.value.reference?.Ref])).toEqual(
        Object.entries(properties).map(([field, p]) => [
          field,
          textAt(p, 'type') || undefined,
          textAt(p, '$ref') || undefined,
        ]),
      );
    }
  });
});

interface Named<T> {
  readonly name: string;
  readonly value: T;
}
interface ReadOperation {
  readonly operationId?: string;
}
interface ReadSchema {
  readonly schema?: {
    readonly type?: string;
    readonly properties?: { readonly additionalProperties: Named<ReadSchema>[] };
  };
  readonly reference?: { readonly Ref?: string };
}
interface ReadDocument {
  readonly paths: {
    readonly path: Named<Partial<Record<'get' | 'put' | 'post' | 'delete' | 'patch', ReadOperation>>>[];
  };
  readonly components: { readonly schemas: { readonly additionalProperties: Named<ReadSchema>[] } };
}

/** The fields of gnostic's messages that the test reads. */
const DOCUMENT_V3 = fullProtobuf
  .parse(
    `syntax = "proto3";
    message Document { string openapi = 1; Paths paths = 4; Components components = 5; }
    message Paths { repeated NamedPathItem path = 1; }
    message NamedPathItem { string name = 1; PathItem value = 2; }
    message PathItem { Operation get = 4; Operation put = 5; Operation post = 6; Operation delete = 7; Operation patch = 10; }
    message Operation { string operation_id = 5; }
    message Components { Schemas schemas = 1; }
    message Schemas { repeated NamedSchema additional_properties = 1; }
    message NamedSchema { string name = 1; SchemaOrReference value = 2; }
    message SchemaOrReference { Schema schema = 1; Reference reference = 2; }
    message Reference { string _ref = 1; }
    message Schema { string type = 25; Schemas properties = 31; }`,
  )
  .root.lookupType('Document');

/** Names of paths (8.2.1) and definitions (9.1.1) in a gnostic document. */
function namesIn(bytes: Uint8Array): { paths: string[]; definitions: string[] } {
  const found = { paths: [] as string[], definitions: [] as string[] };
  each(bytes, (field, part) => {
    if (field !== 8 && field !== 9) return;
    each(part, (_, named) =>
      each(named, (number, name) => {
        if (number === 1) (field === 8 ? found.paths : found.definitions).push(Buffer.from(name).toString());
      }),
    );
  });
  return found;
}

function each(bytes: Uint8Array, visit: (field: number, value: Uint8Array) => void): void {
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if ((tag & 7) === 2) visit(tag >>> 3, reader.bytes());
    else reader.skipType(tag & 7);
  }
}

function danglingReferences(
  value: JsonValue,
  schemas: JsonObject,
  found: string[] = [],
  prefix = '#/components/schemas/',
): string[] {
  if (Array.isArray(value)) for (const v of value) danglingReferences(v, schemas, found, prefix);
  else if (isObject(value)) {
    const ref = value['$ref'];
    const isParameter = typeof ref === 'string' && ref.startsWith('#/parameters/');
    if (typeof ref === 'string' && !isParameter && !Object.hasOwn(schemas, ref.slice(prefix.length))) found.push(ref);
    for (const v of Object.values(value)) danglingReferences(v, schemas, found, prefix);
  }
  return found;
}

/** Without descriptions; a property that is called `description` stays. */
function bare(value: JsonValue, insideProperties = false): JsonValue {
  if (Array.isArray(value)) return value.map((v) => bare(v));
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, v] of Object.entries(value)) {
    if (insideProperties || key !== 'description' || typeof v !== 'string') out[key] = bare(v, key === 'properties');
  }
  return out;
}

/** A path item in the short form of the recording. */
function condense(item: JsonObject): JsonObject {
  const ref = (content: JsonObject): string[] =>
    Object.entries(content)
      .map(([type, media]) => {
        const schema = (media as JsonObject)['schema'] as JsonObject;
        return `${type} ${String(schema['$ref'] ?? schema['type'])}`;
      })
      .sort();
  const parameters = (list: JsonValue | undefined): JsonObject =>
    list === undefined
      ? {}
      : {
          parameters: (list as JsonObject[])
            .map((p) => `${p['in']}:${p['name']}${p['required'] ? '!' : ''}:${(p['schema'] as JsonObject)['type']}`)
            .sort(),
        };
  const out: JsonObject = {};
  for (const [method, op] of Object.entries(item)) {
    if (!isObject(op)) continue;
    const body = op['requestBody'] as JsonObject | undefined;
    out[method] = {
      id: op['operationId'] as string,
      ...(op['x-kubernetes-action'] !== undefined && { action: op['x-kubernetes-action'] }),
      ...(op['x-kubernetes-group-version-kind'] !== undefined && { gvk: op['x-kubernetes-group-version-kind'] }),
      ...parameters(op['parameters']),
      ...(body !== undefined && { body: ref(body['content'] as JsonObject) }),
      responses: Object.fromEntries(
        Object.entries(op['responses'] as JsonObject).map(([code, r]) => [
          code,
          ref(((r as JsonObject)['content'] ?? {}) as JsonObject),
        ]),
      ),
    };
  }
  return { ...out, ...parameters(item['parameters']) };
}

/** The recording is one release older: additional properties, enum values and parameters are accepted. */
function compare(expected: JsonValue, actual: JsonValue | undefined, path: string, found: string[]): void {
  if (expected === actual) return;
  const beyond = path.endsWith('.properties') || path.endsWith('.enum') || path.endsWith('.parameters');
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const wanted = expected.map((e) => JSON.stringify(sortKeys(e)));
    const got = actual.map((a) => JSON.stringify(sortKeys(a))).filter((a) => !beyond || wanted.includes(a));
    if (path.endsWith('.parameters')) [wanted, got].forEach((list) => void list.sort());
    if (wanted.join() !== got.join()) found.push(`${path}: expected ${wanted}, got ${got}`);
    return;
  }
  if (!isObject(expected) || actual === undefined || !isObject(actual)) {
    found.push(`${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual) ?? 'nothing'}`);
    return;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    if (!Object.hasOwn(expected, key)) {
      if (!beyond) found.push(`${path}.${key}: not expected: ${JSON.stringify(actual[key])}`);
    } else compare(expected[key] as JsonValue, actual[key], `${path}.${key}`, found);
  }
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((k) => [k, sortKeys(value[k] as JsonValue)]),
  );
}
