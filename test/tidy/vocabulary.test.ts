import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Words and phrases that readers have to read twice, with the plain form. They are matched in comments, test titles and Markdown. */
const rejected: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:is|are|was|were|been|be) told\b/, 'gets, receives, is notified'],
  [/\b(?:whom|whoever|nobody|somebody)\b/, 'the client, the peer, no peer, a user'],
  [/\bwho (?:waits|was told|asks|comes|goes)\b/, 'the waiting request'],
  [/\bsave (?:for|that)\b/, 'except'],
  [/\bof the moment\b/, 'current'],
  [/\bin the words of\b|(?:apiserver|manager)'s words\b/, 'with the message of'],
  [/\binto force\b/, 'applied, effective'],
  [/\b(?:go|goes|going|gone) on\b/, 'continue'],
  [/\bfor good\b/, 'permanently'],
  [/\bhand(?:ed|s) in\b/, 'passed as a parameter'],
  [/\bwhat (?:came|comes) of\b/, 'the output, the result'],
  [/\bthe other way round\b/, 'vice versa'],
  [/\bis made of\b/, 'is built from'],
  [/\b(?:has|have|had) the say\b/, 'decides'],
  [/\bwhat nobody\b|\bwhat is none\b|\bthat is no (?:API|integer|number|resource|member|time)\b/, 'that is not a'],
  [/\bsentences? of kube-apiserver\b/, 'message'],
  [/\b(?:exact|fast|one) roads?\b/, 'path'],
  [/\b(?:DESIGN|STYLE|FEASIBILITY)(?:\.md)?(?: decision)? \d/, 'the reason itself'],
  [/\b(?:Breath|Holdback|Duties|Wires)\b/, 'yield, backpressure, background tasks, transport'],
];

function* files(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!/^(?:node_modules|dist|gen|\..*)$/.test(entry.name)) yield* files(path);
    } else if (/\.(?:ts|mjs|md)$/.test(entry.name)) yield path;
  }
}

/** The comments and test titles of a source file, joined across lines; a Markdown file as a whole. */
function textOf(path: string): string {
  const text = readFileSync(join(root, path), 'utf8');
  if (path.endsWith('.md')) return text.replace(/\s+/g, ' ');
  const parts: string[] = [];
  for (const line of text.split('\n')) {
    const comment = /^\s*(?:\/\*\*?|\*|\/\/)\s?(.*)$/.exec(line) ?? /\s\/\/ (.*)$/.exec(line);
    if (comment !== null) parts.push(comment[1]!.replace(/\*\/\s*$/, ''));
    const title =
      /\b(?:it|test|describe)(?:\.\w+)*\(\s*(['"`])(.*?)\1/.exec(line) ?? /^\s*\]\)\((['"`])(.*?)\1/.exec(line);
    if (title !== null) parts.push(`${title[2]!}. `);
  }
  return parts.join(' ');
}

it('comments, test titles and documents have none of the rejected words', () => {
  const found: string[] = [];
  for (const path of files('.')) {
    if (path === 'test/tidy/vocabulary.test.ts') continue;
    const text = textOf(path);
    for (const [pattern, instead] of rejected) {
      const m = pattern.exec(text);
      if (m !== null) found.push(`${path}: "${text.slice(Math.max(0, m.index - 40), m.index + 50)}"; use: ${instead}`);
    }
  }
  expect(found).toEqual([]);
});

it('each rejected word is found where it occurs', () => {
  for (const text of ['the cache is told', 'whom it asks', 'the log goes on', 'passed into force', 'all save for one'])
    expect(rejected.some(([pattern]) => pattern.test(text))).toBe(true);
});
