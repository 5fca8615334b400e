import { describe, expect, it } from 'vitest';
import { type AdmissionRequest, ApiError, cloneJson, type JsonObject } from '../../api/index.js';
import type { Pace } from '../../cel/index.js';
import { admissionRequest, storedObjects } from '../testing.js';
import { mutatingPolicyStep } from './mutating.js';

/** A budget that never interrupts. */
const UNHURRIED: Pace = { spent: () => false, yield: () => Promise.resolve() };

const GROUP = 'admissionregistration.k8s.io';

const policy = (name: string, spec: JsonObject): JsonObject => ({
  metadata: { name, uid: name, resourceVersion: '1' },
  spec: {
    failurePolicy: 'Fail',
    reinvocationPolicy: 'Never',
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'], scope: '*' },
      ],
    },
    ...spec,
  },
});

const applies = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patches = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

/** A request whose replacement objects are merged into its object, key by key. */
function request(data: JsonObject): AdmissionRequest {
  let object: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data };
  const base = admissionRequest('configmaps', { name: 'a', namespace: 'default', object });
  return Object.defineProperties(
    {
      ...base,
      replace: async (next: JsonObject) => {
        object = next;
      },
      merge: async (live: JsonObject, { data: added }: JsonObject) => {
        object = { ...live, data: { ...(live['data'] as JsonObject), ...(added as JsonObject) } };
      },
      inVersion: async () => ({ subject: base.stored, object: cloneJson(object), old: undefined }),
    },
    { object: { get: () => object, enumerable: true } },
  ) as unknown as AdmissionRequest;
}

async function mutated(policies: readonly JsonObject[], data: JsonObject): Promise<JsonObject | string> {
  const { object, error } = await outcome(policies, data);
  return error?.message ?? ((object as JsonObject)['data'] as JsonObject);
}

const refused = async (policies: readonly JsonObject[], data: JsonObject) => (await outcome(policies, data)).error;

async function outcome(policies: readonly JsonObject[], data: JsonObject, bindings: readonly JsonObject[] = []) {
  const objects = storedObjects({
    [`${GROUP}/mutatingadmissionpolicies`]: policies,
    [`${GROUP}/mutatingadmissionpolicybindings`]: [
      ...bindings,
      ...policies.map((p) => {
        const { name } = p['metadata'] as { name: string };
        return { metadata: { name: `${name}-binding` }, spec: { policyName: name } };
      }),
    ],
    namespaces: [{ metadata: { name: 'default' } }],
  });
  const asked = request(data);
  try {
    await mutatingPolicyStep({
      objects,
      pace: UNHURRIED,
      authorize: () => ({ allowed: false, reason: '', error: undefined }),
    }).mutate?.(asked);
    return { object: asked.object, error: undefined };
  } catch (error) {
    if (error instanceof ApiError) return { object: undefined, error };
    throw error;
  }
}

