/** Objects of JSON with all of their members: `JSON.parse` keeps only the last of several with one name. */

export interface Member {
  readonly key: string;
  /** The value as JSON. */
  readonly value: string;
}

/** Deeper JSON is refused, as in kube-apiserver. */
const DEPTH_MAX = 10_000;

/** Returns the members of the object that a text of JSON is, in order; undefined if it is something else. */
export function membersOf(text: string): readonly Member[] | undefined {
  if (!isJson(text) || typeOf(text) !== 'object') return undefined;
  const members: Member[] = [];
  let [depth, key, start] = [0, '', -1];
  const end = (at: number): void => {
    if (start >= 0) members.push({ key, value: text.slice(start, at).trim() });
    start = -1;
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '"') {
      const close = closingQuote(text, i);
      if (depth === 1 && start < 0) key = JSON.parse(text.slice(i, close + 1)) as string;
      i = close;
    } else if (c === '{' || c === '[') {
      depth++;
      if (depth > DEPTH_MAX) return undefined;
    } else if (c === '}' || c === ']') {
      if (depth === 1) end(i);
      depth--;
    } else if (depth === 1 && c === ':') start = i + 1;
    else if (depth === 1 && c === ',') end(i);
  }
  return members;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function closingQuote(text: string, open: number): number {
  let i = open + 1;
  while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}

/** The name that Go's errors have for the type of a JSON value. */
export type JsonType = 'null' | 'bool' | 'string' | 'array' | 'object' | 'number';

export function typeOf(value: string): JsonType {
  switch (value.trimStart()[0]) {
    case 'n':
      return 'null';
    case 't':
    case 'f':
      return 'bool';
    case '"':
      return 'string';
    case '[':
      return 'array';
    case '{':
      return 'object';
    default:
      return 'number';
  }
}

/** The first name that occurs a second time. */
export function duplicateIn(members: readonly Member[]): string | undefined {
  const seen = new Set<string>();
  return members.find(({ key }) => seen.size === seen.add(key).size)?.key;
}

/** Go's reader of JSON finds fields by their names in any case. */
export const foldedName = (name: string): string =>
  name.replaceAll('\u017f', 's').replaceAll('\u212a', 'k').toLowerCase();

/**
 * The `iss` of an unverified payload as kube-apiserver reads it, to choose an authenticator; undefined if the payload
 * cannot be read.
 */
export function statedIssuer(payload: string): string | undefined {
  let issuer = '';
  for (const { key, value } of membersOf(payload) ?? [{ key: 'iss', value: '{}' }]) {
    if (foldedName(key) !== 'iss' || value === 'null') continue;
    if (typeOf(value) !== 'string') return undefined;
    issuer = JSON.parse(value) as string;
  }
  return issuer;
}
