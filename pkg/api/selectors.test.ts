import { describe, expect, it } from 'vitest';
import {
  fieldSelectorSteps,
  labelSelectorSteps,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  requiredValue,
} from './selectors.js';

const numbered = (term: (i: number) => string): string => Array.from({ length: 20_000 }, (_, i) => term(i)).join(',');

const select = (text: string, labels: Record<string, string>): boolean =>
  matchesLabels(parseLabelSelector(text), labels);

describe('label selectors', () => {
  it.each([
    ['values', labelSelectorSteps, `a in (${numbered((i) => `v${i}`)})`],
    ['requirements', labelSelectorSteps, numbered((i) => `!k${i}`)],
    ['fields', fieldSelectorSteps, numbered((i) => `metadata.name!=${i}`)],
  ])('with many %s are parsed in steps', (_, stepsOf, text) => {
    const steps = stepsOf(text);
    let count = 1;
    while (steps.next().done !== true) count++;
    expect(count).toBeGreaterThan(40);
  });

  it('have each value once, in order', () => {
    const values = Array.from({ length: 3_000 }, (_, i) => `v${(i * 7) % 2_000}`);
    expect(parseLabelSelector(`a in (${values})`)[0]!.values).toEqual([...new Set(values)].sort());
  });

  it.each([
    ['', {}, true],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['a=b', { a: 'b' }, true],
    ['a = b , c != d', { a: 'b' }, true],
    ['a!=b', {}, true],
    ['a in (x, y)', { a: 'y' }, true],
    ['a in ()', { a: '' }, true],
    ['a in (,x)', { a: '' }, true],
    ['a notin (x,y)', { a: 'x' }, false],
    ['a notin (x,y)', {}, true],
    ['in in (in)', { in: 'in' }, true],
    ['n>4,n<6', { n: '5' }, true],
    ['n>4', { n: 'x' }, false],
    ['a=', { a: '' }, true],
    ['constructor', {}, false],
    ['x.y/z=1', { 'x.y/z': '1' }, true],
  ])('%j on %j is %j', (text, labels, expected) => {
    expect(select(text, labels as Record<string, string>)).toBe(expected);
  });

  it.each([
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a,', "found '', expected: identifier after ','"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    [
      'n>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['a>=1', "unable to parse requirement: found '=', expected: identifier"],
  ])('%j is refused', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
  });
});

describe('field selectors', () => {
  it('reads terms', () => {
    expect(parseFieldSelector('a.b=c,d!=e\\,f,g==')).toEqual([
      { field: 'a.b', equal: true, value: 'c' },
      { field: 'd', equal: false, value: 'e,f' },
      { field: 'g', equal: true, value: '' },
    ]);
    expect(parseFieldSelector(',=,')).toEqual([]);
    expect(requiredValue(parseFieldSelector('metadata.name=x'), 'metadata.name')).toBe('x');
    expect(requiredValue(parseFieldSelector('metadata.name!=x'), 'metadata.name')).toBeUndefined();
  });

  it.each([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%j is refused', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message);
  });
});

it('a selector with many values matches exactly those', () => {
  const values = Array.from({ length: 1001 }, (_, i) => `v${i * 2}`);
  const selector = parseLabelSelector(`a in (${values.join(',')})`);
  const not = parseLabelSelector(`a notin (${values.join(',')})`);
  for (let i = 0; i < 2002; i++) {
    const labels = { a: `v${i}` };
    expect([matchesLabels(selector, labels), matchesLabels(not, labels)]).toEqual([i % 2 === 0, i % 2 === 1]);
  }
});
