import { ConfigError } from './flag.js';
import { parseSwitch, switchProblem } from './gates.js';

/** Keys that stand for all versions of a kind. Their value, where there is one, must be written out: `true` or `false`. */
const LEVELS: readonly string[] = ['api/all', 'api/ga', 'api/beta', 'api/alpha'];

/**
 * `--runtime-config`: `key=bool` or `key` alone, with commas; the last of a key counts. A missing value is `true`. What a key may be is
 * known to the registry, which has the groups. Throws `ConfigError` in kube-apiserver's words.
 */
export function readRuntimeConfig(text: string): ReadonlyMap<string, boolean> {
  const values = new Map<string, string>();
  for (const part of text.split(',')) {
    if (part === '') continue;
    const eq = part.indexOf('=');
    const key = (eq < 0 ? part : part.slice(0, eq)).trim();
    values.set(key, eq < 0 ? '' : part.slice(eq + 1).trim());
  }
  return new Map([...values].map(([key, value]) => [key, switchOf(key, value)]));
}

function switchOf(key: string, value: string): boolean {
  // The API conventions say so of every key; kube-apiserver refuses one of a level without a value.
  if (value === '') return true;
  if (LEVELS.includes(key)) {
    if (value === 'true' || value === 'false') return value === 'true';
    throw new ConfigError(`--runtime-config: invalid value ${key}=${value}`);
  }
  const on = parseSwitch(value);
  if (on === undefined)
    throw new ConfigError(`--runtime-config: invalid value of ${key}: ${value}, err: ${switchProblem(value)}`);
  return on;
}
