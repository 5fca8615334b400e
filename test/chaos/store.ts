import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dist } from './cluster.js';

/** Runs a command of `store.mjs`. Returns what it printed. */
export function onStore(...command: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const script = join(dirname(fileURLToPath(import.meta.url)), 'store.mjs');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, dist, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, complaint] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      complaint += text;
    });
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(out));
      else reject(new Error(`${command.join(' ')} ended with ${code}: ${complaint}`));
    });
  });
}
