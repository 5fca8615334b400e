import { describe, expect, it } from 'vitest';
import { isCertificateRequest } from './der.js';

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

describe('isCertificateRequest', () => {
  it('recognises the outer structure of a request', () => {
    expect(isCertificateRequest(request)).toBe(true);
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
    expect(isCertificateRequest(bytes)).toBe(false);
  });
});
