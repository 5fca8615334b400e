import { isUtf8 } from 'node:buffer';

const NOT_ASCII = /[\u0080-\u00ff]/;

/** The text of a header in UTF-8, which Node.js reads as Latin-1. Each invalid byte is a replacement character, as in Go. */
export function textOfHeader(value: string): string {
  if (!NOT_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = utf8Length(bytes, at);
    text += length === 0 ? '\ufffd' : bytes.toString('utf8', at, at + length);
    at += Math.max(length, 1);
  }
  return text;
}

/** The length of the character that begins at a byte; 0 if none does. */
function utf8Length(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++)
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  return 0;
}
