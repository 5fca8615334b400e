import { formatDuration, parseDuration } from '../api/index.js';
import type { Flag } from './flag.js';
import { FLAGS } from './flags.js';
import type { FlagValues } from './parse.js';

/** The values of all flags by name, in order, in the form in which kube-apiserver shows those of its flags. */
export function shownFlags(values: FlagValues): Readonly<Record<string, string>> {
  return Object.fromEntries(
    FLAGS.map((flag) => [flag.name, shown(flag, values[flag.name])] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function shown({ kind, separator }: Flag, value: string): string {
  // A list whose items have commas.
  if (separator !== undefined) return `[${value.replaceAll(separator, ';')}]`;
  switch (kind) {
    case 'list':
      return `[${value}]`;
    case 'pairs':
    case 'claims':
      return value.split(',').sort().join(',');
    case 'duration': {
      const nanoseconds = parseDuration(value);
      return nanoseconds === undefined ? value : formatDuration(nanoseconds);
    }
    case 'integer':
    case 'bytes':
      return String(Number(value));
    default:
      return value;
  }
}
