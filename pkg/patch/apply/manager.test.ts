import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject, type JsonValue } from '../../api/index.js';
import { PatchError } from '../errors.js';
import { applyObject, type ConvertedObject, managedFieldsError, updateManagedFields } from './manager.js';
import { reconcileSet } from './reconcile.js';
import { entriesAfterScale, entriesOfScale } from './scale.js';
import { builtIn, field, list, map, struct, text, thing, things, Written } from './testing.js';
import { keepTimesOfNoop } from './times.js';

const times = (w: Written) =>
  w.entries.map((e) => `${String(e['manager'])} ${e['time'] === undefined ? '-' : String(e['time']).slice(17, 19)}`);

function withEntries(w: Written, entries: JsonValue): JsonObject {
  const { managedFields: _, ...metadata } = w.object!['metadata'] as JsonObject;
  return { ...w.object, metadata: { ...metadata, managedFields: entries } };
}

describe('times and order of entries', () => {
  it('an apply that changes the object updates its time, one that only changes owners does not', () => {
    const w = new Written();
    w.apply('a', { map: { k: '1' } }); // :01
    w.apply('b', { map: { k: '1' } }); // Shared ownership: no change of the time.
    expect(times(w)).toEqual(['b -', 'a 01']);
    w.apply('a', { map: { k: '1' } }); // No change.
    expect(times(w)).toEqual(['b -', 'a 01']);
    w.apply('b', { map: { k: '1', l: '1' } }); // :04
    expect(times(w)).toEqual(['a 01', 'b 04']);
  });

  it('an update changes the time of its own entry, even if its fields stay the same', () => {
    const w = new Written();
    w.update('a', { map: { k: '1' } });
    w.update('b', { map: { k: '1', l: '1' } });
    w.update('a', { map: { k: '2', l: '1' } });
    expect(times(w)).toEqual(['b 02', 'a 03']);
  });

  it('an update that changes nothing adds no entry', () => {
    const w = new Written();
    w.apply('a', { map: { k: '1' } });
    const before = w.entries;
    w.update('b', { map: { k: '1' } });
    expect(w.entries).toEqual(before);
  });

  it('Apply entries come first; the rest is sorted by time, name, version, subresource', () => {
    const w = new Written();
    w.update('z', { map: { a: '1' } });
    w.apply('y', { map: { b: '1' } });
    w.now -= 1000;
    w.apply('x', { map: { c: '1' } });
    w.now -= 1000;
    w.update('x', { map: { a: '1', b: '1', c: '1' }, number: 1 }, { subresource: 'status' });
    expect(
      w.entries.map((e) => `${String(e['manager'])} ${String(e['operation'])} ${String(e['subresource'])}`),
    ).toEqual(['x Apply undefined', 'y Apply undefined', 'z Update undefined', 'x Update status']);
  });

  it('an entry has its members in the order of kube-apiserver', () => {
    const w = new Written();
    w.update('u', { number: 1 }, { subresource: 'status' });
    expect(JSON.stringify(w.entries)).toBe(
      '[{"manager":"u","operation":"Update","apiVersion":"t.io/v1","time":"2024-01-01T00:00:01Z","fieldsType":"FieldsV1","fieldsV1":{"f:number":{}},"subresource":"status"}]',
    );
  });

  it('a request without a manager name is owned by `unknown`', () => {
    const w = new Written();
    w.update('', { number: 1 });
    expect(w.entries[0]!['manager']).toBe('unknown');
  });
});

