import { type DerValue, derValues } from './der.js';
import { type PemBlock, pemBlocks } from './pem.js';
import { keyProblemOf } from './requestsignature.js';

/** Reads the structure of a certificate request (RFC 2986) and the names of its subject. Attributes are not checked. */

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_IDENTIFIER = 0x06;
const SEQUENCE = 0x30;
const SET = 0x31;
const UNIVERSAL_STRING = 0x1c;
const BMP_STRING = 0x1e;
const ATTRIBUTES = 0xa0;

/** The parts of a certificate request that its signature concerns. */
export interface CertificateRequestParts {
  /** What is signed, in DER. */
  readonly signed: Buffer;
  /** The public key (SubjectPublicKeyInfo), in DER. */
  readonly publicKey: Buffer;
  /** The subject in DER. */
  readonly subject: DerValue;
  /** The object identifier of the signature algorithm, in hexadecimal digits, and its parameters. */
  readonly algorithm: string;
  readonly parameters: Buffer;
  readonly signature: Buffer;
}

/** Object identifiers of attributes of a subject, 2.5.4.3 and 2.5.4.10, in hexadecimal digits. */
export const COMMON_NAME = '550403';
export const ORGANIZATION = '55040a';

/** The parts of a subject; certificates have a few. */
const NAMES_MAX = 1_000;

/** Returns the first block of a text in PEM as a request, or why it is none. */
export function certificateRequestIn(pem: string): CertificateRequestParts | string {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  const der = derOf(block);
  const parts = certificateRequest(der);
  if (parts === undefined) return whyNot(der);
  return keyProblemOf(parts) ?? parts;
}

/** The shape that Go's ASN.1 errors print. */
const PARAMETERS =
  '{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} certificateRequest';

/** Returns kube-apiserver's error for bytes that are no request: the outermost problem, without a place inside. */
function whyNot(der: Buffer): string {
  const [tag, first = 0] = der;
  if (tag === undefined) return 'asn1: syntax error: sequence truncated';
  if (first === 0x80) return 'asn1: syntax error: indefinite length found (not DER)';
  const header = 2 + (first > 0x80 ? first & 0x7f : 0);
  if (der.length < header) return 'asn1: syntax error: truncated tag or length';
  const length = first > 0x80 ? Number(`0x${der.subarray(2, header).toString('hex')}`) : first;
  if (tag !== SEQUENCE)
    return `asn1: structure error: tags don't match (16 vs {class:${tag >> 6} tag:${tag & 0x1f} length:${length} isCompound:${(tag & 0x20) !== 0}}) ${PARAMETERS} @${header}`;
  if (der.length < header + length) return 'asn1: syntax error: data truncated';
  if (length === 0) return 'asn1: syntax error: sequence truncated';
  if (der.length > header + length) return 'asn1: syntax error: trailing data';
  return 'asn1: structure error: not a certificate request';
}

/** Returns the content of a block; its headers end with an empty line. */
function derOf({ text, hasHeaders }: PemBlock): Buffer {
  const body = text.slice(text.indexOf('-----', 5) + 5, text.lastIndexOf('-----END '));
  return Buffer.from(hasHeaders ? body.slice(body.search(/\n\r?\n/) + 1) : body, 'base64');
}

/** Returns undefined if the bytes are not one certificate request. */
export function certificateRequest(der: Buffer): CertificateRequestParts | undefined {
  const [request] = derValues(der, 1) ?? [];
  if (request?.tag !== SEQUENCE) return undefined;
  const [info, algorithm, signature] = shaped(request, [SEQUENCE, SEQUENCE, BIT_STRING]) ?? [];
  if (info === undefined || algorithm === undefined || signature === undefined) return undefined;
  const [, subject, publicKey] = shaped(info, [INTEGER, SEQUENCE, SEQUENCE, ATTRIBUTES]) ?? [];
  if (subject === undefined || publicKey === undefined) return undefined;
  const [identifier, parameters] = derValues(algorithm.content, 2) ?? [];
  return {
    signed: info.whole,
    publicKey: publicKey.whole,
    subject,
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

/**
 * Returns the values of one attribute of a subject, in its order; undefined if it is malformed or has more than
 * `NAMES_MAX` parts.
 */
export function namesOf(subject: DerValue, identifier: string): readonly string[] | undefined {
  const names: string[] = [];
  let left = NAMES_MAX;
  for (const set of derValues(subject.content, NAMES_MAX) ?? [undefined]) {
    const parts = set?.tag === SET ? derValues(set.content, left) : undefined;
    if (parts === undefined) return undefined;
    left -= parts.length;
    for (const part of parts) {
      const [type, value] = derValues(part.content, 2) ?? [];
      if (type?.tag !== OBJECT_IDENTIFIER || value === undefined) return undefined;
      if (type.content.toString('hex') === identifier) names.push(textOf(value));
    }
  }
  return names;
}

/** A name may be encoded in two or four bytes per character. */
function textOf({ tag, content }: DerValue): string {
  const width = tag === BMP_STRING ? 2 : tag === UNIVERSAL_STRING ? 4 : 1;
  if (width === 1) return content.toString();
  let text = '';
  for (let i = width; i <= content.length; i += width) text += String.fromCharCode(content.readUInt16BE(i - 2));
  return text;
}
