import type { JsonObject } from '../../../pkg/api/index.js';
import type { Changes } from '../resourceobjects.js';
import { LIMIT, LOOSE, long, rows, type Statement, tolerations } from './statement.js';

const CLAIM = 'Device requests';
const EXACT = 'spec.devices.requests.0.exactly';
const EXACT_FIELD = 'spec.devices.requests[0].exactly';
const SUB = 'spec.devices.requests.0.firstAvailable.0';
const SUB_FIELD = 'spec.devices.requests[0].firstAvailable[0]';

const attribute = (name = 'example.com/a', expression = 'device.driver'): JsonObject => ({ name, expression });
/** Derived attributes of the sub-request, each with a constraint that refers to it. */
const derived = (attributes: readonly JsonObject[]): Changes => ({
  [`${SUB}.derivedAttributes`]: [...attributes],
  'spec.devices.constraints': attributes.map(({ name }) => ({ matchAttribute: name! })),
});

export const claims: readonly Statement[] = [
  ...rows(
    CLAIM,
    'claim',
    'create',
    ['the name is required', { 'spec.devices.requests.0.name': '' }, 'spec.devices.requests[0].name'],
    ['the name is a DNS label', { 'spec.devices.requests.0.name': 'A' }, 'spec.devices.requests[0].name'],
    ['a request is exact or a choice', { 'spec.devices.requests.0.exactly': undefined }, 'spec.devices.requests[0]'],
    [
      'a request is not both',
      { 'spec.devices.requests.0.firstAvailable': [{ name: 's', deviceClassName: 'c' }] },
      'spec.devices.requests[0]',
    ],
    [
      'a name is used once',
      { 'spec.devices.requests.1': { name: 'r', exactly: { deviceClassName: 'c' } } as never },
      { code: 422 },
    ],
    ['the class is required', { [`${EXACT}.deviceClassName`]: '' }, `${EXACT_FIELD}.deviceClassName`],
    [
      'the mode is ExactCount by default, of 1',
      {},
      { shows: { [`${EXACT}.allocationMode`]: 'ExactCount', [`${EXACT}.count`]: 1 } },
    ],
    [
      'the mode All has no count',
      { [`${EXACT}.allocationMode`]: 'All', [`${EXACT}.count`]: 2 },
      `${EXACT_FIELD}.count`,
    ],
    ['other modes are unknown', { [`${EXACT}.allocationMode`]: 'Odd' }, `${EXACT_FIELD}.allocationMode`],
    ['the count is greater than zero', { [`${EXACT}.count`]: -1 }, `${EXACT_FIELD}.count`],
    ['adminAccess needs a namespace for it', { [`${EXACT}.adminAccess`]: true }, { code: 422 }],
    [
      'a toleration is equal by default',
      { [`${EXACT}.tolerations`]: [{ key: 'a', value: 'b' }] },
      { shows: { [`${EXACT}.tolerations.0.operator`]: 'Equal' } },
    ],
    ['16 tolerations are valid', { [`${EXACT}.tolerations`]: tolerations(16) }, 201],
    [
      'there are at most 16 tolerations',
      { [`${EXACT}.tolerations`]: tolerations(17) },
      { code: 422, field: `${EXACT_FIELD}.tolerations`, differs: LIMIT },
    ],
    ['an empty key needs Exists', { [`${EXACT}.tolerations`]: [{ value: 'b' }] }, { code: 422, differs: LOOSE }],
    ['an empty key with Exists matches all', { [`${EXACT}.tolerations`]: [{ operator: 'Exists' }] }, 201],
    [
      'the key is a label name',
      { [`${EXACT}.tolerations`]: [{ key: 'not valid!', operator: 'Exists' }] },
      `${EXACT_FIELD}.tolerations[0].key`,
    ],
    [
      'a value is a label value',
      { [`${EXACT}.tolerations`]: [{ key: 'a', value: 'not valid!' }] },
      `${EXACT_FIELD}.tolerations[0].value`,
    ],
    [
      'Exists has no value',
      { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      `${EXACT_FIELD}.tolerations[0].value`,
    ],
    [
      'other operators are unknown',
      { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Odd' }] },
      `${EXACT_FIELD}.tolerations[0].operator`,
    ],
    [
      'effects are NoSchedule, NoExecute and None',
      {
        [`${EXACT}.tolerations`]: ['NoSchedule', 'NoExecute', 'None'].map((effect) => ({
          key: 'a',
          operator: 'Exists',
          effect,
        })),
      },
      201,
    ],
    [
      'other effects are unknown',
      { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', effect: 'Odd' }] },
      `${EXACT_FIELD}.tolerations[0].effect`,
    ],
    [
      'seconds need NoExecute',
      { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }] },
      { code: 422, differs: LOOSE },
    ],
    [
      'seconds with NoExecute are valid',
      { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }] },
      201,
    ],
    [
      'seconds may be negative',
      { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: -5 }] },
      201,
    ],
  ),
  ...rows(CLAIM, 'claim', 'update', ['the spec does not change', { [`${EXACT}.count`]: 2 }, 'spec']),
  ...rows(
    'Device sub-requests',
    'choice',
    'create',
    ['are valid', {}, { shows: { [`${SUB}.allocationMode`]: 'ExactCount', [`${SUB}.count`]: 1 } }],
    ['the name is a DNS label', { [`${SUB}.name`]: 'A' }, `${SUB_FIELD}.name`],
    ['the class is required', { [`${SUB}.deviceClassName`]: '' }, `${SUB_FIELD}.deviceClassName`],
    ['other modes are unknown', { [`${SUB}.allocationMode`]: 'Odd' }, `${SUB_FIELD}.allocationMode`],
    ['the count is greater than zero', { [`${SUB}.count`]: -1 }, `${SUB_FIELD}.count`],
    [
      'there are at most 16 tolerations',
      { [`${SUB}.tolerations`]: tolerations(17) },
      { code: 422, field: `${SUB_FIELD}.tolerations`, differs: LIMIT },
    ],
    ['a selector has one field', { [`${SUB}.selectors`]: [{}] }, `${SUB_FIELD}.selectors[0].cel`],
    [
      'a constraint may name one',
      { 'spec.devices.constraints': [{ requests: ['r/s'], matchAttribute: 'example.com/a' }] },
      201,
    ],
    [
      'a constraint names an existing one',
      { 'spec.devices.constraints': [{ requests: ['r/t'], matchAttribute: 'example.com/a' }] },
      'spec.devices.constraints[0].requests[0]',
    ],
  ),
  ...rows(
    'Derived attributes',
    'choice',
    'create',
    [
      'are valid if a constraint refers to them',
      derived([attribute()]),
      { shows: { [`${SUB}.derivedAttributes.0.name`]: 'example.com/a' } },
    ],
    [
      'a distinct attribute refers to one',
      { ...derived([attribute()]), 'spec.devices.constraints': [{ distinctAttribute: 'example.com/a' }] },
      201,
    ],
    ['are referred to by a constraint', { [`${SUB}.derivedAttributes`]: [attribute()] }, { code: 422 }],
    [
      'there are at most 32',
      derived(Array.from({ length: 33 }, (_, i) => attribute(`example.com/a${i}`))),
      `${SUB_FIELD}.derivedAttributes`,
    ],
    ['the name has a domain', derived([attribute('a')]), `${SUB_FIELD}.derivedAttributes[0].name`],
    ['the domain is a DNS subdomain', derived([attribute('a_b/a')]), `${SUB_FIELD}.derivedAttributes[0].name`],
    ['the name is a C identifier', derived([attribute('example.com/a-b')]), `${SUB_FIELD}.derivedAttributes[0].name`],
    ['the name is required', derived([attribute('')]), `${SUB_FIELD}.derivedAttributes[0].name`],
    [
      'the expression is required',
      derived([attribute('example.com/a', '')]),
      `${SUB_FIELD}.derivedAttributes[0].expression`,
    ],
    [
      'the expression compiles',
      derived([attribute('example.com/a', 'device.')]),
      `${SUB_FIELD}.derivedAttributes[0].expression`,
    ],
    [
      'the expression has at most 10 Ki',
      derived([attribute('example.com/a', `"${long(10 * 1024)}"`)]),
      `${SUB_FIELD}.derivedAttributes[0].expression`,
    ],
    ['the result may be a number', derived([attribute('example.com/a', '1')]), 201],
    ['the result may be boolean', derived([attribute('example.com/a', 'device.driver == "a"')]), 201],
    ['the result may be a version', derived([attribute('example.com/a', 'semver("1.2.3")')]), 201],
    ['the result may be a list', derived([attribute('example.com/a', '["a", "b"]')]), 201],
    [
      'the result is no map',
      derived([attribute('example.com/a', '{"a": "b"}')]),
      `${SUB_FIELD}.derivedAttributes[0].expression`,
    ],
  ),
  ...rows(
    'Device sub-requests',
    'choice',
    'create',
    ['the mode All has no count', { [`${SUB}.allocationMode`]: 'All', [`${SUB}.count`]: 2 }, `${SUB_FIELD}.count`],
    ['the mode All is valid', { [`${SUB}.allocationMode`]: 'All' }, { shows: { [`${SUB}.count`]: undefined } }],
    [
      'capacities are required amounts',
      { [`${SUB}.capacity`]: { requests: { memory: '1Gi' } } },
      { shows: { [`${SUB}.capacity.requests.memory`]: '1Gi' } },
    ],
    ['a selector is an expression', { [`${SUB}.selectors`]: [{ cel: { expression: 'device.driver == "a"' } }] }, 201],
    [
      'an expression of a selector is boolean',
      { [`${SUB}.selectors`]: [{ cel: { expression: '1' } }] },
      `${SUB_FIELD}.selectors[0].cel.expression`,
    ],
    [
      'names of one request differ',
      {
        'spec.devices.requests.0.firstAvailable': [
          { name: 's', deviceClassName: 'c' },
          { name: 's', deviceClassName: 'd' },
        ],
      },
      { code: 422 },
    ],
    [
      'seconds need NoExecute',
      { [`${SUB}.tolerations`]: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }] },
      { code: 422, differs: LOOSE },
    ],
    ['an empty key needs Exists', { [`${SUB}.tolerations`]: [{ value: 'b' }] }, { code: 422, differs: LOOSE }],
    [
      'Exists has no value',
      { [`${SUB}.tolerations`]: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      `${SUB_FIELD}.tolerations[0].value`,
    ],
    [
      'other effects are unknown',
      { [`${SUB}.tolerations`]: [{ key: 'a', operator: 'Exists', effect: 'Odd' }] },
      `${SUB_FIELD}.tolerations[0].effect`,
    ],
  ),
];
