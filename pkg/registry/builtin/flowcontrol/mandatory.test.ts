import { expect, it } from 'vitest';
import { FieldErrors, type JsonObject } from '../../../api/index.js';
import { validatePriorityLevel } from './validation.js';

it.each<[JsonObject, string[]]>([
  [{ type: 'Exempt', exempt: { nominalConcurrencyShares: 7, lendablePercent: 10 } }, []],
  [
    { type: 'Limited', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
    [
      'Invalid value: {"Type":"Limited","Limited":null,"Exempt":{"NominalConcurrencyShares":0,"LendablePercent":0}}: ' +
        "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value",
    ],
  ],
])('the priority level exempt may change its shares only: %j', (spec, expected) => {
  const errors = new FieldErrors();
  validatePriorityLevel({ metadata: { name: 'exempt' }, spec }, errors);
  expect(errors.list.filter((e) => e.field === 'spec').map((e) => e.message)).toEqual(expected);
});