describe('more than ten Update entries', () => {
  const grown = (n: number, prefix = 'u'): Written => {
    const w = new Written();
    const data: JsonObject = {};
    for (let i = 0; i < n; i++) {
      data[`d${i}`] = '1';
      w.update(`${prefix}${String(i).padStart(2, '0')}`, { map: { ...data } });
    }
    return w;
  };

  it('merge the oldest ones', () => {
    expect(Object.keys(grown(10).owners)).toHaveLength(10);
    const w = grown(12);
    expect(Object.keys(w.owners)).toEqual([
      'ancient-changes*',
      'u03*',
      'u04*',
      'u05*',
      'u06*',
      'u07*',
      'u08*',
      'u09*',
      'u10*',
      'u11*',
    ]);
    expect(w.owners['ancient-changes*']).toEqual({ 'f:map': { '.': {}, 'f:d0': {}, 'f:d1': {}, 'f:d2': {} } });
    expect(times(w)[0]).toBe('ancient-changes 03');
    expect(w.apply('a', { map: { d0: '2', d11: '2' } })).toEqual([
      '"ancient-changes" using t.io/v1: .map.d0',
      '"u11" using t.io/v1: .map.d11',
    ]);
  });

  it('do not count Apply entries', () => {
    const w = new Written();
    for (let i = 0; i < 15; i++) w.apply(`a${i}`, { map: { [`d${i}`]: '1' } });
    w.update('u', { ...w.value, number: 1 });
    expect(Object.keys(w.owners)).toHaveLength(16);
  });
});

describe('managedFields in a request', () => {
  const applied = (): Written => {
    const w = new Written();
    w.apply('a', { map: { k: '1' } });
    return w;
  };
  const entry = (more: JsonObject = {}): JsonObject => ({
    manager: 'z',
    operation: 'Update',
    apiVersion: 't.io/v1',
    time: '2020-01-02T03:04:05Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:map': { 'f:k': {} } },
    ...more,
  });

  it('are used', () => {
    const w = applied();
    w.update('u', withEntries(w, [entry()]));
    expect(w.entries).toEqual([entry()]);
  });

  it('with two entries of one identity: the last one wins', () => {
    const w = applied();
    w.update('u', withEntries(w, [entry(), entry({ fieldsV1: { 'f:map': { 'f:l': {} } } })]));
    expect(w.owners).toEqual({ 'z*': { 'f:map': { 'f:l': {} } } });
  });

  it.each<[string, JsonValue]>([
    ['none', null],
    ['an empty list', []],
    ['two empty entries', [{}, {}]],
    ['another operation', [entry({ operation: 'Create' })]],
    ['no version', [entry({ apiVersion: '' })]],
    ['no type', [entry({ fieldsType: '' })]],
    ['another type', [entry({ fieldsType: 'FieldsV2' })]],
    ['no field set', [entry({ fieldsV1: { data: {} } })]],
    ['a broken key', [entry({ fieldsV1: { 'f:map': { 'k:nojson': {} } } })]],
    ['no entry at all', ['x']],
  ])('that are invalid are replaced by the live ones: %s', (_, sent) => {
    const w = applied();
    const before = w.entries;
    w.update('u', withEntries(w, sent));
    expect(w.entries).toEqual(before);
  });

  it('through a subresource are ignored', () => {
    const w = applied();
    w.update('u', { ...withEntries(w, [{}]), number: 1 }, { subresource: 'status' });
    expect(w.owners).toEqual({ a: { 'f:map': { 'f:k': {} } }, 'u*/status': { 'f:number': {} } });
  });

  it('one empty entry resets ownership', () => {
    const w = applied();
    w.update('u', withEntries(w, [{}]));
    expect(w.entries).toEqual([]);
    w.update('u', { map: { k: '1', l: '1' } });
    expect(w.entries).toEqual([]);
  });

  it('with a reset assign the remaining changes to the manager of the request', () => {
    const w = applied();
    w.update('u', { ...withEntries(w, [{}]), map: { k: '1', n: '3' } });
    expect(w.owners).toEqual({ 'u*': { 'f:map': { 'f:n': {} } } });
  });

  it('are validated after changes by admission plugins', () => {
    expect(managedFieldsError({ metadata: { managedFields: [entry()] } })).toBeUndefined();
    expect(managedFieldsError({ metadata: { managedFields: [{}] } })).toBe('operation must be `Apply` or `Update`');
  });
});

