import { expect, it } from 'vitest';
import type { JsonObject } from '../../../api/index.js';
import { Bench, causesOf } from '../../testing.js';

/** Paths in errors of objects in version v1beta1, whose fields are in other places than in the storage version. */

const API_VERSION = 'resource.k8s.io/v1beta1';
const MARKER = { allocationMode: 'odd', tolerations: [{ key: 'a', operator: 'Exists', effect: 'odd' }] };

/** The fields of the errors. */
async function fields(kind: string, spec: JsonObject, namespace = 'default'): Promise<readonly string[]> {
  const b = await Bench.open([['resource.k8s.io/v1beta1', true]]);
  const o = { apiVersion: API_VERSION, kind, metadata: { name: 'a' }, spec };
  const found = await causesOf(b.create(`${kind.toLowerCase()}s.${API_VERSION}`, namespace, o));
  return found.map((cause) => cause.split(':', 1)[0]!);
}

it('a request without content lacks a choice', async () => {
  expect(
    await fields('ResourceClaim', { devices: { requests: [{ name: 'a', count: 0, deviceClassName: '' }] } }),
  ).toEqual(['spec.devices.requests[0]']);
});

it.each([
  { count: 2 },
  { adminAccess: false },
  { capacity: {} },
  { selectors: [] },
  { tolerations: [] },
  { derivedAttributes: [] },
])('a request with content but without a device class has no mode by default: %j', async (content) => {
  expect(await fields('ResourceClaim', { devices: { requests: [{ name: 'a', ...content }] } })).toEqual([
    'spec.devices.requests[0].exactly.deviceClassName',
    'spec.devices.requests[0].exactly.allocationMode',
  ]);
  const spec = { devices: { requests: [{ name: 'a', allocationMode: 'All', ...content }] } };
  expect(await fields('ResourceClaimTemplate', { spec })).not.toContain(
    'spec.spec.devices.requests[0].exactly.allocationMode',
  );
});

it.each([
  ['ResourceClaim', 'spec', (spec: JsonObject): JsonObject => spec],
  ['ResourceClaimTemplate', 'spec.spec', (spec: JsonObject): JsonObject => ({ spec })],
] as const)('errors of markers of a %s have the paths of its version', async (kind, path, within) => {
  const requests = [{ name: 'a', deviceClassName: 'A_b', ...MARKER }];
  expect(await fields(kind, within({ devices: { requests } }))).toEqual([
    `${path}.devices.requests[0].exactly.deviceClassName`,
    `${path}.devices.requests[0].allocationMode`,
    `${path}.devices.requests[0].tolerations[0].effect`,
  ]);
});

it('errors of markers of a ResourceSlice have the paths of its version', async () => {
  const basic = { taints: [{ key: 'a b', effect: 'odd' }], bindingConditions: ['a', 'b', 'c', 'd', 'e'] };
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
  const spec = { driver: 'a.io', nodeName: 'n', pool, devices: [{ name: 'A', basic }] };
  expect(await fields('ResourceSlice', spec, '')).toEqual([
    'spec.devices[0].name',
    'spec.devices[0].taints[0].key',
    'spec.devices[0].bindingFailureConditions',
    'spec.devices[0].basic.taints[0].effect',
    'spec.devices[0].basic.bindingConditions',
  ]);
});
