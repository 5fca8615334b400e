import type { JsonObject } from '../../../pkg/api/index.js';
import { LIMIT, LOOSE, long, migrated, rows, type Statement, tolerations } from './statement.js';

const DC = 'DeviceClass';
export const deviceClass: readonly Statement[] = [
  ...rows(
    DC,
    'deviceclass',
    'create',
    ['a configuration has a driver', { 'spec.config.0.opaque.driver': undefined }, 'spec.config[0].opaque.driver'],
    ['the driver is a DNS subdomain', { 'spec.config.0.opaque.driver': 'a_b' }, 'spec.config[0].opaque.driver'],
    [
      'the driver is in lower case',
      { 'spec.config.0.opaque.driver': 'Example.com' },
      { code: 422, field: 'spec.config[0].opaque.driver', differs: LOOSE },
    ],
    ['parameters are required', { 'spec.config.0.opaque.parameters': undefined }, 'spec.config[0].opaque.parameters'],
    [
      'parameters have at most 10 Ki',
      { 'spec.config.0.opaque.parameters': { a: long(10 * 1024) } },
      'spec.config[0].opaque.parameters',
    ],
    ['a configuration is opaque', { 'spec.config.0': {} }, 'spec.config[0].opaque'],
    ['a selector has one field', { 'spec.selectors.0': {} }, 'spec.selectors[0].cel'],
    ['an expression is required', { 'spec.selectors.0.cel.expression': '' }, 'spec.selectors[0].cel.expression'],
    ['an expression compiles', { 'spec.selectors.0.cel.expression': 'device.' }, 'spec.selectors[0].cel.expression'],
    ['an expression is boolean', { 'spec.selectors.0.cel.expression': '"a"' }, 'spec.selectors[0].cel.expression'],
    [
      'an expression reads attributes by domain',
      { 'spec.selectors.0.cel.expression': 'device.attributes["example.com"].model == "m"' },
      201,
    ],
    [
      'an expression compares capacities',
      { 'spec.selectors.0.cel.expression': 'device.capacity["example.com"].memory.compareTo(quantity("1Gi")) >= 0' },
      201,
    ],
    [
      'an expression may bind',
      { 'spec.selectors.0.cel.expression': 'cel.bind(d, device.attributes["example.com"], d.a && d.b)' },
      201,
    ],
    [
      'an expression reads allowMultipleAllocations',
      { 'spec.selectors.0.cel.expression': 'device.allowMultipleAllocations == true' },
      201,
    ],
    [
      'an expression has at most 10 Ki',
      { 'spec.selectors.0.cel.expression': `"${long(10 * 1024)}" == ""` },
      'spec.selectors[0].cel.expression',
    ],
    [
      'the extended resource has the format of a pod',
      { 'spec.extendedResourceName': 'example.com/gpu' },
      { shows: { 'spec.extendedResourceName': 'example.com/gpu' } },
    ],
    ['an extended resource has a domain', { 'spec.extendedResourceName': 'gpu' }, 'spec.extendedResourceName'],
    ['an expression of 10 Ki is valid', { 'spec.selectors.0.cel.expression': `"${long(10 * 1024 - 8)}" == ""` }, 201],
    [
      'an expression has a limited cost',
      {
        'spec.selectors.0.cel.expression':
          'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == b && c == d))))',
      },
      'spec.selectors[0].cel.expression',
    ],
    [
      'an expression reads no other variable',
      { 'spec.selectors.0.cel.expression': 'object.driver == "a"' },
      'spec.selectors[0].cel.expression',
    ],
    [
      'an expression reads only the fields of a device',
      { 'spec.selectors.0.cel.expression': 'device.odd == "a"' },
      'spec.selectors[0].cel.expression',
    ],
    [
      'an expression may use includes',
      { 'spec.selectors.0.cel.expression': 'device.attributes["example.com"].models.includes("m")' },
      201,
    ],
    ['parameters of 10 Ki are valid', { 'spec.config.0.opaque.parameters': { a: long(10 * 1024 - 8) } }, 201],
    [
      'an extended resource is not of Kubernetes',
      { 'spec.extendedResourceName': 'kubernetes.io/gpu' },
      'spec.extendedResourceName',
    ],
    ['a class needs no spec', { 'spec.config': undefined, 'spec.selectors': undefined }, 201],
    ['a class of a new object has generation 1', {}, { shows: { 'metadata.generation': 1 } }],
  ),
  ...rows(
    DC,
    'deviceclass',
    'update',
    ['a change of the spec raises the generation', { 'spec.selectors': [] }, { shows: { 'metadata.generation': 2 } }],
    [
      'a change of the metadata keeps the generation',
      { 'metadata.labels': { a: 'b' } },
      { shows: { 'metadata.generation': 1 } },
    ],
  ),
];

