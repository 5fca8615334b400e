import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject, type JsonValue } from '../api/index.js';
import { kindSchema, type StructSchema } from '../schema/index.js';
import { PatchError } from './errors.js';
import { applyPatch } from './patch.js';
import { applyStrategicMergePatch } from './strategic.js';
import { restoreTyped } from './unstructured.js';

function schemaOf(group: string, version: string, kind: string): StructSchema {
  const found = kindSchema({ group, version, kind });
  if (found === undefined) throw new Error(`no schema of ${kind}`);
  return found.schema;
}

const pod = schemaOf('', 'v1', 'Pod');

/** The spec of a Pod after a patch of its spec. */
function spec(live: JsonObject, patch: JsonObject): JsonValue {
  const out = applyStrategicMergePatch({ spec: live }, { spec: patch }, pod);
  return out['spec']!;
}

function env(live: string, patch: JsonObject): string {
  const entry = (s: string) => ({ name: s, value: s.toLowerCase() });
  const out = spec(
    { containers: [{ name: 'c', env: [...live].map(entry) }] },
    { containers: [{ name: 'c', ...patch }] },
  ) as { containers: { env: { name: string; value: string }[] }[] };
  return out.containers[0]!.env.map((e) => e.name + e.value).join(' ');
}

const named = (...names: string[]) => names.map((name) => ({ name }));
const valued = (...pairs: string[]) => pairs.map((p) => ({ name: p[0]!, value: p.slice(1) }));

describe('lists of maps', () => {
  it.each<[string, string, JsonObject, string]>([
    ['change one, add one', 'ABC', { env: valued('B9', 'Z9') }, 'Aa B9 Z9 Cc'],
    ['a new entry goes first', 'AB', { env: valued('Z9') }, 'Z9 Aa Bb'],
    ['delete', 'ABC', { env: [{ name: 'B', $patch: 'delete' }] }, 'Aa Cc'],
    ['delete of a missing entry', 'AB', { env: [{ name: 'Z', $patch: 'delete' }] }, 'Aa Bb'],
    ['delete and add', 'AB', { env: [...valued('Z9'), { name: 'A', $patch: 'delete' }] }, 'Z9 Bb'],
    ['replace', 'ABC', { env: [{ $patch: 'replace' }, ...valued('X1')] }, 'X1'],
    ['replace by an empty list', 'ABC', { env: [{ $patch: 'replace' }] }, ''],
    ['an empty list changes nothing', 'AB', { env: [] }, 'Aa Bb'],
    ['a key twice in the patch', 'ABC', { env: valued('N1', 'N2', 'A8', 'A9') }, 'N2 A9 Bb Cc'],
    ['order', 'ABC', { '$setElementOrder/env': named('C', 'A', 'B') }, 'Cc Aa Bb'],
    [
      'order with a new entry',
      'ABC',
      { '$setElementOrder/env': named('A', 'N', 'B', 'C'), env: valued('N0') },
      'Aa N0 Bb Cc',
    ],
    ['order that leaves out live entries', 'ABC', { '$setElementOrder/env': named('C', 'A') }, 'Bb Cc Aa'],
    [
      'order with a deletion',
      'ABC',
      { '$setElementOrder/env': named('C', 'A'), env: [{ name: 'B', $patch: 'delete' }] },
      'Cc Aa',
    ],
  ])('%s', (_, live, patch, out) => expect(env(live, patch)).toBe(out));

  it('merge by the merge key of the schema only', () => {
    const ports = [
      { containerPort: 53, protocol: 'UDP', name: 'u' },
      { containerPort: 53, protocol: 'TCP', name: 't' },
    ];
    const out = spec(
      { containers: [{ name: 'c', ports }] },
      { containers: [{ name: 'c', ports: [{ containerPort: 53, name: 'n' }] }] },
    );
    expect(out).toEqual({
      containers: [{ name: 'c', ports: [{ containerPort: 53, protocol: 'UDP', name: 'n' }, ports[1]] }],
    });
  });

  it('are replaced if the schema has no merge strategy', () => {
    expect(spec({ tolerations: [{ key: 'a' }] }, { tolerations: [{ key: 'b' }] })).toEqual({
      tolerations: [{ key: 'b' }],
    });
  });
});

