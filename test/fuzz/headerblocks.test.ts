import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../pkg/http/limits.js';
import { TestDoor } from '../../pkg/http/testing/door.js';
import { block, bomb, GET, outcomeOf, type Pair } from './headerblocks.js';

let door: TestDoor;
let begun = 0;

beforeEach(async () => {
  begun = 0;
  door = await TestDoor.open();
  door.services.registry.before = async () => {
    begun++;
  };
});

afterEach(() => door.listener.drain(0));

const [METHOD, SCHEME, AUTHORITY, PATH] = GET as readonly [Pair, Pair, Pair, Pair];

describe('a header block of HTTP/2', () => {
  it('is served with the fields of a request', async () => {
    expect([await outcomeOf(door, block(...GET, ['te', 'trailers'])), begun]).toEqual(['response', 1]);
  });

  it.each<readonly [what: string, headerBlock: Buffer]>([
    ['a method twice', block(...GET, METHOD)],
    ['a path twice', block(METHOD, SCHEME, AUTHORITY, PATH, [':path', '/livez'])],
    ['a pseudo header after others', block(METHOD, SCHEME, AUTHORITY, ['accept', '*/*'], PATH)],
    ['a pseudo header of responses', block(...GET, [':status', '200'])],
    ['an unknown pseudo header', block(...GET, [':user', 'admin'])],
    ['no path', block(METHOD, SCHEME, AUTHORITY)],
    ['no method', block(SCHEME, AUTHORITY, PATH)],
    ['no scheme', block(METHOD, AUTHORITY, PATH)],
    ['an empty path', block(METHOD, SCHEME, AUTHORITY, [':path', ''])],
    ['an upper-case name', block(...GET, ['Impersonate-User', 'a'])],
    ['Connection', block(...GET, ['connection', 'close'])],
    ['Transfer-Encoding', block(...GET, ['transfer-encoding', 'chunked'])],
    ['TE with gzip', block(...GET, ['te', 'gzip'])],
    ['Content-Length twice', block(...GET, ['content-length', '0'], ['content-length', '1'])],
    ['references to one large field', bomb(4000)],
    ['an index that is not in the table', Buffer.concat([block(...GET), Buffer.from([0xff, 0x7f])])],
    ['an integer without end', Buffer.concat([block(...GET), Buffer.alloc(40, 0xff)])],
    [
      'a cookie in too many crumbs',
      block(...GET, ...Array.from({ length: limits.headersMax }, () => ['cookie', 'a'] as const)),
    ],
    ['a cookie of too many bytes', block(...GET, ['cookie', 'a'.repeat(limits.headerBytesMax)])],
  ])('is not served with %s', async (_what, headerBlock) => {
    expect(await outcomeOf(door, headerBlock)).not.toBe('response');
    expect(await outcomeOf(door, block(...GET))).toBe('response');
    // Of both requests only the second one began.
    expect(begun).toBe(1);
  });
});
