import { describe, expect, it } from 'vitest';
import { isObject, type JsonValue } from '../api/index.js';
import { fixtures } from '../codec/testing.js';
import { allKinds, kindSchema, packageGroups, structByName, typeByName, typeNames } from './index.js';
import type { Field, Schema } from './types.js';

describe('declarations', () => {
  it('compiles every type of every package, each once', () => {
    let structs = 0;
    for (const pkg of [...packageGroups().keys(), 'runtime']) {
      for (const name of typeNames(pkg)) {
        const schema = typeByName(name);
        if (schema.kind === 'struct') {
          expect(typeByName(name)).toBe(schema);
          expect(schema.byName.size).toBe(schema.fields.length);
          structs++;
        }
      }
    }
    expect(structs).toBeGreaterThan(1200);
  });

  it('gives every kind its schema', () => {
    for (const info of allKinds()) {
      const kind = kindSchema(info);
      expect(kind?.info).toBe(info);
      expect(kind?.schema.byName.has('kind'), info.type).toBe(info.type !== 'meta/v1.WatchEvent');
      if (info.listKind !== undefined) {
        const list = kindSchema({ ...info, kind: info.listKind });
        const items = list?.schema.byName.get('items')?.schema;
        // APIGroupList and APIResourceList have other names for their items.
        if (info.group !== 'meta.k8s.io') expect(items?.kind === 'list' && items.items, info.type).toBe(kind?.schema);
        expect(list?.info.scope).toBe(info.scope);
      }
    }
  });

  it('shares nodes by identity and keeps Go order', () => {
    const pod = structByName('core/v1.Pod');
    expect(pod.byName.get('spec')?.schema).toBe(typeByName('core/v1.PodSpec'));
    expect(structByName('apps/v1.Deployment').byName.get('metadata')?.schema).toBe(pod.byName.get('metadata')?.schema);
    expect(pod.fields.map((f) => [f.name, f.proto])).toEqual([
      ['kind', 0],
      ['apiVersion', 0],
      ['metadata', 1],
      ['spec', 2],
      ['status', 3],
    ]);
  });

  it('reads list types, keys, merge keys and defaults', () => {
    const ports = structByName('core/v1.Container').byName.get('ports');
    expect(ports?.schema).toMatchObject({ kind: 'list', listType: 'map', keys: ['containerPort', 'protocol'] });
    expect(ports?.patchStrategy).toEqual(['merge']);
    expect(ports?.patchMergeKey).toBe('containerPort');
    expect(structByName('core/v1.ContainerPort').byName.get('protocol')?.default).toBe('TCP');
    const volumes = structByName('core/v1.PodSpec').byName.get('volumes');
    expect(volumes?.patchStrategy).toEqual(['merge', 'retainKeys']);
    expect(typeByName('core/v1.PullPolicy')).toMatchObject({ enum: ['Always', 'Never', 'IfNotPresent'] });
    expect(structByName('core/v1.AzureDiskVolumeSource').byName.get('cachingMode')?.default).toBe('ReadWrite');
    expect(structByName('core/v1.PodSpec').byName.get('nodeSelector')?.schema).toMatchObject({ atomic: true });
  });

  it('knows inlined messages of protobuf', () => {
    const volume = structByName('core/v1.Volume');
    const source = typeByName('core/v1.VolumeSource');
    expect(volume.inlineMessages).toEqual([{ proto: 2, schema: source }]);
    expect(volume.byName.get('emptyDir')?.inlineIn?.schema).toBe(source);
    expect(volume.byName.get('emptyDir')?.proto).toBe(2);
    expect(structByName('authentication/v1.UserInfo').byName.get('extra')?.schema).toMatchObject({
      values: { kind: 'list', boxed: true },
    });
  });

  it('overrides atomicity at the place of use', () => {
    const claimRef = structByName('core/v1.PersistentVolumeSpec').byName.get('claimRef')?.schema;
    expect(structByName('core/v1.ObjectReference').atomic).toBe(true);
    expect(claimRef?.kind === 'struct' && claimRef.atomic).toBe(false);
  });

  it('knows the scope and the releases of kinds', () => {
    expect(kindSchema({ group: '', version: 'v1', kind: 'Node' })?.info.scope).toBe('Cluster');
    expect(kindSchema({ group: '', version: 'v1', kind: 'Pod' })?.info).toMatchObject({
      scope: 'Namespaced',
      resource: true,
      listKind: 'PodList',
      lifecycle: { introduced: '1.0' },
    });
    expect(kindSchema({ group: 'batch', version: 'v1beta1', kind: 'CronJob' })?.info.lifecycle).toEqual({
      introduced: '1.8',
      deprecated: '1.21',
      removed: '1.25',
      replacement: { group: 'batch', version: 'v1', kind: 'CronJob' },
    });
    expect(
      kindSchema({ group: 'resource.k8s.io', version: 'v1beta2', kind: 'DeviceTaintRule' })?.info.lifecycle,
    ).toEqual({
      introduced: '1.36',
      deprecated: '1.39',
      removed: '1.42',
    });
    expect(kindSchema({ group: 'apps', version: 'v1', kind: 'DeleteOptions' })?.info.type).toBe(
      'meta/v1.DeleteOptions',
    );
    expect(kindSchema({ group: '', version: 'v1', kind: 'Status' })?.info.type).toBe('meta/v1.Status');
    expect(kindSchema({ group: '', version: 'v1', kind: 'Nothing' })).toBeUndefined();
  });
});

describe('fixtures', () => {
  it.each(fixtures())('$name has declared fields only, and all of them', ({ kind, value }) => {
    const found = { unknown: [] as string[], missing: [] as string[] };
    compare(value, kind.schema, '', found, []);
    expect(found).toEqual({ unknown: [], missing: [] });
  });
});

/** Fields of 1.37.2 that the fixtures do not have. */
const NOT_IN_FIXTURES = new Set(['derivedAttributes', 'compatibilityGroups', 'runningInUserNamespace']);

/** Fixtures end recursion at the first level and omit the type of a nested object. */
function omittedByDesign(field: Field, schema: Schema, outer: readonly Schema[]): boolean {
  if (NOT_IN_FIXTURES.has(field.name)) return true;
  if (outer.length > 0 && (field.name === 'kind' || field.name === 'apiVersion') && field.proto === 0) return true;
  const type = field.schema.kind === 'list' ? field.schema.items : field.schema;
  return type === schema || outer.includes(type) || outer.includes(schema);
}

function compare(
  value: JsonValue,
  schema: Schema,
  path: string,
  found: { unknown: string[]; missing: string[] },
  outer: readonly Schema[],
): void {
  if (schema.kind === 'struct' && isObject(value)) {
    for (const key of Object.keys(value)) if (!schema.byName.has(key)) found.unknown.push(`${path}.${key}`);
    for (const field of schema.fields) {
      const inner = value[field.name];
      if (inner !== undefined) compare(inner, field.schema, `${path}.${field.name}`, found, [...outer, schema]);
      else if (!omittedByDesign(field, schema, outer)) found.missing.push(`${path}.${field.name}`);
    }
  } else if (schema.kind === 'list' && Array.isArray(value)) {
    for (const item of value) compare(item, schema.items, `${path}[]`, found, outer);
  } else if (schema.kind === 'map' && isObject(value)) {
    for (const item of Object.values(value)) compare(item, schema.values, `${path}{}`, found, outer);
  }
}
