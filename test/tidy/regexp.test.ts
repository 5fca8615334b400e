import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { linear } from './regexp.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/**
 * Expressions that `linear` cannot prove linear, each with the reason why it still takes linear time or why its text is
 * bounded. By file and source. A new expression without one of the provable forms fails this test until it is listed
 * here.
 */
const allowed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'pkg/api/ip.ts': {
    '(^|[.:])0[0-9]+(\\.|$)': 'applied to texts that parseIp accepted, of 83 characters at most',
  },
  'pkg/api/quantity.ts': {
    '^([+-]?)([0-9]*)(?:\\.([0-9]*))?([eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?$':
      'only a sign is ambiguous, because it may also begin the suffix: at most two alternatives',
  },
  'pkg/api/selectors.ts': {
    '^(.*?)(!=|==|=)(.*)$': 'succeeds at the first equals sign, and fails after one pass if there is none',
  },
  'pkg/api/time.ts': {
    '(\\d*)\\.?(\\d*)(ns|us|µs|μs|ms|s|m|h)': 'applied to at most 128 characters, whose form DURATION has checked',
  },
  'pkg/cel/library/formats.ts': {
    '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$':
      'backtracking leaves a group of four characters once, at its last character or its padding: at most one group at each',
  },
  'pkg/cel/library/numbers.ts': {
    '^[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?$': 'applied to at most 1,000 characters',
    '^([+-]?)0[xX]([0-9a-fA-F]+)\\.?([0-9a-fA-F]*)[pP]([+-]?[0-9]+)$': 'applied to at most 1,000 characters',
  },
  'pkg/cel/library/quantity.ts': {
    '^[+-]?([0-9]*)(?:\\.([0-9]*))?(.*)$': 'applied to valid quantities; the first alternative always succeeds',
  },
  'pkg/cel/library/time.ts': {
    '0+$': 'applied to nine digits',
    '([0-9]*)(?:\\.([0-9]*))?(ns|us|\\u00b5s|\\u03bcs|ms|s|m|h)': 'sticky, applied to at most 1,000 characters',
  },
  'pkg/codec/scalar/quantity.ts': {
    '^([+-]?)([0-9]*)(?:\\.([0-9]*))?(?:([KMGTPE])i|([numkMGTPE]|[eE][+-]?[0-9]+)?)$':
      'only one letter is ambiguous (E of Ei, of exa and of an exponent): at most three alternatives',
  },
  'pkg/config/flag.ts': {
    '(\\d+(?:\\.\\d+)?)(ms|us|s|m|h)': 'flags of the operator',
    '^https:\\/\\/[^/?#@]+:\\d+$': 'flags of the operator; backtracks once over the digits of a port',
  },
  'pkg/controllers/namespace.ts': { '\\.\\d+Z$': 'a timestamp of this server' },
  'pkg/patch/json-patch.ts': {
    '"(?:[^"\\\\]|\\\\.)*"|-?[0-9][0-9.eE+-]*|[[\\]{},]':
      'the text is valid JSON: every string ends, and every attempt succeeds',
  },
  'pkg/patch/unstructured.ts': {
    '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$':
      'backtracking leaves a group of four characters once, at its last character or its padding: at most one group at each',
  },
  'pkg/registry/builtin/webhookclient.ts': {
    '^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\\/\\/([^/?#]*))?([^?#]*)(\\?[^#]*)?(#.*)?$':
      'a scheme without colon is read again as a path, an authority is not: at most two passes',
  },
  'pkg/registry/builtin/core/limitvalidation.ts': { ', (?=[^,]*$)': 'a list of constants' },
  'pkg/registry/builtin/core/pod/image.ts': {
    'new RegExp':
      'texts of at most 1,024 characters; a host without slash is read again as a path, no other part is ambiguous',
  },
  'pkg/schema/declaration.ts': { '"[^"]*"|\\S+': 'declarations of this repository' },
  'pkg/schema/declarative/formats.ts': { '(must be no more than \\d+) characters$': 'messages of this repository' },
  'pkg/schema/declarative/validate.ts': { '[^/]+$': 'names of rules in this repository' },
  'pkg/schema/docs.ts': {
    '^(.+)List$': 'names of kinds in this repository',
    '(alpha|beta)\\d+$': 'names of packages in this repository',
  },
};

