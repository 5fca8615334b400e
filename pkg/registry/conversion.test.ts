import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject, type JsonValue } from '../api/index.js';
import { decodeValue, encodeJson } from '../codec/index.js';
import type { ScalarType, Schema, StructSchema } from '../schema/index.js';
import { builtinResources } from './builtin/index.js';
import { metaOf } from './meta.js';
import { buildServedResources, type ServedResource } from './servedresources.js';
import { Bench } from './testing.js';

/** Deep enough for every field that differs between versions; bounded because of recursive types (JSONSchemaProps). */
const DEPTH = 9;

const SCALARS: Readonly<Record<ScalarType, JsonValue>> = {
  string: 'text',
  bool: true,
  int32: 7,
  int64: 7,
  float64: 1.5,
  bytes: 'eA==',
  time: '2030-01-01T00:00:00Z',
  microTime: '2030-01-01T00:00:00.000001Z',
  duration: '1s',
  quantity: '1Gi',
  intOrString: 'http',
};

/** A value with every field of the schema. */
function full(schema: Schema, depth: number): JsonValue {
  switch (schema.kind) {
    case 'scalar':
      return SCALARS[schema.type];
    case 'any':
      return { any: 'thing' };
    case 'list':
      return [full(schema.items, depth - 1)];
    case 'map':
      return { key: full(schema.values, depth - 1) };
    case 'struct':
      return fullStruct(schema, depth);
  }
}

function fullStruct(schema: StructSchema, depth: number): JsonObject {
  const fields = schema.fields.filter((f) => depth > 0 || f.schema.kind === 'scalar');
  return Object.fromEntries(fields.map((f) => [f.name, full(f.schema, depth - 1)]));
}

/** The stored or served form: it loses fields that are not in the schema. */
function settled(schema: StructSchema, o: JsonObject): string {
  const decoded = decodeValue(schema, cloneJson(o));
  if (!decoded.ok) throw new Error(decoded.message);
  expect(decoded.strict.errors).toEqual([]);
  return encodeJson(schema, decoded.object).toString();
}

const converted = buildServedResources(builtinResources(), new Map([['api/all', true]]), () => true).groups.flatMap(
  ({ versions }) => versions.flatMap(({ resources }) => resources.filter((r) => r.conversion !== undefined)),
);

/** The values of its metrics depend on their types. Separate tests cover them. */
const BY_TYPE = ['autoscaling/v1 HorizontalPodAutoscaler'];
/** The stored version has deprecated fields that this one omits. */
const NARROWER = ['certificates.k8s.io/v1 PodCertificateRequest'];

const named = (r: ServedResource): string => `${r.apiVersion} ${r.kind}`;
const those = (except: readonly string[]) =>
  converted.filter((r) => !except.includes(named(r))).map((r) => [named(r), r] as const);

describe('a version other than the storage version', () => {
  it('is served for many kinds', () => {
    expect(converted.length).toBeGreaterThan(20);
    for (const name of [...BY_TYPE, ...NARROWER]) expect(converted.map(named)).toContain(name);
  });

  it.each(those(BY_TYPE))('is stored and read without loss: %s', (_name, { schema, ...r }) => {
    const given: JsonObject = { ...fullStruct(schema, DEPTH), apiVersion: r.apiVersion, kind: r.kind };
    const o = cloneJson(given);
    r.conversion!.toStorage(o);
    settled(r.storage.type.schema, o);
    r.conversion!.fromStorage(o);
    expect(settled(schema, o)).toBe(settled(schema, given));
  });

  it.each(those([...BY_TYPE, ...NARROWER]))('has all stored fields: %s', (_name, { schema, storage, ...r }) => {
    const given: JsonObject = { ...fullStruct(storage.schema, DEPTH), apiVersion: storage.apiVersion, kind: r.kind };
    const o = cloneJson(given);
    r.conversion!.fromStorage(o);
    settled(schema, o);
    r.conversion!.toStorage(o);
    expect(settled(storage.schema, o)).toBe(settled(storage.schema, given));
  });
});

