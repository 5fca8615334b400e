const WORDS = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

/** Returns the escaped name of a property in expressions; undefined if expressions cannot access it. */
export function escapeName(name: string): string | undefined {
  if (WORDS.has(name)) return `__${name}__`;
  if (name === '' || !/^[A-Za-z_.\-/]/.test(name) || /[^A-Za-z0-9_.\-/]/.test(name)) return undefined;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

/**
 * Looks up a field by the name in an expression. A name that is a keyword may be written directly, because it follows a
 * dot, or escaped.
 */
export function fieldNamed<T>(fields: ReadonlyMap<string, T>, name: string): T | undefined {
  return fields.get(name) ?? (WORDS.has(name) ? fields.get(`__${name}__`) : undefined);
}
