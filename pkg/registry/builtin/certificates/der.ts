import { type DerValue, derValues } from '../../../api/index.js';

/** Reads the structure of a certificate request (RFC 2986). Names and attributes are not checked. */

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_IDENTIFIER = 0x06;
const SEQUENCE = 0x30;
const ATTRIBUTES = 0xa0;

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
  const [request] = derValues(der, 1) ?? [];
  if (request?.tag !== SEQUENCE) return undefined;
  const [info, algorithm, signature] = shaped(request, [SEQUENCE, SEQUENCE, BIT_STRING]) ?? [];
  if (info === undefined || algorithm === undefined || signature === undefined) return undefined;
  const publicKey = shaped(info, [INTEGER, SEQUENCE, SEQUENCE, ATTRIBUTES])?.[2];
  if (publicKey === undefined) return undefined;
  const [identifier, parameters] = derValues(algorithm.content, 2) ?? [];
  return {
    signed: info.whole,
    publicKey: publicKey.whole,
    algorithm: identifier?.tag === OBJECT_IDENTIFIER ? identifier.content.toString('hex') : '',
    parameters: parameters?.whole ?? Buffer.alloc(0),
    // The first octet of a bit string counts its unused bits.
    signature: signature.content.subarray(1),
  };
}

function shaped(value: DerValue, tags: readonly number[]): readonly DerValue[] | undefined {
  const inner = derValues(value.content, tags.length);
  return inner?.length === tags.length && inner.every((v, i) => v.tag === tags[i]) ? inner : undefined;
}
