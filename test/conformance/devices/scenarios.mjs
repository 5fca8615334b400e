// Scenarios of device allocation. Each has a driver, a device class and a namespace of its own, so that all run at the same time.
//   slices   devices in ResourceSlices; class: more of the DeviceClass's spec
//   claims   ResourceClaims by name; pods: the claims that each pod uses
//   steps    further writes, in order, each after the state before it was reached
//   expect   what must be reached: by pod, 'pending', 'gone', 'running' or the devices of its claims

const attribute = (v) => {
  if (Array.isArray(v)) return { strings: v };
  return typeof v === 'number' ? { int: v } : { string: v };
};
const device = (name, attributes = {}, more = {}) => ({
  name,
  attributes: Object.fromEntries(Object.entries(attributes).map(([k, v]) => [k, attribute(v)])),
  ...more,
});
const selector = (expression) => [{ cel: { expression } }];
const exactly = (more = {}) => (driver) => ({ name: 'r', exactly: { deviceClassName: driver, ...more } });
const claim = (...requests) => ({ requests });
const of = (driver, name) => `device.attributes[${JSON.stringify(driver)}].${name}`;

/** The scenarios; `driver` is the name of the driver and of the class. */
export const SCENARIOS = [
  {
    name: 'count',
    devices: [device('a', { model: 'x' }), device('b', { model: 'y' }), device('c', { model: 'y' }), device('d', { model: 'x' })],
    claims: { two: (d) => claim(exactly({ count: 2, selectors: selector(`${of(d, 'model')} == 'y'`) })(d)) },
    pods: { p: ['two'] },
    expect: { p: ['b', 'c'] },
  },
  {
    name: 'count-too-many',
    devices: [device('a'), device('b')],
    claims: { three: (d) => claim(exactly({ count: 3 })(d)) },
    pods: { p: ['three'] },
    expect: { p: 'pending' },
  },
  {
    name: 'all',
    devices: [device('a', { n: 1 }), device('b', { n: 2 }), device('c', { n: 3 }), device('d', { n: 4 })],
    claims: { all: (d) => claim(exactly({ allocationMode: 'All', selectors: selector(`${of(d, 'n')} > 1`) })(d)) },
    pods: { p: ['all'] },
    expect: { p: ['b', 'c', 'd'] },
  },
  {
    name: 'all-with-one-taken',
    devices: [device('a'), device('b')],
    claims: { one: (d) => claim(exactly()(d)), all: (d) => claim(exactly({ allocationMode: 'All' })(d)) },
    pods: { p: ['one'] },
    expect: { p: 1 },
    steps: [{ pods: { q: ['all'] }, expect: { p: 1, q: 'pending' } }, { delete: ['p'], deleteClaims: ['one'], expect: { p: 'gone', q: ['a', 'b'] } }],
  },
  {
    name: 'first-available',
    devices: [device('a', { memory: 40 }), device('b', { memory: 40 })],
    claims: {
      either: (d) =>
        claim({
          name: 'r',
          firstAvailable: [
            { name: 'large', deviceClassName: d, selectors: selector(`${of(d, 'memory')} >= 80`) },
            { name: 'small', deviceClassName: d, count: 2, selectors: selector(`${of(d, 'memory')} >= 40`) },
          ],
        }),
    },
    pods: { p: ['either'] },
    expect: { p: ['r/small a', 'r/small b'] },
  },
  {
    name: 'capacity',
    devices: [
      device('nic', {}, {
        allowMultipleAllocations: true,
        capacity: { bandwidth: { value: '10', requestPolicy: { default: '1', validRange: { min: '1', step: '2', max: '9' } } } },
      }),
    ],
    claims: {
      // 4 is rounded up to 5: the minimum is 1, the step 2.
      first: (d) => claim(exactly({ capacity: { requests: { bandwidth: '4' } } })(d)),
      second: (d) => claim(exactly({ capacity: { requests: { bandwidth: '5' } } })(d)),
      third: (d) => claim(exactly()(d)),
    },
    pods: { p: ['first'], q: ['second'] },
    expect: { p: ['nic 5 shared'], q: ['nic 5 shared'] },
    steps: [{ pods: { r: ['third'] }, expect: { r: 'pending' } }, { delete: ['p'], deleteClaims: ['first'], expect: { p: 'gone', r: ['nic 1 shared'] } }],
  },
  {
    name: 'derived',
    gates: ['DRADerivedAttributes'],
    devices: [device('a', { n: 1 }), device('b', { n: 2 }), device('c', { n: 4 })],
    claims: {
      pair: (d) => ({
        ...claim({
          ...exactly({ count: 2, derivedAttributes: [{ name: 'example.com/parity', expression: `${of(d, 'n')} % 2 == 0 ? 'even' : 'odd'` }] })(d),
        }),
        constraints: [{ requests: ['r'], matchAttribute: 'example.com/parity' }],
      }),
    },
    pods: { p: ['pair'] },
    expect: { p: ['b', 'c'] },
  },
  {
    name: 'match-attribute',
    devices: [device('a', { numa: 0 }), device('b', { numa: 1 }), device('c', { numa: 1 })],
    claims: { pair: (d) => ({ ...claim(exactly({ count: 2 })(d)), constraints: [{ matchAttribute: `${d}/numa` }] }) },
    pods: { p: ['pair'] },
    expect: { p: ['b', 'c'] },
  },
  {
    name: 'distinct-attribute',
    devices: [device('a', { numa: 1 }), device('b', { numa: 1 }), device('c', { numa: 2 })],
    claims: { pair: (d) => ({ ...claim(exactly({ count: 2 })(d)), constraints: [{ distinctAttribute: `${d}/numa` }] }) },
    pods: { p: ['pair'] },
    expect: { p: ['a', 'c'] },
  },
  {
    name: 'list-attribute',
    gates: ['DRAListTypeAttributes'],
    devices: [device('a', { families: ['x', 'y'] }), device('b', { families: ['z'] })],
    claims: { z: (d) => claim(exactly({ selectors: selector(`${of(d, 'families')}.includes('z')`) })(d)) },
    pods: { p: ['z'] },
    expect: { p: ['b'] },
  },
  {
    name: 'taint',
    devices: [device('a', {}, { taints: [{ key: 'example.com/broken', effect: 'NoSchedule' }] })],
    claims: {
      plain: (d) => claim(exactly()(d)),
      tolerant: (d) => claim(exactly({ tolerations: [{ key: 'example.com/broken', operator: 'Exists', effect: 'NoSchedule' }] })(d)),
    },
    pods: { p: ['plain'] },
    expect: { p: 'pending' },
    steps: [{ pods: { q: ['tolerant'] }, expect: { p: 'pending', q: ['a'] } }],
  },
  {
    name: 'taint-rule-evicts',
    devices: [device('a'), device('b')],
    claims: {
      plain: (d) => claim(exactly({ selectors: selector(`device.driver == '${d}'`) })(d)),
      // kube-controller-manager 1.37.2 evicts a pod whose toleration names no effect; by its documentation that tolerates all effects.
      tolerant: (d) => claim(exactly({ tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] })(d)),
    },
    pods: { p: ['plain'], q: ['tolerant'] },
    expect: { p: 1, q: 1 },
    steps: [{ taintRule: { effect: 'NoExecute', key: 'example.com/dead' }, expect: { p: 'gone', q: 1 }, released: ['plain'] }],
  },
  {
    name: 'admin-access',
    labels: { 'resource.kubernetes.io/admin-access': 'true' },
    devices: [device('a')],
    claims: { user: (d) => claim(exactly()(d)), admin: (d) => claim(exactly({ adminAccess: true, allocationMode: 'All' })(d)) },
    pods: { p: ['user'] },
    expect: { p: ['a'] },
    steps: [{ pods: { q: ['admin'] }, expect: { p: ['a'], q: ['a admin'] } }],
  },
  {
    name: 'shared-counters',
    counters: [{ name: 'gpu', counters: { memory: { value: '40Gi' } } }],
    devices: [
      device('whole', { size: 40 }, { consumesCounters: [{ counterSet: 'gpu', counters: { memory: { value: '40Gi' } } }] }),
      device('half-0', { size: 20 }, { consumesCounters: [{ counterSet: 'gpu', counters: { memory: { value: '20Gi' } } }] }),
      device('half-1', { size: 20 }, { consumesCounters: [{ counterSet: 'gpu', counters: { memory: { value: '20Gi' } } }] }),
    ],
    claims: {
      half: (d) => claim(exactly({ selectors: selector(`${of(d, 'size')} == 20`) })(d)),
      whole: (d) => claim(exactly({ selectors: selector(`${of(d, 'size')} == 40`) })(d)),
    },
    pods: { p: ['half'] },
    expect: { p: 1 },
    steps: [{ pods: { q: ['whole'] }, expect: { p: 1, q: 'pending' } }, { delete: ['p'], deleteClaims: ['half'], expect: { p: 'gone', q: ['whole'] } }],
  },
  {
    name: 'shared-claim',
    devices: [device('a')],
    claims: { one: (d) => claim(exactly()(d)) },
    pods: { p: ['one'], q: ['one'] },
    expect: { p: ['a'], q: ['a'] },
    reserved: { one: 2 },
  },
  {
    name: 'config',
    class: (d) => ({ config: [{ opaque: { driver: d, parameters: { from: 'class' } } }] }),
    devices: [device('a')],
    claims: { one: (d) => ({ ...claim(exactly()(d)), config: [{ requests: ['r'], opaque: { driver: d, parameters: { from: 'claim' } } }] }) },
    pods: { p: ['one'] },
    expect: { p: ['a'] },
    configs: { one: ['FromClass class', 'FromClaim claim'] },
  },
  {
    name: 'selector-fails',
    devices: [device('a', { n: 1 })],
    claims: { one: (d) => claim(exactly({ selectors: selector(`${of(d, 'missing')} == 1`) })(d)) },
    pods: { p: ['one'] },
    expect: { p: 'pending' },
  },
  {
    name: 'template',
    devices: [device('a'), device('b'), device('c')],
    templates: { each: (d) => claim(exactly()(d)) },
    pods: { p: ['template each'], q: ['template each'], r: ['template each'] },
    expect: { p: 1, q: 1, r: 1 },
    distinct: true,
    steps: [{ delete: ['p', 'q', 'r'], expect: { p: 'gone', q: 'gone', r: 'gone' }, noClaims: true }],
  },
  {
    name: 'extended-resource',
    class: () => ({ extendedResourceName: 'example.com/accelerator' }),
    devices: [device('a'), device('b')],
    pods: { p: [] },
    limits: { 'example.com/accelerator': '2' },
    expect: { p: ['a', 'b'] },
  },
];
