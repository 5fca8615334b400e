import { type DerValue, namesOf } from '../api/index.js';

/**
 * The subject of an issued certificate as kube-controller-manager writes it: the attributes that it knows, in its
 * order, and the last of those that a subject has once. Object identifiers without their common start, 2.5.4.
 */
const ATTRIBUTES: readonly (readonly [identifier: number, isSingle: boolean])[] = [
  [6, false], // country
  [8, false], // province
  [7, false], // locality
  [9, false], // street address
  [17, false], // postal code
  [10, false], // organization
  [11, false], // organizational unit
  [3, true], // common name
  [5, true], // serial number
];
const START = Buffer.from([0x55, 0x04]);
const SEQUENCE = 0x30;
const SET = 0x31;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const PRINTABLE_STRING = 0x13;
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;

/** Returns a name in DER; throws if the subject is malformed. */
export function issuedSubject(subject: DerValue): Buffer {
  const sets: Buffer[] = [];
  for (const [identifier, isSingle] of ATTRIBUTES) {
    const type = Buffer.concat([START, Buffer.from([identifier])]);
    const all = namesOf(subject, type.toString('hex'));
    if (all === undefined) throw new Error('the subject of the certificate request is malformed');
    const values = isSingle ? all.slice(-1).filter((value) => value !== '') : all;
    if (values.length === 0) continue;
    const parts = values.map((value) => der(SEQUENCE, der(OBJECT_IDENTIFIER, type), text(value)));
    // The parts of a set are in the order of their bytes (X.690, 11.6).
    sets.push(der(SET, ...parts.sort(Buffer.compare)));
  }
  return der(SEQUENCE, ...sets);
}

const text = (value: string): Buffer => der(PRINTABLE.test(value) ? PRINTABLE_STRING : UTF8_STRING, Buffer.from(value));

function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const inner = Buffer.concat(content);
  if (inner.length < 0x80) return Buffer.concat([Buffer.from([tag, inner.length]), inner]);
  const digits = inner.length.toString(16);
  const length = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, inner]);
}