describe('an object without entries', () => {
  it('has one owner of all fields before the first apply', () => {
    const w = new Written();
    w.object = { apiVersion: 't.io/v1', kind: 'Thing', metadata: { name: 'x', uid: 'u' }, map: { k: '1', l: '1' } };
    expect(w.apply('a', { map: { k: '2' } })).toEqual(['"before-first-apply" using t.io/v1: .map.k']);
    w.apply('a', { map: { k: '1' } });
    expect(w.owners).toEqual({
      a: { 'f:map': { 'f:k': {} } },
      'before-first-apply*': { 'f:map': { '.': {}, 'f:k': {}, 'f:l': {} } },
    });
    w.apply('a', { map: { k: '2' } }, { force: true });
    expect(w.owners['before-first-apply*']).toEqual({ 'f:map': { '.': {}, 'f:l': {} } });
  });
});

describe('subresources', () => {
  const status = { ...things, subresource: 'status', resetFields: [['map'], ['metadata', 'labels']] };
  it('have entries of their own, and do not own the fields that they reset', () => {
    const w = new Written();
    w.apply('a', { map: { k: '1' } });
    w.apply(
      'a',
      { number: 1, map: { k: '2' }, metadata: { labels: { l: '1' }, annotations: { n: '1' } } },
      { on: status, force: true },
    );
    expect(w.owners).toEqual({
      a: { 'f:map': { 'f:k': {} } },
      'a/status': { 'f:metadata': { 'f:annotations': { 'f:n': {} } }, 'f:number': {} },
    });
    expect(w.apply('b', { number: 2 }, { on: status })).toEqual(['"a" with subresource "status": .number']);
  });
});

describe('kubectl changes from client-side to server-side apply', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const clientSide = (last: string): Written => {
    const w = new Written(builtIn('', 'v1', 'ConfigMap'));
    w.update('kubectl-client-side-apply', {
      metadata: { annotations: { [annotation]: last } },
      data: { k: '1', l: '1' },
    });
    return w;
  };
  const last =
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{},"name":"x"},"data":{"k":"1","l":"1"}}\n';

  it('without a conflict, and the annotation is updated', () => {
    const w = clientSide(last);
    expect(w.apply('kubectl', { data: { k: '2' } })).toBe('ok');
    expect(w.value).toEqual({
      metadata: {
        annotations: {
          [annotation]: '{"apiVersion":"v1","data":{"k":"2"},"kind":"ConfigMap","metadata":{"name":"x"}}\n',
        },
      },
      data: { k: '2', l: '1' },
    });
  });

  it('but other managers conflict', () => {
    const w = clientSide(last);
    expect(w.apply('helm', { data: { k: '2' } })).toEqual(['"kubectl-client-side-apply" using v1: .data.k']);
    w.apply('helm', { data: { k: '2' } }, { force: true });
    expect(((w.object!['metadata'] as JsonObject)['annotations'] as JsonObject)[annotation]).toBe(last);
  });

  it('fields that are not in the annotation, or differ from it, conflict', () => {
    const w = clientSide(last);
    w.update('u', { ...w.object, data: { k: '1', l: '2', m: '1' } });
    expect(w.apply('kubectl', { data: { k: '2', l: '3', m: '3' } })).toEqual([
      '"u" using v1: .data.l',
      '"u" using v1: .data.m',
    ]);
  });

  it.each([
    '',
    'nonsense',
    '{}',
    '[]',
    '{"apiVersion":"v9","kind":"ConfigMap","data":{"k":"1"}}',
    '{"apiVersion":"v1","kind":"ConfigMap","dat":{}}',
  ])('an invalid annotation has no effect: %s', (text) => {
    expect(clientSide(text).apply('kubectl', { data: { k: '2' } })).toEqual([
      '"kubectl-client-side-apply" using v1: .data.k',
    ]);
  });

  it('the annotation is removed if the annotations become too large', () => {
    const w = clientSide(last);
    w.apply(
      'kubectl',
      { metadata: { annotations: { big: 'x'.repeat(200_000) } }, data: { k: 'y'.repeat(100_000) } },
      { force: true },
    );
    expect(Object.keys((w.object!['metadata'] as JsonObject)['annotations'] as JsonObject)).toEqual(['big']);
  });
});

