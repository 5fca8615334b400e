import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { recordedPaths, recordedText } from '../golden/recordings.mjs';
import { configurationRules } from './configurationrules.js';
import { rules as conventions } from './rules.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const rules = [...conventions, ...configurationRules];
const shown = rules.flatMap((r) => r.shownBy.map((by) => ({ by, rule: `${r.section}: ${r.rule}` })));

describe('the table of rules', () => {
  it('has at least one test or recording for each rule', () => {
    expect(rules.filter((r) => r.shownBy.length === 0)).toEqual([]);
    expect(rules.length).toBeGreaterThan(60);
  });

  it('names tests that exist: a file, and the title of a test in it', () => {
    const elsewhere = /^(?:golden |releases: )/;
    const missing = shown
      .filter(({ by }) => !elsewhere.test(by))
      .filter(({ by }) => {
        const colon = by.indexOf(': ');
        const file = join(root, colon < 0 ? by : by.slice(0, colon));
        if (!existsSync(file)) return true;
        return colon < 0 ? file.endsWith('.test.ts') : !readFileSync(file, 'utf8').includes(by.slice(colon + 2));
      });
    expect(missing).toEqual([]);
  });

  it('names no recorded case that is known to differ', () => {
    const known = JSON.parse(readFileSync(join(root, 'test', 'golden', 'known.json'), 'utf8')) as Record<
      string,
      string
    >;
    const idle = shown
      .filter(({ by }) => by.startsWith('golden '))
      .filter(({ by }) => known[by.slice('golden '.length)] !== undefined);
    expect(idle).toEqual([]);
  });

  it('names recorded cases that exist', () => {
    const ids = new Map<string, Set<string>>();
    const recorded = [...recordedPaths('cases/'), ...recordedPaths('later/')];
    const has = (area: string, id: string): boolean => {
      let known = ids.get(area);
      if (known === undefined) {
        const path = [`cases/${area}.json`, `later/${area}.json`].find((file) => recorded.includes(file));
        const cases = (path === undefined ? [] : JSON.parse(recordedText(path))) as { id: string }[];
        known = new Set(cases.map((c) => c.id));
        ids.set(area, known);
      }
      return known.has(id);
    };
    const missing = shown
      .filter(({ by }) => by.startsWith('golden '))
      .filter(({ by }) => !has(...(by.slice('golden '.length).split('/') as [string, string])));
    expect(missing).toEqual([]);
  });
});
