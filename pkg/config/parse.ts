import { durationProblem, parseDuration as goDuration } from '../api/index.js';
import { ConfigError, type Flag, parseDuration } from './flag.js';
import { FLAGS, type FlagName } from './flags.js';
import { UPSTREAM_FLAGS, type UpstreamFlag } from './upstreamflags.js';

/** The text of every flag, with defaults. */
export type FlagValues = Readonly<Record<FlagName, string>>;

export type CommandLine =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run';
      readonly values: FlagValues;
      /** The names of the flags on the command line. */
      readonly given: ReadonlySet<string>;
      /** One line for each flag that has no effect. */
      readonly warnings: readonly string[];
    };

const BY_NAME: ReadonlyMap<string, Flag> = new Map(FLAGS.map((f) => [f.name, f]));

/**
 * Parses `--flag=value`, `--flag value` and `--switch`; a single dash is accepted too. The last of several values wins,
 * or all of them count if a flag `repeats`. Throws `ConfigError` at the first unknown or invalid argument.
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const given = new Map<string, string>();
  const warnings = new Set<string>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (/^(?:--help(?:=true)?|-h|help)$/.test(arg)) return { kind: 'help' };
    if (/^--version(?:=true|=raw)?$/.test(arg)) return { kind: 'version' };
    const m = /^--?([a-z][a-z0-9_-]*)(?:=(.*))?$/s.exec(arg);
    if (m === null) throw new ConfigError(`unexpected argument ${JSON.stringify(arg)} (see --help)`);
    // As in kube-apiserver, words are separated by a dash or an underscore.
    const name = m[1]!.replaceAll('_', '-');
    const flag = BY_NAME.get(name);
    const upstream = flag === undefined ? UPSTREAM_FLAGS.get(name) : undefined;
    if (flag === undefined && upstream === undefined)
      throw new ConfigError(`unknown flag --${name}${suggestion(name)} (see --help)`);
    let value = m[2];
    if (value === undefined) {
      if (flag?.kind === 'boolean' || upstream?.boolean === true) value = 'true';
      else if (i + 1 < args.length) value = args[++i]!;
      else throw new ConfigError(`flag --${name} needs a value`);
    }
    if (flag === undefined) {
      const warning = withoutEffect(name, value, upstream!);
      if (warning !== undefined) warnings.add(warning);
      continue;
    }
    const problem = kindProblem(flag, value);
    if (problem !== undefined)
      throw new ConfigError(`invalid argument ${JSON.stringify(value)} for "--${name}" flag: ${problem}`);
    if (flag.kind === 'boolean') value = SWITCHES.get(value)!;
    const wrong = check(flag, value);
    if (wrong !== undefined) throw new ConfigError(`--${name}=${value}: ${wrong}`);
    const before = flag.repeats ? given.get(name) : undefined;
    given.set(name, before === undefined || before === '' ? value : before + (flag.separator ?? ',') + value);
  }
  const values = Object.fromEntries(FLAGS.map((f) => [f.name, given.get(f.name) ?? f.default])) as Record<
    FlagName,
    string
  >;
  return { kind: 'run', values, given: new Set(given.keys()), warnings: [...warnings] };
}

/**
 * Returns the warning about a flag of kube-apiserver or etcd without an effect here. Throws if it must not be ignored.
 */
function withoutEffect(name: string, value: string, flag: UpstreamFlag): string | undefined {
  const reason = flag.reason === '' ? '' : `: ${flag.reason}`;
  if (!flag.refused) return `--${name} has no effect${reason}`;
  if (flag.accepted.includes(value)) return undefined;
  throw new ConfigError(`--${name}=${value} is not supported${reason}`);
}

/** Reports whether kube-apiserver, etcd or this server has a flag with that name. */
export const isKnownFlag = (name: string): boolean => BY_NAME.has(name) || UPSTREAM_FLAGS.has(name);

/** Switches, as Go reads them. */
const SWITCHES: ReadonlyMap<string, 'true' | 'false'> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, 'true'] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, 'false'] as const),
]);

/** Returns the message about a value that is not of the kind of its flag, as Go's packages have it. */
function kindProblem(flag: Flag, value: string): string | undefined {
  const syntax = (name: string): string => `strconv.${name}: parsing ${JSON.stringify(value)}: invalid syntax`;
  switch (flag.kind) {
    case 'boolean':
      return SWITCHES.has(value) ? undefined : syntax('ParseBool');
    case 'integer':
    case 'bytes':
      return /^[+-]?\d+$/.test(value) ? undefined : syntax('ParseInt');
    case 'duration':
      return goDuration(value) === undefined ? durationProblem(value) : undefined;
    case 'claims':
      return value === '' || value.includes('=') ? undefined : 'malformed pair, expect string=string';
    default:
      return undefined;
  }
}

function check(flag: Flag, value: string): string | undefined {
  switch (flag.kind) {
    case 'integer':
    case 'bytes':
      if ((value.startsWith('-') && flag.signed !== true) || !Number.isSafeInteger(Number(value)))
        return 'must be a whole number, 0 or more';
      break;
    case 'duration':
      if (flag.signed === true && value.startsWith('-')) break;
      if (parseDuration(value) === undefined) return 'must not be negative, and its units are us, ms, s, m and h';
      break;
    default:
      break;
  }
  return flag.check?.(value);
}

/** Returns the flag of which the name is a misspelling, if there is one. */
function suggestion(name: string): string {
  let best: string | undefined;
  let least = 3;
  for (const known of [...BY_NAME.keys(), ...UPSTREAM_FLAGS.keys()]) {
    const d = distance(name, known, least);
    if (d < least) {
      least = d;
      best = known;
    }
  }
  return best === undefined ? '' : `, did you mean --${best}?`;
}

/** Returns the number of edits from one word to the other, or `bound` if there are at least that many. */
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
