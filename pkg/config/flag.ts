/** A flag as data. Parsing, defaults, checks and help are derived from it. */
export type FlagKind = 'string' | 'boolean' | 'integer' | 'duration' | 'list' | 'pairs' | 'claims' | 'bytes';

export interface Flag {
  readonly name: string;
  readonly kind: FlagKind;
  /** The default, as written on the command line. */
  readonly default: string;
  /** The heading in the help. */
  readonly group: FlagGroup;
  readonly help: string;
  /** Repeated flags are joined; otherwise the last one counts. */
  readonly repeats?: boolean;
  /** The separator of repeated values; a comma unless one value may contain commas. */
  readonly separator?: string;
  /** Further lines of the help. */
  readonly options?: () => readonly string[];
  /** The placeholder of the value in the help. */
  readonly value?: string;
  /** Whether a number or duration may be negative here, because the configuration refuses it with a message of its own. */
  readonly signed?: boolean;
  /** Returns what is wrong with a value, or undefined. */
  readonly check?: (text: string) => string | undefined;
}

export type FlagGroup =
  | 'Serving'
  | 'Storage and cluster'
  | 'API'
  | 'Access'
  | 'Audit'
  | 'Limits'
  | 'Controllers'
  | 'Log';

/** A flag or file that cannot be used. The message is one line for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Throws all problems in one error, as Go prints an aggregate: equal ones once. Without problems nothing happens. */
export function throwProblems(problems: readonly string[]): void {
  const distinct = [...new Set(problems)];
  if (distinct.length > 0) throw new ConfigError(distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`);
}

/** Parses `90s`, `1m30s`, `500ms` or `1h` to milliseconds; undefined if invalid. A plain 0 needs no unit. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:us|ms?|s|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, n, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|us|s|m|h)/g)) total += Number(n) * UNITS[unit!]!;
  return total;
}

/** Reads a retention as etcd does: a plain number means hours. */
export const parseRetention = (text: string): number | undefined =>
  parseDuration(/^\d+$/.test(text) ? `${text}h` : text);

const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reports whether a text is the address of a peer, `https://HOST:PORT` without a path. */
export function isPeerUrl(text: string): boolean {
  return /^https:\/\/[^/?#@]+:\d+$/.test(text) && URL.canParse(text);
}
