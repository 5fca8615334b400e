/** Safe integers as eight bytes, high half first, so that they sort as numbers do. */
const half = 2 ** 32;

export function writeInteger(buffer: Buffer, n: number, at: number): void {
  buffer.writeUInt32BE(Math.floor(n / half), at);
  buffer.writeUInt32BE(n >>> 0, at + 4);
}

/** NaN if the bytes are not a safe integer; every comparison with NaN fails. */
export function readInteger(buffer: Buffer, at: number): number {
  const n = buffer.readUInt32BE(at) * half + buffer.readUInt32BE(at + 4);
  return Number.isSafeInteger(n) ? n : Number.NaN;
}

/** Reports whether all of `bytes[start, end)` are ASCII. */
export function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i]! > 0x7f) return false;
  return true;
}
