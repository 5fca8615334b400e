/** The structure of DER (X.690): values with a tag and a length. Names of types with more than one byte are not read. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  /** The value with its tag and length. */
  readonly whole: Buffer;
}

/** Returns the consecutive values in the bytes; undefined if the bytes are malformed, or there are more than `most`. */
export function derValues(bytes: Buffer, most: number): readonly DerValue[] | undefined {
  const found: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    const tag = bytes[at];
    const first = bytes[at + 1];
    if (tag === undefined || first === undefined || found.length === most) return undefined;
    let length = first;
    at += 2;
    if (first >= 0x80) {
      const size = first & 0x7f;
      if (size === 0 || size > 4 || at + size > bytes.length) return undefined;
      length = bytes.readUIntBE(at, size);
      at += size;
    }
    if (at + length > bytes.length) return undefined;
    found.push({ tag, content: bytes.subarray(at, at + length), whole: bytes.subarray(start, at + length) });
    at += length;
  }
  return found;
}
