export interface GroupVersion {
  /** '' is the core group. */
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

export interface GroupVersionResource extends GroupVersion {
  readonly resource: string;
}

/** `v1`, `apps/v1`. */
export function apiVersionOf(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** The inverse of `apiVersionOf`; undefined if the text is empty or has more than one slash. */
export function parseApiVersion(text: string): GroupVersion | undefined {
  const parts = text.split('/');
  if (text === '' || parts.length > 2) return undefined;
  return parts.length === 1 ? { group: '', version: parts[0]! } : { group: parts[0]!, version: parts[1]! };
}

/**
 * Orders versions as discovery does: stable before beta before alpha, then by major, then by minor, highest first; names
 * that are not versions come last, in alphabetical order. Negative when `a` comes first.
 */
export function compareVersions(a: string, b: string): number {
  const x = rank(a);
  const y = rank(b);
  if (x === undefined || y === undefined) return x === y ? (a < b ? -1 : a > b ? 1 : 0) : x === undefined ? 1 : -1;
  for (let i = 0; i < 3; i++) if (x[i] !== y[i]) return y[i]! - x[i]!;
  return 0;
}

const VERSION = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;

function rank(version: string): readonly [number, number, number] | undefined {
  const m = VERSION.exec(version);
  if (m === null) return undefined;
  return [m[2] === undefined ? 2 : m[2] === 'beta' ? 1 : 0, Number(m[1]), Number(m[3] ?? 0)];
}
