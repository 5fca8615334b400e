import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { finish } from '../../base/index.js';
import { type RemoteDocument, remoteDocument } from './remote.js';
import type { ApiDescription } from './served.js';
import { createOpenApi } from './service.js';

const KINDS = 'x-kubernetes-group-version-kind';
const TIME = 'io.k8s.apimachinery.pkg.apis.meta.v1.Time';
const LIST = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';
const PATH = '/apis/example.com/v1/things';

const widgets = {
  name: 'widgets',
  kind: 'Widget',
  namespaced: true,
  verbs: ['get', 'list'],
  subresources: [],
  custom: { listKind: 'WidgetList', schema: () => ({ type: 'object', description: 'A widget.' }) },
};
const API: ApiDescription = {
  version: 'v1',
  groupVersions: [{ group: 'example.org', version: 'v1', resources: [widgets] }],
};

const reference = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });
const answering = (name: string): JsonObject => ({
  get: { responses: { 200: { description: 'OK', schema: reference(name) } } },
});
const using = (name: string): JsonObject => ({ type: 'object', properties: { held: reference(name) } });

function read(
  paths: JsonObject,
  definitions: JsonObject,
  more: JsonObject = {},
  group = 'example.com',
): RemoteDocument {
  const given = { swagger: '2.0', paths, definitions, ...more };
  return finish(remoteDocument(given, { group, version: 'v1' }))!;
}

async function merged(...remote: readonly RemoteDocument[]) {
  const documents = createOpenApi({ now: () => 0, api: API, remote, pause: () => Promise.resolve() });
  const { bytes, hash } = await documents.v2('json');
  const { paths, definitions } = JSON.parse(bytes.toString()) as Record<
    'paths' | 'definitions',
    Record<string, JsonObject>
  >;
  return { paths, definitions, hash, protobuf: (await documents.v2('protobuf')).bytes };
}

describe('the document of an aggregated server', () => {
  it('keeps the paths of its group version and the definitions that no other path uses', () => {
    const document = read(
      { [PATH]: answering('A'), '/apis/example.com/v10/things': answering('C'), '/version': answering('D') },
      { A: using('B'), B: {}, C: using('B'), D: {}, Unused: {} },
    );
    expect([...document.paths.keys()]).toEqual([PATH]);
    expect([...document.definitions.keys()]).toEqual(['A', 'B', 'Unused']);
  });

  it('has shared parameters where they are used', () => {
    const limit = { name: 'limit', in: 'query', type: 'integer' };
    const parameters = [{ $ref: '#/parameters/limit-x' }, { name: 'own', in: 'query' }];
    const document = read({ [PATH]: { get: { parameters }, parameters } }, {}, { parameters: { 'limit-x': limit } });
    const expected = [limit, { name: 'own', in: 'query' }];
    expect(document.paths.get(PATH)).toEqual({ get: { parameters: expected }, parameters: expected });
  });

  it('is refused if it is something else, or nested too deeply', () => {
    const version = { group: 'example.com', version: 'v1' };
    let deep: JsonObject = {};
    for (let i = 0; i < 1000; i++) deep = { items: deep };
    expect(finish(remoteDocument({ openapi: '3.0.0', paths: {} }, version))).toBeUndefined();
    expect(finish(remoteDocument([], version))).toBeUndefined();
    expect(finish(remoteDocument({ swagger: '2.0', definitions: { deep } }, version))).toBeUndefined();
  });
});

