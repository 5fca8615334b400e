import { describe, expect, it } from 'vitest';
import { pemBlocks } from './pem.js';

const block = (type: string, body = 'YQ==\n') => `-----BEGIN ${type}-----\n${body}-----END ${type}-----`;
const types = (text: string) => [...pemBlocks(text)].map(({ type }) => type);

describe('blocks in PEM', () => {
  it('are found between other text', () => {
    const text = `# one\n${block('CERTIFICATE')}\n# two\n${block('PUBLIC KEY')}\nend`;
    expect([...pemBlocks(text)].map((b) => [b.type, b.text])).toEqual([
      ['CERTIFICATE', block('CERTIFICATE')],
      ['PUBLIC KEY', block('PUBLIC KEY')],
    ]);
  });

  it('begin at the start of a line', () => {
    expect(types(`x${block('A')}\n${block('B')}`)).toEqual(['B']);
  });

  it('have their beginning on a line of its own', () => {
    expect(types(`-----BEGIN A-----YQ==-----END A-----\n${block('B')}`)).toEqual(['B']);
    expect(types('-----BEGIN A----- \r\nYQ==\r\n-----END A-----')).toEqual(['A']);
  });

  it('are skipped if they have other text than base64', () => {
    const block = (body: string): string => `-----BEGIN A-----\n${body}\n-----END A-----\n`;
    expect([...pemBlocks(block('***') + block('Zm9v'))].map(({ text }) => text)).toEqual([block('Zm9v').trimEnd()]);
  });

  it('may have headers', () => {
    const [plain, headed] = [...pemBlocks(`${block('A')}\n${block('B', 'Key: value\n\nYQ==\n')}`)];
    expect([plain!.hasHeaders, headed!.hasHeaders]).toEqual([false, true]);
  });

  it('are skipped without an end of their own', () => {
    expect(types(`-----BEGIN A-----\nYQ==\n${block('B')}`)).toEqual(['B']);
    expect(types('-----BEGIN A-----\nYQ==\n-----END B-----')).toEqual([]);
    expect(types('-----BEGIN A')).toEqual([]);
    expect(types('')).toEqual([]);
  });

  it('are found in linear time however many begin', () => {
    expect(types('-----BEGIN A-----\n'.repeat(60_000) + block('Z'))).toEqual(['Z']);
  });
});
