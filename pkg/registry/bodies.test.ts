import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/index.js';
import { readApplied } from './bodies.js';

const read = (text: string): unknown => {
  try {
    return readApplied({ bytes: Buffer.from(text), encoding: 'yaml' }).value;
  } catch (e) {
    if (e instanceof ApiError) return e.status.message;
    throw e;
  }
};

describe('the document of an apply', () => {
  it.each([
    ['', {}],
    ['null', {}],
    ['---\n', {}],
    ['a: 1', { a: 1 }],
  ])('%j is an object', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it.each([
    ['[]', 'array'],
    ['"s"', 'string'],
    ['42', 'number'],
    ['9007199254740993', 'number'],
    ['true', 'bool'],
  ])('%j is none, and is told by its type', (text, type) => {
    expect(read(text)).toBe(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
    );
  });

  it('that is no YAML is told as such', () => {
    expect(read('a: b: c')).toBe(
      'error decoding YAML: error converting YAML to JSON: yaml: mapping values are not allowed in this context',
    );
  });
});
