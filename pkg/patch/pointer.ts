/** The dialect of a JSON patch; see `applyJsonPatch`. */
export type PatchDialect = 'reference' | 'rfc6902';

/**
 * Splits a JSON Pointer (RFC 6901) into tokens; undefined if it is invalid.
 *
 * kube-apiserver splits at slashes, drops the text before the first one and keeps a tilde that is not part of an escape. Each
 * operation decides whether a pointer without a slash means the whole document.
 */
export function pointerTokens(pointer: string, dialect: PatchDialect): readonly string[] | undefined {
  if (pointer === '') return [];
  const parts = pointer.split('/');
  if (dialect === 'rfc6902') {
    if (parts[0] !== '' || /~(?![01])/.test(pointer)) return undefined;
  } else if (parts.length < 2) return undefined;
  parts.shift();
  return pointer.includes('~') ? parts.map(unescapeToken) : parts;
}

function unescapeToken(token: string): string {
  return token.replace(/~[01]/g, (m) => (m === '~1' ? '/' : '~'));
}

/**
 * Returns the index for a token, except `-`. kube-apiserver accepts decimal integers with an optional sign and leading
 * zeros, and counts negative ones from the end; RFC 6901 allows neither.
 */
export function arrayIndex(token: string, length: number, dialect: PatchDialect): number | undefined {
  if (dialect === 'rfc6902') return /^(0|[1-9][0-9]{0,15})$/.test(token) ? Number(token) : undefined;
  if (!/^[+-]?[0-9]{1,19}$/.test(token)) return undefined;
  const n = Number(token);
  return n < 0 ? (n < -length ? undefined : n + length) : n;
}
