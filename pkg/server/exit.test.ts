import { expect, it } from 'vitest';
import { ConfigError } from '../config/index.js';
import { failureOf, signalOrders } from './exit.js';

it('stops gracefully on the first signal and at once on a later one; simultaneous signals count once', () => {
  let now = 1000;
  const order = signalOrders({ now: () => 0, monotonic: () => now });
  const at = (time: number): string => {
    now = time;
    return order();
  };
  expect([at(1000), at(1000), at(1499), at(1500), at(1501)]).toEqual(['stop', 'nothing', 'nothing', 'now', 'now']);
});

it.each([
  [new ConfigError('--v=x: wrong'), 2, '--v=x: wrong'],
  [
    Object.assign(new Error('listen'), { code: 'EADDRINUSE', address: '127.0.0.1', port: 6443 }),
    1,
    'port 6443 on 127.0.0.1 is taken by another process (--secure-port)',
  ],
  [Object.assign(new Error('/x is a file'), { code: 'ENOTDIR' }), 1, 'not a folder: /x is a file'],
  [new Error('one\ntwo'), 1, 'one'],
])('reports %s in one line with code %i', (error, code, line) => {
  expect(failureOf(error)).toEqual({ code, line });
});
