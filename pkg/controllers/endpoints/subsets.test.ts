import { expect, it } from 'vitest';
import { repacked, subsetsOf } from './subsets.js';

const http = { name: 'http', port: 80, protocol: 'TCP' };
const dns = { name: 'dns', port: 53, protocol: 'UDP' };
const [a, b] = [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }];

it('brings ports on the same addresses together', () => {
  const entries = [
    { address: b, port: http, ready: true },
    { address: a, port: http, ready: true },
    { address: a, port: dns, ready: true },
    { address: b, port: dns, ready: true },
  ];
  expect(subsetsOf(entries)).toEqual([{ addresses: [a, b], ports: [dns, http] }]);
});

it('has a subset for each set of addresses', () => {
  const entries = [
    { address: a, port: http, ready: true },
    { address: a, port: dns, ready: true },
    { address: b, port: dns, ready: false },
  ];
  const subsets = [
    { addresses: [a], notReadyAddresses: [b], ports: [dns] },
    { addresses: [a], ports: [http] },
  ];
  expect(subsetsOf(entries)).toEqual(subsets);
  expect(repacked(subsets)).toEqual(subsets);
});

it('treats an address that is both ready and not ready as not ready', () => {
  const entries = [true, false].map((ready) => ({ address: a, port: http, ready }));
  expect(subsetsOf(entries)).toEqual([{ notReadyAddresses: [a], ports: [http] }]);
  expect(subsetsOf(entries.toReversed())).toEqual([{ notReadyAddresses: [a], ports: [http] }]);
});
