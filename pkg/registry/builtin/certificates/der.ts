/** The part of DER (X.690) that reads the structure of a certificate request (RFC 2986). Names and attributes are not checked. */

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_IDENTIFIER = 0x06;
const SEQUENCE = 0x30;
const ATTRIBUTES = 0xa0;

interface Value {
  readonly tag: number;
  readonly content: Buffer;
  /** The value with its tag and length. */
  readonly whole: Buffer;
}

/** The parts of a certificate request that its signature concerns. */
export interface CertificateRequestParts {
  /** What is signed, in DER. */
  readonly signed: Buffer;
  /** The public key (SubjectPublicKeyInfo), in DER. */
  readonly publicKey: Buffer;
  /** The object identifier of the signature algorithm, in hexadecimal digits, and its parameters. */
  readonly algorithm: string;
  readonly parameters: Buffer;
  readonly signature: Buffer;
}

export const isCertificateRequest = (der: Buffer): boolean => certificateRequest(der) !== undefined;

/** Returns undefined if the bytes are not one certificate request. */
export function certificateRequest(der: Buffer): CertificateRequestParts | undefined {
  const [request, ...more] = values(der) ?? [];
  if (request?.tag !== SEQUENCE || more.length > 0) return undefined;
  const [info, algorithm, signature] = shaped(request, [SEQUENCE, SEQUENCE, BIT_STRING]) ?? [];
  if (info === undefined || algorithm === undefined || signature === undefined) return undefined;
  const publicKey = shaped(info, [INTEGER, SEQUENCE, SEQUENCE, ATTRIBUTES])?.[2];
  if (publicKey === undefined) return undefined;
  const [identifier, parameters] = values(algorithm.content) ?? [];
  return {
    signed: info.whole,
    publicKey: publicKey.whole,
    algorithm: identifier?.tag === OBJECT_IDENTIFIER ? identifier.content.toString('hex') : '',
    parameters: parameters?.whole ?? Buffer.alloc(0),
    // The first octet of a bit string counts its unused bits.
    signature: signature.content.subarray(1),
  };
}

function shaped(value: Value, tags: readonly number[]): readonly Value[] | undefined {
  const inner = values(value.content);
  return inner?.length === tags.length && inner.every((v, i) => v.tag === tags[i]) ? inner : undefined;
}

/** Returns the consecutive values in the bytes, or undefined when the bytes are malformed. */
function values(bytes: Buffer): readonly Value[] | undefined {
  const found: Value[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at;
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
    found.push({ tag, content: bytes.subarray(at, at + length), whole: bytes.subarray(start, at + length) });
    at += length;
  }
  return found;
}
