import { withAuthenticatedGroup } from '../user.js';
import { type Authenticated, NONE, type TokenAuthenticator } from './authenticator.js';
import { tokenDigest } from './digest.js';

/** Thrown for an invalid line of a token file. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
}

/** Static tokens: a CSV file with `token,user,uid[,"group1,group2"]` on each line. */
export function tokenFileAuthenticator(text: string): TokenAuthenticator {
  /** By the digest of the token. */
  const users = new Map<string, Authenticated>();
  for (const [i, record] of parseCsv(text).entries()) {
    const [token = '', name = '', uid = '', groups = ''] = record;
    if (record.length < 3)
      throw new TokenFileError(`token file: record ${i + 1} has ${record.length} columns, expected at least 3`);
    if (token === '') continue;
    const user = withAuthenticatedGroup({
      name,
      ...(uid === '' ? {} : { uid }),
      groups: groups === '' ? [] : groups.split(',').map((g) => g.trim()),
    });
    users.set(tokenDigest(token), { kind: 'authenticated', user });
  }
  return { authenticateToken: (token, _audiences, request) => users.get(tokenDigest(token, request)) ?? NONE };
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