describe('lists of primitives', () => {
  const finalizers = (live: string[], patch: JsonObject) => {
    const out = applyStrategicMergePatch({ metadata: { finalizers: live } }, { metadata: patch }, pod);
    return (out['metadata'] as JsonObject)['finalizers'];
  };
  it.each<[string, string[], JsonObject, string[] | undefined]>([
    ['merge, with those of the patch first', ['a', 'b'], { finalizers: ['c', 'a'] }, ['c', 'a', 'b']],
    ['deletion', ['a', 'b'], { '$deleteFromPrimitiveList/finalizers': ['a', 'x'] }, ['b']],
    [
      'deletion and addition',
      ['a', 'b'],
      { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c'] },
      ['c', 'b'],
    ],
    ['order', ['a', 'b'], { '$setElementOrder/finalizers': ['b', 'n', 'a'], finalizers: ['n'] }, ['b', 'n', 'a']],
    ['null', ['a'], { finalizers: null }, undefined],
  ])('%s', (_, live, patch, out) => expect(finalizers(live, patch)).toEqual(out));
});

describe('maps', () => {
  const cm = schemaOf('', 'v1', 'ConfigMap');
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['merge by key', { data: { k: '1', l: '2' } }, { data: { k: null, n: '3' } }, { data: { l: '2', n: '3' } }],
    ['null in a missing map', {}, { data: { z: null } }, { data: {} }],
    ['$patch replace', { data: { k: '1' } }, { data: { $patch: 'replace', a: '2' } }, { data: { a: '2' } }],
    ['$patch delete', { data: { k: '1' } }, { data: { $patch: 'delete' } }, { data: {} }],
    ['$patch on a missing map', {}, { data: { $patch: 'replace', a: '1' } }, {}],
    ['a value of another type replaces the map', { data: { k: '1' } }, { data: ['x'] }, { data: ['x'] }],
    ['an unknown member is kept for the decoder', {}, { foo: 1 }, { foo: 1 }],
  ])('%s', (_, live, patch, out) => expect(applyStrategicMergePatch(live, patch, cm)).toEqual(out));

  it('$retainKeys drops keys that it does not list', () => {
    const out = spec(
      { volumes: [{ name: 'v', emptyDir: {} }, { name: 'w' }] },
      { volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }] },
    );
    expect(out).toEqual({ volumes: [{ name: 'v', secret: { secretName: 's' } }, { name: 'w' }] });
  });
});

