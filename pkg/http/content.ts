import type { OutgoingHttpHeaders } from 'node:http';
import type { Call } from './call.js';
import { sendBytes, sendEmpty, sendPlain, sendText } from './responses.js';

/** A document as clients may request it conditionally and in parts. */
export interface Content {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Undefined for a document that is made for each request. */
  readonly hash: string | undefined;
  /** Unix milliseconds. */
  readonly modified: number;
  readonly headers: OutgoingHttpHeaders;
  readonly compresses: boolean;
  /** Returns the text between the parts of a response with several ranges. */
  readonly boundary: () => string;
}

/**
 * Sends a document as Go's `http.ServeContent` does, which kube-apiserver uses: conditions (RFC 9110, section 13) in the order of their
 * precedence, then ranges (section 14), for any method.
 */
export function sendContent(call: Call, content: Content): void | Promise<void> {
  const { bytes, contentType, headers } = content;
  const validators = { ...(content.hash === undefined ? {} : { etag: `"${content.hash}"` }), ...headers };
  const dated = { ...validators, 'last-modified': httpTime(content.modified) };
  switch (conditions(call, content)) {
    case 'failed':
      return sendEmpty(call, 412, content.hash === undefined ? dated : { ...dated, 'content-type': contentType });
    case 'unchanged':
      return sendEmpty(call, 304, content.hash === undefined ? dated : validators);
  }
  // An error is not cached like the document.
  const { 'cache-control': _, ...ofError } = headers;
  const asked = sameVersion(call, content) ? call.exchange.headers.range : undefined;
  const ranges = asked === undefined || asked === '' ? [] : parseRanges(asked, bytes.length);
  if (ranges === 'outside')
    return sendText(call, 416, 'invalid range: failed to overlap\n', {
      ...ofError,
      'content-range': `bytes */${bytes.length}`,
    });
  if (ranges === 'invalid') return sendText(call, 416, 'invalid range\n', ofError);
  const whole = { ...dated, 'accept-ranges': 'bytes' };
  // Ranges that overlap could ask for more than the document.
  if (ranges.length === 0 || ranges.reduce((sum, r) => sum + r.length, 0) > bytes.length)
    return (content.compresses ? sendBytes : sendPlain)(call, 200, contentType, bytes, whole);
  const [first, ...others] = ranges as readonly [Range, ...Range[]];
  if (others.length === 0)
    return sendPlain(call, 206, contentType, partOf(bytes, first), {
      ...whole,
      'content-range': placeOf(first, bytes.length),
    });
  const boundary = content.boundary();
  const body = Buffer.concat([
    ...ranges.flatMap((r, i) => [
      Buffer.from(
        `${i === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Range: ${placeOf(r, bytes.length)}\r\nContent-Type: ${contentType}\r\n\r\n`,
      ),
      partOf(bytes, r),
    ]),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return sendPlain(call, 206, `multipart/byteranges; boundary=${boundary}`, body, whole);
}

type Versioned = Pick<Content, 'hash' | 'modified'>;

/** Whether the conditions of the request are met: the older ones by time count only without their newer ones by ETag. */
function conditions(call: Call, { hash, modified }: Versioned): 'met' | 'failed' | 'unchanged' {
  const { headers, method } = call.exchange;
  const reads = method === 'GET' || method === 'HEAD';
  const match = headers['if-match'];
  if (match !== undefined && match !== '') {
    if (!listed(match, hash, false)) return 'failed';
  } else if (isLater(modified, headers['if-unmodified-since']) === true) return 'failed';
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined && noneMatch !== '') {
    if (listed(noneMatch, hash, true)) return reads ? 'unchanged' : 'failed';
  } else if (reads) {
    // A document that is made for each request may have changed since, in the second of which the client has it. kube-apiserver says that it
    // has not, and a client then misses a definition that was just made again.
    const made = hash === undefined ? modified + 1000 : modified;
    if (isLater(made, headers['if-modified-since']) === false) return 'unchanged';
  }
  return 'met';
}

/** Whether a document with this hash is known to the client, before the document is made. */
export function isKnown(call: Call, hash: string): boolean {
  const { headers, method } = call.exchange;
  if (headers['if-match'] !== undefined || headers['if-unmodified-since'] !== undefined) return false;
  return (method === 'GET' || method === 'HEAD') && listed(headers['if-none-match'] ?? '', hash, true);
}

/** Whether a list of ETags has that of the document. A weak ETag never does in a strong comparison. */
function listed(list: string, hash: string | undefined, weak: boolean): boolean {
  return list.split(',').some((item) => {
    const tag = item.trim();
    if (tag === '*') return true;
    return hash !== undefined && (weak ? tag.replace(/^W\//, '') : tag) === `"${hash}"`;
  });
}

/** Whether the document changed after the time of a header, in whole seconds; undefined without a valid time. */
function isLater(modified: number, header: string | undefined): boolean | undefined {
  const time = Date.parse(header ?? '');
  return Number.isNaN(time) ? undefined : seconds(modified) > seconds(time);
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/** Whether `If-Range` permits ranges: it names the version of the document, by ETag or time. Only reads have it. */
function sameVersion(call: Call, { hash, modified }: Versioned): boolean {
  const { headers, method } = call.exchange;
  const given = headers['if-range'];
  if (typeof given !== 'string' || given === '' || (method !== 'GET' && method !== 'HEAD')) return true;
  if (/^(W\/)?"/.test(given)) return hash !== undefined && given === `"${hash}"`;
  return seconds(Date.parse(given)) === seconds(modified);
}

interface Range {
  readonly from: number;
  readonly length: number;
}

const DIGITS = /^\d*$/;

/** Parses `bytes=0-9,20-,-5`. Ranges after the end are left out, unless all are. */
function parseRanges(header: string, size: number): readonly Range[] | 'invalid' | 'outside' {
  if (!header.startsWith('bytes=')) return 'invalid';
  const ranges: Range[] = [];
  let outside = false;
  for (const text of header.slice('bytes='.length).split(',')) {
    if (text.trim() === '') continue;
    const dash = text.indexOf('-');
    const [first, last] = [text.slice(0, Math.max(dash, 0)).trim(), text.slice(dash + 1).trim()];
    if (dash < 0 || !DIGITS.test(first) || !DIGITS.test(last) || first + last === '') return 'invalid';
    if (first === '') {
      const length = Math.min(Number(last), size);
      ranges.push({ from: size - length, length });
      continue;
    }
    const from = Number(first);
    if (from >= size) {
      outside = true;
      continue;
    }
    if (last !== '' && Number(last) < from) return 'invalid';
    const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
    ranges.push({ from, length: to - from + 1 });
  }
  return outside && ranges.length === 0 ? 'outside' : ranges;
}

const partOf = (bytes: Buffer, { from, length }: Range): Buffer => bytes.subarray(from, from + length);

const placeOf = ({ from, length }: Range, size: number): string => `bytes ${from}-${from + length - 1}/${size}`;

/** The form of a time in headers. */
export const httpTime = (milliseconds: number): string => new Date(milliseconds).toUTCString();
