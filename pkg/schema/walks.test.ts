import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../api/index.js';
import { finish } from '../base/index.js';
import { applySchemaDefaults, dropDisabledFields, prune, type StructSchema, structByName } from './index.js';

const pod = (spec: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });

describe('applySchemaDefaults', () => {
  const schema = structByName('core/v1.Pod');

  it('sets absent, null and zero values, and does not change set values', () => {
    const ports = [{ containerPort: 1 }, { containerPort: 2, protocol: 'UDP' }, { protocol: '' }, { protocol: null }];
    const object = pod({ containers: [{ name: 'c', ports }] });
    applySchemaDefaults(object, schema);
    expect(object['spec']).toEqual({
      containers: [
        {
          name: 'c',
          ports: [
            { containerPort: 1, protocol: 'TCP' },
            { containerPort: 2, protocol: 'UDP' },
            { protocol: 'TCP' },
            { protocol: 'TCP' },
          ],
        },
      ],
    });
  });

  it('sets pointers with zero defaults, and omits zeros that are not encoded', () => {
    const object = pod({
      volumes: [
        { name: 'd', azureDisk: { diskName: 'n', diskURI: 'u', readOnly: null } },
        { name: 'c', configMap: {} },
      ],
    });
    applySchemaDefaults(object, schema);
    expect(object['spec']).toEqual({
      volumes: [
        {
          name: 'd',
          azureDisk: {
            diskName: 'n',
            diskURI: 'u',
            cachingMode: 'ReadWrite',
            fsType: 'ext4',
            kind: 'Shared',
            readOnly: false,
          },
        },
        { name: 'c', configMap: {} },
      ],
    });
  });

  it('does not share defaults between objects', () => {
    const group = structByName('scheduling/v1alpha3.PodGroup');
    const a: JsonObject = { spec: {} };
    const b: JsonObject = { spec: {} };
    applySchemaDefaults(a, group);
    applySchemaDefaults(b, group);
    const mode = (o: JsonObject): JsonObject => (o['spec'] as JsonObject)['disruptionMode'] as JsonObject;
    expect(mode(a)).toEqual({ single: {} });
    mode(a)['single'] = 'changed';
    expect(mode(b)).toEqual({ single: {} });
  });

  it('never fails and is idempotent, for any value', () => {
    fc.assert(
      fc.property(anything(), (spec) => {
        const object = pod({ containers: [{ ports: spec }], volumes: spec });
        applySchemaDefaults(object, schema);
        const once = JSON.stringify(object);
        applySchemaDefaults(object, schema);
        expect(JSON.stringify(object)).toBe(once);
      }),
      { numRuns: 200 },
    );
  });
});

describe('prune', () => {
  it('drops undeclared fields at any depth, and returns their paths', () => {
    const object = pod({
      bogus: 1,
      containers: [{ name: 'c', ports: [{ containerPort: 1, constructor: 2 }], env: [] }],
      nodeSelector: { any: 'key' },
    });
    (object['metadata'] as JsonObject)['lables'] = {};
    expect(prune(object, structByName('core/v1.Pod'))).toEqual([
      'metadata.lables',
      'spec.bogus',
      'spec.containers[0].ports[0].constructor',
    ]);
    expect(object).toEqual(
      pod({
        containers: [{ name: 'c', ports: [{ containerPort: 1 }], env: [] }],
        nodeSelector: { any: 'key' },
      }),
    );
  });

  it('treats __proto__ as an ordinary unknown key', () => {
    const object = JSON.parse('{"spec":{"__proto__":{"polluted":1}}}') as JsonObject;
    expect(prune(object, structByName('core/v1.Pod'))).toEqual(['spec.__proto__']);
    expect(({} as JsonObject)['polluted']).toBeUndefined();
  });

  it('keeps preserved and opaque values', () => {
    const base = structByName('core/v1.Pod');
    const loose = { ...base, preserveUnknown: true };
    const object: JsonObject = { extra: { deep: [1] }, spec: { bogus: 1 } };
    expect(prune(object, loose)).toEqual(['spec.bogus']);
    expect(object).toEqual({ extra: { deep: [1] }, spec: {} });
    const revision: JsonObject = { data: { any: { thing: [true] } } };
    expect(prune(revision, structByName('apps/v1.ControllerRevision'))).toEqual([]);
  });

  it('descends into nested schemas of custom resource definitions', () => {
    const props: JsonObject = { items: { type: 'string', typo: 1 }, additionalProperties: { nullable: true, typo: 2 } };
    expect(prune(props, structByName('apiextensions/v1.JSONSchemaProps'))).toEqual([
      'additionalProperties.typo',
      'items.typo',
    ]);
  });

  it('reports fields in the order of their paths, and those of embedded metadata last', () => {
    const base = structByName('core/v1.PodTemplate');
    const template = base.byName.get('template')!;
    const embedded = { ...template, schema: { ...(template.schema as StructSchema), embeddedResource: true } };
    const schema = { ...base, byName: new Map([...base.byName, ['template', embedded]]) };
    const object: JsonObject = { z: 1, template: { metadata: { b: 1, a: 1 }, spec: { y: 1, x: 1 } }, b: 1 };
    expect(prune(object, schema)).toEqual([
      'b',
      'template.spec.x',
      'template.spec.y',
      'z',
      'template.metadata.a',
      'template.metadata.b',
    ]);
  });
});