describe('invalid patches', () => {
  const live = { containers: [{ name: 'a', image: 'i', env: valued('A1', 'B2') }] };
  it.each<[JsonObject, string, string]>([
    [{ containers: [{ image: 'x' }] }, 'malformed', 'map: map[image:x] does not contain declared merge key: name'],
    [
      { containers: [{ name: 'a', $patch: 'burn' }] },
      'malformed',
      'unknown patch type: burn in map: map[$patch:burn name:a]',
    ],
    [{ $patch: 1 }, 'malformed', 'unknown patch type: %!s(int64=1) in map: map[$patch:1]'],
    [{ $patch: 'merge', a: 'b' }, 'malformed', 'unknown patch type: merge in map: map[$patch:merge a:b]'],
    [{ $retainKeys: 'x' }, 'badRequest', 'invalid patch format of retainKeys'],
    [{ $retainKeys: ['x'], hostname: 'h' }, 'badRequest', 'invalid patch format of retainKeys'],
    [{ $deleteFromPrimitiveList: ['x'] }, 'badRequest', 'invalid patch format of primitive list'],
    [{ $setElementOrder: ['x'] }, 'badRequest', 'invalid patch format of setElementOrder list'],
    [
      { '$setElementOrder/nosuch': [] },
      'malformed',
      'unable to find api field in struct PodSpec for the json field "nosuch"',
    ],
    [
      { '$deleteFromPrimitiveList/containers': ['a'] },
      'malformed',
      'list element types are not identical: [[map[env:[map[name:A value:1] map[name:B value:2]] image:i name:a]] [a]]',
    ],
    [
      { containers: [{ name: 'a', '$setElementOrder/env': named('A', 'B'), env: valued('B0', 'A0') }] },
      'malformed',
      "The order in patch list:\n[map[name:B value:0] map[name:A value:0]]\n doesn't match $setElementOrder list:\n[map[name:A] map[name:B]]\n",
    ],
    [
      { containers: [['x']] },
      'malformed',
      'list element types are not identical: [[map[env:[map[name:A value:1] map[name:B value:2]] image:i name:a]] [[x]]]',
    ],
  ])('%j', (patch, kind, message) => {
    let error: unknown;
    try {
      spec(live, patch);
    } catch (e) {
      error = e;
    }
    expect(error).toMatchObject({ kind, message });
  });

  it('inside a value without a schema', () => {
    const revision = schemaOf('apps', 'v1', 'ControllerRevision');
    expect(() =>
      applyStrategicMergePatch({ data: { spec: { x: 1 } } }, { data: { spec: { x: 2 } } }, revision),
    ).toThrow('unable to find api field in struct RawExtension for the json field "spec"');
  });

  it('wrong types are found when the result is restored', () => {
    const deployment = schemaOf('apps', 'v1', 'Deployment');
    const secret = schemaOf('', 'v1', 'Secret');
    const of = (o: JsonObject, s: StructSchema) => restoreTyped(o, s);
    expect(of({ spec: { replicas: 'three' } }, deployment)).toEqual({ error: 'unrecognized type: int32' });
    expect(of({ spec: { replicas: 1.5 } }, deployment)).toEqual({ error: 'cannot convert float64 to int32' });
    expect(of({ spec: { replicas: 3_000_000_000 } }, deployment)).toEqual({
      value: { spec: { replicas: -1294967296 } },
    });
    expect(of({ spec: [] }, deployment)).toEqual({ error: 'cannot restore struct from: slice' });
    expect(of({ metadata: { labels: ['x'] } }, deployment)).toEqual({ error: 'cannot restore map from slice' });
    expect(of({ spec: { template: { spec: { containers: {} } } } }, deployment)).toEqual({
      error: 'cannot restore slice from map',
    });
    expect(of({ data: { k: '***' } }, secret)).toEqual({
      error: 'error decoding from json: illegal base64 data at input byte 0',
    });
  });
});

describe('a part that a patch leaves as it is', () => {
  const ports = { containerPort: 3_000_000_000 };
  const live = {
    spec: { containers: [{ name: 'c', ports: [ports] }], nodeSelector: { a: 'b' } },
    status: { phase: 1 },
  };

  it('is not restored again', () => {
    const merged = applyStrategicMergePatch(live, { spec: { nodeSelector: { c: 'd' } } }, pod);
    const restored = restoreTyped(merged, pod, live);
    expect(restored).toEqual({ value: merged });
    expect('value' in restored && restored.value).toBe(merged);
  });

  it('is restored beside changed members, and where it is not shared', () => {
    const merged = applyStrategicMergePatch(live, { spec: { hostNetwork: 'yes' } }, pod);
    expect(restoreTyped(merged, pod, live)).toEqual({ error: 'unrecognized type: bool' });
    expect(restoreTyped({ ...live, status: { phase: 2 } }, pod, live)).toEqual({
      error: 'cannot convert int64 to v1.PodPhase',
    });
  });
});

