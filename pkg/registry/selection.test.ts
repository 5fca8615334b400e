import { expect, it } from 'vitest';
import { requestSelectorSteps } from '../api/index.js';
import { finish } from '../base/index.js';
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

it('selectors that were parsed before are used, and their errors are those of the request', () => {
  const options = { ...EVERYTHING, labelSelector: 'a=b', fieldSelector: 'metadata.name=c' };
  const read = finish(requestSelectorSteps('a=b', 'metadata.name=c'));
  const parsed = parseSelectors(options, read);
  expect([parsed.hasLabels, parsed.fields]).toEqual([read.matches, read.fields]);
  expect(() => parseSelectors(options, finish(requestSelectorSteps('a in', '')))).toThrow(
    'unable to parse requirement',
  );
  expect(() => parseSelectors(options, finish(requestSelectorSteps('', 'a')))).toThrow("can't understand 'a'");
});

it('lists use the selectors that were parsed before', async () => {
  const bench = await Bench.open();
  for (const name of ['a', 'b'])
    await bench.create('configmaps', 'default', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels: { of: name } },
    });
  const target = bench.target('configmaps', 'default');
  const selectors = finish(requestSelectorSteps('of=b', ''));
  // A text that cannot be parsed shows that it is not.
  const options = { ...EVERYTHING, labelSelector: 'of in' };
  const { items } = await bench.registry.list({ target, options }, { ...bench.context, selectors });
  expect([...items].map((o) => o.name)).toEqual(['b']);
});
