import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeField, describeType } from './docs.js';
import { structByName, typeNames } from './load.js';

const data = new URL('./data/', import.meta.url);

/** Types of the resource reference whose fields are all described. */
const REFERENCE = [
  'networking/v1.IPAddress',
  'networking/v1.Ingress',
  'networking/v1.IngressClass',
  'node/v1.RuntimeClass',
  'rbac/v1.RoleBinding',
  'core/v1.ReplicationController',
  'storagemigration/v1.StorageVersionMigration',
  'admissionregistration/v1.ValidatingAdmissionPolicyBinding',
  'resource/v1.DeviceClass',
  'resource/v1.DeviceTaintRule',
  'resource/v1.DeviceRequest',
  'resource/v1.DeviceRequestAllocationResult',
  'discovery/v1.EndpointSlice',
  'meta/v1.ObjectMeta',
  'meta/v1.Status',
  'meta/v1.DeleteOptions',
];

describe('descriptions', () => {
  it('describe existing types and fields, each once', () => {
    for (const file of readdirSync(data).filter((f) => f.endsWith('.doc'))) {
      const pkg = file.replace('.doc', '').replace('_', '/');
      const declared = new Set(typeNames(pkg));
      const seen = new Set<string>();
      for (const line of readFileSync(new URL(file, data), 'utf8').split('\n')) {
        if (line === '' || line.startsWith('#')) continue;
        const key = line.slice(0, line.indexOf(': '));
        expect(seen.has(key), `${file} ${key} twice`).toBe(false);
        seen.add(key);
        const [type, field] = key.split('.') as [string, string | undefined];
        if (type === '*') continue;
        if (key !== 'Patch') expect(declared.has(`${pkg}.${type}`), `${file} ${key}`).toBe(true);
        if (field !== undefined) {
          expect(structByName(`${pkg}.${type}`).byName.has(field), `${file} ${key}`).toBe(true);
        }
      }
    }
  });

  it.each(REFERENCE)('of %s are complete', (name) => {
    const missing: string[] = [];
    const seen = new Set<string>();
    const visit = (type: string, depth: number): void => {
      if (seen.has(type)) return;
      seen.add(type);
      if (describeType(type) === '') missing.push(type);
      for (const field of structByName(type).fields) {
        if (describeField(type, field) === '') missing.push(`${type}.${field.name}`);
        const below = field.schema.kind === 'list' ? field.schema.items : field.schema;
        if (below.kind === 'struct' && depth > 0) visit(below.name, below.name.startsWith('core/') ? 0 : depth - 1);
      }
    };
    visit(name, 6);
    expect(missing).toEqual([]);
  });

  it('of stable versions also describe pre-release versions', () => {
    const slice = structByName('discovery/v1beta1.EndpointSlice');
    expect(describeField(slice.name, slice.byName.get('endpoints')!)).toMatch(/at most 1000/);
    expect(describeType('core/v1.PodList')).toBe('A list of Pod objects.');
  });
});