describe('applyPatch', () => {
  const cm = schemaOf('', 'v1', 'ConfigMap');
  const current = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'a', labels: { y: '2', x: '1' } },
    data: { l: '2', k: '1' },
  };

  it('shows an invalid result like kube-apiserver: rebuilt maps sorted, others unchanged', () => {
    const patch = [{ op: 'replace', path: '/metadata/labels/x', value: 5 }];
    const out = applyPatch({ kind: 'json', current, patch, schema: cm, typed: true });
    expect(out.show()).toBe(
      '{"apiVersion":"v1","data":{"l":"2","k":"1"},"kind":"ConfigMap","metadata":{"labels":{"x":5,"y":"2"},"name":"a"}}',
    );
  });

  it.each<[JsonObject[], string]>([
    [
      [{ op: 'copy', from: '/data/l', path: '/kind' }],
      '{"apiVersion":"v1","data":{"k":"1","l":"2"},"kind":"2","metadata":{"name":"a","labels":{"y":"2","x":"1"}}}',
    ],
    [
      [{ op: 'copy', from: '/metadata', path: '/kind' }],
      '{"apiVersion":"v1","data":{"l":"2","k":"1"},"kind":{"name":"a","labels":{"y":"2","x":"1"}},"metadata":{"name":"a","labels":{"y":"2","x":"1"}}}',
    ],
    [
      [{ op: 'copy', from: '/metadata', path: '/metadata/name' }],
      '{"apiVersion":"v1","data":{"l":"2","k":"1"},"kind":"ConfigMap","metadata":{"labels":{"y":"2","x":"1"},"name":{"labels":{"y":"2","x":"1"},"name":"a"}}}',
    ],
    [
      [{ op: 'test', path: '/metadata', value: { name: 'a', labels: { x: '1', y: '2' } } }],
      '{"apiVersion":"v1","data":{"l":"2","k":"1"},"kind":"ConfigMap","metadata":{"labels":{"x":"1","y":"2"},"name":"a"}}',
    ],
  ])('shows what copies and tests looked into with sorted keys: %j', (patch, shown) => {
    expect(applyPatch({ kind: 'json', current, patch, schema: cm, typed: true }).show()).toBe(shown);
  });

  it('a list is no object', () => {
    const patch = [{ op: 'replace', path: '', value: [1] }];
    expect(() => applyPatch({ kind: 'json', current, patch, schema: cm, typed: true })).toThrow(
      /json: cannot unmarshal array into Go value of type struct \{ APIVersion string /,
    );
  });

  it.each<['json' | 'merge' | 'strategic', JsonValue]>([
    ['json', [{ op: 'add', path: '/data', value: { n: '1' } }]],
    ['merge', { data: { n: '1' }, extra: { a: [1] } }],
    ['strategic', { data: { n: '1' }, extra: { a: [1] } }],
  ])('returns a value that may be changed: %s', (kind, patch) => {
    const before = cloneJson([current, patch] as JsonValue);
    const { object, show } = applyPatch({ kind, current, patch, schema: cm, typed: false });
    const shown = show();
    const deface = (v: JsonValue): void => {
      if (typeof v !== 'object' || v === null) return;
      for (const item of Object.values(v)) deface(item);
      if (!Array.isArray(v)) v['defaced'] = true;
    };
    deface(object);
    expect([current, patch]).toEqual(before);
    expect(show()).toBe(shown);
  });

  it('reports unknown members of operations', () => {
    const patch = [{ op: 'add', path: '/data/n', value: 'x', comment: 1 }];
    expect(applyPatch({ kind: 'json', current, patch, schema: cm, typed: true }).unknownFields).toEqual([
      'json patch unknown field "[0].comment"',
    ]);
    expect(applyPatch({ kind: 'json', current, patch, schema: cm, typed: false }).unknownFields).toEqual([]);
  });

  it('ignores kind and apiVersion in a strategic merge patch', () => {
    const patch = { kind: 'Secret', apiVersion: 'v2', data: { n: '3' } };
    const { object } = applyPatch({ kind: 'strategic', current, patch, schema: cm, typed: true });
    expect(object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { n: '3' } });
  });

  it('refuses documents that are nested too deeply', () => {
    let deep: JsonValue = 'x';
    for (let i = 0; i < 9000; i++) deep = i % 2 === 0 ? { a: deep } : [deep];
    for (const kind of ['json', 'merge', 'strategic'] as const) {
      const patch = kind === 'json' ? [{ op: 'add', path: '/data', value: deep }] : { data: deep };
      expect(() => applyPatch({ kind, current, patch, schema: cm, typed: true })).toThrow(
        new PatchError('badRequest', 'the patch is nested too deeply'),
      );
    }
  });

  it('has no strategic merge patch without a schema', () => {
    expect(() => applyPatch({ kind: 'strategic', current, patch: {}, schema: undefined, typed: true })).toThrow(
      new PatchError('unsupported', 'strategic merge patch format is not supported'),
    );
  });

  it('reports wrong types after a strategic merge patch', () => {
    const run = () => applyPatch({ kind: 'strategic', current, patch: { data: ['x'] }, schema: cm, typed: true });
    expect(run).toThrow(
      expect.objectContaining({
        kind: 'invalidResult',
        message: 'cannot restore map from slice',
        value: 'map[data:[x]]',
      }),
    );
  });
});

