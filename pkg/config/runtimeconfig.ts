import { ConfigError } from './flag.js';
import { parseSwitch, switchProblem } from './gates.js';

/** Keys for all versions of a level. Their value, if present, must be `true` or `false`. */
const LEVELS: readonly string[] = ['api/all', 'api/ga', 'api/beta', 'api/alpha'];

/**
 * `--runtime-config`: `key=bool` or `key` alone, with commas; the last value of a key wins. A missing value is `true`.
 * The registry, which has the groups, validates keys. Throws `ConfigError` with kube-apiserver's message.
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
  // The API conventions allow this for every key; kube-apiserver refuses a level without a value.
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
