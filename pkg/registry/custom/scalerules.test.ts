import { expect, it } from 'vitest';
import { FieldErrors, type JsonObject } from '../../api/index.js';
import { scalePaths } from './scale.js';
import { checkScale } from './scalerules.js';

const paths = scalePaths({
  specReplicasPath: '.spec.n',
  statusReplicasPath: '.status.n',
  labelSelectorPath: '.status.s',
});

function errorsOf(o: JsonObject, parts: 'all' | 'status' = 'all'): string[] {
  const found = new FieldErrors();
  checkScale(o, paths, parts, found);
  return found.list.map((e) => `${e.field}: ${e.message}`);
}

it.each<[JsonObject, string[]]>([
  [{}, []],
  [{ spec: null, status: { n: 3, s: 'a=b' } }, []],
  [
    { spec: 'x' },
    ['.spec.n: Invalid value: 0: .spec.n accessor error: x is of the type string, expected map[string]interface{}'],
  ],
  [
    { spec: { n: 0.1 } },
    ['.spec.n: Invalid value: 0: .spec.n accessor error: 0.1 is of the type float64, expected int64'],
  ],
  [
    { spec: { n: null } },
    ['.spec.n: Invalid value: 0: .spec.n accessor error: <nil> is of the type <nil>, expected int64'],
  ],
  [{ spec: { n: -1 } }, ['.spec.n: Invalid value: -1: should be a non-negative integer']],
  [{ status: { n: 2 ** 31 } }, ['.status.n: Invalid value: 2147483648: should be less than or equal to 2147483647']],
  [
    { status: { s: 1 } },
    ['.status.s: Invalid value: "": .status.s accessor error: 1 is of the type int64, expected string'],
  ],
])('%j', (o, expected) => expect(errorsOf(o)).toEqual(expected));

it('checks only the status in a write of the status', () => {
  expect(errorsOf({ spec: { n: -1 }, status: { n: -2 } }, 'status')).toEqual([
    '.status.n: Invalid value: -2: should be a non-negative integer',
  ]);
});
