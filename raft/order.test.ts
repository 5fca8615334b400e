// Checks the reading order in README.md: each file imports only files above it in the table.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const FOLDER = new URL('./', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

it('each file imports only files above it in the table of README.md', () => {
  const rows = read('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const order = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`(\w+\.ts)`/g)].map(([, name]) => name!));
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  expect([...order].sort()).toEqual(files.filter((name) => name !== 'index.ts').sort());
  const late = order.flatMap((name, place) =>
    [...read(name).matchAll(/from '\.\/(\w+)\.js'/g)]
      .filter(([, imported]) => order.indexOf(`${imported}.ts`) >= place)
      .map(([, imported]) => `${name} imports ${imported}.ts`),
  );
  expect(late).toEqual([]);
});
