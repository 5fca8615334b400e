import { describe, expect, it } from 'vitest';
import { compileJsonPath, simplePath } from './jsonpath.js';

const ROOT = {
  spec: {
    'a.b': 'dot',
    a: { b: 'nested' },
    'a b': 'space',
    '': 'empty',
    text: 'x',
    list: [1, 2, 3],
    items: [
      { n: 'x', v: 1 },
      { n: 'y', v: 2 },
    ],
  },
  status: {
    conditions: [
      { type: 'Other', status: 'no' },
      { type: 'Ready', status: 'yes' },
    ],
  },
};

describe('a JSONPath of a printer column', () => {
  it.each([
    ['.spec.list[0]', [1]],
    ['.spec.list[-1]', [3]],
    ['.spec.list[0:2]', [1, 2]],
    ['.spec.list[*]', [1, 2, 3]],
    ['.spec.list[0,2]', [1, 3]],
    ['.spec.items[*].v', [1, 2]],
    ["['spec']['a.b']", ['nested']],
    ["['spec']['a\\.b']", ['dot']],
    [".spec['a\\.b','text']", ['dot', 'x']],
    ['.spec.', ['empty']],
    ['.', []],
    ['.spec.list[9]', undefined],
    ['.spec.list[0:9]', undefined],
    ['.spec.list[-2:]', [2, 3]],
    ['.spec.list[2:1]', undefined],
    ['.spec.list[::2]', [1, 3]],
    ['.spec.text[0]', undefined],
    ['.spec.a b', undefined],
    ['.spec.$text', undefined],
    ['.spec.items[?(@.v==2.0)].n', undefined],
    ['.spec.items[?(@.v=="2")].n', undefined],
    [".spec.items[?(@.n=='y')]['v']", [2]],
    [".spec.items[?(@.n in 'y')].v", [1, 2]],
    ['.spec.text[?(@.n)]', undefined],
    ['.spec.a\\.b', ['dot']],
    ['.status.conditions[?(@.type=="Ready")].status', ['yes']],
    ['.spec.items[?(@.v > 1)].n', ['y']],
    ['.spec.items[?(@.nothing)].n', []],
    ['.spec.nothing', []],
    ['..n', ['x', 'y']],
  ])('%s', (path, found) => {
    expect(compileJsonPath(path)?.(ROOT)).toEqual(found);
  });

  it.each([
    '.spec[',
    '.spec[x]',
    '.spec]',
    '.spec.x,y',
    '.spec["text"]',
    '.spec.{x}',
    '.spec.items[(@.length-1)].n',
    '.a....b',
  ])('is invalid: %s', (path) => {
    expect(compileJsonPath(path)).toBeUndefined();
  });

  it('is simple if it consists of field names', () => {
    expect(simplePath('.spec.a')).toEqual(['spec', 'a']);
    expect(simplePath('.spec.a\\.b')).toEqual(['spec', 'a.b']);
    for (const other of ['', 'spec', '.', '.a[0]', '..a', '.a.']) expect(simplePath(other), other).toBeUndefined();
  });
});