interface Found {
  readonly file: string;
  readonly line: number;
  /** undefined: built at run time. */
  readonly source: string | undefined;
  readonly flags: string;
}

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.ts$/.test(path) && !/\.test\.ts$|\.d\.ts$|\/testing(?:\/|\.ts$)|\/contract\//.test(path)) yield path;
  }
}

function expressionsOf(file: string): Found[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found: Found[] = [];
  const lineOf = (at: number): number => text.slice(0, at).split('\n').length;
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      for (const n of node) visit(n);
      return;
    }
    const n = node as Record<string, unknown> & { type?: string; start: number };
    const literal = n['regex'] as { pattern: string; flags: string } | undefined | null;
    if (n.type === 'Literal' && literal)
      found.push({ file, line: lineOf(n.start), source: literal.pattern, flags: literal.flags });
    const callee = n['callee'] as { name?: string } | undefined;
    if ((n.type === 'NewExpression' || n.type === 'CallExpression') && callee?.name === 'RegExp')
      found.push({ file, line: lineOf(n.start), source: undefined, flags: '' });
    for (const [key, value] of Object.entries(n)) if (key !== 'type') visit(value);
  };
  visit(parseAst(text, { lang: 'ts' }).body);
  return found;
}

describe('regular expressions', () => {
  const found = [...sources('pkg'), ...sources('raft')].flatMap(expressionsOf);

  it('are found', () => {
    expect(found.length).toBeGreaterThan(200);
  });

  it('take linear time, provably or for a listed reason', () => {
    const unexplained = found
      .filter((f) => f.source === undefined || !linear(f.source, f.flags))
      .filter((f) => allowed[f.file]?.[f.source ?? 'new RegExp'] === undefined)
      .map((f) => `${f.file}:${f.line}: ${f.source === undefined ? 'new RegExp' : `/${f.source}/${f.flags}`}`);
    expect(unexplained).toEqual([]);
  });

  it('have no unnecessary reason', () => {
    const needed = new Set(
      found
        .filter((f) => f.source === undefined || !linear(f.source, f.flags))
        .map((f) => `${f.file} ${f.source ?? 'new RegExp'}`),
    );
    const stale = Object.entries(allowed).flatMap(([file, list]) =>
      Object.keys(list)
        .map((source) => `${file} ${source}`)
        .filter((key) => !needed.has(key)),
    );
    expect(stale).toEqual([]);
  });
});

describe('linear', () => {
  it.each([
    ['^[a-z]+(?:-[a-z]+)*$', ''],
    ['^v([1-9]\\d*)(?:(alpha|beta)([1-9]\\d*))?$', ''],
    ['[<>&]', 'g'],
    ['[\\u0000-\\u001f]+', 'g'],
    ['^(?:#?[0-9a-f]{3}|#?[0-9a-f]{6})$', ''],
    ['\\/\\*$', ''],
    ['foo[^-]*', ''],
    ['^\\p{L}+$', 'u'],
  ])('proves /%s/%s', (source, flags) => {
    expect(linear(source, flags)).toBe(true);
  });

  it.each([
    ['\\/+$', ''],
    ['[\\n]*$', ''],
    ['^(a+)+$', ''],
    ['^(?:a|a)*$', ''],
    ['^\\d*[0-9a-z]*$', ''],
    ['^(?:\\d+\\.?\\d*)+$', ''],
    ['^(.*)\\[.*\\]$', ''],
    ['^[a-z]([a-z-]*[a-z])?$', ''],
    ['\\s#.*$', ''],
    ['(a+)b', ''],
    ['^a+b', 'm'],
    ['(a)\\1', ''],
    ['^(?=.*a).*b', ''],
  ])('does not prove /%s/%s', (source, flags) => {
    expect(linear(source, flags)).toBe(false);
  });
});
