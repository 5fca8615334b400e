import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { recordedPaths, recordedText } from './recordings.mjs';

const here = dirname(fileURLToPath(import.meta.url));

it('gives the responses of kube-apiserver to a part of the recorded requests', async () => {
  const ran = await new Promise<{ readonly code: number | null; readonly out: string }>((resolve) => {
    const args = [join(here, 'run.mjs'), '--gate', '--slice'];
    const child = execFile(process.execPath, args, { maxBuffer: 64 << 20 }, (_, out, err) =>
      resolve({ code: child.exitCode, out: `${out}${err}` }),
    );
  });
  expect(ran.code, ran.out).toBe(0);
});

it('has recordings of every area and of every kind with valid objects', () => {
  const bases = JSON.parse(recordedText('validation/bases.json')) as Record<string, unknown>;
  const kinds = new Set(Object.keys(bases).map((id) => id.slice(0, id.indexOf('/'))));
  const played = new Set(recordedPaths('validation/').map((path) => /([^/]*)\.jsonl?$/.exec(path)?.[1]));
  expect([...kinds].filter((kind) => !played.has(kind))).toEqual([]);
  expect(recordedPaths('cases/')).toHaveLength(7);
});
