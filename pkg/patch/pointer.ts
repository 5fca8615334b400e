/** How strictly a JSON patch is read; see `applyJsonPatch`. */
export type PatchDialect = 'reference' | 'rfc6902';

/**
 * The tokens of a JSON Pointer (RFC 6901), or undefined when it is none.
 *
 * The reference cuts at slashes, drops whatever stands before the first one and leaves a tilde that escapes nothing; a pointer
 * without a slash is then the whole document only where an operation says so.
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
 * The array position that a token names, `-` not included. The reference reads decimal integers with an optional sign, leading
 * zeros allowed, and counts negative ones from the end; RFC 6901 allows neither.
 */
export function arrayIndex(token: string, length: number, dialect: PatchDialect): number | undefined {
  if (dialect === 'rfc6902') return /^(0|[1-9][0-9]{0,15})$/.test(token) ? Number(token) : undefined;
  if (!/^[+-]?[0-9]{1,19}$/.test(token)) return undefined;
  const n = Number(token);
  return n < 0 ? (n < -length ? undefined : n + length) : n;
}
