import { describe, expect, it } from 'vitest';
import { recordedText } from '../../../test/golden/recordings.mjs';
import { cloneJson, type FieldError, type JsonArray, type JsonObject, type JsonValue } from '../../api/index.js';
import { finish } from '../../base/index.js';
import { applySchemaDefaults } from '../defaults.js';
import { structByName } from '../load.js';
import { declarativeErrors } from './validate.js';

const on = { enabled: () => true };

function check(type: string, object: JsonObject, old?: JsonObject, options = on): string[] {
  return told(finish(declarativeErrors(object, old, structByName(type), options)));
}

const told = (errors: readonly FieldError[]): string[] => errors.map((e) => `${e.field}: ${e.message}`);

describe('declarative rules', () => {
  it('checks required and optional fields, formats and bounds', () => {
    const type = 'resource/v1alpha3.ResourcePoolStatusRequest';
    expect(check(type, { spec: { driver: 'gpu.example.com', poolName: 'a/b', limit: 5 } })).toEqual([]);
    expect(check(type, { spec: {} })).toEqual([
      'spec.driver: Required value',
      // An optional field with a default is set at this point.
      'spec.limit: Required value',
    ]);
    expect(check(type, { spec: { driver: 'd', poolName: 'a//b', limit: 1001 } })).toEqual([
      'spec.poolName: Invalid value: "a//b": segment 1: must not be empty',
      'spec.limit: Invalid value: 1001: must be less than or equal to 1000',
    ]);
  });

  it('requires exactly one member of a union', () => {
    const type = 'scheduling/v1alpha3.PodGroupSchedulingPolicy';
    expect(check(type, { basic: {} })).toEqual([]);
    expect(check(type, {})).toEqual([': Invalid value: "": must specify one of: `basic`, `gang`']);
    expect(check(type, { basic: {}, gang: { minCount: 1 } })).toEqual([
      ': Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
    ]);
  });

  it('rejects changes of immutable fields, and ignores unchanged values', () => {
    const type = 'scheduling/v1alpha3.PodGroupSchedulingPolicy';
    const gang = { gang: { minCount: 2 } };
    expect(check(type, { basic: {} }, gang)).toEqual([
      'basic: Invalid value: null: field is immutable',
      'gang: Invalid value: null: field cannot be cleared once set',
    ]);
    const bad = { spec: { driver: 'A_b', limit: 1 } };
    expect(check('resource/v1alpha3.ResourcePoolStatusRequest', cloneJson(bad), bad)).toEqual([]);
  });

  it('matches items with their old values, except those of an atomic list', () => {
    const rules = (...more: JsonObject[]): JsonObject => ({ rules: [{ resources: ['pods'] }, ...more] });
    expect(check('rbac/v1.Role', rules({ verbs: ['get'] }), rules({ verbs: ['get'] }))).toEqual([]);
    expect(check('rbac/v1.Role', rules({ verbs: ['list'] }), rules({ verbs: ['get'] }))).toEqual([
      'rules[0].verbs: Required value',
    ]);
    const claim = (name: string): JsonObject => ({
      spec: { devices: { requests: [{ name: 'a', exactly: { allocationMode: 'Bogus' } }, { name }] } },
    });
    const wrong = [
      'spec.devices.requests[0].exactly.allocationMode: Unsupported value: "Bogus": supported values: "All", "ExactCount"',
    ];
    // Requests are unique by their names.
    expect(check('resource/v1.ResourceClaim', claim('b'))).toEqual(wrong);
    expect(check('resource/v1.ResourceClaim', claim('c'), claim('b'))).not.toEqual(expect.arrayContaining(wrong));
  });

  it('does not report alpha rules, but stops where they do', () => {
    const binding = (kind: string, name: string): JsonObject => ({ roleRef: { apiGroup: 'g', kind, name } });
    const type = 'rbac/v1.RoleBinding';
    expect(check(type, binding('Role', ''))).toEqual(['roleRef.name: Required value']);
    // The reference is immutable by an alpha rule: a changed one is not validated further.
    expect(check(type, binding('Role', ''), binding('Role', 'a'))).toEqual([]);
    expect(check(type, binding('Role', ''), binding('Role', ''))).toEqual([]);
  });

  it('finds duplicates by key and counts items', () => {
    const type = 'scheduling/v1alpha3.WorkloadSpec';
    const template = (name: string): JsonObject => ({ name, schedulingPolicy: { basic: {} } });
    const many = Array.from({ length: 9 }, (_, i) => template(`t${i}`));
    const options = { ...on, enabled: () => false };
    expect(check(type, { podGroupTemplates: many }, undefined, options)).toEqual([
      'podGroupTemplates: Too many: 9: must have at most 8 items',
    ]);
    const twice = check(type, { podGroupTemplates: [template('a'), template('a')] }, undefined, options);
    expect(twice[0]).toMatch(/^podGroupTemplates\[1\]: Duplicate value: /);
  });

  it('forbids fields of disabled features', () => {
    const type = 'scheduling/v1alpha3.PodGroupTemplate';
    const template: JsonObject = {
      name: 'a',
      schedulingPolicy: { basic: {} },
      schedulingConstraints: { topology: [{ key: 'zone' }] },
    };
    expect(check(type, template, undefined, { ...on, enabled: () => false })).toContain(
      'schedulingConstraints: Forbidden',
    );
    expect(check(type, template)).not.toContain('schedulingConstraints: Forbidden');
  });

  it('runs the rules of the selected mode', () => {
    const type = 'flowcontrol/v1.LimitResponse';
    expect(check(type, { type: 'Queue' })).toEqual(['queuing: Required value']);
    expect(check(type, { type: 'Reject', queuing: {} })).toEqual(['queuing: Forbidden']);
    expect(check(type, { type: 'Reject' })).toEqual([]);
  });

  it('checks keys and values', () => {
    expect(check('resource/v1.CounterSet', { name: 'ok', counters: { 'Not_OK!': { value: '1' } } })[0]).toMatch(
      /^counters: Invalid value: "Not_OK!": a lowercase RFC 1123 label/,
    );
    expect(check('core/v1.NodePodPreemptionPolicy', { disableResizePreemption: ['a b', 'a b'] })).toEqual([
      'disableResizePreemption[1]: Duplicate value: "a b"',
      expect.stringMatching(/^disableResizePreemption\[0\]: Invalid value: "a b": name part must consist of/),
      expect.stringMatching(/^disableResizePreemption\[1\]: Invalid value: "a b": name part must consist of/),
    ]);
  });

  it('checks the values of an enum', () => {
    const slice = { addressType: 'IPv5', endpoints: [{ addresses: ['::1'] }] };
    expect(check('discovery/v1.EndpointSlice', slice)).toEqual([
      'addressType: Unsupported value: "IPv5": supported values: "FQDN", "IPv4", "IPv6"',
    ]);
  });
});

