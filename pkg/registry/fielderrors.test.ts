import { expect, it } from 'vitest';
import { FieldErrors, FieldPath } from '../api/index.js';
import type { Core } from './core.js';
import { addDeclarative } from './fielderrors.js';
import { Bench } from './testing.js';

it('thousands of errors are compared in steps, and each is kept once', async () => {
  const bench = await Bench.open();
  const found = new FieldErrors();
  for (let i = 0; i < 5_000; i++) found.required(FieldPath.of('data').key(`k${i % 4_000}`));
  const core = { featureEnabled: () => false } as unknown as Core;
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const steps = addDeclarative(core, bench.target('configmaps', 'default'), { object, old: undefined }, found);
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  expect(count).toBeGreaterThanOrEqual(10);
  expect(step.value.list).toHaveLength(4_000);
});
