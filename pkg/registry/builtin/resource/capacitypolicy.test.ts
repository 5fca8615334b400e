import { expect, it } from 'vitest';
import type { JsonObject } from '../../../api/index.js';
import { Bench, refusal } from '../../testing.js';
import { resourceSlice } from './testing.js';

const POLICY = 'spec.devices[0].capacity[c].requestPolicy';
const NO_MILLI = 'Invalid value: "100u": value cannot be represented as a milli value';

function slice(requestPolicy: JsonObject): JsonObject {
  const device = { name: 'd', allowMultipleAllocations: true, capacity: { c: { value: '10', requestPolicy } } };
  return resourceSlice([device]);
}

/** Asked of kube-apiserver 1.37.2. */
it.each<[policy: JsonObject, whole: string, fractional: string]>([
  [{ default: '1', validRange: { min: '0.0001', max: '5' } }, '', `${POLICY}.validRange.min: ${NO_MILLI}`],
  [{ default: '1', validRange: { min: '1', step: '0.0001' } }, '', `${POLICY}.validRange.step: ${NO_MILLI}`],
  [
    { default: '1500m', validRange: { min: '1', step: '1' } },
    '',
    `${POLICY}.validRange.step: Invalid value: "1500m": value is not a multiple of a given step (1) from (1)`,
  ],
  [{ default: '2', validValues: ['1500m', '2'] }, `${POLICY}.validValues[1]: Duplicate value: "2"`, ''],
  [
    { default: '0.5', validValues: ['0.5', '500m'] },
    `${POLICY}.validValues[1]: Duplicate value: "1"`,
    `${POLICY}.validValues[1]: Duplicate value: "0.5"`,
  ],
])(
  'amounts of a capacity are whole, or thousandths with DRAFractionalCapacityRange: %j',
  async (policy, ...answers) => {
    for (const [i, disabled] of [['DRAFractionalCapacityRange'], []].entries()) {
      const b = await Bench.open([['api/all', true]], undefined, {}, disabled);
      const answer = await refusal(b.create('resourceslices.resource.k8s.io/v1', '', slice(policy)));
      expect(answer.replace(/^422 .*? is invalid: /, '')).toBe(answers[i] === '' ? 'taken' : answers[i]);
    }
  },
);
