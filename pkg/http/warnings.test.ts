import { describe, expect, it } from 'vitest';
import { Warnings } from './warnings.js';

function headers(...texts: string[]) {
  const warnings = new Warnings();
  for (const t of texts) warnings.add(t);
  return warnings.headers;
}

describe('warnings', () => {
  it('are quoted, once each, without line breaks, as UTF-8 bytes', () => {
    expect(headers()).toBeUndefined();
    expect(headers('a "b" \\c', 'a "b" \\c', 'x\r\ny: z', '', 'é')).toEqual([
      '299 - "a \\"b\\" \\\\c"',
      '299 - "x y: z"',
      '299 - "Ã©"',
    ]);
  });

  it('are truncated when their total is too long, and dropped beyond the limit', () => {
    const long = Array.from({ length: 40 }, (_, i) => `${i} ${'w'.repeat(400)}`);
    const found = headers(...long)!;
    expect(found.length).toBe(16);
    for (const h of found) expect(h.length).toBe('299 - ""'.length + 256);
    expect(headers(...long, ...long.map((w) => `${w}x`))).toEqual(found);
    expect(headers('w'.repeat(4096))![0]!.length).toBe('299 - ""'.length + 4096);
    expect(headers('w'.repeat(4097))![0]!.length).toBe('299 - ""'.length + 256);
  });
});