describe('any patch', () => {
  const name = fc.constantFrom('a', 'b', 'c', '__proto__');
  const directive = fc.constantFrom('replace', 'delete', 'merge', 'x', 1);
  const container = fc.oneof(
    fc.record({ name, image: fc.constantFrom('i', 'j', null), $patch: directive }, { requiredKeys: [] }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const podSpec = fc.record(
    {
      containers: fc.oneof(fc.array(container, { maxLength: 4 }), fc.jsonValue({ maxDepth: 2 })),
      '$setElementOrder/containers': fc.array(fc.oneof(fc.record({ name }), fc.jsonValue({ maxDepth: 1 })), {
        maxLength: 4,
      }),
      $retainKeys: fc.oneof(fc.array(fc.constantFrom('containers', 'nodeSelector')), fc.jsonValue({ maxDepth: 1 })),
      nodeSelector: fc.oneof(fc.dictionary(name, fc.constantFrom('1', '2', null)), fc.jsonValue({ maxDepth: 2 })),
      $patch: directive,
    },
    { requiredKeys: [] },
  );
  it('applies or is refused, and changes neither argument', () => {
    fc.assert(
      fc.property(podSpec, podSpec, (a, b) => {
        const live = JSON.parse(JSON.stringify({ spec: a })) as JsonObject;
        const patch = JSON.parse(JSON.stringify({ spec: b })) as JsonObject;
        const before = [cloneJson(live), cloneJson(patch)];
        try {
          applyStrategicMergePatch(live, patch, pod);
        } catch (e) {
          expect(e).toBeInstanceOf(PatchError);
        }
        expect([live, patch]).toEqual(before);
      }),
      { numRuns: 400 },
    );
  });

  it('with entries but no directives is idempotent', () => {
    const entries = fc.uniqueArray(
      fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e'), image: fc.constantFrom('i', 'j') }),
      {
        selector: (e) => e.name,
        maxLength: 5,
      },
    );
    fc.assert(
      fc.property(entries, entries, (live, patch) => {
        const once = spec({ containers: live }, { containers: patch }) as JsonObject;
        expect(spec(once, { containers: patch })).toEqual(once);
        const byName = new Map([...live, ...patch].map((e) => [e.name, e]));
        expect(new Set(once['containers'] as JsonObject[])).toEqual(new Set(byName.values()));
      }),
      { numRuns: 200 },
    );
  });
});

it('a result that cannot be decoded is shown with the patch as its application leaves it', () => {
  const secret = schemaOf('', 'v1', 'Secret');
  const current = { apiVersion: 'v1', kind: 'Secret', data: { a: 'eA==' } };
  const tried = (patch: JsonValue, schema: StructSchema, live: JsonObject) => {
    try {
      applyPatch({ kind: 'strategic', current: live, patch, schema, typed: false });
    } catch (error) {
      return (error as PatchError).value;
    }
    return 'applied';
  };
  expect(tried({ data: { $patch: 'replace', a: 'x' }, metadata: null }, secret, current)).toBe(
    'map[data:map[a:x] metadata:<nil>]',
  );
  const live = { spec: { containers: [{ name: 'c' }] } };
  const patch = { spec: { $retainKeys: ['containers'], containers: { 0: { $patch: 'delete', name: 'c' } } } };
  expect(tried(patch, pod, live)).toBe('map[spec:map[containers:map[]]]');
});
