import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sharedState } from './state.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.ts$/.test(path) && !/\.(?:test|d)\.ts$|\/gen\/|testing/.test(path)) yield path;
  }
}

const text = (file: string): string => readFileSync(join(root, file), 'utf8');

/** A variable of a module, or a constant that contains an empty collection or a buffer. */
const STATE =
  /^(?:export )?(?:let (\w+)|const (\w+)(?=[\s:=])[^;()]*?=\s*(?:new (?:Weak)?(?:Map|Set)\b(?:<[^;]*?>)?\(\)|Buffer\.alloc\w*\((?!0\))|new Uint\w+Array\((?!0\))))/gm;

const statesOf = (source: string): string[] => [...source.matchAll(STATE)].map((m) => (m[1] ?? m[2])!);

describe('module-level state', () => {
  it('is found in all its forms', () => {
    expect(
      statesOf(
        [
          'let last = 0;',
          'const cache = new WeakMap<\n  Kind,\n  (o: Stored) => Parts\n>();',
          'export const names: Map<string, string> = new Map();',
          'const scratch = Buffer.allocUnsafeSlow(64 << 10);',
          "const WORDS = new Set(['a']);",
          'const NOTHING = Buffer.alloc(0);',
          '  let local = 0;',
        ].join('\n'),
      ),
    ).toEqual(['last', 'cache', 'names', 'scratch']);
  });

  it('is limited to state that two servers of one process may share', () => {
    const found: string[] = [];
    for (const folder of ['pkg', 'raft'])
      for (const file of sources(folder))
        for (const name of statesOf(text(file)))
          if (sharedState[file]?.[name] === undefined) found.push(`${file}: ${name}`);
    expect(found).toEqual([]);
  });

  it('has no listed entry that no longer exists', () => {
    const gone = Object.entries(sharedState).flatMap(([file, names]) => {
      const present = statesOf(text(file));
      return Object.keys(names)
        .filter((name) => !present.includes(name))
        .map((name) => `${file}: ${name}`);
    });
    expect(gone).toEqual([]);
  });
});

describe('pkg/registry', () => {
  it('has names of built-in kinds and resources only in builtin/', () => {
    const names = new Set<string>();
    for (const file of sources('pkg/registry/builtin'))
      if (text(file).includes('ResourceDeclaration'))
        for (const m of text(file).matchAll(/^\s+(?:kind: '([A-Z]\w+)'|resource: '(\w+)'),$/gm))
          names.add((m[1] ?? m[2])!);
    expect(names.size).toBeGreaterThan(100);
    const found: string[] = [];
    for (const file of sources('pkg/registry')) {
      if (file.startsWith('pkg/registry/builtin/')) continue;
      for (const [i, line] of text(file).split('\n').entries()) {
        const code = line.replace(/\/\/.*|^\s*\/?\*.*/, '');
        for (const m of code.matchAll(/['`"]([A-Za-z]+)['`"]/g))
          if (names.has(m[1]!)) found.push(`${file}:${i + 1}: ${line.trim()}`);
      }
    }
    expect(found).toEqual([]);
  });
});
