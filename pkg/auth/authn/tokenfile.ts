import { createHmac, timingSafeEqual } from 'node:crypto';
import type { UserInfo } from '../user.js';
import { NONE, type TokenAuthenticator } from './authenticator.js';

/** Thrown for an invalid line of a token file. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
}

/**
 * Static tokens: a CSV file with `token,user,uid[,"group1,group2"]` on each line. `key` is random bytes: tokens are
 * looked up by their keyed digest, so that the time of a lookup reveals nothing about the tokens.
 */
export function tokenFileAuthenticator(text: string, key: Uint8Array): TokenAuthenticator {
  const digest = (token: string): Buffer => createHmac('sha256', key).update(token).digest();
  const users = new Map<string, { readonly digest: Buffer; readonly user: UserInfo }>();
  for (const [i, record] of parseCsv(text).entries()) {
    const [token = '', name = '', uid = '', groups = ''] = record;
    if (record.length < 3)
      throw new TokenFileError(`token file: record ${i + 1} has ${record.length} columns, expected at least 3`);
    if (token === '') continue;
    const of = digest(token);
    users.set(of.toString('base64'), {
      digest: of,
      user: {
        name,
        ...(uid === '' ? {} : { uid }),
        groups: groups === '' ? [] : groups.split(',').map((g) => g.trim()),
      },
    });
  }
  return {
    authenticateToken(token) {
      const asked = digest(token);
      const found = users.get(asked.toString('base64'));
      return found !== undefined && timingSafeEqual(found.digest, asked)
        ? { kind: 'authenticated', user: found.user }
        : NONE;
    },
  };
}

/**
 * Parses the part of RFC 4180 that the token file needs: quoted fields, doubled quotes, comments with `#`, empty lines.
 */
function parseCsv(text: string): readonly (readonly string[])[] {
  const records: (readonly string[])[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    records.push(fieldsOf(line));
  }
  return records;
}

function fieldsOf(line: string): readonly string[] {
  const fields: string[] = [];
  for (let at = 0; at <= line.length; at++) {
    while (line[at] === ' ') at++;
    let text = '';
    if (line[at] === '"') {
      for (at++; at < line.length; at++) {
        if (line[at] !== '"') text += line[at];
        else if (line[at + 1] === '"') text += line[at++];
        else break;
      }
      while (at < line.length && line[at] !== ',') at++;
    } else {
      const end = line.indexOf(',', at) < 0 ? line.length : line.indexOf(',', at);
      text = line.slice(at, end).trim();
      at = end;
    }
    fields.push(text);
  }
  return fields;
}