describe('API versions', () => {
  const v2 = struct('t.io/v2.Thing', {
    ...Object.fromEntries(thing.fields.map((f) => [f.name, f])),
    count: { ...field('count', text) },
    number: text,
  });
  /** v2 calls `number` `count` and has it as text. */
  const convert = (o: JsonObject, _from: string, to: string): ConvertedObject | undefined => {
    const { number, count, ...rest } = o;
    const n = number ?? (count === undefined ? undefined : Number(count));
    if (to === 't.io/v1')
      return { object: { ...rest, apiVersion: to, ...(n === undefined ? {} : { number: n }) }, schema: thing };
    if (to === 't.io/v2')
      return { object: { ...rest, apiVersion: to, ...(n === undefined ? {} : { count: String(n) }) }, schema: v2 };
    return undefined;
  };
  const one = { ...things, convert };
  const two = { ...one, schema: v2, apiVersion: 't.io/v2' };

  it('owners in one version lose the fields that an apply in another version changes', () => {
    const w = new Written(one);
    w.apply('a', { number: 1, map: { k: '1' } });
    w.object = convert(w.object!, '', 't.io/v2')!.object;
    expect(w.apply('b', { count: '2' }, { on: two })).toEqual(['"a": .number']);
    w.apply('b', { count: '2' }, { on: two, force: true });
    expect(w.entries.map((e) => [e['manager'], e['apiVersion'], e['fieldsV1']])).toEqual([
      ['a', 't.io/v1', { 'f:map': { 'f:k': {} } }],
      ['b', 't.io/v2', { 'f:count': {} }],
    ]);
  });

  it('a manager that applies in a new version gives up its fields of the old version', () => {
    const w = new Written(one);
    w.apply('a', { number: 1, map: { k: '1', l: '1' } });
    w.object = convert(w.object!, '', 't.io/v2')!.object;
    expect(w.apply('a', { map: { l: '1' } }, { on: two })).toBe('ok');
    expect(w.value).toEqual({ map: { l: '1' } });
    expect(w.entries.map((e) => e['apiVersion'])).toEqual(['t.io/v2']);
  });

  it('entries of a removed version are dropped', () => {
    const w = new Written(one);
    w.apply('a', { number: 1 });
    w.object = withEntries(w, [{ ...w.entries[0]!, apiVersion: 't.io/v0' }]);
    w.update('u', { ...w.object, number: 2 });
    expect(w.owners).toEqual({ 'u*': { 'f:number': {} } });
  });
});

describe('a schema that changed', () => {
  it('an owner of a part of a value that became atomic owns the whole value', () => {
    const before = struct('T', { inner: struct('I', { a: text, b: text }), list: list(text, 'set'), map: map(text) });
    const after = struct('T', {
      inner: struct('I', { a: text, b: text }, { atomic: true }),
      list: list(text, 'atomic'),
      map: map(text),
    });
    const set = { 'f:inner': { '.': {}, 'f:a': {} }, 'f:list': { 'v:"x"': {} }, 'f:map': { 'f:k': {} } };
    expect(reconcileSet(set, before)).toBe(set);
    expect(reconcileSet(set, after)).toEqual({ 'f:inner': {}, 'f:list': {}, 'f:map': { 'f:k': {} } });
  });
});

