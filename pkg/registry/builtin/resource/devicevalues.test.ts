import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/index.js';
import { Bench, refusal } from '../../testing.js';
import { resourceSlice } from './testing.js';

let b: Bench;
beforeAll(async () => {
  b = await Bench.open([['api/all', true]]);
});

const DEVICE = 'spec.devices[0]';
const CPU = `${DEVICE}.nodeAllocatableResources[cpu]`;
const counters = { consumesCounters: [{ counterSet: 'c', counters: { m: { value: '1' } } }] };
const mapping = (fields: JsonObject): JsonObject => ({
  capacity: { c: { value: '4' } },
  nodeAllocatableResources: { cpu: { mapping: fields } },
});
const overhead = (fields: JsonObject): JsonObject => ({ nodeAllocatableResources: { cpu: { overhead: fields } } });

function created(device: JsonObject, more: JsonObject = {}): Promise<string> {
  const slice = resourceSlice([{ name: 'd', ...device }], more);
  return refusal(b.create('resourceslices.resource.k8s.io/v1', '', slice));
}

/** Asked of kube-apiserver 1.37.2 with all feature gates. */
describe('a device', () => {
  it.each<[string, JsonObject, string]>([
    ['a version', { attributes: { a: { versions: ['1.0'] } } }, `${DEVICE}.attributes[a].versions[0]: Invalid value`],
    ['a text', { attributes: { a: { strings: ['x'.repeat(65)] } } }, `${DEVICE}.attributes[a].strings[0]: Too long`],
    [
      'too many values',
      { attributes: { a: { strings: Array.from({ length: 48 }, () => 'x') }, b: { int: 1 } } },
      `${DEVICE}: Invalid value: 49: the total number of attribute values must not exceed 48`,
    ],
    [
      'an empty list beside another value',
      { attributes: { a: { ints: [], string: 'b' } } },
      `[${DEVICE}.attributes[a].ints: Invalid value: []: must not be empty if specified, ${DEVICE}.attributes[a]: Invalid value: {"IntValue":null,"BoolValue":null,"StringValue":"b","VersionValue":null,"IntValues":[],"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified`,
    ],
    [
      'empty lists alone',
      { attributes: { a: { versions: [], bools: [] } } },
      `[${DEVICE}.attributes[a].bools: Invalid value: []: must not be empty if specified, ${DEVICE}.attributes[a].versions: Invalid value: []: must not be empty if specified, ${DEVICE}.attributes[a]: Invalid value: "": must specify one of: `,
    ],
    [
      'no amounts',
      { nodeAllocatableResources: { cpu: {} } },
      `${CPU}: Required value: at least one of mapping or over`,
    ],
    [
      'another resource',
      { nodeAllocatableResources: { pods: { mapping: { deviceMultiplier: '1' } } } },
      `${DEVICE}.nodeAllocatableResources[pods]: Invalid value: "pods": must be a node allocatable resource name`,
    ],
    ['a capacity alone', mapping({ capacityKey: 'c' }), `${CPU}.mapping.capacityMultiplier: Required value`],
    [
      'no such capacity',
      mapping({ capacityKey: 'x', capacityMultiplier: '1' }),
      `${CPU}.mapping.capacityKey: Not found`,
    ],
    [
      'a multiplier alone',
      mapping({ capacityMultiplier: '0', deviceMultiplier: '1' }),
      `${CPU}.mapping.capacityKey: Req`,
    ],
    [
      'nothing',
      mapping({ deviceMultiplier: '0' }),
      `${CPU}.mapping.deviceMultiplier: Invalid value: "0": must be posit`,
    ],
    ['an empty overhead', overhead({}), `${CPU}.overhead: Invalid value: "": at least one of perPod or perContainer`],
    [
      'less than nothing',
      overhead({ perPod: '-1' }),
      `${CPU}.overhead.perPod: Invalid value: "-1": must be non-negative`,
    ],
  ])('is refused with %s', async (_what, device, message) => {
    expect(await created(device)).toContain(`is invalid: ${message}`);
  });

  it('may have as many values and amounts as that', async () => {
    const lists = { a: { ints: Array.from({ length: 48 }, (_, i) => i) } };
    expect(await created({ attributes: lists, ...mapping({ capacityKey: 'c', capacityMultiplier: '1' }) })).toBe(
      'taken',
    );
    expect(await created(overhead({ perPod: '0' }))).toBe('taken');
  });

  it('of a partition has the attribute that tells its type', async () => {
    const typed = { partitionTypeAttribute: 'd.io/a' };
    const at = `is invalid: ${DEVICE}.attributes[d.io/a]:`;
    expect(await created({}, typed)).toContain(
      'may only be set on a slice which declares devices that consume counters',
    );
    expect(await created(counters, typed)).toContain(`${at} Required value: device consumes counters`);
    expect(await created({ ...counters, attributes: { a: { int: 1 } } }, typed)).toContain(
      `${at} Invalid value: {"Int`,
    );
    for (const name of ['a', 'd.io/a'])
      expect(await created({ ...counters, attributes: { [name]: { string: 'x' } } }, typed)).toBe('taken');
  });
});

it('the name of a derived attribute is checked in the version of the request, after its use', async () => {
  const request = { name: 'r', deviceClassName: 'c', derivedAttributes: [{ name: 'Upper' }] };
  const claim = (version: string, fields: JsonObject): JsonObject => ({
    apiVersion: `resource.k8s.io/${version}`,
    kind: 'ResourceClaim',
    metadata: { name: 'x' },
    spec: { devices: { requests: [fields] } },
  });
  const { name, ...exactly } = request;
  const stored = 'spec.devices.requests[0].exactly.derivedAttributes[0]';
  for (const [version, fields, place] of [
    ['v1', { name, exactly }, stored],
    ['v1beta1', request, 'spec.devices.requests[0].derivedAttributes[0]'],
  ] as const) {
    const answer = await refusal(
      b.create(`resourceclaims.resource.k8s.io/${version}`, 'default', claim(version, fields)),
    );
    expect(answer.slice(answer.indexOf('[spec') + 1, -1).split(', spec')).toEqual([
      `${stored}.name: Invalid value: "Upper": must be referenced by at least one matchAttribute or distinctAttribute constraint targeting this request`,
      `${place.slice(4)}.name: Invalid value: "Upper": a fully qualified name must be a domain and a name separated by a slash`,
      `${place.slice(4)}.expression: Required value`,
    ]);
  }
});
