import { ConfigError, type Flag, parseDuration } from './flag.js';
import { FLAGS, type FlagName } from './flags.js';

/** Text of every flag, defaults filled in. */
export type FlagValues = Readonly<Record<FlagName, string>>;

export type CommandLine =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly values: FlagValues };

const BY_NAME: ReadonlyMap<string, Flag> = new Map(FLAGS.map((f) => [f.name, f]));

/**
 * `--flag=value`, `--flag value`, `--switch`; one dash does as well. Of a flag that stands several times the last one counts, or all
 * where it `repeats`. Throws `ConfigError` at the first thing that is not understood.
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const given = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (/^(?:--help(?:=true)?|-h|help)$/.test(arg)) return { kind: 'help' };
    if (/^--version(?:=true|=raw)?$/.test(arg)) return { kind: 'version' };
    const m = /^--?([a-z][a-z0-9_-]*)(?:=(.*))?$/s.exec(arg);
    if (m === null) throw new ConfigError(`unexpected argument ${JSON.stringify(arg)} (see --help)`);
    // As kube-apiserver: words are parted by either.
    const name = m[1]!.replaceAll('_', '-');
    const flag = BY_NAME.get(name);
    if (flag === undefined) throw new ConfigError(`unknown flag --${name}${suggestion(name)} (see --help)`);
    let value = m[2];
    if (value === undefined) {
      if (flag.kind === 'boolean') value = 'true';
      else if (i + 1 < args.length) value = args[++i]!;
      else throw new ConfigError(`flag --${name} needs a value`);
    }
    const wrong = check(flag, value);
    if (wrong !== undefined) throw new ConfigError(`--${name}=${value}: ${wrong}`);
    const before = flag.repeats ? given.get(name) : undefined;
    given.set(name, before === undefined || before === '' ? value : `${before},${value}`);
  }
  const values = Object.fromEntries(FLAGS.map((f) => [f.name, given.get(f.name) ?? f.default])) as Record<
    FlagName,
    string
  >;
  return { kind: 'run', values };
}

function check(flag: Flag, value: string): string | undefined {
  switch (flag.kind) {
    case 'boolean':
      if (value !== 'true' && value !== 'false') return 'must be true or false';
      break;
    case 'integer':
    case 'bytes':
      if (!/^\d+$/.test(value) || !Number.isSafeInteger(Number(value))) return 'must be a whole number, 0 or more';
      break;
    case 'duration':
      if (parseDuration(value) === undefined) return 'must be a duration such as 90s, 5m or 1h30m';
      break;
    default:
      break;
  }
  return flag.check?.(value);
}

/** A flag that differs by a slip of the keyboard. */
function suggestion(name: string): string {
  let best: string | undefined;
  let least = 3;
  for (const known of BY_NAME.keys()) {
    const d = distance(name, known, least);
    if (d < least) {
      least = d;
      best = known;
    }
  }
  return best === undefined ? '' : `, did you mean --${best}?`;
}

/** Edits from one word to the other; `bound` or more is as good as different. */
function distance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return bound;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

/** The text of `--help`. */
export function helpText(program: string): string {
  const groups = [...new Set(FLAGS.map((f) => f.group))];
  const lines = [`${program}: a Kubernetes API server with its store inside.`, '', `Usage: ${program} [flags]`];
  for (const group of groups) {
    lines.push('', `${group}:`);
    for (const f of FLAGS as readonly Flag[]) {
      if (f.group !== group) continue;
      const shown = f.default === '' ? '' : ` (default ${f.default})`;
      lines.push(`  --${f.name}${f.value === undefined ? '' : ` ${f.value}`}`, `        ${f.help}${shown}`);
      for (const option of f.options?.() ?? []) lines.push(`          ${option}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
