import { describe, expect, it } from 'vitest';
import { asGiven, at, equalJson, type JsonObject, type JsonValue } from '../../api/index.js';
import { finish } from '../../base/index.js';
import { allKinds, type KindSchema, kindSchema, type StructSchema, zeroObject } from '../../schema/index.js';
import { fixtures, kindNamed } from '../testing.js';
import { decodeJson, decodeValue, nodeSteps, readJson } from './decode.js';
import { encodeJson, encodeStored } from './encode.js';
import { parseJson } from './parse.js';
import { metadataSlice, spliceResourceVersion } from './splice.js';

const decode = (k: KindSchema, text: string | Buffer) => decodeJson(k.schema, Buffer.from(text as string));

function object(k: KindSchema, value: unknown): JsonObject {
  const decoded = decode(k, typeof value === 'string' ? value : JSON.stringify(value));
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.object;
}

function findings(k: KindSchema, value: unknown): readonly string[] {
  const decoded = decode(k, typeof value === 'string' ? value : JSON.stringify(value));
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.strict.errors;
}

function failure(k: KindSchema, value: unknown): string | undefined {
  const decoded = decode(k, typeof value === 'string' ? value : JSON.stringify(value));
  return decoded.ok ? undefined : decoded.message;
}

const configMap = kindNamed('ConfigMap');
const secret = kindNamed('Secret');
const pod = kindNamed('Pod');
const deployment = kindNamed('Deployment', 'apps');
const statefulSet = kindNamed('StatefulSet', 'apps');
const event = kindNamed('Event');
const lease = kindNamed('Lease', 'coordination.k8s.io');
const service = kindNamed('Service');
const revision = kindNamed('ControllerRevision', 'apps');
const crd = kindNamed('CustomResourceDefinition', 'apiextensions.k8s.io');

describe('strict findings', () => {
  it('come in document order, unknown and duplicate fields together, with full paths', () => {
    expect(
      findings(
        deployment,
        '{"metadata":{"name":"a","zip":1},"spec":{"template":{"metadata":{"bar":1,"labels":{"a":"1","a":"2"}},"spec":{"containers":[{"name":"a","baz":{"deep":{"deep":1,"deep":2}},"resources":{"limit":{}}}],"nope":[]}},"foo":1,"replicas":1,"replicas":2},"top":1,"9":1,"1":2}',
      ),
    ).toEqual([
      'unknown field "metadata.zip"',
      'unknown field "spec.template.metadata.bar"',
      'duplicate field "spec.template.metadata.labels.a"',
      'unknown field "spec.template.spec.containers[0].baz"',
      'unknown field "spec.template.spec.containers[0].resources.limit"',
      'unknown field "spec.template.spec.nope"',
      'unknown field "spec.foo"',
      'duplicate field "spec.replicas"',
      'unknown field "top"',
      'unknown field "9"',
      'unknown field "1"',
    ]);
  });

  it('quote names, are case-sensitive, are reported once, and stop at a hundred', () => {
    expect(findings(configMap, '{"x\\ny":1,"Data":{},"Data":{}}')).toEqual([
      'unknown field "x\\ny"',
      'unknown field "Data"',
    ]);
    expect(findings(configMap, { foo: null })).toEqual(['unknown field "foo"']);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, 1]));
    expect(findings(configMap, many)).toHaveLength(100);
  });

  it('are reported once for each path, for any objects at the path', () => {
    const twice = '{"data":{"k":1,"k":2,"k":3},"data":{"k":4,"k":5},"list":[{"k":1,"k":2},{"k":3,"k":4}]}';
    const read = readJson(Buffer.from(twice));
    expect(read.ok && read.duplicates).toEqual([
      'duplicate field "data.k"',
      'duplicate field "data"',
      'duplicate field "list[0].k"',
      'duplicate field "list[1].k"',
    ]);
  });

  it('take linear time, for paths of any length', () => {
    const long = 'x'.repeat(400_000);
    const one = readJson(Buffer.from(`{"${long}":{${'"k":1,'.repeat(100_000)}"k":1}}`));
    expect(one.ok && one.duplicates).toEqual([`duplicate field "${long}.k"`]);
    const pairs = Array.from({ length: 80 }, (_, i) => `"k${i}":1,"k${i}":1`).join(',');
    const many = readJson(Buffer.from(`{"${long}":{${pairs}}}`));
    expect(many.ok && many.duplicates).toHaveLength(3);
  });

  it('handle keys with the names of inherited properties', () => {
    expect(
      findings(
        configMap,
        '{"metadata":{"__proto__":{"labels":{"x":"1"}}},"__proto__":{"data":{}},"constructor":1,"toString":2}',
      ),
    ).toEqual([
      'unknown field "metadata.__proto__"',
      'unknown field "__proto__"',
      'unknown field "constructor"',
      'unknown field "toString"',
    ]);
    const held = object(configMap, '{"data":{"__proto__":"1","constructor":"2","toString":"3"}}');
    expect(encodeJson(configMap.schema, held).toString()).toContain(
      '"data":{"__proto__":"1","constructor":"2","toString":"3"}',
    );
    expect(({} as Record<string, unknown>)['data']).toBeUndefined();
  });

  it('do not cover raw values and types with custom decoders', () => {
    expect(findings(revision, '{"revision":1,"data":{"a":1,"a":2}}')).toEqual([]);
    expect(object(revision, '{"revision":1,"data":{"a":1,"a":2}}')['data']).toEqual({ a: 2 });
    const schema = { additionalProperties: { type: 'string', nope: 1 }, items: [{ type: 'x', nope: 2 }] };
    const spec = { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] };
    expect(findings(crd, { spec })).toEqual([]);
    expect(JSON.stringify(object(crd, { spec }))).not.toContain('nope');
  });
});

