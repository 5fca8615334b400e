import { expect, it } from 'vitest';
import type { Call } from './call.js';
import { type Content, isKnown, sendContent } from './content.js';

/** Conditional requests and ranges, as kube-apiserver 1.37.2 answers them for its OpenAPI documents. */

const MODIFIED = Date.UTC(2026, 10, 28, 6, 30, 0, 900);
const LAST_MODIFIED = 'Sat, 28 Nov 2026 06:30:00 GMT';
const EARLIER = 'Sat, 28 Nov 2026 06:29:59 GMT';
const LATER = 'Sat, 28 Nov 2027 06:30:00 GMT';

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The response to a request for a document of ten bytes. */
function asked(headers: Readonly<Record<string, string>>, more: Partial<Content> = {}, method = 'GET'): Sent {
  let sent: Sent | undefined;
  const send = (status: number, h: Readonly<Record<string, unknown>>, body: Buffer | undefined): void => {
    sent = { status, headers: h, body: body?.toString() ?? '' };
  };
  const call = { id: 'i', exchange: { headers, method, send } } as unknown as Call;
  const content = {
    contentType: 'application/json',
    bytes: Buffer.from('0123456789'),
    hash: 'H',
    modified: MODIFIED,
    headers: { vary: 'Accept' },
    compresses: false,
    boundary: () => 'B',
    ...more,
  };
  void sendContent(call, content);
  return sent!;
}

it('has the headers by which clients ask again', () => {
  const { status, headers, body } = asked({});
  expect([status, body]).toEqual([200, '0123456789']);
  expect(headers).toMatchObject({
    'accept-ranges': 'bytes',
    'last-modified': LAST_MODIFIED,
    etag: '"H"',
    vary: 'Accept',
    'content-length': 10,
  });
  expect(asked({}, { hash: undefined }).headers).not.toHaveProperty('etag');
});

it.each<readonly [string, string, number]>([
  ['if-none-match', '"H"', 304],
  ['if-none-match', '"x", W/"H"', 304],
  ['if-none-match', '*', 304],
  ['if-none-match', '"x"', 200],
  ['if-modified-since', LAST_MODIFIED, 304],
  ['if-modified-since', LATER, 304],
  ['if-modified-since', EARLIER, 200],
  ['if-modified-since', 'odd', 200],
  ['if-match', '"H"', 200],
  ['if-match', 'W/"H"', 412],
  ['if-match', '"x"', 412],
  ['if-unmodified-since', EARLIER, 412],
  ['if-unmodified-since', LAST_MODIFIED, 200],
])('%s: %s is %i', (name, value, code) => {
  expect(asked({ [name]: value }).status).toBe(code);
});

it('sends a document that is made for each request again in the second of which a client has it', () => {
  const made = { hash: undefined };
  expect(asked({ 'if-modified-since': LAST_MODIFIED }, made).status).toBe(200);
  expect(asked({ 'if-modified-since': 'Sat, 28 Nov 2026 06:30:01 GMT' }, made).status).toBe(304);
});

it('prefers conditions by ETag', () => {
  expect(asked({ 'if-none-match': '"x"', 'if-modified-since': LATER }).status).toBe(200);
  expect(asked({ 'if-match': '"H"', 'if-unmodified-since': EARLIER }).status).toBe(200);
});

it('refuses a write whose condition says that the document is unchanged', () => {
  expect(asked({ 'if-none-match': '*' }, {}, 'POST').status).toBe(412);
  expect(asked({ 'if-modified-since': LATER }, {}, 'POST').status).toBe(200);
});

it('shows the time in a 304 only without an ETag', () => {
  expect(asked({ 'if-none-match': '*' }).headers).not.toHaveProperty('last-modified');
  expect(asked({ 'if-none-match': '*' }, { hash: undefined }).headers).toHaveProperty('last-modified', LAST_MODIFIED);
});

it.each<readonly [string, number, string, string | undefined]>([
  ['bytes=0-2', 206, '012', 'bytes 0-2/10'],
  ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
  ['bytes=7-', 206, '789', 'bytes 7-9/10'],
  ['bytes=-3', 206, '789', 'bytes 7-9/10'],
  ['bytes=-30', 206, '0123456789', 'bytes 0-9/10'],
  ['bytes=20-,1-1', 206, '1', 'bytes 1-1/10'],
  ['bytes=0-9,0-9', 200, '0123456789', undefined],
  ['bytes=20-', 416, 'invalid range: failed to overlap\n', 'bytes */10'],
  ['bytes=5-2', 416, 'invalid range\n', undefined],
  ['bytes=-', 416, 'invalid range\n', undefined],
  ['lines=1', 416, 'invalid range\n', undefined],
])('the range %s is %i', (range, code, text, place) => {
  const { status, headers, body } = asked({ range });
  expect([status, body, headers['content-range']]).toEqual([code, text, place]);
});

it('sends several ranges as parts', () => {
  const { headers, body } = asked({ range: 'bytes=0-1,3-4' });
  const part = (place: string) => `--B\r\nContent-Range: bytes ${place}/10\r\nContent-Type: application/json\r\n\r\n`;
  expect(headers['content-type']).toBe('multipart/byteranges; boundary=B');
  expect(body).toBe(`${part('0-1')}01\r\n${part('3-4')}34\r\n--B--\r\n`);
});

it.each<readonly [string, number]>([
  ['"H"', 206],
  ['"x"', 200],
  ['W/"H"', 200],
  [LAST_MODIFIED, 206],
  [EARLIER, 200],
])('sends a range if it is of %s: %i', (version, code) => {
  expect(asked({ range: 'bytes=0-1', 'if-range': version }).status).toBe(code);
});

it('knows before the document is made whether the client has it', () => {
  const known = (headers: object, method = 'GET') => isKnown({ exchange: { headers, method } } as unknown as Call, 'H');
  expect(known({ 'if-none-match': '"H"' })).toBe(true);
  expect(known({ 'if-none-match': '"x"' })).toBe(false);
  expect(known({ 'if-none-match': '"H"' }, 'POST')).toBe(false);
  expect(known({ 'if-none-match': '"H"', 'if-match': '"H"' })).toBe(false);
});
