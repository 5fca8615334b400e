import { createPublicKey, X509Certificate } from 'node:crypto';
import { goQuote } from '../../api/index.js';
import { duplicateIn, type Member, membersOf, typeOf } from './members.js';

/** JSON Web Signatures in compact form (RFC 7515), with the strictness of kube-apiserver. */

export interface Jws {
  readonly algorithm: string;
  /** '' if the header names no key. */
  readonly keyId: string;
  /** Why the signature cannot be verified, with the reason for errors: the header has extensions that are not supported. */
  readonly extension: string | undefined;
  readonly payload: string;
  /** The form whose signature is verified: spellings of the same bytes are one token. */
  readonly text: string;
}

/** Reads a token; returns why it is malformed. */
export function readJws(token: string): Jws | string {
  const parts = token.replace(/\s+/g, '').split('.', 4);
  if (parts.length !== 3) return 'go-jose/go-jose: compact JWS format must have three parts';
  const decoded = parts.map(decodeBase64Url);
  const wrong = decoded.find((part) => typeof part === 'string');
  if (typeof wrong === 'string') return wrong;
  const [head, payload] = decoded as readonly Buffer[];
  const header = headerOf(head!.toString());
  if (typeof header === 'string') return header;
  const text = (name: string): string => String(JSON.parse(memberOf(header, name) ?? 'null') ?? '');
  return {
    algorithm: text('alg'),
    keyId: text('kid'),
    extension: extensionProblem(header),
    payload: payload!.toString(),
    text: (decoded as readonly Buffer[]).map((part) => part.toString('base64url')).join('.'),
  };
}

/** Returns the payload of a token, with which kube-apiserver chooses an authenticator; undefined if it cannot be decoded. */
export function payloadOf(token: string): string | undefined {
  const parts = token.split('.', 4);
  const payload = parts.length === 3 ? decodeBase64Url(parts[1]!) : '';
  return typeof payload === 'string' ? undefined : payload.toString();
}

/** Decodes base64 without padding; returns the problem as Go names it. Line ends are skipped, as in Go. */
export function decodeBase64Url(text: string): Buffer | string {
  const bare = text.replace(/[\r\n]/g, '');
  const wrong = bare.search(/[^\w-]/);
  const illegal = wrong >= 0 ? wrong : bare.length % 4 === 1 ? bare.length - 1 : -1;
  return illegal >= 0 ? `illegal base64 data at input byte ${illegal}` : Buffer.from(bare, 'base64url');
}

const memberOf = (header: readonly Member[], name: string): string | undefined =>
  header.find(({ key }) => key === name)?.value;

/** The fields of a header that kube-apiserver reads, with their names in its errors. */
const CHECKS: Readonly<Record<string, readonly [what: string, problem: (value: string) => string | undefined]>> = {
  alg: ['algorithm', textProblem],
  kid: ['key ID', textProblem],
  nonce: ['nonce', textProblem],
  jwk: ['JWK', jwkProblem],
  x5c: ['x5c header', chainProblem],
};

function headerOf(text: string): readonly Member[] | string {
  if (text === '' || text.trim() === 'null') return [];
  const members = membersOf(text);
  if (members === undefined) return headerProblem(text);
  const duplicate = duplicateIn(members);
  if (duplicate !== undefined) return duplicateText(duplicate);
  for (const { key, value } of members) {
    const check = Object.hasOwn(CHECKS, key) ? CHECKS[key] : undefined;
    const problem = value === 'null' ? undefined : check?.[1](value);
    if (problem !== undefined) return `failed to unmarshal ${check![0]}: ${problem}: ${goQuote(value)}`;
  }
  return members;
}

export const duplicateText = (name: string): string => `json: duplicate key '${name}' in object`;

function headerProblem(text: string): string {
  try {
    JSON.parse(text);
    return `json: cannot unmarshal ${typeOf(text)} into Go value of type jose.rawHeader`;
  } catch {
    return 'the header is not JSON';
  }
}

function textProblem(value: string): string | undefined {
  return typeOf(value) === 'string'
    ? undefined
    : `json: cannot unmarshal ${typeOf(value)} into Go value of type string`;
}

function jwkProblem(value: string): string | undefined {
  if (typeOf(value) !== 'object')
    return `json: cannot unmarshal ${typeOf(value)} into Go value of type jose.rawJSONWebKey`;
  try {
    createPublicKey({ key: JSON.parse(value), format: 'jwk' });
    return undefined;
  } catch {
    return 'go-jose/go-jose: invalid key';
  }
}

function chainProblem(value: string): string | undefined {
  if (typeOf(value) !== 'array') return `json: cannot unmarshal ${typeOf(value)} into Go value of type []string`;
  try {
    for (const one of JSON.parse(value) as unknown[]) new X509Certificate(Buffer.from(String(one), 'base64'));
    return undefined;
  } catch {
    return 'malformed certificate';
  }
}

const UNSUPPORTED = 'go-jose/go-jose: error in cryptographic primitive';

/** Only `b64` (RFC 7797) is a known extension, and only with its default. */
function extensionProblem(header: readonly Member[]): string | undefined {
  const critical = memberOf(header, 'crit') ?? 'null';
  if (critical !== 'null') {
    if (typeOf(critical) !== 'array')
      return `json: cannot unmarshal ${typeOf(critical)} into Go value of type []string`;
    if ((JSON.parse(critical) as unknown[]).some((name) => name !== 'b64')) return UNSUPPORTED;
  }
  const encoded = memberOf(header, 'b64') ?? 'null';
  return encoded === 'null' || encoded === 'true' ? undefined : UNSUPPORTED;
}