describe('a mutating policy', () => {
  it('applies configurations and JSON patches in order', async () => {
    const mutations = [
      applies("Object{data: {'b': object.data.a + '!'}}"),
      patches("[JSONPatch{op: 'copy', from: '/data/b', path: '/data/c'}]"),
    ];
    expect(await mutated([policy('p', { mutations })], { a: '1' })).toEqual({ a: '1', b: '1!', c: '1!' });
  });

  it('is applied beside a stored binding without a spec', async () => {
    const mutations = [applies("Object{data: {'b': '1'}}")];
    const { object } = await outcome([policy('p', { mutations })], {}, [{ metadata: { name: 'a' } }]);
    expect(object).toMatchObject({ data: { b: '1' } });
  });

  it('sees the changes of the policies before it', async () => {
    const first = policy('a', { mutations: [applies("Object{data: {'x': 'first'}}")] });
    const second = policy('b', { mutations: [applies("Object{data: {'y': object.data.x + ' second'}}")] });
    expect(await mutated([first, second], {})).toEqual({ x: 'first', y: 'first second' });
  });

  it('does not change the object if a test operation of a patch fails', async () => {
    const mutations = [
      patches("[JSONPatch{op: 'test', path: '/data/a', value: 'x'}, JSONPatch{op: 'remove', path: '/data/a'}]"),
    ];
    expect(await mutated([policy('p', { mutations })], { a: '1' })).toEqual({ a: '1' });
    expect(await mutated([policy('p', { mutations })], { a: 'x' })).toEqual({});
  });

  it('rejects the request on an error, unless failurePolicy is Ignore', async () => {
    const mutations = [applies("Object{data: {'x': object.data.nope}}"), applies("Object{data: {'y': 'z'}}")];
    expect(await mutated([policy('p', { mutations })], {})).toContain(
      "policy 'p' with binding 'p-binding' denied request: expression",
    );
    expect(await mutated([policy('p', { mutations, failurePolicy: 'Ignore' })], {})).toEqual({ y: 'z' });
  });

  it('names every failed mutation as a cause', async () => {
    const mutations = [applies('Object{data: object.data.a.b}'), applies("Object{data: {'x': object.data.nope}}")];
    const error = await refused([policy('p', { mutations })], {});
    expect(error?.status.details?.causes?.map((c) => c.message)).toEqual([
      expect.stringContaining('no such key: a'),
      expect.stringContaining('no such key: nope'),
    ]);
  });

  it('rejects types that do not match their field', async () => {
    const mutations = [applies("Object{data: Object.spec{x: '1'}}")];
    expect(await mutated([policy('p', { mutations })], {})).toContain(
      'type mismatch: unexpected type name "Object.spec"',
    );
  });

  it('keeps large integers in a configuration', async () => {
    const large = policy('large', { mutations: [applies('Object{data: {"a": 9007199254740993}}')] });
    expect(await mutated([large], {})).toEqual({ a: 9007199254740993n });
  });

  it.each([
    ["optional.of('x')", 'x'],
    ["[optional.of('x')]", ['x']],
    ['9007199254740993', '9007199254740993'],
    ["duration('90m')", '5400s'],
  ])('writes %s to a JSON patch', async (expression, value) => {
    const mutations = [patches(`[JSONPatch{op: 'add', path: '/data/x', value: ${expression}}]`)];
    expect(await mutated([policy('p', { mutations })], {})).toEqual({ x: value });
  });

  it.each([
    ['optional.none()', 'optional.none() dereference'],
    ["{1: 'x'}", "unsupported type conversion from 'int' to string"],
    ["{1u: 'x'}", "unsupported type conversion from 'uint' to string"],
    ["{true: 'x'}", "type conversion error from bool to 'string'"],
    ['type(1)', "type conversion not supported for 'type'"],
    ["url('https://a/b')", "type conversion error from 'URL' to '*structpb.Value'"],
    ['authorizer', "type conversion error from 'kubernetes.authorization.Authorizer' to '*structpb.Value'"],
    [
      '0.0 / 0.0',
      'json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value: invalid NaN value',
    ],
  ])('refuses %s in a JSON patch', async (expression, why) => {
    const mutations = [patches(`[JSONPatch{op: 'add', path: '/data/x', value: ${expression}}]`)];
    expect(await mutated([policy('p', { mutations })], {})).toBe(
      `policy 'p' with binding 'p-binding' denied request: JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${why}`,
    );
  });

  it('rejects the request if the kind of its parameters is not served, whatever its bindings match', async () => {
    const spec = { paramKind: { apiVersion: 'nope.io/v1', kind: 'Nope' }, mutations: [applies('Object{}')] };
    expect(await mutated([policy('p', spec)], {})).toBe(
      `policy "p" denied request: failed to configure policy: failed to find resource referenced by paramKind: 'nope.io/v1, Kind=Nope'`,
    );
    expect(await mutated([policy('p', { ...spec, failurePolicy: 'Ignore' })], { a: '1' })).toEqual({ a: '1' });
  });

  it('runs only if its match conditions hold', async () => {
    const spec = {
      matchConditions: [{ name: 'm', expression: "object.data.a == '1'" }],
      mutations: [applies("Object{data: {'b': '2'}}")],
    };
    expect(await mutated([policy('p', spec)], { a: '1' })).toEqual({ a: '1', b: '2' });
    expect(await mutated([policy('p', spec)], { a: '2' })).toEqual({ a: '2' });
  });
});
