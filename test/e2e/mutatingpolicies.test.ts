import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client, type Reply } from './client.js';

/** Admission policies on a server: what becomes of an object that they change in unexpected ways. The texts are those of kube-apiserver 1.37. */

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const NAMESPACE = '/api/v1/namespaces/default';
const CMS = `${NAMESPACE}/configmaps`;
const FINALLY = { timeout: 60_000 };

let server: TestApiServer;
let client: Client;
let n = 0;

beforeAll(async () => {
  server = await startApiServer({ controllers: [] });
  client = new Client(server);
});
afterAll(() => server?.close());

const patches = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const applies = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});

const MATCH = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
};

/** Binds a policy with one mutation; the request for an object with this name is what it is for. */
async function install(
  mutation: object,
  resources = ['configmaps'],
  operations = ['CREATE', 'UPDATE'],
): Promise<string> {
  const name = `mutated-${++n}`;
  const rule = { apiGroups: ['*'], apiVersions: ['*'], operations, resources };
  const post = async (resource: string, body: object): Promise<void> => {
    const { status, body: text } = await client.ask(`${GROUP}/${resource}`, { body });
    expect(status, text.toString()).toBe(201);
  };
  await post('mutatingadmissionpolicies', {
    metadata: { name },
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: { resourceRules: [{ ...rule, resourceNames: [name] }] },
      mutations: [mutation],
    },
  });
  await post('mutatingadmissionpolicybindings', { metadata: { name }, spec: { policyName: name } });
  return name;
}

const create = (name: string): Promise<Reply> =>
  client.ask(CMS, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { k: 'v' } } });

const denial = (name: string, why: string): string => `policy '${name}' with binding '${name}' denied request: ${why}`;

it.each([
  ["Object{data: 'x'}", '.data: expected map, got &{x}'],
  ['Object{data: {"x": dyn(1)}}', '.data.x: expected string, got &value.valueUnstructured{Value:1}'],
  ['Object{foo: 1}', '.foo: field not declared in schema'],
  ['Object{metadata: Object.metadata{foo: 1}}', '.metadata.foo: field not declared in schema'],
  ["Object{immutable: 'x'}", '.immutable: expected boolean, got &{x}'],
  [
    "Object{metadata: Object.metadata{finalizers: ['a.b/c', 'a.b/c']}}",
    '.metadata.finalizers: duplicate entries for key [="a.b/c"]',
  ],
  ['Object{data: null}', '.data: expected map, got &{NULL_VALUE}'],
  ['Object{data: {"x": dyn(null)}}', '.data.x: expected string, got &value.valueUnstructured{Value:0}'],
  ['Object{immutable: 5u}', '.immutable: expected boolean, got &{5}'],
  ['Object{immutable: b"ab"}', '.immutable: expected boolean, got &{[97 98]}'],
  ["Object{immutable: duration('90s')}", '.immutable: expected boolean, got &{1m30s}'],
  [
    "Object{immutable: timestamp('2020-01-01T01:02:03.5+02:00')}",
    '.immutable: expected boolean, got &{2020-01-01 01:02:03.5 +0200 +0200}',
  ],
  [
    "Object{data: {'t': timestamp('2020-01-01T00:00:00Z')}}",
    '.data.t: expected string, got &value.valueUnstructured{Value:time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)}',
  ],
  [
    "Object{data: {'t': {'a': 'b'}}}",
    '.data.t: expected string, got &value.valueUnstructured{Value:map[ref.Val]ref.Val{"a":"b"}}',
  ],
  [
    'Object{metadata: Object.metadata{finalizers: [dyn(null)]}}',
    '.metadata.finalizers[={{undefined}}]: expected string, got &value.valueUnstructured{Value:0}',
  ],
  [
    "Object{metadata: Object.metadata{ownerReferences: [{'name': 'p', 'uid': 'u'}]}}",
    '.metadata.ownerReferences: element 0: associative list with keys may not have non-map elements',
  ],
  [
    "Object{metadata: Object.metadata{labels: {1: 'x'}}}",
    '.metadata: expected map, got &{fail to convert field "labels": map key \'\\x01\' is of type types.Int, not string}',
  ],
])('the apply configuration %s does not have the type of its object', async (expression, why) => {
  const name = await install(applies(expression));
  const reply = await create(name);
  expect(reply.status).toBe(403);
  expect(reply.json().message).toBe(
    denial(name, `error applying patch: failed to convert patch object to typed object: ${why}`),
  );
});

