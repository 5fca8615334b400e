import { describe, expect, it } from 'vitest';
import { ApiError, formatTime, type JsonObject } from '../api/index.js';
import { finish } from '../base/index.js';
import { readApplied } from './bodies.js';
import type { DecodedBody } from './requests.js';
import { Bench } from './testing.js';

const read = (text: string): unknown => {
  try {
    return finish(readApplied({ bytes: Buffer.from(text), encoding: 'yaml' })).value;
  } catch (e) {
    if (e instanceof ApiError) return e.status.message;
    throw e;
  }
};

describe('the duplicate keys of an applied document', () => {
  const DOCUMENT = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"k":"a","k":"b"}}';
  const applied = (b: Bench, fieldManager: string): Promise<JsonObject> =>
    b.patch('configmaps', ['default', 'x'], DOCUMENT, 'apply', { fieldManager, fieldValidation: 'Warn' });

  it('are warnings of an apply that succeeds', async () => {
    const b = await Bench.open();
    await applied(b, 'a');
    expect(b.warnings).toEqual(['line 1: key "k" already set in map']);
  });

  it('are not told to a client whose apply conflicts', async () => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x' },
      data: { k: 'other' },
    });
    await expect(applied(b, 'a')).rejects.toThrow('conflict');
    expect(b.warnings).toEqual([]);
  });
});

describe('the document of an apply', () => {
  it.each([
    ['', {}],
    ['null', {}],
    ['---\n', {}],
    ['a: 1', { a: 1 }],
  ])('%j is an object', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it.each([
    ['[]', 'array'],
    ['"s"', 'string'],
    ['42', 'number'],
    ['9007199254740993', 'number'],
    ['true', 'bool'],
  ])('%j is not an object, and the error names its type', (text, type) => {
    expect(read(text)).toBe(
      `error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
    );
  });

  it("that is not YAML is refused with the parser's message", () => {
    expect(read('a: b: c')).toBe('error encoding patch: yaml: mapping values are not allowed in this context');
  });
});

describe('a string that must be a number', () => {
  const workload = (kind: string, annotations: JsonObject): JsonObject => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'x', annotations },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  const GENERATION = 'deprecated.daemonset.template.generation';
  const ROLLBACK = 'deprecated.deployment.rollback.to';

  it.each([
    [
      'Deployment',
      ROLLBACK,
      'x',
      `failed to parse annotation[${ROLLBACK}]=x as int64: strconv.ParseInt: parsing "x": invalid syntax`,
    ],
    ['DaemonSet', GENERATION, '', 'strconv.ParseInt: parsing "": invalid syntax'],
    [
      'DaemonSet',
      GENERATION,
      '9223372036854775808',
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    ],
  ])('is refused in a %s with %s %j', async (kind, annotation, text, why) => {
    const b = await Bench.open();
    const what = `${kind.toLowerCase()}s.apps/v1`;
    await expect(b.create(what, 'default', workload(kind, { [annotation]: text }))).rejects.toThrow(
      `${kind} in version "v1" cannot be handled as a ${kind}: ${why}`,
    );
    await b.create(what, 'default', workload(kind, {}));
    const change = { metadata: { annotations: { [annotation]: text } } };
    for (const type of ['merge', 'strategic', 'apply'] as const) {
      const patch =
        type === 'apply'
          ? { ...change, apiVersion: 'apps/v1', kind, metadata: { ...change.metadata, name: 'x' } }
          : change;
      await expect(
        b.patch(what, ['default', 'x'], patch, type, { fieldManager: 'm', force: type === 'apply' }),
      ).rejects.toThrow(why);
    }
  });

  it('is accepted if it is a number or absent', async () => {
    const b = await Bench.open();
    await b.create('deployments.apps/v1', 'default', workload('Deployment', { [ROLLBACK]: '-7' }));
    await b.patch('deployments.apps/v1', ['default', 'x'], { metadata: { annotations: { [ROLLBACK]: '' } } });
    const made = await b.create('daemonsets.apps/v1', 'default', workload('DaemonSet', { [GENERATION]: '+7' }));
    expect(made['metadata']).toMatchObject({ annotations: { [GENERATION]: '7' } });
  });
});

describe('the body that audit records', () => {
  async function recorded(b: Bench, what: string, whole: JsonObject): Promise<JsonObject> {
    const seen: JsonObject[] = [];
    await b.registry.create(
      {
        target: b.target(what),
        body: { bytes: Buffer.from(JSON.stringify(whole)), encoding: 'json' },
        options: { dryRun: true, fieldManager: '', fieldValidation: 'Warn' },
      },
      { ...b.context, bodyRecord: { decoded: ({ object }) => void seen.push(object()) } },
    );
    return seen[0]!;
  }

  it('has the empty lists of the request, and null for a list that is absent', async () => {
    const b = await Bench.open();
    const role = (rest: JsonObject): JsonObject => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'r' },
      ...rest,
    });
    const roles = 'clusterroles.rbac.authorization.k8s.io/v1';
    expect((await recorded(b, roles, role({ rules: [] })))['rules']).toEqual([]);
    expect((await recorded(b, roles, role({})))['rules']).toBeNull();
  });

  it('has the version in which it was sent', async () => {
    const b = await Bench.open();
    const seen: JsonObject[] = [];
    const eviction = { apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name: 'p' } };
    const request = {
      target: b.target('pods/eviction', 'default', 'p'),
      body: { bytes: Buffer.from(JSON.stringify(eviction)), encoding: 'json' },
      options: { dryRun: true, fieldManager: '', fieldValidation: 'Warn' },
    } as const;
    const context = { ...b.context, bodyRecord: { decoded: ({ object }: DecodedBody) => void seen.push(object()) } };
    await expect(b.registry.create(request, context)).rejects.toThrow('not found');
    expect(seen[0]!['apiVersion']).toBe('policy/v1beta1');
  });

  it('has the defaults that depend on the time', async () => {
    const b = await Bench.open();
    const rule = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceTaintRule',
      metadata: { name: 'r' },
      spec: { taint: { key: 'a.b/c', effect: 'NoSchedule' } },
    };
    const timeAdded = formatTime(b.world.clock.now());
    expect(await recorded(b, 'devicetaintrules.resource.k8s.io/v1', rule)).toMatchObject({
      spec: { taint: { timeAdded } },
    });
    const taints = [{ key: 'a.b/c', effect: 'NoSchedule' }];
    const slice = (devices: JsonObject[]): JsonObject => ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: { name: 's' },
      spec: { driver: 'd', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, devices },
    });
    expect(await recorded(b, 'resourceslices.resource.k8s.io/v1', slice([{ name: 'd', taints }]))).toMatchObject({
      spec: { devices: [{ taints: [{ timeAdded }] }] },
    });
  });
});
