import { expect, it } from 'vitest';
import { parseSelectors, select } from './selection.js';
import { Bench, EVERYTHING } from './testing.js';

it('the id of a selection is short and differs for different selectors', async () => {
  const bench = await Bench.open();
  const target = bench.target('configmaps', 'default');
  const idOf = (last: string): string => {
    const values = Array.from({ length: 10_000 }, (_, i) => `v${i}`).join(',');
    const options = { ...EVERYTHING, labelSelector: `a in (${values},${last})` };
    return select(target, options, parseSelectors(options)).id;
  };
  expect(idOf('x')).toBe(idOf('x'));
  expect(idOf('x')).not.toBe(idOf('y'));
  expect(idOf('x').length).toBeLessThan(1_000);
});
