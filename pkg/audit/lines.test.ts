import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineBuffer } from './lines.js';

const textOf = (lines: ReturnType<LineBuffer['take']>): string => lines.map(({ bytes }) => bytes.toString()).join('');

describe('lines', () => {
  it('are written in their order, whatever their size and characters, also into buffers that are used again', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')),
      fc.integer({ min: 0, max: 200_000 }).map((length) => 'é'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(fc.array(line, { maxLength: 4 }), { maxLength: 4 }), (rounds) => {
        const buffer = new LineBuffer();
        for (const lines of rounds) {
          for (const one of lines) buffer.add(one);
          const taken = buffer.take();
          expect(textOf(taken) === lines.map((one) => `${one}\n`).join('')).toBe(true);
          expect(taken.reduce((sum, { count }) => sum + count, 0)).toBe(lines.length);
          for (const some of taken) buffer.release(some);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('that are not released are not overwritten', () => {
    const buffer = new LineBuffer();
    buffer.add('first');
    const first = buffer.take();
    buffer.add('second');
    const second = buffer.take();
    expect([textOf(first), textOf(second)]).toEqual(['first\n', 'second\n']);
    for (const lines of [...first, ...second]) buffer.release(lines);
    buffer.add('third');
    expect(buffer.take()[0]!.bytes.buffer).toBe(second[0]!.bytes.buffer);
  });
});
