import { goQuote } from '../../api/index.js';
import { foldedName, type JsonType, membersOf, typeOf } from '../tokens/members.js';
import { integerOf } from '../tokens/numericdate.js';

/** The claims that every ID token has (OpenID Connect Core 1.0, section 2), as kube-apiserver reads them. */
export interface IdToken {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Seconds since the epoch. */
  readonly expiry: bigint;
  readonly notBefore: bigint | undefined;
}

/** The year 1: a token without an expiry has expired. */
const NO_TIME = -62_135_596_800n;

/** A reader of one claim throws its problem; null is passed on to it. */
type Reader = (value: string, type: JsonType) => Partial<IdToken>;

const NOTHING: Partial<IdToken> = {};
const checked = (_value: string | bigint): Partial<IdToken> => NOTHING;

const CLAIMS: Readonly<Record<string, Reader>> = {
  iss: (value, type) => (type === 'null' ? {} : { issuer: textOf(value, type, 'iss') }),
  sub: (value, type) => (type === 'null' ? NOTHING : checked(textOf(value, type, 'sub'))),
  aud: (value, type) => ({ audiences: audiencesOf(value, type) }),
  exp: (value, type) => ({ expiry: timeOf(value, type, 'exp') }),
  iat: (value, type) => checked(timeOf(value, type, 'iat')),
  nbf: (value, type) => ({ notBefore: type === 'null' ? undefined : timeOf(value, type, 'nbf') }),
};

/**
 * Reads a payload. Names match in any case, and the last of several members counts. Throws an Error with the first
 * problem.
 */
export function idTokenOf(payload: string): IdToken {
  let token: IdToken = { issuer: '', audiences: [], expiry: NO_TIME, notBefore: undefined };
  for (const { key, value } of membersOf(payload) ?? []) {
    const name = foldedName(key);
    if (Object.hasOwn(CLAIMS, name)) token = { ...token, ...CLAIMS[name]!(value, typeOf(value)) };
  }
  return token;
}

const mismatch = (type: JsonType, claim: string, wanted: string): Error =>
  new Error(`json: cannot unmarshal ${type} into Go struct field idToken.${claim} of type ${wanted}`);

function textOf(value: string, type: JsonType, claim: string): string {
  if (type !== 'string') throw mismatch(type, claim, 'string');
  return JSON.parse(value) as string;
}

function audiencesOf(value: string, type: JsonType): readonly string[] {
  if (type === 'null') return [''];
  if (type === 'string') return [JSON.parse(value) as string];
  if (type !== 'array') throw mismatch(type, 'aud', '[]string');
  return (JSON.parse(value) as unknown[]).map((one) => {
    if (one === null) return '';
    if (typeof one !== 'string') throw mismatch(typeOf(JSON.stringify(one)), 'aud', 'string');
    return one;
  });
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number, also as text. */
function timeOf(value: string, type: JsonType, claim: string): bigint {
  if (type !== 'number' && type !== 'string' && type !== 'null') throw mismatch(type, claim, 'json.Number');
  const text = type === 'null' ? '' : type === 'string' ? (JSON.parse(value) as string) : value;
  if (type === 'null') throw new Error('strconv.ParseFloat: parsing "": invalid syntax');
  if (!NUMBER.test(text))
    throw new Error(`json: invalid number literal, trying to unmarshal ${goQuote(value)} into Number`);
  if (/^-?\d{1,18}$/.test(text)) return BigInt(text);
  const number = Number(text);
  if (!Number.isFinite(number)) throw new Error(`strconv.ParseFloat: parsing ${goQuote(text)}: value out of range`);
  const exact = /^-?\d+$/.test(text) ? BigInt(text) : undefined;
  return exact !== undefined && BigInt.asIntN(64, exact) === exact ? exact : integerOf(number);
}
