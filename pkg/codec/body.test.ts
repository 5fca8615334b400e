import { describe, expect, it } from 'vitest';
import { type BodyEncoding, decodeBody, readBody, strictMessage } from './body.js';
import { encodeCbor } from './cbor/write.js';
import { codecLimits } from './limits.js';
import { encodeProtobuf } from './protobuf/encode.js';
import { sealEnvelope } from './protobuf/envelope.js';
import { kindNamed } from './testing.js';

const configMap = kindNamed('ConfigMap');

const decode = (text: string | Buffer, encoding: BodyEncoding = 'json', expected = configMap) =>
  decodeBody({ bytes: Buffer.from(text as string), encoding }, expected);

function message(text: string | Buffer, encoding: BodyEncoding = 'json', expected = configMap): string | undefined {
  const decoded = decode(text, encoding, expected);
  return decoded.ok ? undefined : decoded.message;
}

const STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

describe('kind and apiVersion of a body', () => {
  it('may be absent, and are then filled in', () => {
    for (const text of [
      '{"metadata":{"name":"a"}}',
      '{"kind":null,"apiVersion":null,"metadata":{"name":"a"}}',
      '{"kind":"ConfigMap","metadata":{"name":"a"}}',
    ]) {
      expect(decode(text)).toEqual({
        ok: true,
        object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } },
        gvk: { group: '', version: 'v1', kind: 'ConfigMap' },
        strict: { errors: [], warnings: [] },
      });
    }
    expect(decode('null')).toMatchObject({ ok: true, object: { metadata: {} } });
    expect(decode('# nothing', 'yaml')).toMatchObject({ ok: true, object: { metadata: {} } });
  });

  it.each<[string, string]>([
    ['', 'unexpected end of JSON input (<empty>)'],
    [' \n\t ', 'unexpected end of JSON input (200a0920)'],
    ['[]', `json: cannot unmarshal array into Go value of type ${STRUCT} (5b5d)`],
    ['true', `json: cannot unmarshal bool into Go value of type ${STRUCT} (74727565)`],
    ['"x"', `json: cannot unmarshal string into Go value of type ${STRUCT} (227822)`],
    ['{"kind":5}', 'json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})'],
    [
      '{"metadata":{"name":"a"},}',
      'invalid character \'}\' looking for beginning of object key string ({"metadata":{"name":"a"},})',
    ],
    [
      '{"metadata":{"name":"a"},"data":{"k":01}}',
      'invalid character \'1\' after object key:value pair ({"metadata":{"name":"a"},"data ...)',
    ],
  ])('cannot be determined from %j', (text, expected) => {
    expect(message(text)).toBe(
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ${expected}`,
    );
  });

  it('must be the expected ones', () => {
    expect(message('{"apiVersion":"v1","kind":"Secret"}')).toBe(
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    );
    expect(message('{"apiversion":"v1","Kind":"Secret"}')).toContain('converting (v1.Secret)');
    expect(message('{"apiVersion":"v1","kind":"configmap"}')).toMatch(
      /^configmap in version "v1" cannot be handled as a ConfigMap: no kind "configmap" is registered for version "v1" in scheme/,
    );
    expect(message('{"apiVersion":"apps/v1","kind":"Deployment"}', 'json', kindNamed('Scale', 'autoscaling'))).toBe(
      'Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale): unknown conversion',
    );
    expect(message('{"apiVersion":"a/b/c"}')).toContain('unexpected GroupVersion string: a/b/c');
    const hpa = kindNamed('HorizontalPodAutoscaler', 'autoscaling', 'v2');
    const other = '{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler"}';
    expect(message(other, 'json', hpa)).toBe(
      'the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)',
    );
    expect(decodeBody({ bytes: Buffer.from(other), encoding: 'json' }, hpa, { otherVersions: true })).toMatchObject({
      ok: true,
      gvk: { version: 'v1' },
    });
  });

  it('appear in the errors of the decoder', () => {
    expect(message('{"data":{"k":1}}')).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    );
    const decoded = decode('{"data":{"k":1}}');
    expect(!decoded.ok && decoded.cause).toBe(
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    );
  });
});

describe('the body of a custom kind', () => {
  it('has one warning for each duplicate key of YAML, which are one error', () => {
    const custom = { ...configMap, structural: configMap.schema };
    const bytes = Buffer.from('apiVersion: v1\nkind: ConfigMap\ndata: {a: x, a: y, b: x, b: y}\nz: 1\n');
    expect(decodeBody({ bytes, encoding: 'yaml' }, custom)).toMatchObject({
      strict: {
        errors: [
          'yaml: unmarshal errors:\n  line 3: key "a" already set in map\n  line 3: key "b" already set in map',
          'unknown field "z"',
        ],
        warnings: ['line 3: key "a" already set in map', 'line 3: key "b" already set in map', 'unknown field "z"'],
      },
    });
  });

  it('with a number that has no value is not handled, like one with a wrong type', () => {
    const custom = { ...configMap, structural: configMap.schema };
    const text = '{"apiVersion":"v1","kind":"ConfigMap","data":{"k":1e400}}';
    expect(message(text, 'json', custom)).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number 1e400 into Go value of type float64',
    );
  });
});

describe('a YAML body', () => {
  it('reports duplicate keys before unknown fields, which are in the order of sorted keys', () => {
    const decoded = decode('metadata:\n  name: a\n  foo: 1\nbar: 1\nbar: 2\n', 'yaml');
    if (!decoded.ok) throw new Error(decoded.message);
    expect(decoded.strict.warnings).toEqual([
      'line 5: key "bar" already set in map',
      'unknown field "bar"',
      'unknown field "metadata.foo"',
    ]);
    expect(strictMessage(decoded.gvk, configMap.info, decoded.strict)).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 5: key "bar" already set in map, unknown field "bar", unknown field "metadata.foo"',
    );
    const json = decode('{"metadata":{"foo":1,"name":"a"},"bar":1}', 'yaml');
    expect(json.ok && json.strict.errors).toEqual(['unknown field "bar"', 'unknown field "metadata.foo"']);
  });

  it('writes opaque objects with sorted keys, and JSON keeps their order', () => {
    const keysOf = (text: string, encoding: BodyEncoding): string[] => {
      const decoded = decode(text, encoding, kindNamed('ControllerRevision', 'apps'));
      if (!decoded.ok) throw new Error(decoded.message);
      return Object.keys(decoded.object['data'] as object);
    };
    expect(keysOf('data: {b: 1, a: 2}', 'yaml')).toEqual(['a', 'b']);
    expect(keysOf('{"data": {"b": 1, "a": 2}}', 'json')).toEqual(['b', 'a']);
  });

  it('is refused with the message of the YAML parser', () => {
    expect(message('metadata:\n\tname: a\n', 'yaml')).toBe(
      'the object provided is unrecognized (must be of type ConfigMap): yaml: line 2: found character that cannot start any token (6d657461646174613a0a096e616d653a20610a)',
    );
    expect(message('- a\n', 'yaml')).toContain(
      `couldn't get version/kind; json parse error: json: cannot unmarshal array into`,
    );
    expect(message('data:\n  k: 5\n', 'yaml')).toContain('cannot unmarshal number into Go struct field ConfigMap.data');
  });

  it('may have numeric quantities', () => {
    const quota = kindNamed('ResourceQuota');
    const text =
      'spec:\n  hard: {cpu: 0.5, pods: 0x10, memory: 1e3, requests.cpu: 1, limits.cpu: 1500m, services: 010}\n';
    const decoded = decode(text, 'yaml', quota);
    expect(decoded.ok && decoded.object['spec']).toEqual({
      hard: { cpu: '500m', 'limits.cpu': '1500m', memory: '1k', pods: '16', 'requests.cpu': '1', services: '8' },
    });
  });
});

