import { describe, expect, it } from 'vitest';
import { crc32, portableCrc32 } from './checksum.js';

describe('crc32', () => {
  it('gives the check value of the standard, in both implementations', () => {
    const check = Buffer.from('123456789');
    expect(crc32(check, 0)).toBe(0xcbf43926);
    expect(portableCrc32(check, 0)).toBe(0xcbf43926);
  });

  it('continues from a seed', () => {
    for (const crc of [crc32, portableCrc32]) {
      expect(crc(Buffer.from('56789'), crc(Buffer.from('1234'), 0))).toBe(0xcbf43926);
      expect(crc(Buffer.alloc(0), 7)).toBe(7);
    }
  });
});
