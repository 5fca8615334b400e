import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client } from './client.js';

/** Requests for custom resources that kube-apiserver answers differently from those for built-in kinds. */

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GADGETS = '/apis/requests.example.com/v1/namespaces/default/gadgets';
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const YAML = { 'content-type': 'application/apply-patch+yaml' };

const openAPIV3Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: { type: 'string', nullable: true },
        b: { type: 'string' },
        c: { type: 'string', default: 'filled' },
      },
    },
  },
};
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.requests.example.com' },
  spec: {
    group: 'requests.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } }],
  },
};
const gadget = (name: string, spec: object = {}): object => ({
  apiVersion: 'requests.example.com/v1',
  kind: 'Gadget',
  metadata: { name },
  spec,
});

describe('custom resources', () => {
  let server: TestApiServer;
  let admin: Client;

  beforeAll(async () => {
    server = await startApiServer();
    admin = new Client(server);
    await admin.ask(DEFINITIONS, { body: definition });
    await vi.waitUntil(async () => (await admin.ask(GADGETS)).status === 200, { timeout: 60_000 });
  });
  afterAll(async () => {
    admin?.close();
    await server?.close();
  });

  const messageOf = async (path: string, method: string, more: object = {}) => {
    const { status, body } = await admin.ask(path, { method, ...more });
    const text = body.toString();
    return [status, text.startsWith('{') ? JSON.parse(text).message : text];
  };

  it('need a name for an update or a patch', async () => {
    expect(await messageOf(GADGETS, 'PUT', { body: {} })).toEqual([400, 'name must be provided']);
    const headers = { 'content-type': 'application/merge-patch+json' };
    expect(await messageOf(GADGETS, 'PATCH', { body: {}, headers })).toEqual([400, 'name must be provided']);
    const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
    expect((await messageOf(GADGETS, 'PATCH', { body: {}, headers: strategic }))[0]).toBe(415);
  });

  it('have an object that is not found where a subresource is unknown', async () => {
    const missing = [404, 'gadgets.requests.example.com "a" not found'];
    for (const subresource of ['scale', 'other', 'constructor'])
      expect(await messageOf(`${GADGETS}/a/${subresource}`, 'GET')).toEqual(missing);
  });

  it('support no further verbs', async () => {
    expect(await messageOf(`${GADGETS}/a/status`, 'DELETE')).toEqual([
      405,
      'delete is not supported on resources of kind "gadgets.requests.example.com"',
    ]);
    expect(await messageOf('/apis/requests.example.com/v1/gadgets', 'DELETE')).toEqual([404, '404 page not found\n']);
  });

  it('are created under the name in the body', async () => {
    const made = await admin.ask(`${GADGETS}/ignored`, { body: gadget('named') });
    expect([made.status, made.json().metadata.name]).toEqual([201, 'named']);
    expect((await admin.ask(`${GADGETS}/named`, { method: 'HEAD' })).status).toBe(200);
  });

  it('have an empty continue token in a complete list, in every form', async () => {
    expect((await admin.ask(GADGETS)).json().metadata).toEqual({ continue: '', resourceVersion: expect.any(String) });
    const yaml = await admin.ask(GADGETS, { headers: { accept: 'application/yaml' } });
    expect(yaml.body.toString()).toMatch(/^ {2}continue: ""$/m);
    const metadata = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    const partial = await admin.ask(GADGETS, { headers: { accept: metadata } });
    expect(Object.keys(partial.json().metadata)).toEqual(['resourceVersion']);
    expect(Object.keys((await admin.ask(CONFIGMAPS)).json().metadata)).toEqual(['resourceVersion']);
  });

  it('may not be applied with nulls that a decoded body would lose', async () => {
    const apply = (spec: object | null) =>
      admin.ask(`${GADGETS}/applied?fieldManager=m`, {
        method: 'PATCH',
        headers: YAML,
        body: gadget('applied', spec as object),
      });
    const made = await apply({ a: null, c: null });
    expect([made.status, made.json().spec]).toEqual([201, { a: null, c: 'filled' }]);
    const refused = await apply({ b: null });
    expect([refused.status, refused.json().details.causes]).toEqual([
      422,
      [
        {
          reason: 'FieldValueTypeInvalid',
          message: 'Invalid value: "null": spec.b in body must be of type string: "null"',
          field: 'spec.b',
        },
      ],
    ]);
    expect((await apply(null)).status).toBe(422);
    const posted = await admin.ask(GADGETS, { body: gadget('posted', { a: null, b: null, c: null }) });
    expect([posted.status, posted.json().spec]).toEqual([201, { a: null, c: 'filled' }]);
  });
});

describe('a patch that cannot be parsed', () => {
  let server: TestApiServer;
  let admin: Client;

  beforeAll(async () => {
    server = await startApiServer();
    admin = new Client(server);
  });
  afterAll(async () => {
    admin?.close();
    await server?.close();
  });

  it.each([
    ['application/merge-patch+json', '{"x', 'invalid JSON patch'],
    ['application/json-patch+json', '', 'invalid JSON patch'],
    ['application/strategic-merge-patch+json', '[', 'invalid JSON patch'],
    ['application/apply-patch+yaml', 'a: b: c', 'error encoding patch: yaml: mapping values'],
    ['application/apply-patch+yaml', '{', 'error decoding patch: error converting YAML to JSON: yaml: '],
    ['application/apply-patch+yaml', '[]', 'error decoding patch: error unmarshaling JSON: '],
  ])('is refused before its object is read: %s %s', async (type, body, message) => {
    const refused = await admin.ask(`${CONFIGMAPS}/missing?fieldManager=m`, {
      method: 'PATCH',
      headers: { 'content-type': type },
      body,
    });
    expect([refused.status, refused.json().message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('is refused after the conflicts of an apply, if it has duplicate keys', async () => {
    const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: twice}\ndata: {k: v}\n';
    const apply = (manager: string, body: string) =>
      admin.ask(`${CONFIGMAPS}/twice?fieldManager=${manager}&fieldValidation=Strict`, {
        method: 'PATCH',
        headers: YAML,
        body,
      });
    expect((await apply('a', configMap)).status).toBe(201);
    const twice = configMap.replace('k: v', 'k: x, k: z');
    expect((await apply('b', twice)).status).toBe(409);
    const refused = await apply('a', twice);
    expect([refused.status, refused.json().message]).toEqual([
      400,
      expect.stringMatching(/^error strict decoding patch: .*key "k" already set in map/s),
    ]);
  });
});
