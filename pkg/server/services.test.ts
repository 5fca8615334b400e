import { expect, it } from 'vitest';
import { serviceAddresses } from './services.js';

it('serves the cluster at the first address of each range', () => {
  expect(serviceAddresses(['10.96.0.0/12', 'fd00::/112', 'fd00:1:2:3:4:5:6:0/112'])).toEqual([
    '10.96.0.1',
    'fd00::1',
    'fd00:1:2:3:4:5:6:1',
  ]);
});