describe('a protobuf body', () => {
  const body = (raw: Buffer, kind = 'ConfigMap', apiVersion = 'v1') => sealEnvelope({ kind, apiVersion, raw });
  const raw = encodeProtobuf(configMap.schema, { metadata: { name: 'a' }, data: { k: 'v' } });

  it('is decoded, with and without a type', () => {
    expect(decode(body(raw), 'protobuf')).toMatchObject({ ok: true, object: { data: { k: 'v' } } });
    expect(decode(body(raw, '', ''), 'protobuf')).toMatchObject({
      ok: true,
      gvk: { version: 'v1', kind: 'ConfigMap' },
    });
  });

  it('is refused for an invalid envelope or message', () => {
    const cut = Buffer.from('azhzAAoPCgJ2MRIJQ29uZmlnTWFwEg0KAwoBYRIG', 'base64');
    expect(message(cut, 'protobuf')).toBe(
      'the object provided is unrecognized (must be of type ConfigMap): unexpected EOF (6b3873000a0f0a0276311209436f6e6669674d6170120d0a030a01611206)',
    );
    expect(message(body(Buffer.from('0a7f01', 'hex')), 'protobuf')).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
    );
    expect(message(body(raw, 'Nope'), 'protobuf')).toContain(
      'Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope"',
    );
    expect(message('{}', 'protobuf')).toContain('expected prefix [107 56 115 0] ({})');
  });
});

