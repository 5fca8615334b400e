import { describe, expect, it } from 'vitest';
import { matchesLabels, parseFieldSelector, parseLabelSelector, requiredValue } from './selectors.js';

const select = (text: string, labels: Record<string, string>): boolean =>
  matchesLabels(parseLabelSelector(text), labels);

describe('label selectors', () => {
  it('that are long are parsed once for equal texts', () => {
    const text = (last: string): string =>
      `a in (${Array.from({ length: 1_000 }, (_, i) => `v${i}`).join(',')},${last})`;
    const selector = parseLabelSelector(text('x'));
    expect(parseLabelSelector(text('x'))).toBe(selector);
    expect(matchesLabels(parseLabelSelector(text('y')), { a: 'y' })).toBe(true);
    expect(matchesLabels(parseLabelSelector(text('x')), { a: 'y' })).toBe(false);
    expect(() => parseLabelSelector(text('('))).toThrow();
    expect(() => parseLabelSelector(text('('))).toThrow();
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
