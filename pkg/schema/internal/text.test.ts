import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { readData } from '../data.js';
import { structByName } from '../index.js';
import { internalFields } from './forms.js';
import { INTERNAL_TEXT_CHARS_MAX, internalDifference, internalText } from './index.js';

const parsed = (type: string, value: JsonValue): JsonObject => JSON.parse(internalText(type, value)) as JsonObject;

describe('internalText', () => {
  const table: readonly (readonly [name: string, type: string, value: JsonValue, text: string])[] = [
    [
      'every field is there, absent ones as null or zero',
      'core/v1.ObjectReference',
      { name: 'a' },
      '{"Kind":"","Namespace":"","Name":"a","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}',
    ],
    [
      'fields stand in the order of the type',
      'rbac/v1.RoleRef',
      { name: 'n', kind: 'Role' },
      '{"APIGroup":"","Kind":"Role","Name":"n"}',
    ],
    [
      'a pointer that is written always is null where it is null',
      'core/v1.TypedLocalObjectReference',
      { apiGroup: null, kind: 'K', name: 'n' },
      '{"APIGroup":null,"Kind":"K","Name":"n"}',
    ],
    [
      'a list that is empty is not one that is absent',
      'resource/v1.DeviceClaim',
      { requests: [] },
      '{"Requests":[],"Constraints":null,"Config":null}',
    ],
    [
      'types of meta/v1 as in JSON',
      'meta/v1.LabelSelector',
      { matchExpressions: [{ operator: 'In', values: ['b'] }], matchLabels: {} },
      '{"matchExpressions":[{"key":"","operator":"In","values":["b"]}]}',
    ],
    [
      'metadata stands in the object itself',
      'resource/v1.ResourceClaimTemplateSpec',
      { metadata: { labels: { b: '1', a: '<' } }, spec: {} },
      '{"labels":{"a":"\\u003c","b":"1"},"Spec":{"Devices":{"Requests":null,"Constraints":null,"Config":null}}}',
    ],
    [
      'quantities as they are stored',
      'core/v1.ResourceRequirements',
      { limits: { cpu: '2.', a: '2Mi' } },
      '{"Limits":{"a":"2Mi","cpu":"2."},"Requests":null,"Claims":null}',
    ],
    ['a field without a pointer inside', 'apps/v1.RollingUpdateDaemonSet', {}, '{"MaxUnavailable":0,"MaxSurge":0}'],
    ['a list of a type', '[]core/v1.NodeSelectorTerm', [{}], '[{"MatchExpressions":null,"MatchFields":null}]'],
  ];
  it.each(table)('%s', (_name, type, value, text) => {
    expect(internalText(type, value)).toBe(text);
  });

  it('keeps the fields of a pod in the order of the API', () => {
    const names = Object.keys(parsed('core/v1.PodSpec', { hostNetwork: true }));
    expect(names.indexOf('HostNetwork')).toBe(names.indexOf('NodeName') + 1);
    expect(names.indexOf('DeprecatedServiceAccount')).toBe(names.indexOf('ServiceAccountName') + 1);
  });

  it('indents by one blank and writes a blank after the colon', () => {
    expect(internalText('core/v1.VolumeNodeAffinity', { required: { nodeSelectorTerms: [] } }, ' ')).toBe(
      '{\n "Required": {\n  "NodeSelectorTerms": []\n }\n}',
    );
  });

  it('ends with dots if it would be too long', () => {
    const text = internalText('core/v1.PodSpec', { containers: Array.from({ length: 100_000 }, () => ({})) });
    expect(text.length).toBe(INTERNAL_TEXT_CHARS_MAX + 3);
    expect(text.endsWith('...')).toBe(true);
  });

  it('formats any value as any type, as JSON, and never throws', () => {
    const types = [
      'core/v1.PodSpec',
      'core/v1.PersistentVolumeSpec',
      'batch/v1.JobSpec',
      'resource/v1.ResourceSliceSpec',
    ];
    const names = types.flatMap((type) => structByName(type).fields.map((f) => f.name));
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<JsonValue>(null, true, 0, '', '1Gi', 'x', 2n ** 60n),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(fc.constantFrom(...names, '__proto__', 'constructor'), fc.string()), tie('value'), {
          maxKeys: 5,
        }),
      ),
    }));
    fc.assert(
      fc.property(fc.constantFrom(...types), value, value, (type, a, b) => {
        JSON.parse(internalText(type, a));
        JSON.parse(internalText(type, a, ' '));
        internalDifference(type, a, b);
      }),
    );
  });
});

describe('internal.forms', () => {
  const forms = readData('internal.forms');
  const remarks = forms.split('\n').filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('name '));

  it('has only types and fields that exist', () => {
    for (const type of new Set(remarks.map((line) => line.split(' ', 1)[0]!))) {
      const names = internalFields(structByName(type)).map((f) => f.name);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('renames only fields that exist, and only in case', () => {
    const folder = new URL('../data/', import.meta.url);
    const schemas = readdirSync(folder).filter((f) => f.endsWith('.schema'));
    const declared = schemas.map((f) => readFileSync(new URL(f, folder), 'utf8')).join('\n');
    for (const [, json, go] of forms.matchAll(/^name (\S+) (\S+)$/gm)) {
      expect(go!.toLowerCase()).toBe(json!.toLowerCase());
      expect(declared).toMatch(new RegExp(`^  \\d+ ${json} `, 'm'));
    }
  });
});
