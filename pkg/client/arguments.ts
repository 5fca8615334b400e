import { ClientError } from './error.js';

/** A parsed command line: words, and flags with their last value. */
export interface Arguments {
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
}

/** Flags without a value. */
const SWITCHES: ReadonlySet<string> = new Set(['help', 'h', 'learner', 'version']);

/** Parses a command line. Throws `ClientError` at the first flag that is not in `known`. */
export function parseArguments(args: readonly string[], known: ReadonlySet<string>): Arguments {
  const words: string[] = [];
  const flags = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const m = /^--?([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(arg);
    if (m === null) {
      words.push(arg);
      continue;
    }
    const name = m[1]!;
    if (!known.has(name)) throw new ClientError(`unknown flag --${name} (see --help)`);
    let value = m[2];
    if (value === undefined) {
      if (SWITCHES.has(name)) value = 'true';
      else if (i + 1 < args.length) value = args[++i]!;
      else throw new ClientError(`flag --${name} needs a value`);
    }
    flags.set(name, value);
  }
  return { words, flags };
}

/** Reads `a=x,b=y`, in order. */
export function pairsOf(flag: string, text: string): readonly (readonly [string, string])[] {
  return text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const eq = part.indexOf('=');
      if (eq < 1 || eq === part.length - 1)
        throw new ClientError(`--${flag}: ${JSON.stringify(part)} must be NAME=VALUE`);
      return [part.slice(0, eq), part.slice(eq + 1)] as const;
    });
}