it.each([
  ["Object{data: optional.of({'o': 'p'})}", { k: 'v', o: 'p' }],
  ['Object{data: optional.none()}', { k: 'v' }],
  [
    "[JSONPatch{op: 'replace', path: '/kind', value: ''}, JSONPatch{op: 'add', path: '/data/o', value: 'p'}]",
    { k: 'v', o: 'p' },
  ],
  [
    "[JSONPatch{op: 'test', path: '/data/x', value: null}, JSONPatch{op: 'add', path: '/data/o', value: 'p'}]",
    { k: 'v' },
  ],
  ["[JSONPatch{op: 'test', path: '/data/x'}, JSONPatch{op: 'add', path: '/data/o', value: 'p'}]", { k: 'v', o: 'p' }],
])('%s makes the data %j', async (expression, data) => {
  const name = await install(expression.startsWith('[') ? patches(expression) : applies(expression));
  const reply = await create(name);
  expect(reply.status, reply.body.toString()).toBe(201);
  expect(reply.json().data).toEqual(data);
});

it('a key that is no text makes no object', async () => {
  const name = await install(applies("Object{data: {1: 'x'}}"));
  expect((await create(name)).json().message).toBe(denial(name, 'invalid return type: *dynamic.ObjectVal'));
});

it('a value that does not decode is an error of the policy', async () => {
  const name = await install(applies("Object{metadata: Object.metadata{deletionTimestamp: 'x'}}"));
  const reply = await create(name);
  expect(reply.status).toBe(403);
  expect(reply.json().message).toContain(
    denial(name, 'unable to convert unstructured object to /v1, Kind=ConfigMap: parsing time "x" as'),
  );
});

it.each([
  [applies('Object'), 'applyConfiguration', 'Object but got type(Object)'],
  [applies('Object.spec'), 'applyConfiguration', 'Object but got type(Object.spec)'],
  [applies('type(Object)'), 'applyConfiguration', 'Object but got type(type(Object))'],
  [patches('[JSONPatch]'), 'jsonPatch', 'list(JSONPatch) but got list(type(JSONPatch))'],
])('%j has a type where an object is expected', async (mutation, field, types) => {
  const spec = { reinvocationPolicy: 'Never', matchConstraints: MATCH, mutations: [mutation] };
  const { status, body } = await client.ask(`${GROUP}/mutatingadmissionpolicies`, {
    body: { metadata: { name: 'types' }, spec },
  });
  expect(status).toBe(422);
  expect(JSON.parse(body.toString()).details.causes).toEqual([
    {
      reason: 'FieldValueInvalid',
      field: `spec.mutations[0].${field}.expression`,
      message: expect.stringContaining(`must evaluate to ${types}`),
    },
  ]);
});

it.each([
  [applies('Object{data: Object}'), 'Object'],
  [applies('type(object) == Object.spec ? Object{} : Object{}'), 'Object.spec'],
  [patches('[JSONPatch{op: string(JSONPatch == JSONPatch)}]'), 'JSONPatch'],
])('%j uses a type of mutations as a value', async (mutation, type) => {
  const spec = { reinvocationPolicy: 'Never', matchConstraints: MATCH, mutations: [mutation] };
  const { status, body } = await client.ask(`${GROUP}/mutatingadmissionpolicies`, {
    body: { metadata: { name: 'types' }, spec },
  });
  expect(status).toBe(422);
  const [cause] = JSON.parse(body.toString()).details.causes;
  const message = `Internal error: program instantiation failed: reference to undefined type: ${type}`;
  expect(cause).toMatchObject({ reason: 'InternalError', message });
});

it('a list of texts in place of objects is an error of the policy', async () => {
  const name = await install(
    applies("Object{template: Object.template{spec: Object.template.spec{containers: ['a']}}}"),
    ['podtemplates'],
  );
  const template = { metadata: { name }, template: { spec: { containers: [{ name: 'a', image: 'i' }] } } };
  const reply = await client.ask(`${NAMESPACE}/podtemplates`, { body: template });
  expect(reply.json().message).toContain(
    '.template.spec.containers: element 0: associative list with keys may not have non-map elements',
  );
});

