import { expect, it } from 'vitest';
import { compile, failed } from './compile.js';
import { COMPATIBLE, kubernetesEnvironment } from './kubernetes.js';
import { isError, type Value } from './values.js';

/** Numbers and their order, with the values and texts of kube-apiserver 1.37. */

function run(text: string): Value {
  const compiled = compile(text, kubernetesEnvironment(COMPATIBLE));
  if (failed(compiled)) throw new Error(compiled.error);
  return compiled.program.run(() => undefined).value;
}

it.each([
  ["quantity('7100m')", 7.1000000000000005],
  ["quantity('0.1').add(quantity('0.2'))", 0.30000000000000004],
  ["quantity('0.5Ki')", 512.0],
  ["quantity('1.5Gi')", 1610612736.0],
  ["quantity('3n')", 3.0000000000000004e-9],
  ["quantity('0').add(quantity('7100m'))", 7.1000000000000005],
  ["quantity('7100m').add(quantity('0'))", 7.1000000000000005],
  ["quantity('7.10')", 7.1000000000000005],
  ["quantity('123456789012345678901')", 1.2345678901234568e20],
  ["quantity('1e-3')", 0.001],
  ["quantity('7.1e1')", 71.0],
  ["quantity('1.0000000001')", 1.000000001],
  ["quantity('0.0000000001')", 1e-9],
  ["quantity('12E')", 1.2e19],
  ["quantity('7.1k')", 7100.0],
  ["quantity('-71u').sub(1)", -1.000071],
  ["quantity('9.3').sub(quantity('9.3'))", 0.0],
  ["quantity('7.1Ki')", 7270.400000000001],
  ["quantity('1Ki').sub(quantity('100m'))", 1023.9],
  ["quantity('7.1Ki').add(quantity('1m'))", 7270.401000000001],
  ["quantity('1.23456789012345678')", 1.234567891],
  ["quantity('123456789.1234567891')", 123456789.12345679],
  ["quantity('7100m').add(3).add(quantity('1k'))", 1010.1],
  ["quantity('100E').add(quantity('1m'))", 1.0000000000000002e20],
  ["quantity('0.0')", 0.0],
  ["quantity('7.100').add(quantity('5u'))", 7.1000049999999995],
  ["quantity('0.75Ki').add(quantity('0.7Ki'))", 1484.8000000000002],
  ["quantity('1234567.8m')", 1234.5678],
  ["quantity('0.0015Ki')", 1.536],
])('%s is approximately %j', (quantity, value) => {
  expect(run(`${quantity}.asApproximateFloat()`)).toBe(value);
});

it.each(['[-0.0].sum()', '[-0.0, -0.0].sum()'])('%s is not negative', (sum) => {
  expect(run(sum)).toBe(0);
});

it.each([
  ['[dyn([1])].min()', 'no such overload: min(list)'],
  ["[dyn({'a': 1})].max()", 'no such overload: max(list)'],
  ['[dyn(null), dyn(null)].max()', 'no such overload: max(list)'],
  ['[dyn(1), dyn(null)].max()', 'no such overload'],
  ['[dyn(1), dyn(null)].isSorted()', 'no such overload'],
  ['[dyn([1])].isSorted()', 'no such overload: isSorted(list)'],
  ['[dyn([1])].sum()', 'no such overload: sum(list)'],
])('%s has no order', (text, why) => {
  const found = run(text);
  expect(isError(found) && found.message).toBe(why);
});

it.each([
  ["[dyn(1), dyn('a')].max()", 1n],
  ['[1.0, 0.0 / 0.0].max()', 1],
  ["[dyn(1), dyn('a')].isSorted()", true],
])('%s ignores what cannot be compared', (text, best) => {
  expect(run(text)).toBe(best);
});
