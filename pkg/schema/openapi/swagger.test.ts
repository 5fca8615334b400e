import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import type { ApiDescription, ApiResource } from './served.js';
import { createOpenApi } from './service.js';
import { swaggerParts } from './swagger.js';
import { groupVersionDocument } from './v3.js';

/** Custom resources whose schemas tell when they are read. */
function customResources(kinds: readonly string[], read: (kind: string) => void): ApiDescription {
  const resources = kinds.map((kind): ApiResource => {
    const schema = (): JsonObject => {
      read(kind);
      return { type: 'object', properties: { spec: { type: 'string', description: kind } } };
    };
    const name = `${kind.toLowerCase()}s`;
    const custom = { listKind: `${kind}List`, schema };
    return { name, kind, namespaced: true, verbs: ['get', 'list'], subresources: [], custom };
  });
  return { version: 'v1', groupVersions: [{ group: 'example.com', version: 'v1', resources }] };
}

it('has the schema of one custom resource in memory at a time', () => {
  const read: string[] = [];
  const seen: [definition: string, read: string][] = [];
  for (const part of swaggerParts(customResources(['A', 'B', 'C'], (kind) => read.push(kind)))) {
    if (typeof part !== 'object' || part.kind !== 'definition') continue;
    seen.push([part.name, read.join('')]);
  }
  expect(seen.filter(([name]) => name.startsWith('com.example.'))).toEqual([
    ['com.example.v1.A', 'A'],
    ['com.example.v1.AList', 'A'],
    ['com.example.v1.B', 'AB'],
    ['com.example.v1.BList', 'AB'],
    ['com.example.v1.C', 'ABC'],
    ['com.example.v1.CList', 'ABC'],
  ]);
});

it('yields before each schema of a custom resource', async () => {
  let pauses = 0;
  const at: number[] = [];
  const api = customResources(['A', 'B', 'C'], () => at.push(pauses));
  const pause = (): Promise<void> => {
    pauses++;
    return Promise.resolve();
  };
  const { bytes } = await createOpenApi({ now: () => 0, api, pause }).v2('json');
  expect(new Set(at).size).toBe(3);
  const { definitions } = JSON.parse(bytes.toString()) as { definitions: JsonObject };
  expect(definitions['com.example.v1.B']).toMatchObject({ properties: { spec: { type: 'string', description: 'B' } } });
  expect(Object.keys(definitions)).toEqual(Object.keys(definitions).sort());
});

it('writes the parameters of all operations once, as kube-apiserver does', async () => {
  const [resource] = customResources(['A'], () => {}).groupVersions[0]!.resources;
  const verbs = ['create', 'delete', 'get', 'list', 'patch'];
  const groupVersions = [{ group: 'example.com', version: 'v1', resources: [{ ...resource!, verbs }] }];
  const openapi = createOpenApi({
    now: () => 0,
    api: { version: 'v1', groupVersions },
    pause: () => Promise.resolve(),
  });
  const { paths, parameters } = JSON.parse((await openapi.v2('json')).bytes.toString()) as {
    paths: Record<
      string,
      { parameters: JsonObject[]; post: { parameters: JsonObject[] }; delete: { parameters: JsonObject[] } }
    >;
    parameters: Record<string, JsonObject>;
  };
  const collection = paths['/apis/example.com/v1/namespaces/{namespace}/as']!;
  const item = paths['/apis/example.com/v1/namespaces/{namespace}/as/{name}']!;
  const namesOf = (list: JsonObject[]): unknown[] =>
    list.map(({ name, $ref }) => name ?? [parameters[String($ref).slice('#/parameters/'.length)]?.['name']]);
  // A list is a reference.
  expect(namesOf(collection.parameters)).toEqual([['namespace'], ['pretty']]);
  expect(namesOf(item.parameters)).toEqual(['name', ['namespace'], ['pretty']]);
  expect(collection.parameters).toEqual(item.parameters.slice(1));
  expect(namesOf(collection.post.parameters)).toEqual(['body', 'dryRun', ['fieldManager'], 'fieldValidation']);
  expect(namesOf(item.delete.parameters)).toContainEqual(['body']);
  expect(Object.keys(parameters).every((name) => /^\w+-[\w-]{8}$/.test(name))).toBe(true);
});

it('names the kinds of request options and the title as kube-apiserver does for custom resources', () => {
  const [resource] = customResources(['A'], () => {}).groupVersions[0]!.resources;
  const gv = { group: 'example.com', version: 'v1', resources: [{ ...resource!, verbs: ['delete'] }] };
  const steps = groupVersionDocument(gv, 'v1.37.0');
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const { info, components } = step.value as { info: JsonObject; components: { schemas: Record<string, JsonObject> } };
  expect(info).toEqual({ title: 'Kubernetes CRD Swagger', version: 'v0.1.0' });
  expect(Object.keys(components)).toEqual(['schemas']);
  const kinds = components.schemas['io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions']![
    'x-kubernetes-group-version-kind'
  ] as JsonObject[];
  expect(kinds.slice(0, 2)).toEqual([
    { group: '', kind: 'DeleteOptions', version: 'v1' },
    { group: 'admissionregistration.k8s.io', kind: 'DeleteOptions', version: 'v1' },
  ]);
  expect(kinds).toHaveLength(55);
});