const ALLOCATION = 'Allocation results';
const result = (changes: JsonObject = {}): JsonObject => ({
  request: 'r',
  driver: 'example.com',
  pool: 'pool',
  device: 'd',
  ...changes,
});
const allocated = (...results: readonly JsonObject[]): JsonObject => ({
  allocation: { devices: { results: [...results] } },
});
const RESULT = 'status.allocation.devices.results[0]';
export const allocation: readonly Statement[] = rows(
  ALLOCATION,
  'claim',
  'status',
  ['are valid', { status: allocated(result()) }, { shows: { 'status.allocation.devices.results.0.device': 'd' } }],
  ['name a request', { status: allocated(result({ request: 'other' })) }, `${RESULT}.request`],
  ['the driver is required', { status: allocated(result({ driver: '' })) }, `${RESULT}.driver`],
  [
    'the driver is in lower case',
    { status: allocated(result({ driver: 'Example.com' })) },
    { code: 422, field: `${RESULT}.driver`, differs: LOOSE },
  ],
  ['the pool is required', { status: allocated(result({ pool: '' })) }, `${RESULT}.pool`],
  [
    'the pool has at most 253 characters',
    { status: allocated(result({ pool: Array(5).fill(long(60)).join('/') })) },
    `${RESULT}.pool`,
  ],
  ['the pool has segments', { status: allocated(result({ pool: 'a.b/c' })) }, 200],
  ['the segments of the pool are DNS subdomains', { status: allocated(result({ pool: 'a/B' })) }, `${RESULT}.pool`],
  ['the device is a DNS label', { status: allocated(result({ device: 'A' })) }, `${RESULT}.device`],
  [
    'there are at most 32',
    { status: allocated(...Array.from({ length: 33 }, (_, i) => result({ device: `d${i}` }))) },
    'status.allocation.devices.results',
  ],
  ['a sub-request is named with its request', { status: allocated(result({ request: 'r/s' })) }, `${RESULT}.request`],
  [
    'a device is allocated once',
    { status: allocated(result(), result()) },
    { code: 422, field: 'status.allocation.devices.results[1]', differs: LOOSE },
  ],
  ['adminAccess may be false', { status: allocated(result({ adminAccess: false })) }, 200],
  [
    'binding conditions are copied',
    { status: allocated(result({ bindingConditions: ['Bound'], bindingFailureConditions: ['Failed'] })) },
    { shows: { 'status.allocation.devices.results.0.bindingConditions': ['Bound'] } },
  ],
  [
    'a share is identified',
    {
      status: allocated(
        result({ shareID: '0b3e9c3a-2f0d-4c11-9b0a-6d1de0a3a6a1', consumedCapacity: { memory: '1Gi' } }),
      ),
    },
    { shows: { 'status.allocation.devices.results.0.consumedCapacity.memory': '1Gi' } },
  ],
  ['the identity of a share is a UUID', { status: allocated(result({ shareID: 'x' })) }, `${RESULT}.shareID`],
  ['the device is required', { status: allocated(result({ device: '' })) }, `${RESULT}.device`],
  ['the driver is a DNS subdomain', { status: allocated(result({ driver: 'a_b' })) }, `${RESULT}.driver`],
  ['32 are valid', { status: allocated(...Array.from({ length: 32 }, (_, i) => result({ device: `d${i}` }))) }, 200],
  ['16 tolerations are valid', { status: allocated(result({ tolerations: tolerations(16) })) }, 200],
  [
    'tolerations are at most 16',
    { status: allocated(result({ tolerations: tolerations(17) })) },
    { code: 422, field: `${RESULT}.tolerations`, differs: LIMIT },
  ],
);

const TAINT = 'DeviceTaintRule';
export const taintRule: readonly Statement[] = [
  ...rows(
    TAINT,
    'taintrule',
    'create',
    ['an effect is NoSchedule, NoExecute or None', { 'spec.taint.effect': 'Odd' }, 'spec.taint.effect'],
    ['None is an effect', { 'spec.taint.effect': 'None' }, 201],
    ['the key is required', { 'spec.taint.key': undefined }, 'spec.taint.key'],
    ['the status is not set', { status: { conditions: [migrated()] } }, { shows: { 'status.conditions': undefined } }],
  ),
  ...rows(TAINT, 'taintrule', 'delete', ['a deletion answers with a Status or the object', {}, 200]),
];