describe('the merged document', () => {
  it('has paths and definitions of all, by name', async () => {
    const alone = await merged();
    const both = await merged(
      read({ [PATH]: answering('com.example.v1.Thing') }, { 'com.example.v1.Thing': using(TIME) }),
    );
    expect(both.paths).toEqual({ ...alone.paths, [PATH]: answering('com.example.v1.Thing') });
    expect(both.definitions).toEqual({ ...alone.definitions, 'com.example.v1.Thing': using(TIME) });
    for (const part of [both.paths, both.definitions]) expect(Object.keys(part)).toEqual(Object.keys(part).sort());
    expect(both.hash).not.toBe(alone.hash);
    expect(both.protobuf.includes('com.example.v1.Thing')).toBe(true);
    expect(both.protobuf.includes(PATH)).toBe(true);
  });

  it('shares equal definitions, with the kinds of both', async () => {
    const { definitions: own } = await merged();
    const kind = { group: 'a.example.com', kind: 'ListMeta', version: 'v1' };
    const other = { group: 'b.example.com', kind: 'ListMeta', version: 'v1' };
    const first = read({ [PATH]: answering(LIST) }, { [LIST]: { ...own[LIST], [KINDS]: [other] }, [TIME]: own[TIME]! });
    const second = read(
      { '/apis/example.net/v1/x': answering(LIST) },
      { [LIST]: { ...own[LIST], [KINDS]: [kind, other] } },
      {},
      'example.net',
    );
    const { definitions } = await merged(first, second);
    expect(definitions).toEqual({ ...own, [LIST]: { ...own[LIST], [KINDS]: [kind, other] } });
  });

  it('shares definitions that have other descriptions', async () => {
    const { definitions: own } = await merged();
    const described = { ...own[LIST], description: 'In other words.' };
    const { definitions } = await merged(read({ [PATH]: answering(LIST) }, { [LIST]: described, [TIME]: own[TIME]! }));
    expect(definitions).toEqual(own);
    // A property of this name is no description.
    const more = {
      ...described,
      properties: { ...((described as JsonObject)['properties'] as JsonObject), description: {} },
    };
    const other = await merged(read({ [PATH]: answering(LIST) }, { [LIST]: more, [TIME]: own[TIME]! }));
    expect(other.definitions[`${LIST}_v2`]).toEqual(more);
  });

  it('gives other definitions of the same name a new one', async () => {
    const first = read({ [PATH]: answering('A') }, { A: using(TIME), [TIME]: { type: 'integer' }, [`${TIME}_v2`]: {} });
    const second = read(
      { '/apis/example.net/v1/x': answering('A') },
      { A: { type: 'string' }, B: using(TIME), [TIME]: { type: 'integer' } },
      {},
      'example.net',
    );
    const { definitions, paths } = await merged(first, second);
    expect(definitions[TIME]).toMatchObject({ type: 'string' });
    // `_v2` is a name of the first document itself.
    expect(definitions[`${TIME}_v2`]).toEqual({});
    expect(definitions[`${TIME}_v3`]).toEqual({ type: 'integer' });
    expect(definitions['A']).toEqual(using(`${TIME}_v3`));
    expect(definitions['A_v2']).toEqual({ type: 'string' });
    expect(definitions['B']).toEqual(using(`${TIME}_v3`));
    expect(definitions[`${TIME}_v4`]).toBeUndefined();
    expect(paths['/apis/example.net/v1/x']).toEqual(answering('A_v2'));
  });

  it('leaves out paths that are there already, with what only they use', async () => {
    const path = '/apis/example.org/v1/widgets';
    const { paths: own } = await merged();
    const document = read(
      { [path]: answering('A'), [`${path}/more`]: answering('B') },
      { A: {}, B: {} },
      {},
      'example.org',
    );
    const { paths, definitions } = await merged(document);
    expect(paths).toEqual({ ...own, [`${path}/more`]: answering('B') });
    expect([definitions['A'], definitions['B']]).toEqual([undefined, {}]);
  });

  it('is encoded even if parts of a server have unusual forms', async () => {
    const odd = { get: { parameters: [null, { in: 'body' }], responses: { 200: 1 } }, put: {}, post: 7 };
    const definition = { properties: { a: null, b: 1 }, maximum: 2n ** 62n };
    const { paths, definitions, protobuf } = await merged(read({ [PATH]: odd as JsonObject }, { A: definition }));
    expect(paths[PATH]).toEqual(odd);
    expect(definitions['A']).toEqual({ ...definition, maximum: 2 ** 62 });
    expect(protobuf.includes(PATH)).toBe(true);
  });
});