describe('an applied object of the wrong type', () => {
  const pod = builtIn('', 'v1', 'PodTemplate');
  const apply = (applied: JsonObject, resource = pod) =>
    applyObject({ resource, live: undefined, applied, manager: 'a', force: false, now: 0 });
  const typed = (spec: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name: 'x' },
    template: { spec },
  });
  const container = (more: JsonObject): JsonObject => typed({ containers: [{ name: 'c', ...more }] });
  const at = 'failed to create typed patch object (/x; /v1, Kind=PodTemplate): .template.spec';

  it.each<[JsonObject, string]>([
    [typed({ nosuch: 1 }), `${at}.nosuch: field not declared in schema`],
    [typed({ hostname: 1 }), `${at}.hostname: expected string, got &value.valueUnstructured{Value:1}`],
    [
      typed({ hostname: { a: 'b' } }),
      `${at}.hostname: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":"b"}}`,
    ],
    [typed({ hostPID: 'yes' }), `${at}.hostPID: expected boolean, got &{yes}`],
    [typed({ priority: '3' }), `${at}.priority: expected numeric (int or float), got string`],
    [typed({ priority: true }), `${at}.priority: expected numeric (int or float), got bool`],
    [typed({ containers: {} }), `${at}.containers: expected list, got &{map[]}`],
    [typed({ containers: 'c' }), `${at}.containers: expected list, got &{c}`],
    [
      typed({ containers: [null] }),
      `${at}.containers: element 0: associative list with keys may not have a null element`,
    ],
    [
      typed({ containers: ['c'] }),
      `${at}.containers: element 0: associative list with keys may not have non-map elements`,
    ],
    [
      typed({ containers: [{ name: 1 }] }),
      `${at}.containers[name=1].name: expected string, got &value.valueUnstructured{Value:1}`,
    ],
    [typed({ containers: [{ name: 'c' }, { name: 'c' }] }), `${at}.containers: duplicate entries for key [name="c"]`],
    [
      container({ env: [{ name: 'E' }, { name: 'E' }] }),
      `${at}.containers[name="c"].env: duplicate entries for key [name="E"]`,
    ],
    [
      container({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }] }),
      `${at}.containers[name="c"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]`,
    ],
    [typed({ securityContext: [] }), `${at}.securityContext: expected map, got &{[]}`],
    [
      container({ image: 1, tty: 2 }),
      `failed to create typed patch object (/x; /v1, Kind=PodTemplate): errors:\n  .template.spec.containers[name="c"].image: expected string, got &value.valueUnstructured{Value:1}\n  .template.spec.containers[name="c"].tty: expected boolean, got &{2}`,
    ],
    [
      typed({ priority: 1.5 }),
      'failed to convert new object (/x; /v1, Kind=PodTemplate) to proper version: unable to convert unstructured object to /v1, Kind=PodTemplate: cannot convert float64 to int32',
    ],
  ])('%j', (applied, message) => {
    expect(() => apply(applied)).toThrow(new PatchError('schema', message));
  });

  it('is refused if it is nested too deeply', () => {
    let deep: JsonValue = 'x';
    for (let i = 0; i < 9000; i++) deep = { a: deep };
    expect(() => apply(typed({ any: deep }))).toThrow(new PatchError('badRequest', 'the patch is nested too deeply'));
  });

  it.each<[JsonObject, string]>([
    [{ kind: 'PodTemplate' }, 'invalid object type: /, Kind=PodTemplate'],
    [{ apiVersion: 'v1' }, 'invalid object type: /v1, Kind='],
    [{}, 'invalid object type: /, Kind='],
    [{ apiVersion: 'apps/v1', kind: 'Deployment' }, 'invalid object type: apps/v1, Kind=Deployment'],
    [{ apiVersion: 'a/b/c', kind: 'X' }, 'invalid object type: /, Kind='],
    [{ apiVersion: 'v1', kind: 'PodTemplate', metadata: { managedFields: [] } }, 'metadata.managedFields must be nil'],
  ])('is refused if it has another kind or version than the resource: %j', (applied, message) => {
    expect(() => apply(applied)).toThrow(new PatchError('badRequest', message));
  });
});