describe('dropDisabledFields', () => {
  const schema = structByName('core/v1.Pod');
  const off = (gate: string): boolean => gate !== 'HostnameOverride';
  const object = (): JsonObject => pod({ hostnameOverride: 'h', hostname: 'x' });

  it('drops a field whose feature is off', () => {
    const it = object();
    finish(dropDisabledFields(it, schema, off));
    expect(it['spec']).toEqual({ hostname: 'x' });
  });

  it('keeps it when the feature is on, or when the stored object has it', () => {
    const on = object();
    finish(dropDisabledFields(on, schema, () => true));
    expect(on).toEqual(object());
    const used = object();
    finish(dropDisabledFields(used, schema, off, pod({ hostnameOverride: 'old' })));
    expect(used).toEqual(object());
    const unused = object();
    finish(dropDisabledFields(unused, schema, off, pod({ hostnameOverride: null })));
    expect(unused['spec']).toEqual({ hostname: 'x' });
  });
});

describe('dropDisabledFields of the users of files', () => {
  const schema = structByName('core/v1.Pod');
  const off = (gate: string): boolean => gate !== 'AtomicWriteVolumeUserFields';
  const dropped = (volume: JsonObject, old?: JsonObject): JsonValue => {
    const it = pod({ volumes: [structuredClone(volume)] });
    finish(dropDisabledFields(it, schema, off, old === undefined ? undefined : pod({ volumes: [old] })));
    return (it['spec'] as { volumes: JsonValue[] }).volumes[0] as JsonValue;
  };
  const token = { path: 't', user: 1 };
  const projected = (...sources: readonly JsonObject[]): JsonObject => ({
    name: 'v',
    projected: { sources: [...sources] },
  });

  it('looks at the first type of a source', () => {
    expect(dropped(projected({ serviceAccountToken: token }))).toEqual(
      projected({ serviceAccountToken: { path: 't' } }),
    );
    const two = { serviceAccountToken: token, podCertificate: { signerName: 's', user: 2 } };
    expect(dropped(projected(two))).toEqual(
      projected({ serviceAccountToken: { path: 't' }, podCertificate: { signerName: 's', user: 2 } }),
    );
    const empty = { configMap: {}, serviceAccountToken: token };
    expect(dropped(projected(empty))).toEqual(projected(empty));
  });

  it('looks at the first type of a volume', () => {
    const two = { name: 'v', configMap: { name: 'c', defaultUser: 1 }, downwardAPI: { defaultUser: 2 } };
    expect(dropped(two)).toEqual({ name: 'v', configMap: { name: 'c' }, downwardAPI: { defaultUser: 2 } });
    const one = { name: 'v', downwardAPI: { defaultUser: 2 } };
    expect(dropped(one, two)).toEqual({ name: 'v', downwardAPI: {} });
    expect(dropped(one, one)).toEqual(one);
  });
});

it('dropDisabledFields keeps those of the templates of claims', () => {
  const health = { status: { healthStatus: { lastTransitionTime: null } } };
  const set: JsonObject = { spec: { volumeClaimTemplates: [structuredClone(health)] } };
  finish(dropDisabledFields(set, structByName('apps/v1.StatefulSet'), () => false));
  expect(set['spec']).toEqual({ volumeClaimTemplates: [health] });
});

function anything(): fc.Arbitrary<JsonValue> {
  return fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
}
