/** Writes a safe integer as eight bytes, little-endian. */
export function putUint(out: Buffer, at: number, n: number): void {
  const low = n >>> 0;
  out.writeUInt32LE(low, at);
  out.writeUInt32LE((n - low) / 2 ** 32, at + 4);
}

/** Reads what `putUint` wrote. */
export function getUint(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}