describe('a write that changes only times', () => {
  it('keeps the live times', () => {
    const w = new Written();
    w.apply('a', { map: { k: '1' } });
    const live = w.object!;
    const later = cloneJson(live);
    const entries = (o: JsonObject) => (o['metadata'] as JsonObject)['managedFields'] as JsonObject[];
    entries(later)[0]!['time'] = '2030-01-01T00:00:00Z';
    keepTimesOfNoop(live, later);
    expect(later).toEqual(live);
    const changed = cloneJson(live);
    entries(changed)[0]!['time'] = '2030-01-01T00:00:00Z';
    (changed['map'] as JsonObject)['k'] = '2';
    keepTimesOfNoop(live, changed);
    expect(entries(changed)[0]!['time']).toBe('2030-01-01T00:00:00Z');
  });
});

describe('scale', () => {
  const replicas = { 'apps/v1': ['spec', 'replicas'] };
  const entry = (manager: string, operation: string, fieldsV1: JsonValue, more: JsonObject = {}): JsonObject => ({
    manager,
    operation,
    apiVersion: 'apps/v1',
    time: '2024-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...more,
  });
  const own = { 'f:spec': { 'f:replicas': {} } };
  const parent = [
    entry('a', 'Apply', { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } }),
    entry('c', 'Update', { 'f:spec': { 'f:paused': {} } }),
  ];

  it('shows the owners of the replicas', () => {
    expect(entriesOfScale(parent, replicas)).toEqual([entry('a', 'Apply', own, { apiVersion: 'autoscaling/v1' })]);
    expect(entriesOfScale(undefined, replicas)).toBeUndefined();
  });

  it('a write of the scale removes the replicas from other owners', () => {
    const scaled = [entry('hpa', 'Update', own, { apiVersion: 'autoscaling/v1', subresource: 'scale' })];
    const { time: _, ...hpa } = entry('hpa', 'Update', own, { subresource: 'scale' });
    expect(entriesAfterScale(parent, scaled, 'apps/v1', replicas)).toEqual([
      entry('a', 'Apply', { 'f:spec': { 'f:selector': {} } }),
      hpa,
      parent[1],
    ]);
  });

  it('a write without a change keeps the owners that apply', () => {
    expect(entriesAfterScale(parent, entriesOfScale(parent, replicas), 'apps/v1', replicas)).toEqual(parent);
  });

  it('a write without a change moves the replicas of an updater to a second entry, which the next write drops', () => {
    const rest = { 'f:spec': { 'f:paused': {} } };
    const before = [entry('u', 'Update', { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } })];
    const after = entriesAfterScale(before, entriesOfScale(before, replicas), 'apps/v1', replicas);
    const { time: _, ...moved } = entry('u', 'Update', own);
    expect(after).toEqual([moved, entry('u', 'Update', rest)]);
    expect(entriesOfScale(after, replicas)).toBeUndefined();
    expect(entriesAfterScale(after, undefined, 'apps/v1', replicas)).toEqual([entry('u', 'Update', rest)]);
  });
});

it('does not change its arguments, and returns values that may be changed', () => {
  const w = new Written();
  w.apply('a', { map: { k: '1' }, items: [{ name: 'i', value: '1' }] });
  const live = w.object!;
  const applied = { apiVersion: 't.io/v1', kind: 'Thing', metadata: { name: 'x' }, items: [{ name: 'j' }] };
  const before = cloneJson([live, applied] as JsonValue);
  const result = applyObject({ resource: things, live, applied, manager: 'b', force: false, now: 0 });
  if (result.kind === 'merged') deface(result.object);
  const next: JsonObject = { ...cloneJson(live), number: 5 };
  updateManagedFields({ resource: things, live, object: next, manager: 'u', now: 0 });
  expect([live, applied]).toEqual(before);
});

function deface(v: JsonValue): void {
  if (typeof v !== 'object' || v === null) return;
  for (const item of Object.values(v)) deface(item);
  if (Array.isArray(v)) v.push('defaced');
  else v['defaced'] = true;
}
