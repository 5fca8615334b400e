import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Cluster, dist, isBuilt } from './cluster.js';
import { untilMember } from './members.js';
import type { Fault } from './nemesis.js';
import { runChaos } from './run.js';

if (!isBuilt) console.warn('upgrade skipped: dist/ is missing (npm run build)');

const FORMS = /entryForms \?\? \{\s*reads: 2,\s*writes: 2\s*\}/;
let folder: string | undefined;
afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/**
 * The previous release, as a separate build: it reads the newest form of log entries, but does not write it yet. It is
 * below `dist`, where it finds the same dependencies.
 */
function releaseBefore(): string {
  folder = mkdtempSync(join(dist, 'before-'));
  for (const part of ['bundle', 'cmd'])
    cpSync(join(dist, part), join(folder, part), { recursive: true, filter: (from) => !from.endsWith('.map') });
  const files = readdirSync(join(folder, 'bundle')).filter((name) => name.endsWith('.js'));
  let changed = 0;
  for (const name of files) {
    const file = join(folder, 'bundle', name);
    const text = readFileSync(file, 'utf8');
    if (!FORMS.test(text)) continue;
    writeFileSync(file, text.replace(FORMS, 'entryForms ?? { reads: 2, writes: 1 }'));
    changed++;
  }
  if (changed !== 1) throw new Error(`${changed} files of the build have the forms of log entries`);
  return folder;
}

/** Replaces the program of each peer, one after the other, while clients read and write. */
function rolling(name: string, build: string, note: (line: string) => void): Fault {
  return {
    name,
    stands: [500, 1500],
    async strike(cluster: Cluster) {
      for (const peer of cluster.names) {
        await cluster.replace(peer, build);
        await cluster.leader();
      }
      // The newest form of entries is written only after every member reads it, and only then a rollback is meaningful.
      if (build === dist)
        await untilMember('the newer form of log entries is not written', async () =>
          cluster.names.some((peer) => cluster.output(peer).includes('log entries of form 2')),
        );
      note(name);
      return { hit: 'all', undo: async () => {} };
    },
  };
}

describe.skipIf(!isBuilt)('two builds', () => {
  it('keep all guarantees during a rolling upgrade and a rollback by one version', async () => {
    const before = releaseBefore();
    const rolled: string[] = [];
    const note = (line: string): void => void rolled.push(line);
    const faults = [rolling('upgrade', dist, note), rolling('rollback', before, note)];
    const result = await runChaos({ seed: 17, faults, cluster: { build: before } });
    expect(rolled).toEqual(['upgrade', 'rollback']);
    expect(result.judgement.violations).toEqual([]);
    expect(result.deaths).toEqual([]);
    expect(result.judgement.undecided).toEqual([]);
    expect(result.acknowledged).toBeGreaterThan(50);
  });
});