describe('an object written in one version', () => {
  const claim = {
    apiVersion: 'resource.k8s.io/v1beta1',
    kind: 'ResourceClaim',
    metadata: { name: 'c' },
    spec: {
      devices: {
        requests: [
          { name: 'one', deviceClassName: 'gpu', selectors: [{ cel: { expression: 'true' } }] },
          { name: 'best', firstAvailable: [{ name: 'big', deviceClassName: 'gpu', count: 2 }] },
        ],
      },
    },
  };

  it('can be read in another, in the form of that version', async () => {
    const b = await Bench.open([['api/all', true]]);
    const made = await b.create('resourceclaims.resource.k8s.io/v1beta1', 'default', claim);
    expect(made).toMatchObject(claim);
    const { spec } = await b.get('resourceclaims.resource.k8s.io/v1', 'default', 'c');
    const best = { name: 'big', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 };
    const exactly = {
      deviceClassName: 'gpu',
      selectors: [{ cel: { expression: 'true' } }],
      allocationMode: 'ExactCount',
      count: 1,
    };
    expect(spec).toEqual({
      devices: {
        requests: [
          { name: 'one', exactly },
          { name: 'best', firstAvailable: [best] },
        ],
      },
    });
    const back = await b.get('resourceclaims.resource.k8s.io/v1beta1', 'default', 'c');
    const labelled = { ...back, metadata: { ...metaOf(back), labels: { a: 'b' } } };
    const updated = await b.update('resourceclaims.resource.k8s.io/v1beta1', 'default', labelled);
    expect(updated['spec']).toEqual(back['spec']);
    const patched = await b.patch('resourceclaims.resource.k8s.io/v1beta1', ['default', 'c'], {
      metadata: { labels: { a: 'c' } },
    });
    expect(patched['spec']).toEqual(back['spec']);
    expect((await b.get('resourceclaims.resource.k8s.io/v1', 'default', 'c'))['spec']).toEqual(spec);
  });

  it('is validated by the same rules in another', async () => {
    const b = await Bench.open([['api/all', true]]);
    const nothing = { ...claim, spec: { devices: { requests: [{ name: 'one', count: 2 }] } } };
    await expect(b.create('resourceclaims.resource.k8s.io/v1beta1', 'default', nothing)).rejects.toThrow(
      /spec\.devices\.requests\[0\]\.exactly\.deviceClassName: Required/,
    );
  });

  it('keeps fields that another version does not have when it is updated in that version', async () => {
    const b = await Bench.open([['api/all', true]]);
    const spec = {
      signerName: 'example.com/x',
      podName: 'p',
      podUID: 'pod-uid',
      serviceAccountName: 'default',
      serviceAccountUID: 'account-uid',
      nodeName: 'n',
      nodeUID: 'node-uid',
      pkixPublicKey: 'MCowBQYDK2VwAyEAlPmlZS7PkqD6lcdpBoRTWN6mqX/hobzz7vLqGOWPR/g=',
      // The uid of the pod, signed with this key.
      proofOfPossession: '6/2uqAAzoEi7rfgCmvnMdLDHQqR5H7HMVp8OQa6B46s9Jyb5L+RhL93dz+g2n2XOqjmZbkPiU6XyvA3WILxkDA==',
    };
    const request = {
      apiVersion: 'certificates.k8s.io/v1beta1',
      kind: 'PodCertificateRequest',
      metadata: { name: 'r' },
    };
    await b.create('podcertificaterequests.certificates.k8s.io/v1beta1', 'default', { ...request, spec });
    const v1 = await b.get('podcertificaterequests.certificates.k8s.io/v1', 'default', 'r');
    expect(v1['spec']).not.toHaveProperty('pkixPublicKey');
    const labelled = { ...v1, metadata: { ...metaOf(v1), labels: { a: 'b' } } };
    await b.update('podcertificaterequests.certificates.k8s.io/v1', 'default', labelled);
    expect(await b.get('podcertificaterequests.certificates.k8s.io/v1beta1', 'default', 'r')).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec,
    });
  });
});

describe('an object stored in a former storage version', () => {
  const key = '/registry/horizontalpodautoscalers/default/old';
  const stored = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'old', namespace: 'default', uid: 'u', creationTimestamp: '2030-01-01T00:00:00Z' },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 60,
    },
  };

  async function opened(): Promise<Bench> {
    const b = await Bench.open();
    const value = Buffer.from(JSON.stringify(stored));
    await b.keyspace.txn({ compares: [], ops: [{ kind: 'put', key, value }] });
    return b.reopen();
  }

  it('is read in every version without loss', async () => {
    const b = await opened();
    const now = await b.get('horizontalpodautoscalers.autoscaling/v2', 'default', 'old');
    const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } };
    expect(now).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { metrics: [{ type: 'Resource', resource }] } });
    const before = await b.get('horizontalpodautoscalers.autoscaling/v1', 'default', 'old');
    expect(before).toMatchObject({ apiVersion: 'autoscaling/v1', spec: stored.spec, metadata: { uid: 'u' } });
    expect((await b.list('horizontalpodautoscalers.autoscaling/v2', '')).items).toHaveLength(1);
  });

  it('moves to the storage version with the next write, even if the write changes nothing', async () => {
    const b = await opened();
    const now = await b.get('horizontalpodautoscalers.autoscaling/v2', 'default', 'old');
    await b.update('horizontalpodautoscalers.autoscaling/v2', 'default', now);
    const read = await b.keyspace.range({ start: key, end: `${key}\u0000` });
    const text = read.kind === 'ok' ? Buffer.from(read.items[0]!.value).toString() : '';
    expect(text).toContain('"apiVersion":"autoscaling/v2"');
    const again = await b.get('horizontalpodautoscalers.autoscaling/v2', 'default', 'old');
    expect(await b.update('horizontalpodautoscalers.autoscaling/v2', 'default', again)).toEqual(again);
  });
});
