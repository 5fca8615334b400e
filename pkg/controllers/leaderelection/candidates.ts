import { type JsonObject, parseTime, textAt } from '../../api/index.js';
import { metaOf } from '../meta.js';

export const CANDIDATES = 'leasecandidates.coordination.k8s.io';

/** The strategy of elections that the server decides. Others are decided elsewhere. */
export const OLDEST_EMULATION_VERSION = 'OldestEmulationVersion';

/** A candidate counts for this time after its last renewal, in milliseconds. */
const VALID = 30 * 60_000;

/** A LeaseCandidate as elections see it. Times are in milliseconds. */
export interface Candidate {
  readonly name: string;
  readonly resourceVersion: string;
  readonly lease: string;
  readonly created: number;
  /** When it was last asked whether it is alive. */
  readonly pinged: number | undefined;
  readonly renewed: number;
  readonly binaryVersion: string;
  readonly emulationVersion: string;
  readonly strategy: string;
}

export function candidateOf(o: JsonObject): Candidate {
  const { name, resourceVersion } = metaOf(o);
  return {
    name,
    resourceVersion,
    lease: textAt(o, 'spec', 'leaseName'),
    created: parseTime(textAt(o, 'metadata', 'creationTimestamp')) ?? 0,
    pinged: parseTime(textAt(o, 'spec', 'pingTime')),
    renewed: parseTime(textAt(o, 'spec', 'renewTime')) ?? Number.NEGATIVE_INFINITY,
    binaryVersion: textAt(o, 'spec', 'binaryVersion'),
    emulationVersion: textAt(o, 'spec', 'emulationVersion'),
    strategy: textAt(o, 'spec', 'strategy'),
  };
}

/** The time when a candidate stops to count. */
export const endOf = ({ renewed }: Candidate): number => renewed + VALID;

/** Reports whether half of the time of a candidate is over: an election lets all candidates renew. */
export const isAging = ({ renewed }: Candidate, now: number): boolean => renewed + VALID / 2 < now;

/** Reports whether a candidate has not answered the last question whether it is alive. */
export const isSilent = ({ pinged, renewed }: Candidate): boolean => pinged !== undefined && renewed < pinged;

/**
 * Returns the strategy of the candidates with the highest binary version. Throws if they disagree: then no election is possible.
 */
export function strategyOf(candidates: readonly Candidate[]): string {
  const newest = candidates.reduce((a, b) => (compareVersions(a.binaryVersion, b.binaryVersion) < 0 ? b : a));
  for (const other of candidates)
    if (other.strategy !== newest.strategy && compareVersions(other.binaryVersion, newest.binaryVersion) === 0)
      throw new Error(
        `candidates ${newest.name} and ${other.name} of the same binary version have different strategies: ${newest.strategy} and ${other.strategy}`,
      );
  return newest.strategy;
}

/**
 * Returns the candidate with the oldest emulation version, then the oldest binary version, then the one created first. Candidates
 * without an emulation version cannot be compared and do not count.
 */
export function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.filter(({ emulationVersion }) => emulationVersion !== '').toSorted(byPreference)[0];
}

const byPreference = (a: Candidate, b: Candidate): number =>
  compareVersions(a.emulationVersion, b.emulationVersion) ||
  compareVersions(a.binaryVersion, b.binaryVersion) ||
  a.created - b.created;

/** Compares semantic versions as semver.org 2.0.0 orders them; validation has admitted no others. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [partsOf(a), partsOf(b)];
  const numbers = compareParts(x.numbers, y.numbers);
  if (numbers !== 0) return numbers;
  // A pre-release is before its release.
  if (x.pre.length === 0 || y.pre.length === 0) return Math.sign(y.pre.length) - Math.sign(x.pre.length);
  return compareParts(x.pre, y.pre);
}

function partsOf(version: string): { readonly numbers: readonly string[]; readonly pre: readonly string[] } {
  const [release = ''] = version.split('+', 1);
  const dash = release.indexOf('-');
  if (dash < 0) return { numbers: release.split('.'), pre: [] };
  return { numbers: release.slice(0, dash).split('.'), pre: release.slice(dash + 1).split('.') };
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const part = comparePart(a[i]!, b[i]!);
    if (part !== 0) return part;
  }
  return a.length - b.length;
}

/** Numbers are before texts. Valid ones have no leading zeros, so a longer number is greater. */
function comparePart(a: string, b: string): number {
  const [x, y] = [isNumber(a), isNumber(b)];
  if (x !== y) return x ? -1 : 1;
  if (x && a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

const isNumber = (s: string): boolean => /^[0-9]+$/.test(s);
