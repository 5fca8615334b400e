import * as zlib from 'node:zlib';

/** CRC-32 (ISO 3309, as in gzip) of `bytes`, continued from `seed`; an unsigned 32-bit integer. */
export type Crc32 = (bytes: Uint8Array, seed: number) => number;

const table = new Uint32Array(256).map((_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

/** The same checksum in JavaScript: Node.js before 20.15 has no `zlib.crc32`. */
export function portableCrc32(bytes: Uint8Array, seed: number): number {
  let c = ~seed;
  for (const byte of bytes) c = table[(c ^ byte) & 0xff]! ^ (c >>> 8);
  return ~c >>> 0;
}

// Native: 0.2 us for 64 bytes, 0.5 us for 1 KiB; portable: 2.5 us for 1 KiB.
export const crc32: Crc32 = typeof zlib.crc32 === 'function' ? zlib.crc32 : portableCrc32;