it.each([
  ["[JSONPatch{op: 'remove', path: '/kind'}]"],
  ["[JSONPatch{op: 'remove', path: '/apiVersion'}, JSONPatch{op: 'remove', path: '/kind'}]"],
  ["[JSONPatch{op: 'remove', path: '/metadata/namespace'}]"],
  ["[JSONPatch{op: 'add', path: '/metadata/uid', value: 'own'}]"],
])('%s does not change what identifies the object', async (expression) => {
  const name = await install(patches(expression));
  const reply = await create(name);
  expect(reply.status, reply.body.toString()).toBe(201);
  const stored = (await client.ask(`${CMS}/${name}`)).json();
  expect(stored).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });
  expect(stored.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  expect(stored.metadata.creationTimestamp).toMatch(/Z$/);
});

it.each([
  [
    "[JSONPatch{op: 'remove', path: '/metadata/uid'}]",
    403,
    "JSON Patch: error in remove for path: '/metadata/uid': Unable to remove nonexistent key: uid: missing value",
  ],
  [
    "[JSONPatch{op: 'remove', path: '/metadata'}]",
    422,
    'metadata.name: Required value: name or generateName is required',
  ],
  [
    "[JSONPatch{op: 'add', path: '/metadata/resourceVersion', value: '5'}]",
    400,
    'resourceVersion should not be set on objects to be created',
  ],
])('%s is refused', async (expression, status, why) => {
  const reply = await create(await install(patches(expression)));
  expect(reply.status).toBe(status);
  expect(reply.json().message).toContain(why);
});

it.each([
  ["[JSONPatch{op: 'remove', path: '/metadata/resourceVersion'}]", 403],
  ["[JSONPatch{op: 'add', path: '/metadata/resourceVersion', value: '1'}]", 409],
  ["[JSONPatch{op: 'add', path: '/metadata/resourceVersion', value: 'abc'}]", 400],
  ["[JSONPatch{op: 'add', path: '/metadata/resourceVersion', value: ''}]", 200],
])('an update without a version sees none, and one of %s decides', async (expression, status) => {
  const name = await install(patches(expression), ['configmaps'], ['UPDATE']);
  expect((await create(name)).status).toBe(201);
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { k: 'w' } };
  const reply = await client.ask(`${CMS}/${name}`, { method: 'PUT', body });
  expect(reply.status, reply.body.toString()).toBe(status);
});

it('bodies of another API group can be patched, but have no type for apply configurations', async () => {
  const replicas = async (mutation: object): Promise<Reply> => {
    const name = await install(mutation, ['deployments/scale']);
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'i' }] } };
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const body = { metadata: { name }, spec: { selector: { matchLabels: labels }, template } };
    expect((await client.ask(path, { body })).status).toBe(201);
    const headers = { 'content-type': 'application/merge-patch+json' };
    return client.ask(`${path}/${name}/scale`, { method: 'PATCH', headers, body: { spec: { replicas: 5 } } });
  };
  const patched = await replicas(patches("[JSONPatch{op: 'replace', path: '/spec/replicas', value: 2}]"));
  expect(patched.json().spec).toEqual({ replicas: 2 });
  const applied = await replicas(applies('Object{spec: Object.spec{replicas: 2}}'));
  expect(applied.json().message).toContain('no corresponding type for autoscaling/v1, Kind=Scale');
});

it('checks of invalid selectors cover everything, those of impossible service accounts are errors', async () => {
  const name = 'asks';
  const expressions = [
    "authorizer.group('').resource('pods').labelSelector('!!').check('list').allowed()",
    "authorizer.serviceAccount('Bad_', 'x').path('/x').check('get').allowed()",
  ];
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
  const policy = {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [{ ...rule, resourceNames: [name] }] },
      validations: expressions.map((expression) => ({ expression })),
    },
  };
  await client.ask(`${GROUP}/validatingadmissionpolicies`, { body: policy });
  const binding = { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } };
  await client.ask(`${GROUP}/validatingadmissionpolicybindings`, { body: binding });
  const message = async (): Promise<unknown> => (await create(name)).json().message;
  await expect
    .poll(message, FINALLY)
    .toContain(`expression '${expressions[1]}' resulted in error: Invalid service account namespace`);
});
