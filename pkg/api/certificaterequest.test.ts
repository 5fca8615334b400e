import { describe, expect, it } from 'vitest';
import { COMMON_NAME, certificateRequest, certificateRequestIn, namesOf, ORGANIZATION } from './certificaterequest.js';

const value = (tag: number, ...content: readonly Buffer[]): Buffer => {
  const inner = Buffer.concat(content);
  const length =
    inner.length < 0x80 ? Buffer.from([inner.length]) : Buffer.from([0x82, inner.length >> 8, inner.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, inner]);
};

const version = value(0x02, Buffer.from([0]));
const name = value(0x30, Buffer.alloc(200));
const info = value(0x30, version, name, value(0x30), value(0xa0));
const request = value(0x30, info, value(0x30), value(0x03, Buffer.alloc(40)));

describe('certificateRequest', () => {
  it('recognises the outer structure of a request', () => {
    expect(certificateRequest(request)?.subject.content).toHaveLength(200);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.from([0, 0, 1])],
    ['one cut short', request.subarray(0, request.length - 1)],
    ['one with something behind it', Buffer.concat([request, version])],
    ['two of the three parts', value(0x30, info, value(0x30))],
    ['too many parts', value(0x30, info, value(0x30), value(0x03, Buffer.alloc(40)), version)],
    ['no key', value(0x30, value(0x30, version, name), value(0x30), value(0x03))],
    ['a length without end', Buffer.from([0x30, 0x80, 0, 0])],
    ['a length of more than four bytes', Buffer.from([0x30, 0x85, 0, 0, 0, 0, 0])],
  ])('%s is not a request', (_what, bytes) => {
    expect(certificateRequest(bytes)).toBeUndefined();
  });
});

const COMMON = Buffer.from(COMMON_NAME, 'hex');
const attribute = (identifier: Buffer, tag: number, text: Buffer): Buffer =>
  value(0x30, value(0x06, identifier), value(tag, text));
const subjectOf = (...sets: readonly Buffer[]) => {
  const whole = value(0x30, ...sets);
  return { tag: 0x30, content: whole.subarray(whole[1]! < 0x80 ? 2 : 4), whole };
};

describe('namesOf', () => {
  it('has the values of one attribute in order, in any encoding', () => {
    const wide = Buffer.from([0, 0x62]);
    const subject = subjectOf(
      value(0x31, attribute(COMMON, 0x0c, Buffer.from('a'))),
      value(0x31, attribute(COMMON, 0x1e, wide), attribute(Buffer.from(ORGANIZATION, 'hex'), 0x13, Buffer.from('o'))),
      value(0x31, attribute(COMMON, 0x1c, Buffer.from([0, 0, 0, 0x63]))),
    );
    expect(namesOf(subject, COMMON_NAME)).toEqual(['a', 'b', 'c']);
    expect(namesOf(subject, ORGANIZATION)).toEqual(['o']);
  });

  it('reads no subject that is malformed or has very many parts', () => {
    const one = value(0x31, attribute(COMMON, 0x0c, Buffer.from('a')));
    expect(namesOf(subjectOf(value(0x30)), COMMON_NAME)).toBeUndefined();
    expect(namesOf(subjectOf(value(0x31, value(0x30))), COMMON_NAME)).toBeUndefined();
    expect(namesOf(subjectOf(...Array.from({ length: 1_001 }, () => one)), COMMON_NAME)).toBeUndefined();
  });
});

it('reads the first block of a text, which is a request', () => {
  const pem = (type: string, headers = ''): string =>
    `-----BEGIN ${type}-----\n${headers}${request.toString('base64')}\n-----END ${type}-----\n`;
  const type = 'CERTIFICATE REQUEST';
  expect(certificateRequestIn(`text\n${pem(type)}`)).toMatchObject({ algorithm: '' });
  expect(certificateRequestIn(pem(type, 'a: b\n\n'))).toMatchObject({ algorithm: '' });
  for (const other of ['', pem('NEW CERTIFICATE REQUEST'), `${pem('CERTIFICATE')}${pem(type)}`])
    expect(certificateRequestIn(other)).toBe('PEM block type must be CERTIFICATE REQUEST');
});

it.each([
  [Buffer.alloc(0), 'asn1: syntax error: sequence truncated'],
  [Buffer.from([0x30, 0]), 'asn1: syntax error: sequence truncated'],
  [Buffer.from([0x30, 0x80, 0, 0]), 'asn1: syntax error: indefinite length found (not DER)'],
  [request.subarray(0, request.length - 1), 'asn1: syntax error: data truncated'],
  [Buffer.concat([request, version]), 'asn1: syntax error: trailing data'],
  [
    Buffer.from([0x02, 0x01, 0x00]),
    "asn1: structure error: tags don't match (16 vs {class:0 tag:2 length:1 isCompound:false}) {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} certificateRequest @2",
  ],
])('has the error of kube-apiserver for other bytes: %#', (bytes, problem) => {
  const body = bytes.toString('base64');
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`;
  expect(certificateRequestIn(pem)).toBe(problem);
});