describe('duplicate keys', () => {
  it('decode into the value of the first one', () => {
    expect(object(configMap, '{"metadata":{"name":"a","name":"b"},"data":{"k":"1","k":"2"},"data":{"l":"3"}}')).toEqual(
      {
        metadata: { name: 'b' },
        data: { k: '2', l: '3' },
      },
    );
    const twice = '{"spec":{"containers":[{"name":"a","image":"i"}],"containers":[{"name":"b"}]}}';
    expect(object(pod, twice)['spec']).toMatchObject({ containers: [{ name: 'b', image: 'i' }] });
    expect(object(configMap, '{"data":{"k":"1"},"data":null}')).toEqual({ metadata: {} });
  });
});

describe('normal form', () => {
  it('omits and writes zero values as Go does', () => {
    const o = object(deployment, {
      metadata: { creationTimestamp: null, name: '', labels: {}, generation: 0 },
      spec: { paused: false, replicas: 0, template: { metadata: { creationTimestamp: null }, spec: {} } },
    });
    expect(JSON.parse(JSON.stringify(o))).toEqual({
      metadata: {},
      spec: { replicas: 0, selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } },
      status: {},
    });
  });

  it('remembers empty lists and maps of the source on the fast and the exact path, even if they become null', () => {
    const text = '{"metadata":{"labels":{}},"spec":{"template":{"spec":{"containers":[],"volumes":null}}}}';
    for (const given of [text, text.replace('{', '{"unknown":1,')]) {
      const o = object(deployment, given);
      const spec = at(o, 'spec', 'template', 'spec') as JsonObject;
      expect([asGiven(o['metadata'] as JsonObject, 'labels'), asGiven(spec, 'containers')]).toEqual([{}, []]);
      expect([asGiven(spec, 'volumes'), asGiven(spec, 'initContainers'), spec['containers']]).toEqual([
        undefined,
        undefined,
        null,
      ]);
      expect(encodeStored(deployment.schema, o).toString()).not.toContain('[]');
    }
  });

  it('reads null as an absent field, and as the zero value in maps and lists', () => {
    expect(object(configMap, { metadata: { labels: { x: null }, name: null }, data: { k: null } })).toEqual({
      metadata: { labels: { x: '' } },
      data: { k: '' },
    });
    expect(object(secret, { data: { k: null, l: '' } })['data']).toEqual({ k: '', l: '' });
    expect(object(pod, { metadata: null, spec: { containers: [null] } })).toMatchObject({
      metadata: {},
      spec: { containers: [{ name: '', resources: {} }] },
    });
    expect(object(configMap, 'null')).toEqual({ metadata: {} });
  });

  it('writes zero times that are not pointers as null, except the creation time', () => {
    expect(object(event, { lastTimestamp: '0001-01-01T00:00:00Z' })).toEqual({
      metadata: {},
      involvedObject: {},
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
  });

  it('is also the result of the exact path', () => {
    const text = '{"spec":{"paused":false,"template":{"spec":{"containers":[]}}},"metadata":{"labels":{"a":null}}}';
    const parsed = parseJson(Buffer.from(text));
    if (!parsed.ok) throw new Error(parsed.message);
    expect(finish(nodeSteps(deployment.schema, parsed.node))).toEqual(decode(deployment, text));
    expect(decodeValue(deployment.schema, JSON.parse(text) as JsonValue)).toEqual(decode(deployment, text));
  });
});

describe('scalars', () => {
  const grace = (n: string) => `{"spec":{"containers":[],"terminationGracePeriodSeconds":${n}}}`;
  it.each([
    ['9223372036854775807', 9223372036854775807n],
    ['9007199254740993', 9007199254740993n],
    ['9007199254740991', 9007199254740991],
    ['-0', 0],
    ['0', 0],
  ])('int64 %s', (n, expected) => {
    const held = object(pod, grace(n))['spec'] as JsonObject;
    expect(held['terminationGracePeriodSeconds']).toEqual(
      expected === 0 ? held['terminationGracePeriodSeconds'] : expected,
    );
    expect(encodeJson(pod.schema, { spec: held }).toString()).toContain(`Seconds":${expected}`);
  });

  it.each(['9223372036854775808', '1e18', '1e19', '1.0', '1.5'])('int64 %s is refused because of its form', (n) => {
    expect(failure(pod, grace(n))).toBe(
      `json: cannot unmarshal number ${n} into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64`,
    );
  });

  it.each<[KindSchema, unknown, string]>([
    [deployment, { spec: { replicas: '3' } }, 'string into Go struct field DeploymentSpec.spec.replicas of type int32'],
    [
      deployment,
      { spec: { replicas: 2 ** 31 } },
      'number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [deployment, { spec: [] }, 'array into Go struct field Deployment.spec of type v1.DeploymentSpec'],
    [
      statefulSet,
      { spec: { volumeClaimTemplates: [{ kind: 5 }] } },
      'number into Go struct field PersistentVolumeClaim.spec.volumeClaimTemplates.TypeMeta.kind of type string',
    ],
    [configMap, { immutable: 'true' }, 'string into Go struct field ConfigMap.immutable of type bool'],
    [configMap, { immutable: 1 }, 'number into Go struct field ConfigMap.immutable of type bool'],
    [configMap, { data: 'x' }, 'string into Go struct field ConfigMap.data of type map[string]string'],
    [configMap, { metadata: 'x' }, 'string into Go struct field ConfigMap.metadata of type v1.ObjectMeta'],
    [
      configMap,
      { metadata: { labels: { x: 5 } } },
      'number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [configMap, { data: { k: 1 }, foo: 1 }, 'number into Go struct field ConfigMap.data of type string'],
    [
      pod,
      { spec: { restartPolicy: {} } },
      'object into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy',
    ],
    [
      pod,
      { spec: { volumes: [{ name: 'a', emptyDir: { medium: 5 } }] } },
      'number into Go struct field EmptyDirVolumeSource.spec.volumes.VolumeSource.emptyDir.medium of type v1.StorageMedium',
    ],
    [
      pod,
      { spec: { containers: [{ name: 'a' }, { image: 5 }] } },
      'number into Go struct field Container.spec.containers.image of type string',
    ],
    [
      service,
      '{"spec":{"ports":[{"targetPort":80.0}]}}',
      'number 80.0 into Go struct field ServicePort.spec.ports.targetPort of type int32',
    ],
    [
      service,
      { spec: { ports: [{ targetPort: true }] } },
      'bool into Go struct field ServicePort.spec.ports.targetPort of type int32',
    ],
    [lease, { spec: { renewTime: 1577934245 } }, 'number into Go struct field LeaseSpec.spec.renewTime of type string'],
    [
      pod,
      { metadata: { ownerReferences: [{ uid: 5 }] } },
      'number into Go struct field OwnerReference.metadata.ownerReferences.uid of type types.UID',
    ],
    [pod, { spec: { overhead: 'x' } }, 'string into Go struct field PodSpec.spec.overhead of type v1.ResourceList'],
    [
      kindNamed('ResourceSlice', 'resource.k8s.io'),
      { spec: { devices: [{ attributes: 'x' }] } },
      'string into Go struct field Device.spec.devices.attributes of type map[v1.QualifiedName]v1.DeviceAttribute',
    ],
  ])('case %#: a wrong type is reported with its path', (k, value, expected) => {
    expect(failure(k, value)).toBe(`json: cannot unmarshal ${expected}`);
  });

  it('reports a malformed scalar rather than an earlier wrong type', () => {
    const limits = (cpu: unknown) => ({ spec: { hostname: 1, containers: [{ resources: { limits: { cpu } } }] } });
    expect(failure(pod, limits('1K'))).toBe("unable to parse quantity's suffix");
    expect(failure(pod, limits(true))).toMatch(/^quantities must match the regular expression/);
    expect(failure(secret, { data: { k: '***' } })).toBe('illegal base64 data at input byte 0');
    expect(failure(configMap, { metadata: { creationTimestamp: 'x' } })).toMatch(/^parsing time "x" as/);
  });

  it('keeps the spelling of numeric quantities', () => {
    const cpu = (text: string) => {
      const held = object(pod, `{"spec":{"containers":[{"resources":{"limits":{"cpu":${text}}}}]}}`) as never;
      return (held as { spec: { containers: { resources: { limits: { cpu: string } } }[] } }).spec.containers[0]!
        .resources.limits.cpu;
    };
    expect(['1', '1.5', '1e3', '0', '1.0', '100000000000000000000', 'null'].map(cpu)).toEqual([
      '1',
      '1500m',
      '1e3',
      '0',
      '1',
      '100E',
      '0',
    ]);
  });

  it('keeps raw values as they are', () => {
    const data = { b: null, a: [1, { x: null }], A: 1, kind: 'Foo', big: 1.5 };
    expect(object(revision, { revision: 1, data })['data']).toEqual(data);
    expect(object(revision, { revision: 1, data: 5 })['data']).toBe(5);
    expect(object(revision, { revision: 1, data: null })['data']).toBeNull();
  });

  it('bounds the nesting of values', () => {
    const deep = `{"data":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    expect(failure(revision, deep)).toBe('exceeded max depth');
    expect(findings(configMap, deep.replace('data', 'nope'))).toEqual(['unknown field "nope"']);
    const schema = `${'{"not":'.repeat(3000)}{}${'}'.repeat(3000)}`;
    expect(failure(crd, `{"spec":{"versions":[{"schema":{"openAPIV3Schema":${schema}}}]}}`)).toBe('exceeded max depth');
  });
});

describe('reading without a schema', () => {
  it('reports duplicates with paths and keeps int64', () => {
    expect(readJson(Buffer.from('[{"value":"x","value":"y","n":9007199254740993}]'))).toEqual({
      ok: true,
      value: [{ value: 'y', n: 9007199254740993n }],
      duplicates: ['duplicate field "[0].value"'],
      repeated: new Map([[{ value: 'y', n: 9007199254740993n }, ['value']]]),
    });
    expect(readJson(Buffer.from('{"a":1e400}'))).toMatchObject({ ok: false });
    expect(readJson(Buffer.from('{'))).toEqual({
      ok: false,
      message: 'unexpected end of JSON input',
      syntax: true,
    });
  });
});

describe('canonical JSON', () => {
  it('begins with kind, apiVersion and metadata, and sorts maps by bytes', () => {
    const text =
      '{"data":{"b":"1","\uffff":"3","😀":"4","a":"<&>\u2028\\n"},"metadata":{"resourceVersion":"7","name":"x"},"apiVersion":"v1","kind":"ConfigMap"}';
    const held = object(configMap, text);
    expect(encodeJson(configMap.schema, held).toString()).toBe(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","resourceVersion":"7"},"data":{"a":"\\u003c\\u0026\\u003e\\u2028\\n","b":"1","\uffff":"3","😀":"4"}}',
    );
    const stored = encodeStored(configMap.schema, held);
    expect(stored.toString().startsWith('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"},')).toBe(true);
    const spliced = spliceResourceVersion(stored, 12, true).toString();
    expect(
      spliced.startsWith('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"12","name":"x"}'),
    ).toBe(true);
    expect(spliced.endsWith('}\n')).toBe(true);
    expect(metadataSlice(stored)?.toString()).toBe('{"name":"x"}');
  });

  it('splices into empty metadata', () => {
    const stored = encodeStored(configMap.schema, object(configMap, { kind: 'ConfigMap', apiVersion: 'v1' }));
    expect(spliceResourceVersion(stored, 5).toString()).toBe(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"5"}}',
    );
  });

  it('normalises plain values that were not decoded from text', () => {
    expect(
      encodeJson(deployment.schema, { metadata: { name: 'a', labels: {} }, spec: { replicas: 0 } }).toString(),
    ).toBe(
      '{"metadata":{"name":"a"},"spec":{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
    );
  });
});

describe('a schema that preserves unknown fields', () => {
  const name = configMap.schema.byName.get('kind')!;
  const open: StructSchema = {
    ...configMap.schema,
    name: 'example.com/v1.Open',
    fields: [name],
    byName: new Map([['kind', name]]),
    preserveUnknown: true,
  };

  it.each([
    '{"z":{"x":[1,{"y":null}]},"__proto__":1,"kind":"K","a":2}',
    '{"z":1.5,"__proto__":{"b":1},"kind":"K","a":2}',
  ])('keeps them: %s', (text) => {
    const decoded = decodeJson(open, Buffer.from(text));
    expect(decoded.ok && decoded.strict.errors).toEqual([]);
    const encoded = encodeJson(open, decoded.ok ? decoded.object : {}).toString();
    expect(equalJson(JSON.parse(encoded), JSON.parse(text))).toBe(true);
    expect(encoded.startsWith('{"kind":"K","__proto__":')).toBe(true);
  });

  it('keeps a key with a null member if the null is dropped', () => {
    const decoded = decode({ schema: open } as KindSchema, '{"kind":null,"a":2,"__proto__":{"b":1}}');
    expect(decoded.ok && JSON.stringify(decoded.object)).toBe('{"a":2,"__proto__":{"b":1}}');
  });
});

describe('JSON fixtures', () => {
  it.each(fixtures())('$name survives a round trip through its schema', ({ kind: k, json, value }) => {
    const decoded = decodeJson(k.schema, json);
    if (!decoded.ok) throw new Error(decoded.message);
    expect(decoded.strict.errors).toEqual([]);
    expect(decoded.object).toEqual(value);
    const encoded = encodeJson(k.schema, decoded.object);
    expect(JSON.parse(encoded.toString())).toEqual(value);
    expect(encodeJson(k.schema, value)).toEqual(encoded);
    const parsed = parseJson(json);
    expect(parsed.ok && finish(nodeSteps(k.schema, parsed.node))).toEqual(decoded);
  });
});

it('an object without set fields equals the result of decoding an empty object', () => {
  for (const info of allKinds()) {
    const { schema } = kindSchema(info)!;
    expect(decodeValue(schema, {})).toMatchObject({ ok: true, object: zeroObject(schema) });
  }
});
