import { type FieldErrors, FieldPath } from '../api/index.js';

/** The rules of the options of a deletion, of a request for it and of an eviction. */

const DRY_RUN = FieldPath.of('dryRun');
const PROPAGATION = FieldPath.of('propagationPolicy');
const PROPAGATIONS = ['Foreground', 'Background', 'Orphan'] as const;

/** Reports whether the values of `dryRun` ask for a dry run. */
export function checkDryRun(values: readonly string[], found: FieldErrors): boolean {
  if (values.some((v) => v !== 'All')) found.notSupported(DRY_RUN, [...values], ['All']);
  return values.length > 0;
}

/** Returns the policy if it is a known one. */
export function checkPropagation(
  policy: string | undefined,
  orphanDependents: boolean | undefined,
  found: FieldErrors,
): (typeof PROPAGATIONS)[number] | undefined {
  if (policy !== undefined && orphanDependents !== undefined)
    found.invalid(PROPAGATION, policy, 'orphanDependents and deletionPropagation cannot be both set');
  const known = PROPAGATIONS.find((p) => p === policy);
  if (policy !== undefined && known === undefined) found.notSupported(PROPAGATION, policy, [...PROPAGATIONS, 'nil']);
  return known;
}
