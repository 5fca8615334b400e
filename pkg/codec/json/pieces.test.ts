import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../base/index.js';
import { codecLimits } from '../limits.js';
import { type Pieces, piecesOf } from './pieces.js';
import { countMembers, NEEDS_EXACT_READER } from './scan.js';

/** What the two passes over a whole text find. */
function whole(text: Buffer): Pieces {
  const members = countMembers(text, true);
  if (members === NEEDS_EXACT_READER) return { kind: 'exact' };
  try {
    return { kind: 'value', value: JSON.parse(text.toString()), members };
  } catch {
    return { kind: 'exact' };
  }
}

const inPieces = (text: string | Buffer, bytes: number): Pieces =>
  finish(piecesOf(Buffer.from(text), true, { pieceBytes: bytes }));

const PIECES = [1, 5, 17, 1000];

describe('a JSON text in pieces', () => {
  it('has the value of the whole text', () => {
    const space = fc.constantFrom(0, 1, '\t', '\n \r');
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), space, fc.constantFrom(...PIECES), (value, indent, bytes) => {
        const text = Buffer.from(JSON.stringify(value, null, indent));
        expect(inPieces(text, bytes)).toEqual(whole(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is refused if the whole text is', () => {
    const token = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"b":', '1', ' ', 'null', '[1,', '{"a":[', '"');
    fc.assert(
      fc.property(fc.array(token, { maxLength: 14 }), fc.constantFrom(...PIECES), (tokens, bytes) => {
        const text = Buffer.from(tokens.join(''));
        expect(inPieces(text, bytes)).toEqual(whole(text));
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    '[1,]',
    '[,1]',
    '[1,,2]',
    '[[1,2],]',
    '[[1,2] 3,4]',
    '[[1,2]3]',
    '[1[2,3],4]',
    '{"a":1[2,3],"b":4}',
    '{"a"[2,3],"b":4}',
    '{"a":{"b":1,"c":2},}',
    '{"a":{"b":1,"c":2} "d":1}',
    '{"a":[1,2}]',
    '[1,2]]',
    '[1,2][3,4]',
    '[1,2] x',
    'x[1,2]',
    '[1,2',
    '{"a":[1,2],"b',
    '[1,"\\ud800",2]',
    '[1,12345678901234567890,2]',
    `${'['.repeat(codecLimits.fastDepthMax + 1)}1,2${']'.repeat(codecLimits.fastDepthMax + 1)}`,
  ])('needs the exact reader: %.40s', (text) => {
    for (const bytes of PIECES) expect(inPieces(text, bytes)).toEqual({ kind: 'exact' });
    expect(whole(Buffer.from(text))).toEqual({ kind: 'exact' });
  });

  it('is refused if a number has too many digits', () => {
    const digits = '9'.repeat(codecLimits.digitsMax);
    expect(inPieces(`[1,${digits}]`, 17)).toEqual({ kind: 'exact' });
    for (const number of [`${digits}9`, `0.${digits}9`, `1e${digits}9`])
      expect(inPieces(`[1,${number}]`, 17)).toMatchObject({ kind: 'refused' });
  });

  it('keeps keys such as __proto__', () => {
    const text = '{"a":1,"__proto__":{"b":1,"c":2},"constructor":[1,2]}';
    for (const bytes of PIECES) expect(JSON.stringify(parsed(inPieces(text, bytes)))).toBe(text);
  });

  it('has more members than its value if a key is repeated in another piece', () => {
    const read = inPieces('{"a":[1,2],"b":{"c":1,"c":2},"a":3}', 1);
    expect(read).toEqual({ kind: 'value', members: 5, value: { a: 3, b: { c: 2 } } });
  });

  it('pauses after each piece', () => {
    const text = JSON.stringify({ a: { b: Array.from({ length: 60_000 }, (_, i) => `item ${i}`) } });
    expect(pausesOf(piecesOf(Buffer.from(text), false))).toBeGreaterThanOrEqual(Math.floor(text.length / 65_536));
  });
});

const parsed = (read: Pieces): unknown => (read.kind === 'value' ? read.value : undefined);

function pausesOf(steps: Iterator<undefined>): number {
  let pauses = 0;
  while (steps.next().done !== true) pauses++;
  return pauses;
}
