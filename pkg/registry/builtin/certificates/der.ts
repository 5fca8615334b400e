/** The part of DER (X.690) that recognises the outer structure of a certificate request (RFC 2986). Contents are not checked. */

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const SEQUENCE = 0x30;
const ATTRIBUTES = 0xa0;

interface Value {
  readonly tag: number;
  readonly content: Buffer;
}

export function isCertificateRequest(der: Buffer): boolean {
  const [request, ...more] = values(der) ?? [];
  if (request?.tag !== SEQUENCE || more.length > 0) return false;
  const [info, algorithm, signature] = shaped(request, [SEQUENCE, SEQUENCE, BIT_STRING]) ?? [];
  if (info === undefined || algorithm === undefined || signature === undefined) return false;
  return shaped(info, [INTEGER, SEQUENCE, SEQUENCE, ATTRIBUTES]) !== undefined;
}

function shaped(value: Value, tags: readonly number[]): readonly Value[] | undefined {
  const inner = values(value.content);
  return inner?.length === tags.length && inner.every((v, i) => v.tag === tags[i]) ? inner : undefined;
}

/** Returns the consecutive values in the bytes, or undefined when the bytes are malformed. */
function values(bytes: Buffer): readonly Value[] | undefined {
  const found: Value[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at];
    const first = bytes[at + 1];
    if (tag === undefined || first === undefined) return undefined;
    let length = first;
    at += 2;
    if (first >= 0x80) {
      const size = first & 0x7f;
      if (size === 0 || size > 4 || at + size > bytes.length) return undefined;
      length = bytes.readUIntBE(at, size);
      at += size;
    }
    if (at + length > bytes.length) return undefined;
    found.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return found;
}
