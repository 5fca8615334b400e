import { expect, it } from 'vitest';
import { compareVersions } from './candidates.js';

it('orders versions as semver.org 2.0.0 does', () => {
  const ordered = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.2.0',
    '1.10.0',
    '2.0.0',
    '99999999999999999999.0.0',
  ];
  for (const [i, a] of ordered.entries())
    for (const [j, b] of ordered.entries())
      expect([a, b, Math.sign(compareVersions(a, b))]).toEqual([a, b, Math.sign(i - j)]);
  expect(compareVersions('1.0.0+build.1', '1.0.0+build.2')).toBe(0);
});