describe('a CBOR body', () => {
  it('is decoded like JSON', () => {
    const secret = kindNamed('Secret');
    const object = { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: 'AQI=' }, nope: 1 };
    const decoded = decode(encodeCbor(secret.schema, object), 'cbor', secret);
    expect(decoded).toMatchObject({
      ok: true,
      object: { data: { k: 'AQI=' } },
      strict: { errors: ['unknown field "nope"'] },
    });
    expect(message(Buffer.from([0xa1]), 'cbor')).toBe(
      'the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: unexpected EOF (a1)',
    );
  });
});

describe('a body without a schema', () => {
  it('is decoded according to its encoding', () => {
    expect(readBody({ bytes: Buffer.from('{"a":1,"a":2}'), encoding: 'json' })).toMatchObject({
      value: { a: 2 },
      strict: { errors: ['duplicate field "a"'] },
    });
    expect(readBody({ bytes: Buffer.from('a: 1\na: 2'), encoding: 'yaml' })).toMatchObject({
      value: { a: 2 },
      strict: { errors: ['yaml: unmarshal errors:\n  line 2: key "a" already set in map'] },
    });
    expect(readBody({ bytes: Buffer.from('a: b: c'), encoding: 'yaml' })).toEqual({
      ok: false,
      message: 'yaml: mapping values are not allowed in this context',
    });
    expect(readBody({ bytes: encodeCbor(undefined, { a: 1 }), encoding: 'cbor' })).toMatchObject({ value: { a: 1 } });
  });
});

describe('a body with more values than the limit', () => {
  const many = codecLimits.valuesMax + 1;
  const zeros = Array.from({ length: many }, () => 0);

  it.each<[string, BodyEncoding, Buffer]>([
    ['JSON', 'json', Buffer.from(`{"x":[${'0,'.repeat(many)}0]}`)],
    ['YAML', 'yaml', Buffer.from(`x: [${'0,'.repeat(many)}0]`)],
    ['CBOR', 'cbor', encodeCbor(undefined, { x: zeros })],
    [
      'CBOR of indefinite length',
      'cbor',
      Buffer.concat([Buffer.from([0x9f]), Buffer.alloc(many), Buffer.from([0xff])]),
    ],
  ])('is refused without a schema: %s', (_name, encoding, bytes) => {
    const read = readBody({ bytes, encoding });
    expect(read).toMatchObject({ ok: false, message: expect.stringContaining('more than 100000 values') });
  });

  it('is refused in protobuf', () => {
    const pod = kindNamed('Pod');
    // Containers are field 2 of the spec, finalizers field 14 of the metadata.
    const containers = Buffer.alloc(2 * many, Buffer.from([0x12, 0]));
    const finalizers = Buffer.alloc(2 * many, Buffer.from([0x72, 0]));
    for (const [field, bytes] of [
      [2, containers],
      [1, finalizers],
    ] as const) {
      const length = Buffer.from([(bytes.length & 127) | 128, ((bytes.length >> 7) & 127) | 128, bytes.length >> 14]);
      const raw = Buffer.concat([Buffer.from([field * 8 + 2]), length, bytes]);
      const text = message(sealEnvelope({ apiVersion: 'v1', kind: 'Pod', raw }), 'protobuf', pod);
      expect(text).toContain('more than 100000 values');
    }
  });
});

describe('YAML integers beyond int64', () => {
  const revision = kindNamed('ControllerRevision', 'apps');

  it('have the same value as in JSON if there is no schema', () => {
    const of = (text: string, encoding: BodyEncoding) => {
      const decoded = decode(text, encoding, revision);
      return decoded.ok ? decoded.object['data'] : decoded.message;
    };
    for (const data of ['18446744073709551615', '{"a": [9223372036854775808]}', '9223372036854775807'])
      expect(of(`{"data": ${data}}`, 'json')).toEqual(of(`data: ${data}\n`, 'yaml'));
  });

  it('are reported as written if a schema rejects them', () => {
    expect(message('revision: 18446744073709551615\n', 'yaml', revision)).toContain('number 18446744073709551615 into');
  });
});
