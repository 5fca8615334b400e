import { expect, it } from 'vitest';
import { textOfHeader } from './headertext.js';

const latin1 = (...bytes: readonly number[]): string => Buffer.from(bytes).toString('latin1');

it.each([
  ['ASCII', 'a b', 'a b'],
  ['UTF-8', Buffer.from('café 🂡').toString('latin1'), 'café 🂡'],
  ['bytes that are not UTF-8', latin1(0x61, 0xff, 0xe9, 0x62), 'a\ufffd\ufffdb'],
  ['the begin of a character', latin1(0xe2, 0x82, 0x62, 0xf0), '\ufffd\ufffdb\ufffd'],
])('reads %s', (_what, header, text) => {
  expect(textOfHeader(header)).toBe(text);
});
