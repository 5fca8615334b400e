/** A flag as data: parsing, defaults, checks and help are all read from it. */
export type FlagKind = 'string' | 'boolean' | 'integer' | 'duration' | 'list' | 'pairs' | 'bytes';

export interface Flag {
  readonly name: string;
  readonly kind: FlagKind;
  /** As it would be written on the command line. */
  readonly default: string;
  /** Heading in the help. */
  readonly group: FlagGroup;
  readonly help: string;
  /** Given several times it means all of them, as one with commas. */
  readonly repeats?: boolean;
  /** Lines that stand below the help. */
  readonly options?: () => readonly string[];
  /** What the value is called in the help. */
  readonly value?: string;
  /** Says what is wrong with a value, or undefined. */
  readonly check?: (text: string) => string | undefined;
}

export type FlagGroup = 'Serving' | 'Storage and cluster' | 'API' | 'Access' | 'Limits' | 'Controllers' | 'Log';

/** What the user wrote cannot be used. One line, made for him. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Milliseconds of `90s`, `1m30s`, `500ms`, `1h`; undefined when it is none. A plain 0 needs no unit. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:us|ms?|s|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, n, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|us|s|m|h)/g)) total += Number(n) * UNITS[unit!]!;
  return total;
}

/** As etcd reads it: a number alone is hours. */
export const parseRetention = (text: string): number | undefined =>
  parseDuration(/^\d+$/.test(text) ? `${text}h` : text);

const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The address of a peer: `https://HOST:PORT`, and nothing behind it. */
export function isPeerUrl(text: string): boolean {
  return /^https:\/\/[^/?#@]+:\d+$/.test(text) && URL.canParse(text);
}
