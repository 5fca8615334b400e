import { type FieldError, FieldErrors, FieldPath, getOwn, type JsonObject } from '../api/index.js';
import type { CheckedPod, Violation } from './podsecuritycheck.js';
import { checksOf } from './podsecuritychecks.js';

/** The policy of a namespace: a level and a version for each of the three modes. */

const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
export type SecurityLevel = (typeof LEVELS)[number];

/** `minor` Infinity is `latest`. */
export interface LevelVersion {
  readonly level: SecurityLevel;
  readonly minor: number;
}

export interface SecurityPolicy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

const PREFIX = 'pod-security.kubernetes.io/';
const LABELS = FieldPath.of('metadata', 'labels');
export const MODES = ['enforce', 'audit', 'warn'] as const;

/** `baseline:v1.30`, `restricted:latest`. */
export function levelText({ level, minor }: LevelVersion): string {
  return `${level}:${minor === Number.POSITIVE_INFINITY ? 'latest' : `v1.${minor}`}`;
}

export const sameLevel = (a: LevelVersion, b: LevelVersion): boolean => a.level === b.level && a.minor === b.minor;

/** Positive when `a` is stricter. */
export const compareLevels = (a: SecurityLevel, b: SecurityLevel): number => LEVELS.indexOf(a) - LEVELS.indexOf(b);

export const isPrivileged = (policy: SecurityPolicy): boolean =>
  MODES.every((mode) => policy[mode].level === 'privileged');

export function parseLevel(text: string): SecurityLevel | undefined {
  return LEVELS.find((level) => level === text);
}

const VERSION = /^v1\.(0|[1-9][0-9]{0,8})$/;

export function parseMinor(text: string): number | undefined {
  if (text === 'latest') return Number.POSITIVE_INFINITY;
  const minor = VERSION.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

export const LEVEL_SENTENCE = `must be one of ${LEVELS.join(', ')}`;
export const VERSION_SENTENCE = 'must be "latest" or "v1.x"';

/**
 * Returns the policy of a namespace from its labels and the defaults, and the errors in the labels. An invalid label
 * enforces `restricted`, without audit and warnings. A stricter enforce level also applies to warnings, unless a label sets theirs.
 */
export function policyOf(
  labels: JsonObject,
  defaults: SecurityPolicy,
): { readonly policy: SecurityPolicy; readonly problems: readonly FieldError[] } {
  const problems = new FieldErrors();
  const read = (mode: (typeof MODES)[number]): LevelVersion => {
    const level = getOwn(labels, PREFIX + mode);
    const version = getOwn(labels, `${PREFIX}${mode}-version`);
    const parsed = typeof level === 'string' ? parseLevel(level) : defaults[mode].level;
    const minor = typeof version === 'string' ? parseMinor(version) : defaults[mode].minor;
    if (parsed === undefined) problems.invalid(LABELS.key(PREFIX + mode), level, LEVEL_SENTENCE);
    if (minor === undefined) problems.invalid(LABELS.key(`${PREFIX}${mode}-version`), version, VERSION_SENTENCE);
    return {
      level: parsed ?? (mode === 'enforce' ? 'restricted' : 'privileged'),
      minor: minor ?? Number.POSITIVE_INFINITY,
    };
  };
  const policy = { enforce: read('enforce'), audit: read('audit'), warn: read('warn') };
  const { enforce, warn } = policy;
  const stated = parseLevel(String(getOwn(labels, `${PREFIX}enforce`))) !== undefined;
  const follows =
    stated && getOwn(labels, `${PREFIX}warn`) === undefined && compareLevels(enforce.level, warn.level) > 0;
  if (!follows) return { policy, problems: problems.list };
  const minor = getOwn(labels, `${PREFIX}warn-version`) === undefined ? enforce.minor : warn.minor;
  return { policy: { ...policy, warn: { level: enforce.level, minor } }, problems: problems.list };
}

/** Whether labels of a namespace set a mode. */
export const setsMode = (labels: JsonObject, mode: (typeof MODES)[number]): boolean =>
  getOwn(labels, PREFIX + mode) !== undefined || getOwn(labels, `${PREFIX}${mode}-version`) !== undefined;

export function violationsOf({ level, minor }: LevelVersion, pod: CheckedPod): readonly Violation[] {
  if (level === 'privileged') return [];
  return checksOf(level, minor).flatMap((check) => check(pod) ?? []);
}

/** Reasons with their details, as messages show them. */
export function violationText(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}