describe('declarative rules against recorded answers', () => {
  const bases = JSON.parse(recordedText('validation/bases.json')) as Record<string, { object: JsonObject }>;
  const lines = recordedText('validation/resourcepoolstatusrequest.jsonl').trim().split('\n');
  const cases = lines.map((l) => JSON.parse(l) as Recorded).filter((c) => c.expect.code !== 400);
  it.each(cases.map((c) => [c.id, c] as const))('%s', (_, recorded) => {
    const base = bases[recorded.base]?.object as JsonObject;
    const schema = structByName('resource/v1alpha3.ResourcePoolStatusRequest');
    const object = cloneJson(base);
    for (const op of recorded.ops) change(object, op);
    applySchemaDefaults(object, schema);
    const old = recorded.on === 'update' ? base : undefined;
    // The feature was disabled in the recorded server, which dropped the field before validation.
    delete (object['spec'] as JsonObject)['defaultPartitionTypeAttribute'];
    const found = finish(declarativeErrors(object, old, schema, on));
    const sort = (list: string[][]): string[][] => list.sort((a, b) => (a.join() < b.join() ? -1 : 1));
    expect(sort(found.map((e) => [e.type, e.field, e.message]))).toEqual(sort(recorded.expect.causes ?? []));
  });
});

interface Recorded {
  readonly id: string;
  readonly base: string;
  readonly on: 'create' | 'update';
  readonly ops: readonly { readonly op: string; readonly path: string; readonly value?: JsonValue }[];
  readonly expect: { readonly code: number; readonly causes?: string[][] };
}

function change(object: JsonObject, { op, path, value }: Recorded['ops'][number]): void {
  const keys = path.split('/').slice(1);
  const last = keys.pop() as string;
  let at: JsonValue = object;
  for (const key of keys) at = (at as JsonObject)[key] as JsonValue;
  if (op === 'remove') delete (at as JsonObject)[last];
  else if (last === '-') (at as JsonArray).push(value as JsonValue);
  else (at as JsonObject)[last] = value as JsonValue;
}
